"""A pipe without a process: the test is the far end."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from signal import SIGINT, SIGKILL, SIGTERM
from typing import Final

import msgspec

from bascule.recording import Entry, Exit, signal_name
from bascule.transport.backlog import Backlog
from bascule.transport.pipe import GRACE_S, Clock, Ours, checked

_ENDS: Final[Mapping[int, Exit]] = {SIGINT: Exit(code=0), SIGTERM: Exit(code=143)}


def counter(step_s: float = 0.001) -> Clock:
    """A clock that goes on by ``step_s`` each time it is looked at, so that a test's entries are always the same."""
    steps = itertools.count()
    return lambda: next(steps) * step_s


def silent(line: str | None = None) -> Iterable[str]:
    """The answer of a far end that never says a word by itself."""
    return ()


class _Recording:
    """Every entry of a far end."""

    def __init__(self, kept: Iterable[Entry]) -> None:
        self.kept = list(kept)
        self.more = asyncio.Event()
        """Set, and another one, when something was added."""

    def came(self, entries: list[Entry]) -> None:
        """Keep what came."""
        self.kept += entries
        self.more.set()
        self.more = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return bool(self.kept) and self.kept[-1].dir == "exit"


class Attachment:
    """A ``RecordedPipe`` to the far end of a ``MemoryPipe``, as a keeper gives it; made by ``MemoryPipe.attach``.

    It does not refuse a second answer to a request, as a keeper does, so that a test sees it.
    """

    def __init__(self, far: MemoryPipe, recording: _Recording, after: int) -> None:
        self.line = after
        self.history_until = len(recording.kept)
        self._far = far
        self._recording = recording

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``."""
        while self.line == len(self._recording.kept) and not self._recording.over:
            await self._recording.more.wait()
        end = self.history_until if self.line < self.history_until else None
        taken = tuple(self._recording.kept[self.line : end])
        self.line += len(taken)
        return taken

    def write(self, *entries: Ours) -> bool:
        """As ``Pipe.write``."""
        return self._far.write(*entries)

    async def drain(self) -> None:
        """As ``Pipe.drain``."""
        await self._far.drain()

    def end(self) -> None:
        """As ``Pipe.end``."""
        self._far.end()

    def signal(self, number: int) -> None:
        """As ``Pipe.signal``."""
        self._far.signal(number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``."""
        return await self._far.close(grace_s=grace_s)


class MemoryPipe:
    """A ``Pipe`` whose far end is told what to do: what it says, when it ends, whether it reads.

    Unless told otherwise it behaves as the CLI does: it takes each line at once, ends with 0 when its stdin is closed,
    with 143 on SIGTERM, 0 on SIGINT, and ``SIGKILL`` on that.
    """

    def __init__(
        self,
        *,
        answer: Callable[[str], Iterable[str]] = silent,
        at_eof: Callable[[], Iterable[str]] = silent,
        ends_at_eof: bool = True,
        ignores: Iterable[int] = (),
        clock: Clock | None = None,
        argv: Sequence[str] = (),
        recorded: Iterable[Entry] = (),
    ) -> None:
        """``answer`` gives the lines that follow a line of ours, ``at_eof`` those that follow the end of stdin.

        ``ignores`` are signals that do nothing.

        With ``argv`` the entries begin as those of a process do. ``recorded``: what happened before, for who attaches.
        """
        self._answer = answer
        self._at_eof = at_eof
        self._ends_at_eof = ends_at_eof
        self._ignores = frozenset(ignores)
        self._recording = _Recording(recorded)
        self._backlog = Backlog(clock or counter(), came=self._recording.came)
        if argv:
            self._backlog.add([("argv", msgspec.json.encode(argv).decode()), ("env", "[]")])
        self._stdin_open = True
        self._room = asyncio.Event()
        self._room.set()
        self._word = asyncio.Event()
        self._taken = 0
        self.heard: list[str] = []
        """Every line that our side wrote, in order."""
        self.signals: list[int] = []
        """Every signal that our side sent, in order."""

    @property
    def recorded(self) -> tuple[Entry, ...]:
        """Every entry so far."""
        return tuple(self._recording.kept)

    def attach(self, *, after: int = 0) -> Attachment:
        """Come to the far end as to a CLI that a keeper holds: every entry after line ``after``, any number of times.

        Who leaves just reads no more.
        """
        return Attachment(self, self._recording, after)

    def says(self, *lines: str) -> None:
        """The far end writes ``lines`` to stdout."""
        self._backlog.came("out", lines)

    def complains(self, *lines: str) -> None:
        """The far end writes ``lines`` to stderr."""
        self._backlog.came("err", lines)

    def exits(self, code: int | None = 0, *, signal: str | None = None) -> None:
        """The far end dies: with a code, or of a signal."""
        self._stdin_open = False
        self._room.set()
        self._word.set()
        self._backlog.finish(Exit(signal=signal) if signal else Exit(code=code))

    def stops_reading(self) -> None:
        """The far end's stdin is full from now on: ``drain`` waits. What is written is heard all the same."""
        self._room.clear()

    def reads_again(self) -> None:
        """The far end's stdin has room."""
        self._room.set()

    async def hear(self) -> str:
        """The next line that our side wrote and that no ``hear`` has given yet. Raises ``EOFError`` when none comes."""
        while self._taken == len(self.heard):
            if not self._stdin_open:
                raise EOFError("stdin is closed and every line was heard")
            self._word.clear()
            await self._word.wait()
        self._taken += 1
        return self.heard[self._taken - 1]

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``."""
        return await self._backlog.take()

    def write(self, *entries: Ours) -> bool:
        """As ``Pipe.write``; what the far end answers comes after all of ``entries``."""
        data = checked(entries)
        if self._backlog.exit is not None or (data and not self._stdin_open):
            return False
        self._backlog.add(entries)
        lines = [line for direction, line in entries if direction == "in"]
        self.heard += lines
        self._word.set()
        for line in lines:
            self.says(*self._answer(line))
        return True

    async def drain(self) -> None:
        """As ``Pipe.drain``."""
        await self._room.wait()

    def end(self) -> None:
        """As ``Pipe.end``."""
        if self._stdin_open:
            self.says(*self._at_eof())
        self._stdin_open = False
        self._room.set()
        self._word.set()
        if self._ends_at_eof:
            self.exits()

    def signal(self, number: int) -> None:
        """As ``Pipe.signal``."""
        if self._backlog.exit is not None:
            return
        self.signals.append(number)
        if number not in self._ignores:
            how = _ENDS.get(number) or Exit(signal=signal_name(number))
            self.exits(how.code, signal=how.signal)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``; ``grace_s`` passes at once."""
        self.end()
        for number in (SIGTERM, SIGKILL):
            self.signal(number)
        self._backlog.finish(Exit())
        return self._backlog.exit or Exit()
