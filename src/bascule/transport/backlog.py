"""The entries of a pipe that wait for its reader, in one order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import msgspec

from bascule.recording import DIGITS, Dir, Entry, Exit
from bascule.transport.pipe import Clock


def stopwatch() -> Clock:
    """A clock that stands at zero now."""
    began = time.monotonic()
    return lambda: time.monotonic() - began


class Backlog:
    """Entries are stamped as they come in and taken all at once; the ``exit`` entry is the last.

    It has no limit of its own: who adds looks at ``size`` and stops adding for a while.
    """

    def __init__(self, clock: Clock, *, came: Callable[[list[Entry]], None] | None = None) -> None:
        """``came`` is told of all entries, as they come."""
        self._clock = clock
        self._told = came
        self._entries: list[Entry] = []
        self._news = asyncio.Event()
        self._over = asyncio.Event()
        self.size = 0
        """Characters that wait to be taken."""
        self.exit: Exit | None = None
        """How the process ended; None while more may come."""

    def add(self, entries: Sequence[tuple[Dir, str]]) -> None:
        """Append ``entries``, all with one time stamp; after the ``exit`` entry they are dropped."""
        if entries and self.exit is None:
            now = round(self._clock(), DIGITS)
            self._append([Entry(now, direction, line) for direction, line in entries])

    def came(self, direction: Dir, lines: Sequence[str]) -> None:
        """As ``add``, for lines of one direction."""
        if lines and self.exit is None:
            now = round(self._clock(), DIGITS)
            self._append([Entry(now, direction, line) for line in lines])

    def _append(self, entries: list[Entry]) -> None:
        self._entries += entries
        self.size += sum([len(entry.line) for entry in entries])
        self._news.set()
        if self._told is not None:
            self._told(entries)

    def finish(self, how: Exit) -> None:
        """Append the ``exit`` entry; the first one holds."""
        if self.exit is not None:
            return
        self.add([("exit", msgspec.json.encode(how).decode())])
        self.exit = how
        self._over.set()

    async def take(self) -> tuple[Entry, ...]:
        """What is there, once something is; ``()`` after the ``exit`` entry was taken. Cancelled, it takes nothing."""
        while not self._entries and self.exit is None:
            self._news.clear()
            await self._news.wait()
        taken = tuple(self._entries)
        self._entries = []
        self.size = 0
        return taken

    async def over(self) -> None:
        """Wait for the ``exit`` entry; what was not taken still waits."""
        await self._over.wait()
