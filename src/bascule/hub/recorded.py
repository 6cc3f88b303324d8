"""A recording whose process is gone: what it tells is read, and what is to be said all the same is added.

A keeper that died could not record the end of its CLI. Whoever comes after adds it, as a new keeper would, so that the
file alone tells the same story as the events that were made of it.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from bascule.errors import StartFailed
from bascule.keeper.record import Record
from bascule.recording import Damage, Entry, Exit, Note, decode, note
from bascule.transport.pipe import GRACE_S, Ours

NAME: Final = "recording.jsonl"
AT_ONCE: Final = 512
"""Entries that are read at a time."""


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


@contextmanager
def at_rest(folder: Path, *, after: int) -> Iterator[AtRest]:
    """The recording in ``folder`` after its first ``after`` lines. Raises ``FileNotFoundError`` where there is none."""
    with (folder / NAME).open("rb") as file:
        yield AtRest(file, after)


def add(folder: Path, began_at: float, notes: Sequence[Note] = ()) -> None:
    """Have the recording in ``folder`` tell the end of its last process, if it does not yet, and then ``notes``.

    ``began_at``: UTC seconds of its ``t = 0``. Blocks. Raises ``StartFailed`` while a keeper lives there, and
    ``OSError``.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(folder):
        record = Record(str(folder / NAME), began_at)
        try:
            record.append(record.now, [("note", note(one)) for one in notes])
        finally:
            record.close()


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
