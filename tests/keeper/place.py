"""A state folder for keepers, and what a test says to one by hand."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from bascule.ids import SessionId
from bascule.recording import Entry, read
from bascule.transport.census import MARK
from bascule.transport.ends import Limits
from bascule.transport.keeper import KeeperAddress, find_keepers, spawn_keeper
from bascule.transport.launch import Launch
from tests.transport.programs import program, running_with

QUICK = Limits(term_s=0.1, kill_s=1, orphans_s=0.1, linger_s=0.1)


class Place:
    """Where the keepers of one test live."""

    def __init__(self, folder: Path) -> None:
        self.here = folder
        self.state = folder / "state"
        self._marks: list[str] = []

    def folder(self, name: str = "one") -> Path:
        """Of a session."""
        return self.state / "sessions" / name

    async def spawn(self, cli: str | Launch, *, name: str = "one", **more: Any) -> KeeperAddress:
        """A keeper of that program, which is ended when the test is."""
        launch = cli if isinstance(cli, Launch) else program(self.here, cli, name=f"cli_{name}")
        given = {"limits": QUICK, **more}
        address = await spawn_keeper(launch, self.folder(name), session_id=SessionId(name), **given)
        self._marks.append(address.mark)
        return address

    def files(self, name: str = "one") -> list[Path]:
        """What lies in a session's folder."""
        return list(self.folder(name).iterdir())

    def told(self, name: str = "one") -> Any:
        """What `keeper.json` says."""
        return json.loads((self.folder(name) / "keeper.json").read_bytes())

    def recorded(self, name: str = "one") -> list[Entry]:
        """The file, of which every line is an entry."""
        with (self.folder(name) / "recording.jsonl").open("rb") as file:
            entries = list(read(file))
        assert all(isinstance(entry, Entry) for entry in entries)
        return [entry for entry in entries if isinstance(entry, Entry)]

    def clear(self) -> None:
        """End whatever is left."""
        for address in find_keepers(self.state).living:
            with suppress(ProcessLookupError):
                os.kill(address.pid, signal.SIGKILL)
        for mark in self._marks:
            for pid in running_with(f"{MARK}={mark}"):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


class Talk:
    """A client by hand: messages as JSON, and what comes as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def say(self, message: object) -> None:
        """Send a message, which may be wrong."""
        self._writer.write(json.dumps(message).encode() + b"\n")

    def send(self, data: bytes) -> None:
        """Send what is no message."""
        self._writer.write(data)

    async def line(self) -> Any:
        """The next line; None when the keeper has hung up."""
        line = await self._reader.readline()
        return json.loads(line) if line else None

    async def until(self, wanted: Callable[[Any], bool]) -> list[Any]:
        """All lines up to the first that is wanted; fails when the keeper hangs up before."""
        found = []
        while (line := await self.line()) is not None:
            found.append(line)
            if wanted(line):
                return found
        raise AssertionError(f"it never came; the last were {found[-5:]}")

    async def answer(self, message: object, word: str) -> Any:
        """Say ``message``; the next line that holds ``word``."""
        self.say(message)
        return (await self.until(lambda line: word in line))[-1]


@asynccontextmanager
async def talk(address: KeeperAddress) -> AsyncIterator[Talk]:
    """A client of that keeper, by hand."""
    reader, writer = await asyncio.open_unix_connection(address.socket, limit=2**24)
    try:
        yield Talk(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def mode(path: Path) -> int:
    """Who may do what with it."""
    return path.stat().st_mode & 0o777


def size(path: Path) -> int:
    """In bytes."""
    return path.stat().st_size


def exists(path: str) -> bool:
    """Whether there is something of that name."""
    return Path(path).exists()


def cut_off(address: KeeperAddress) -> None:
    """Take the socket away, through which it is reached."""
    Path(address.socket).unlink()


def shown(pid: int, name: str) -> bytes:
    """What the system shows of that process under that name."""
    return Path(f"/proc/{pid}/{name}").read_bytes()


def resident_kb(pid: int) -> int:
    """What that process takes of the memory."""
    rows = shown(pid, "status").decode().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmRSS"))
