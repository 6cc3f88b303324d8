"""A person at a terminal as a double: keys go in through a real pseudo-terminal, the screen is read as it is seen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.terminal.vt import Terminal

PATIENCE_S = 10.0


class Seat:
    """A keyboard and a screen. `types` presses keys, `until` waits for what is seen."""

    def __init__(self, leader: int, follower: int, columns: int) -> None:
        self.leader = leader
        self.follower = follower
        self.terminal = Watched(columns)
        self._now = 0

    def clock(self) -> int:
        """Each look at the clock is a second later, so that no card is too fresh to be answered."""
        self._now += 1_000
        return self._now

    def types(self, keys: str) -> None:
        """Press keys."""
        os.write(self.leader, keys.encode())

    async def until(self, text: str) -> None:
        """Wait until `text` is on the screen."""
        await self.until_that(lambda: any(text in row for row in self.terminal.seen()))

    async def until_that(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds after a change of the screen."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                self.terminal.changed.clear()
                await self.terminal.changed.wait()


class Watched(Terminal):
    """A terminal whose changes can be waited for."""

    def __init__(self, columns: int) -> None:
        super().__init__(columns=columns)
        self.changed = asyncio.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        self.changed.set()
        return written


@contextmanager
def seat(columns: int = 80) -> Iterator[Seat]:
    """A seat, gone afterwards."""
    leader, follower = os.openpty()
    try:
        yield Seat(leader, follower, columns)
    finally:
        os.close(leader)
        os.close(follower)
