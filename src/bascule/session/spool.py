"""The lasting events of one session by their numbers: the newest in memory, older ones in a temporary file.

Any reader may still begin at the first event, so that a long session keeps very many that nobody looks at. They are
written and read a part at a time, and on the loop: that happens once for a thousand events, a part comes mostly from
the system's memory, and it takes less time than its events took to be made.
"""

from __future__ import annotations

import logging
import os
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import IO, Final, NamedTuple

from bascule.events import AnyEvent, from_json_lines, to_json_lines

log = logging.getLogger("bascule.session")

PART_EVENTS: Final = 1024
PART_CHARS: Final = 4 * 1024 * 1024
"""A part is full when it has so many events, or came from lines of so many characters. Two stay in memory."""


class _Stored(NamedTuple):
    """Where a part lies in the file."""

    offset: int
    size: int


def _temporary() -> IO[bytes]:
    return TemporaryFile(buffering=0)


class Spool:
    """Events that are numbered from ``after + 1``.

    ``opened`` gives the file, once one is needed; it is gone with the spool. What cannot be written, as on a full disk,
    stays in memory: a warning says so once, and nothing is lost.
    """

    def __init__(
        self,
        *,
        part_events: int = PART_EVENTS,
        part_chars: int = PART_CHARS,
        opened: Callable[[], IO[bytes]] = _temporary,
        after: int = 0,
    ) -> None:
        self._part_events = part_events
        self._part_chars = part_chars
        self._opened = opened
        self._parts: list[list[AnyEvent] | _Stored] = []
        self.first = after
        """The number of the event before the first."""
        self._before: list[int] = [after]
        """The number of the event before each part, and before the newest events, which are no part yet."""
        self._newest: list[AnyEvent] = []
        self._chars = 0
        self._file: _File | None = None
        self._warned = False

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._before[-1] + len(self._newest)

    def append(self, event: AnyEvent) -> None:
        """Keep the next event."""
        self._newest.append(event)

    def came_from(self, chars: int) -> None:
        """Those appended since the last call came from a line of so many characters, which is about what they hold."""
        self._chars += chars
        if len(self._newest) >= self._part_events or (self._chars >= self._part_chars and self._newest):
            self._begin_part()

    def reading(self) -> Reading:
        """For one reader, which goes forward."""
        return Reading(self)

    def part_of(self, number: int) -> int:
        """Which part the event after ``number`` is in."""
        return bisect_right(self._before, number) - 1

    def part(self, at: int) -> tuple[int, list[AnyEvent]]:
        """A part, and the number of the event before it. Raises ``OSError`` when the file cannot be read."""
        part = self._parts[at] if at < len(self._parts) else self._newest
        if isinstance(part, _Stored):
            assert self._file is not None, "a part was stored in it"
            part = from_json_lines(self._file.read(part))
        return self._before[at], part

    def _begin_part(self) -> None:
        self._before.append(self.last)
        self._parts.append(self._newest)
        self._newest = []
        self._chars = 0
        if len(self._parts) > 1:
            self._store(len(self._parts) - 2)

    def _store(self, at: int) -> None:
        part = self._parts[at]
        assert isinstance(part, list), "each part is stored once"
        try:
            self._file = self._file or _File(self._opened)
            self._parts[at] = self._file.append(to_json_lines(part))
        except (OSError, UnicodeEncodeError) as exc:
            if not self._warned:
                log.warning("older events stay in memory, since they cannot be put into a temporary file: %s", exc)
            self._warned = True


class Reading:
    """Where one reader of a spool is: the part that it read last is not read again."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._before = 0
        self._part: list[AnyEvent] = []

    def between(self, after: int, end: int) -> Iterator[AnyEvent]:
        """The events from number ``after + 1`` to ``end``, which must be there. Raises as ``Spool.part``."""
        while after < end:
            if not self._before <= after < self._before + len(self._part):
                self._before, self._part = self._spool.part(self._spool.part_of(after))
            taken = self._part[after - self._before : end - self._before]
            yield from taken
            after += len(taken)


class _File:
    """A file without a name, which is closed with its owner."""

    def __init__(self, opened: Callable[[], IO[bytes]]) -> None:
        with opened() as file:
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        self._end = 0

    def append(self, data: bytes) -> _Stored:
        """Write ``data`` behind all others. Of what fails half-way the next one takes the place."""
        written = 0
        while written < len(data):
            written += os.pwrite(self._file, data[written:], self._end + written)
        stored = _Stored(self._end, len(data))
        self._end += len(data)
        return stored

    def read(self, stored: _Stored) -> bytes:
        """What was appended."""
        return os.pread(self._file, stored.size, stored.offset)
