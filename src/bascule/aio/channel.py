"""A bounded hand-over to one reader, who is told when it was too slow.

What must not be lost stays with its owner, who numbers and keeps it; through a channel go the passing items, and a
wake-up that there is more to fetch. So a full channel loses nothing that matters: it is cleared, its reader is told,
and looks again at what the owner keeps.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Taken(NamedTuple, Generic[T]):
    """What waited in a channel."""

    items: tuple[T, ...]
    """In the order they were put; empty when only a wake-up was there."""
    lagged: bool
    """Items before these were thrown away."""


class Channel(Generic[T]):
    """Items from any number of writers, who never wait, to one reader."""

    def __init__(self, limit: int) -> None:
        assert limit > 0, "a channel that holds nothing hands nothing over"
        self._limit = limit
        self._items: deque[T] = deque()
        self._lagged = False
        self._closed = False
        self._news = asyncio.Event()

    def put(self, item: T) -> None:
        """Hand ``item`` over. When ``limit`` items wait already, they are dropped, and the reader will know.

        Nothing happens when the channel is closed.
        """
        if self._closed:
            return
        if len(self._items) >= self._limit:
            self._items.clear()
            self._lagged = True
        if not self._items:
            self._news.set()
        self._items.append(item)

    def wake(self) -> None:
        """Have the reader look at what the owner keeps, without an item."""
        self._news.set()

    def close(self) -> None:
        """No more will come; what waits can still be taken. Twice is once."""
        self._closed = True
        self._news.set()

    async def take(self) -> Taken[T] | None:
        """What waits, as soon as there is an item or a wake-up; None for ever once all was taken from a closed channel.

        Wake-ups that came together are one. Cancelled, it takes nothing.
        """
        await self._news.wait()
        if self._closed and not self._items and not self._lagged:
            return None
        taken = Taken(tuple(self._items), self._lagged)
        self._items.clear()
        self._lagged = False
        if not self._closed:
            self._news.clear()
        return taken
