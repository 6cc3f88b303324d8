"""A hub in a process of its own with everything that belongs to it: its state, its keepers, the fake CLIs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from bascule.transport.keeper import find_keepers
from bench.subjects.reading import Address, asked

TICKS: Final = os.sysconf("SC_CLK_TCK")
LOOK_S: Final = 0.1


class House:
    """The folder of a hub, and the fake CLI that its sessions are begun with."""

    def __init__(self, *, folder: str, cli: str) -> None:
        self.folder = Path(folder)
        self.state = self.folder / "state"
        self.workspace = self.folder / "workspace"
        self._cli = cli

    @asynccontextmanager
    async def hub(self, begin: dict[str, dict[str, str]], *, lives: list[str] | None = None) -> AsyncIterator[Hub]:
        """A hub that runs until the block ends, and then dies by SIGKILL; the CLIs go on."""
        arguments = {"cwd": str(self.workspace), "cli": self._cli, "begin": begin, "wait_for": lives or []}
        told = json.dumps({"state": str(self.state), **arguments})
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.subjects.served", told), stdin=-1, stdout=-1
        )
        assert process.stdout is not None
        try:
            yield Hub(process.pid, Address(**json.loads(await process.stdout.readline())))
        finally:
            process.kill()
            await process.wait()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """All CLIs are ended, with their keepers, when the block is left."""
        self.workspace.mkdir(parents=True)
        try:
            yield
        finally:
            while living := await asyncio.to_thread(find_keepers, self.state):
                if not living.living:
                    break
                for address in living.living:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(address.pid, signal.SIGTERM)
                await asyncio.sleep(0.1)


class Hub:
    """A hub that runs."""

    def __init__(self, pid: int, address: Address) -> None:
        self.pid = pid
        self.address = address

    @property
    def cpu_s(self) -> float:
        """What it has taken of a core."""
        return cpu_s(self.pid)

    @property
    def mb(self) -> float:
        """What it holds."""
        return held_mb(self.pid)


def cpu_s(pid: int) -> float:
    """User and system time of a process, in seconds."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS


def held_mb(pid: int) -> float:
    """The memory of a process."""
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()[0]) / 1024


async def allow(address: Address, ask: Any) -> Any:
    """Answer an ask as the web page does; the receipt."""
    pending = ask["request"]["pending_id"]
    body = {"command_id": f"allow {ask['session']} {pending}", "decision": {"verb": "allow_once"}}
    return await asked(address, "POST", f"/api/sessions/{ask['session']}/asks/{pending}", body)


async def until(hub: Hub, done: Callable[[Any], bool]) -> None:
    """Returns when it is so of all sessions."""
    while not all(map(done, await asked(hub.address, "GET", "/api/sessions"))):  # noqa: ASYNC110
        await asyncio.sleep(LOOK_S)
