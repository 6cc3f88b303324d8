"""The port to one CLI process, and what its implementations share.

A pipe carries entries of a recording, not bytes: what the CLI wrote, what we wrote, and our notes come back from
``read`` in one order, which is the order of a recording. So a fold that reads a live process and one that reads a
file see the same stream (docs/decisions/2026-11-30-pipes-carry-entries.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

from bascule.errors import LocalProtocolError
from bascule.recording import Entry, Exit

GRACE_S: Final = 5.0
"""How long the CLI may take to end by itself once its stdin is closed: it flushes its session file then."""

Clock: TypeAlias = Callable[[], float]
"""Seconds since the recording began; never goes back."""

Ours: TypeAlias = tuple[Literal["in", "note"], str]
"""What our side puts into a recording: a line for the CLI, or a note."""


class Pipe(Protocol):
    """One CLI process, or what stands for one. One reader; any number of writers, since a write never waits."""

    async def read(self) -> tuple[Entry, ...]:
        """The next entries in recording order, at least one; ``()`` for ever once the last ``exit`` was given.

        Cancelled, it loses nothing.
        """
        ...

    def write(self, *entries: Ours) -> bool:
        """Send lines (``in``) and record notes, all stamped together; ``read`` gives them back in this order.

        Lines go to stdin in one write, so that none is torn. False, with nothing sent and nothing recorded, when a
        line cannot reach the CLI any more (stdin closed, process gone) or the recording is over: a normal outcome,
        no error. Raises ``LocalProtocolError`` for what would damage the stream, such as a newline inside.
        """
        ...

    async def drain(self) -> None:
        """Wait until stdin has room again, or is closed."""
        ...

    def end(self) -> None:
        """Close stdin after what was written. Twice is once."""
        ...

    def signal(self, number: int) -> None:
        """Send a signal to the CLI process alone; nothing when it is gone."""
        ...

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """End the process and whatever it started, and say how it ended.

        Closes stdin, waits ``grace_s``, then SIGTERM, then SIGKILL. Takes bounded time, cannot be cut short by a
        cancellation, and gives the same answer when called again. What was not read is still there to be read.
        """
        ...


class Through:
    """A ``Pipe`` that hands everything on to another but for ``read``, which is for who derives from it."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def write(self, *entries: Ours) -> bool:
        """As ``Pipe.write``."""
        return self._pipe.write(*entries)

    async def drain(self) -> None:
        """As ``Pipe.drain``."""
        await self._pipe.drain()

    def end(self) -> None:
        """As ``Pipe.end``."""
        self._pipe.end()

    def signal(self, number: int) -> None:
        """As ``Pipe.signal``."""
        self._pipe.signal(number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``."""
        return await self._pipe.close(grace_s=grace_s)


@runtime_checkable
class RecordedPipe(Pipe, Protocol):
    """A pipe whose other end keeps a recording, and goes on when we are gone; we read from a line of it on."""

    @property
    def line(self) -> int:
        """The number of the last line that ``read`` gave; before the first, of the one that we came after."""
        ...

    @property
    def history_until(self) -> int:
        """The line at which the past ended when we came. One ``read`` never gives entries of both sides of it."""
        ...


def checked(entries: tuple[Ours, ...]) -> bytes:
    """What ``entries`` put on stdin: each ``in`` line with its newline. Raises as ``Pipe.write`` says."""
    for direction, line in entries:
        if direction not in ("in", "note"):
            raise LocalProtocolError(f"a pipe takes `in` and `note`, not {direction!r}: the rest is the CLI's to say")
        if "\n" in line:
            raise LocalProtocolError(f"a newline inside a line of {len(line)} characters: it would be two lines")
    text = "".join(f"{line}\n" for direction, line in entries if direction == "in")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as exc:
        raise LocalProtocolError("a lone surrogate inside a line: write it as a JSON escape") from exc
