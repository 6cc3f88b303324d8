"""`bascule serve` in a process of its own, as a shell or a service manager starts it."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from bascule.testing.fake_cli import install
from bascule.transport.keeper import Keepers, find_keepers
from bascule.web.address import find
from tests.transport.programs import running_with

PASSED = ("CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "IS_SANDBOX")


class Ended(NamedTuple):
    """A server that did not serve, or no longer."""

    code: int | None
    err: str


class Machine:
    """A home and a workspace, in which servers run one after the other."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        """`env`: what a CLI needs to talk to its scripted model."""
        self.home = folder / "home"
        self.workspace = folder / "workspace"
        self.state = self.home / ".local" / "state" / "bascule"
        self.workspace.mkdir()
        self.home.mkdir(exist_ok=True)
        self.said = ""
        """What the last server wrote to standard error."""
        self.cli = install(folder)
        """What plays Claude Code."""
        self._env = {**env, "HOME": str(self.home), "PYTHONPATH": os.pathsep.join(["src", *sys.path])}

    async def begun(self, *argv: str, api_key: bool = True) -> Process:
        """A server that begins; `api_key`: its sessions are billed by the key."""
        program = (sys.executable, "-m", "bascule.cli.main", "serve", "--cli", str(self.cli), "--unproven")
        passed = [f"--pass-env={name}" for name in PASSED] + ["--use-api-key"] * api_key
        return await asyncio.create_subprocess_exec(*program, *passed, *argv, env=self._env, stdout=-1, stderr=-1)

    async def refused(self, *argv: str) -> Ended:
        """A server that cannot serve."""
        process = await self.begun(*argv)
        _, err = await process.communicate()
        return Ended(process.returncode, err.decode())

    @asynccontextmanager
    async def serving(self, *argv: str, api_key: bool = True) -> AsyncIterator["Server"]:
        """One that serves; when the block ends it is told to end, and nothing else is."""
        process = await self.begun("--port", "0", *argv, api_key=api_key)
        assert process.stdout is not None
        url = await process.stdout.readline()
        address = find(self.state)
        try:
            assert address is not None, await process.communicate()
            headers = {"Authorization": f"Bearer {address.token}"}
            async with httpx.AsyncClient(base_url=address.url, headers=headers, trust_env=False) as client:
                yield Server(process, client, url.decode().strip(), address.token)
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            _, err = await process.communicate()
            self.said = err.decode()

    def keepers(self) -> Keepers:
        """Those of all sessions here."""
        return find_keepers(self.state)

    def clear(self) -> None:
        """End whatever is left."""
        found = self.keepers()
        for address in (*found.living, *found.dead):
            for pid in (*running_with(f"BASCULE_PROCESS={address.mark}"), *([address.pid] if not address.exit else ())):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


class Server:
    """A server that runs, spoken to by HTTP."""

    def __init__(self, process: Process, client: httpx.AsyncClient, url: str, token: str) -> None:
        self.process = process
        self.token = token
        """Which is left for the owner's programs."""
        self.url = url
        """As it was printed."""
        self._client = client

    async def get(self, path: str) -> Any:
        """What it answers."""
        answer = await self._client.get(path)
        assert answer.is_success, answer.text
        return answer.json()

    async def text(self, path: str) -> str:
        """The same, as it is."""
        answer = await self._client.get(path)
        assert answer.is_success, answer.text
        return answer.text

    async def post(self, path: str, sent: Any) -> Any:
        """What it answers."""
        answer = await self._client.post(path, json=sent)
        assert answer.is_success, answer.text
        return answer.json()

    async def send(self, **command: Any) -> Any:
        """The receipt of a command."""
        return await self.post("/api/commands", command)

    async def status_with(self, token: str) -> int:
        """How it answers who comes with another key."""
        return (await self._client.get("/api/me", headers={"Authorization": f"Bearer {token}"})).status_code

    async def ask(self) -> Any:
        """The first ask, once there is one."""
        while not (asks := await self.get("/api/asks")):
            pass
        return asks[0]

    async def end_of_turn(self, session: str) -> Any:
        """The end of its first turn, once it is there."""
        while True:
            events = (await self.get(f"/api/sessions/{session}/events"))["events"]
            if found := [event for event in events if event["type"] == "complete"]:
                return found[0]
