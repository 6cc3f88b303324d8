"""A pipe that plays a recording.

Played as it is, the recording is all that ``read`` gives, and what is written goes nowhere: a transcript is folded from
a file as from a live process. Played strictly, it is a test of our own side: it waits for each line that was written
then, compares what is written now, and answers with the ids of today.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from bascule.errors import LocalProtocolError
from bascule.recording import Entry, Exit, exit_of
from bascule.transport.pipe import GRACE_S, Ours, checked

_ID_KEY: Final = re.compile(r"(^|_|uu)ids?$|Ids?$")
_SHOWN: Final = 500


class Names:
    """Which id of today stands for which id of the recording; the CLI's own ids stay as they were."""

    def __init__(self) -> None:
        self._ours: dict[str, str] = {}

    def match(self, recorded: Any, ours: Any, theirs: Sequence[str], key: str = "") -> bool:
        """Whether two JSON values are the same, but for ids that our side made.

        ``key`` is what they stood under; ``theirs`` are the lines that the CLI had written. One side may lack an id.
        """
        match recorded, ours:
            case dict(), dict():
                keys = recorded.keys() | ours.keys()
                missing = recorded.keys() ^ ours.keys()
                return all(_ID_KEY.search(name) for name in missing) and all(
                    self.match(recorded[name], ours[name], theirs, name) for name in keys - missing
                )
            case list(), list():
                return len(recorded) == len(ours) and all(
                    self.match(old, new, theirs, key) for old, new in zip(recorded, ours, strict=True)
                )
            case str(), str() if recorded != ours and _ID_KEY.search(key) and not _said(recorded, theirs):
                return self._ours.setdefault(recorded, ours) == ours
            case _:
                return bool(recorded == ours)

    def translated(self, line: str) -> str:
        """A line of the recording with the ids of today."""
        for recorded, ours in self._ours.items():
            line = line.replace(json.dumps(recorded), json.dumps(ours))
        return line


def _said(word: str, lines: Sequence[str]) -> bool:
    return any(json.dumps(word) in line for line in lines)


class ReplayPipe:
    """A ``Pipe`` that plays ``entries``, however many processes they hold; if cut off, it ends with an unknown exit.

    With ``strict`` the recorded notes are left out, since those who decided then are not there now: our own are given
    back instead, and our lines in the places of the recorded ones. A line that is not the recorded one, or that comes
    when none is left, raises ``LocalProtocolError`` with both.
    """

    def __init__(self, entries: Iterable[Entry], *, strict: bool = False) -> None:
        self._strict = strict
        self._ahead = deque(entries)
        self._ready: list[Entry] = []
        self._heard: list[str] = []
        self._names = Names()
        self._news = asyncio.Event()
        self._now = 0.0
        self._ended = False
        self._exit: Exit | None = None
        self._play()

    @property
    def unwritten(self) -> tuple[str, ...]:
        """The recorded lines of our side that were not written, even after the end; a whole strict replay has none."""
        return tuple(entry.line for entry in self._ahead if entry.dir == "in")

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``; strictly played, it waits for the line that the recording has next."""
        while not self._ready and self._exit is None:
            self._news.clear()
            await self._news.wait()
        taken = tuple(self._ready)
        self._ready.clear()
        return taken

    def write(self, *entries: Ours) -> bool:
        """As ``Pipe.write``; unless strictly played, nothing comes of it."""
        checked(entries)
        if self._ended or (self._exit is not None and not self._ready):
            return False
        if self._strict:
            for direction, line in entries:
                if direction == "in":
                    self._compare(line)
            for direction, line in entries:
                self._give(Entry(self._now, direction, line))
            self._play()
        return True

    async def drain(self) -> None:
        """As ``Pipe.drain``: a recording has room."""

    def end(self) -> None:
        """As ``Pipe.end``. What the CLI said to lines that will not be written now is not played."""
        self._ended = True
        self._finish()

    def signal(self, number: int) -> None:
        """As ``Pipe.signal``: a recording feels nothing."""

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``; the recorded exit, or an unknown one."""
        self.end()
        return self._exit or Exit()

    def _play(self) -> None:
        """Give what comes before the next line of ours; all of it unless strict."""
        while self._ahead and not (self._strict and self._ahead[0].dir == "in"):
            entry = self._ahead.popleft()
            if entry.dir == "out" and self._strict:
                self._heard.append(entry.line)
                entry = msgspec.structs.replace(entry, line=self._names.translated(entry.line))
            if entry.dir != "note" or not self._strict:
                self._give(entry)
        if not self._ahead:
            self._finish()

    def _finish(self) -> None:
        if self._exit is None:
            if not (self._ready and self._ready[-1].dir == "exit"):
                self._give(Entry(self._now, "exit", msgspec.json.encode(Exit()).decode()))
            self._exit = exit_of(self._ready[-1].line)

    def _give(self, entry: Entry) -> None:
        self._now = entry.t
        self._ready.append(entry)
        self._news.set()

    def _compare(self, line: str) -> None:
        if not self._ahead:
            raise LocalProtocolError(f"the recording has no line left for {_shown(line)}")
        recorded = self._ahead[0]
        if not self._names.match(_json(recorded.line), _json(line), self._heard):
            raise LocalProtocolError(f"written now: {_shown(line)}\nwritten then: {_shown(recorded.line)}")
        self._ahead.popleft()
        self._now = recorded.t


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _shown(line: str) -> str:
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}… ({len(line)} characters)"
