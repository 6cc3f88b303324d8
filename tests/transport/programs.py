"""Small programs that stand for the CLI, and what a test asks about the processes and files of this machine."""

import asyncio
import os
import socket
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from bascule.recording import Dir, Entry
from bascule.transport.launch import Launch
from bascule.transport.pipe import Pipe

ECHO = """
    import sys
    for line in sys.stdin:
        print("echo", line, end="", flush=True)
"""


def program(folder: Path, source: str, *, name: str = "fake_cli") -> Launch:
    """An executable Python program of that source, to be started in `folder` with nothing in its environment."""
    path = folder / name
    path.write_text(f"#!{sys.executable} -u\n{textwrap.dedent(source)}")
    path.chmod(0o755)
    return Launch((str(path),), {"PATH": os.defpath}, str(folder))


async def read_until(pipe: Pipe, direction: Dir, line: str | None = None) -> list[Entry]:
    """All entries up to the first batch with one of that direction (and line); fails when there is none."""
    seen: list[Entry] = []
    while entries := await pipe.read():
        seen += entries
        if any(entry.dir == direction and line in (None, entry.line) for entry in entries):
            return seen
    raise AssertionError(f"no {direction} {line!r} in {seen}")


async def read_all(pipe: Pipe) -> list[Entry]:
    """What is left to read, up to the exit."""
    seen: list[Entry] = []
    while entries := await pipe.read():
        seen += entries
    return seen


def lines(entries: Iterable[Entry], direction: Dir = "out") -> list[str]:
    """The lines of one direction."""
    return [entry.line for entry in entries if entry.dir == direction]


async def gone(pid: int) -> None:
    """Wait until that process has ended, whoever's child it is."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(watch, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(watch)
        os.close(watch)


def alive(pid: int) -> bool:
    """Whether that process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


async def steps(count: int) -> None:
    """Let the loop turn so many times."""
    loop = asyncio.get_running_loop()
    for _ in range(count):
        turned = asyncio.Event()
        loop.call_soon(turned.set)
        await turned.wait()


def running_with(variable: str) -> list[int]:
    """The processes that have that `NAME=value` in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and variable.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


class Bell:
    """What a program rings to tell the test something beside its three pipes (see `ring` in `RING`)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "bell"))
        self._socket.setblocking(False)

    async def rung(self) -> str:
        """The next word that a program rang."""
        return (await asyncio.get_running_loop().sock_recv(self._socket, 4096)).decode()

    def waiting(self) -> str:
        """The word that was rung already; raises `BlockingIOError` when none was."""
        return self._socket.recv(4096).decode()

    def tell(self, name: str) -> None:
        """Wake the program that waits at the socket of that name in its folder."""
        self._socket.sendto(b"!", str(self._folder / name))

    def close(self) -> None:
        """Nobody rings any more."""
        self._socket.close()


RING = """
    import socket
    def ring(word):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bell:
            bell.sendto(str(word).encode(), "bell")
"""
"""To be put before a program that rings; it must be in the bell's folder."""


def open_files() -> set[str]:
    """The open files of this process, by number and target."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            found.add(f"{link.name} {link.readlink()}")
        except FileNotFoundError:
            continue
    return found
