"""The end of a numbered stream that a store keeps: readers at any place in it, each at its own pace.

Numbered items are in the store before they come here; the newest are kept in memory for readers who are not behind, the
others fetch. Items without a number pass: they go to who listens now, behind the numbered one that they followed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from bascule.aio.channel import Channel

T = TypeVar("T")

BEHIND: Final = 1024
"""Passing items that wait for a reader; beyond that it is too slow for them, and loses these only."""
RECENT: Final = 2048
"""Numbered items that are kept in memory."""
PAGE: Final = 512
"""Items that a reader who is behind fetches at a time."""

Fetch: TypeAlias = Callable[[int, int], Awaitable[Sequence[T]]]
"""Of those after a number so many, in order; empty: there are none any more."""


class _Passing(NamedTuple, Generic[T]):
    follows: int
    item: T


class Tail(Generic[T]):
    """What came last, and who reads it."""

    def __init__(self, fetch: Fetch[T], number: Callable[[T], int | None], *, last: int) -> None:
        """``number`` of an item, None where it passes. ``last``: the newest that is in the store."""
        self._fetch = fetch
        self._number = number
        self._recent: deque[T] = deque(maxlen=RECENT)
        self._readers: set[Channel[_Passing[T]]] = set()
        self._closed = False
        self.last = last
        """The number of the newest item that was told."""

    @property
    def readers(self) -> int:
        """How many read it now."""
        return len(self._readers)

    def came(self, items: Sequence[T]) -> None:
        """Tell of ``items``, the numbered of which are stored. One whose number was told already is passed over; where
        numbers were left out, the store is asked for them."""
        for item in items:
            self._take(item)
        for reader in self._readers:
            reader.wake()

    def _take(self, item: T) -> None:
        number = self._number(item)
        if number is None:
            for reader in self._readers:
                reader.put(_Passing(self.last, item))
        elif number > self.last:
            if number > self.last + 1:
                self._recent.clear()
            self._recent.append(item)
            self.last = number

    def close(self) -> None:
        """Nothing more will come: readers end once they have read all."""
        self._closed = True
        for reader in self._readers:
            reader.close()

    async def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[T]:
        """Every item with a number above ``after``, and the passing ones of now in their places.

        Ends when the tail is closed, or when ``until`` is done, after all that has come by then.
        """
        news = Channel[_Passing[T]](BEHIND)
        news.wake()
        if self._closed:
            news.close()
        if until is not None:
            until.add_done_callback(lambda _: news.close())
        self._readers.add(news)
        try:
            while (taken := await news.take()) is not None:
                for follows, passing in taken.items:
                    async for item in self._between(after, follows):
                        after = self._number(item) or after
                        yield item
                    if follows == after:
                        yield passing
                async for item in self._between(after, self.last):
                    after = self._number(item) or after
                    yield item
            async for item in self._between(after, self.last):
                yield item
        finally:
            self._readers.discard(news)

    async def _between(self, after: int, end: int) -> AsyncIterator[T]:
        while after < end:
            page = self._remembered(after, end) or await self._fetch(after, min(PAGE, end - after))
            if not page:
                return
            for item in page:
                number = self._number(item) or end
                if number > end:
                    return
                yield item
                after = number

    def _remembered(self, after: int, end: int) -> Sequence[T]:
        """What of it is in memory from its first item on; nothing if that one is not."""
        first = self._number(self._recent[0]) if self._recent else None
        if first is None or first > after + 1:
            return ()
        skipped = after + 1 - first
        return [self._recent[at] for at in range(skipped, min(len(self._recent), skipped + end - after))]
