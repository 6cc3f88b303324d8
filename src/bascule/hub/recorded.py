"""A recording whose process is gone: what it tells is read, and what is to be said all the same is added.

A keeper that died could not record the end of its CLI. Whoever comes after adds it, as a new keeper would, so that the
file alone tells the same story as the events that were made of it.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from bascule.errors import StartFailed
from bascule.keeper.record import Record
from bascule.recording import Damage, Entry, Exit, Note, decode, encode, note
from bascule.transport.folders import make_private
from bascule.transport.pipe import GRACE_S, Ours, RecordedPipe, Through

log = logging.getLogger("bascule.hub")

NAME: Final = "recording.jsonl"
AT_ONCE: Final = 512
"""Entries that are read at a time."""
AGAIN_S: Final = 0.02
"""When a keeper that dies is looked at again."""
DYING_S: Final = 10.0
"""How long it may take to be gone."""


class AtRest:
    """A ``RecordedPipe`` that has nothing but a past: the recording from a line on."""

    def __init__(self, file: BinaryIO, after: int) -> None:
        self.line = after
        self.history_until = sys.maxsize
        self._file = file
        self._skip = after

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``; ``()`` at the end of the file."""
        while lines := await asyncio.to_thread(self._next):
            decoded = [decode(line, self.line + number) for number, line in enumerate(lines, 1)]
            self.line += len(lines)
            if entries := tuple(entry for entry in decoded if not isinstance(entry, Damage)):
                return entries
        return ()

    def _next(self) -> list[bytes]:
        for _ in islice(self._file, self._skip):
            self._skip -= 1
        return list(islice(self._file, AT_ONCE))

    def write(self, *entries: Ours) -> bool:
        """Nobody takes it."""
        return False

    async def drain(self) -> None:
        """There is no stdin."""

    def end(self) -> None:
        """There is no stdin."""

    def signal(self, number: int) -> None:
        """There is no process."""

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """There is no process."""
        return Exit()


class ToTheEnd(Through):
    """A ``RecordedPipe`` through a keeper that may be killed: then what it had recorded and not yet sent is read too.

    Without that the hub would tell of an end that the recording does not know, and number what follows otherwise than
    who reads the recording afterwards.
    """

    def __init__(self, pipe: RecordedPipe, folder: Path, began_at: float) -> None:
        super().__init__(pipe)
        self._recorded = pipe
        self._folder = folder
        self._began_at = began_at
        self._line: int | None = None
        """Once the rest is read: how far."""

    @property
    def line(self) -> int:
        """As ``RecordedPipe.line``."""
        return self._recorded.line if self._line is None else self._line

    @property
    def history_until(self) -> int:
        """As ``RecordedPipe.history_until``."""
        return self._recorded.history_until

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``."""
        if self._line is not None:
            return ()
        entries = await self._pipe.read()
        if not entries or entries[-1].dir != "exit" or await asyncio.to_thread(self._tells_end):
            return entries
        try:
            async with asyncio.timeout(DYING_S):
                return (*entries[:-1], *await self._told_by_file())
        except (OSError, TimeoutError) as exc:
            log.warning("the recording in %s has no end: %r", self._folder, exc)
            return entries

    def _tells_end(self) -> bool:
        """Whether the exit that the pipe gave stands in the file, as its last line."""
        last = self._recorded.line
        with (self._folder / NAME).open("rb") as file:
            lines = list(islice(file, max(last - 1, 0), last + 1))
        entry = decode(lines[0], last) if last and len(lines) == 1 else None
        return isinstance(entry, Entry) and entry.dir == "exit"

    def _ended(self) -> bool:
        """Have the file tell the end; False while its keeper still dies."""
        try:
            add(self._folder, self._began_at)
        except StartFailed:
            return False
        return True

    async def _told_by_file(self) -> list[Entry]:
        """What the keeper recorded and did not send, and the end that it could not record."""
        while not await asyncio.to_thread(self._ended):  # noqa: ASYNC110
            await asyncio.sleep(AGAIN_S)
        told: list[Entry] = []
        with at_rest(self._folder, after=self._recorded.line) as rest:
            while entries := await rest.read():
                told += entries
            self._line = rest.line
        return told


@contextmanager
def at_rest(folder: Path, *, after: int) -> Iterator[AtRest]:
    """The recording in ``folder`` after its first ``after`` lines. Raises ``FileNotFoundError`` where there is none."""
    with (folder / NAME).open("rb") as file:
        yield AtRest(file, after)


def begin(folder: Path, entries: Generator[Entry, None, None]) -> None:
    """Have there be a recording of ``entries`` in ``folder``, or no folder.

    Blocks. Raises ``StartFailed`` while a keeper lives there, ``OSError``, and what ``entries`` raise.
    """
    make_private(folder)
    part = folder / f"{NAME}.part"
    with _alone(folder), closing(entries):
        try:
            with open(part, "wb", opener=_only_ours) as file:
                file.writelines(map(encode, entries))
                file.flush()
                os.fsync(file.fileno())
            part.rename(folder / NAME)
        finally:
            part.unlink(missing_ok=True)
            if not (folder / NAME).exists():
                shutil.rmtree(folder, ignore_errors=True)


def _only_ours(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def add(folder: Path, began_at: float, notes: Sequence[Note] = ()) -> None:
    """Have the recording in ``folder`` tell the end of its last process, if it does not yet, and then ``notes``.

    ``began_at``: UTC seconds of its ``t = 0``. Blocks. Raises ``StartFailed`` while a keeper lives there, and
    ``OSError``.
    """
    make_private(folder)
    with _alone(folder):
        record = Record(str(folder / NAME), began_at)
        try:
            record.append(record.now, [("note", note(one)) for one in notes])
        finally:
            record.close()


def discard(folder: Path) -> None:
    """Remove the recording in ``folder`` and what lies beside it. Blocks. Raises as ``add`` does."""
    if folder.is_dir():
        with _alone(folder):
            (folder / NAME).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)


def sizes(folder: Path) -> dict[str, int]:
    """Bytes in each of the folders below. Blocks."""
    return {below.name: sum(map(_size, below.rglob("*"))) for below in folder.glob("*/")}


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as exc:
        raise StartFailed(f"{folder} has a keeper that lives: join it") from exc
    finally:
        os.close(lock)
