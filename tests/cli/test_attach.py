"""`bascule attach` at a terminal of its own: a process behind a pseudo-terminal, beside the server."""

import asyncio
import os
import pty
import subprocess
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bascule.events import Notice, SessionEnded
from bascule.terminal.dialogue import ARMING_MS
from bascule.web.address import announced
from bascule.web.serving import address_of
from tests.cli.command import measured
from tests.web.conftest import Served, Server, make, served, until, workspace
from tests.web.double import ask

__all__ = ["make", "served", "workspace"]


class Screen:
    """The near end of the terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = b""
        self._news = asyncio.Event()

    def read(self) -> None:
        try:
            self._seen += os.read(self._descriptor, 65_536)
        except OSError:
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._news.set()

    async def sees(self, text: str) -> None:
        """Returns once it stood there; what came before is forgotten."""
        while text.encode() not in self._seen:
            self._news.clear()
            await self._news.wait()
        self._seen = self._seen.partition(text.encode())[2]

    def types(self, text: str) -> None:
        os.write(self._descriptor, text.encode())


@asynccontextmanager
async def attached(server: Server, state: Path, *words: str) -> AsyncIterator[tuple[Screen, subprocess.Popen[bytes]]]:
    near, far = pty.openpty()
    termios.tcsetwinsize(far, (30, 100))
    env = {**measured(), "PATH": os.defpath, "HOME": str(state), "XDG_STATE_HOME": str(state), "TERM": "xterm"}
    command = [sys.executable, "-m", "bascule.cli.main", "attach", *words]
    with announced(state / "bascule", address_of(server.settings, server.door)):
        process = subprocess.Popen(command, stdin=far, stdout=far, stderr=subprocess.PIPE, env=env)  # noqa: ASYNC220
        os.close(far)
        screen = Screen(near)
        asyncio.get_running_loop().add_reader(near, screen.read)
        try:
            yield screen, process
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
            asyncio.get_running_loop().remove_reader(near)
            os.close(near)


async def ended(process: subprocess.Popen[bytes]) -> str:
    """Once it has: what it wrote to standard error."""
    await until(lambda: process.poll() is not None)
    assert process.stderr is not None
    return process.stderr.read().decode()


async def test_a_person_attaches_says_something_decides_and_leaves(served: Served, tmp_path: Path) -> None:
    async with served() as server:
        session = server.hub.add(title="Mend the roof")
        await session.tell(Notice(level="warning", text="long ago"))
        async with attached(server, tmp_path) as (screen, process):
            await screen.sees("Mend the roof")
            await screen.sees("Ctrl-D leaves")
            screen.types("hello\r")
            await screen.sees("You said: hello")
            await session.tell(ask("p1", "make it so"))
            await screen.sees("make it so")
            await until(lambda: session.readers == 1)
            while not session.winners:
                screen.types("y")
                with suppress(TimeoutError):
                    async with asyncio.timeout(2 * ARMING_MS / 1000):
                        await until(lambda: bool(session.winners))
            await screen.sees("Allowed once")
            screen.types("\x04")
            err = await ended(process)
        assert (process.returncode, err) == (
            0,
            "bascule: left, and the session goes on: bascule attach s1\n",
        )
        assert [type(one).__name__ for one in server.hub.sent][:2] == ["Prompt", "Decide"]
        assert not session.ended


async def test_a_session_that_ends_ends_the_attachment(served: Served, tmp_path: Path) -> None:
    async with served() as server:
        session = server.hub.add()
        async with attached(server, tmp_path, "s1") as (screen, process):
            await screen.sees("Ctrl-D leaves")
            await session.tell(SessionEnded(cause="ended"))
            err = await ended(process)
        assert (process.returncode, err) == (0, "")
