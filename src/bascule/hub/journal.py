"""The events of one session of a hub: stored, then told.

Whoever reads sees an event only when a restart would not lose it. Deltas are never stored; they keep their place behind
the event that they follow, and go to who listens now. A reader that is behind fetches from the store, at its own pace.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from bascule.aio.channel import Channel
from bascule.errors import StoreError
from bascule.events import AnyEvent
from bascule.ids import SessionId
from bascule.store.store import Store

BEHIND: Final = 1024
"""Passing events that wait for a reader; beyond that it is too slow for them, and loses these only."""
RECENT: Final = 2048
"""Stored events that are kept in memory as well, for the readers who are not behind."""
PAGE: Final = 512
"""Events that a reader who is behind fetches at a time."""


class _Batch(NamedTuple):
    """What one line made."""

    line: int
    events: tuple[AnyEvent, ...]


class HubJournal:
    """A journal whose lasting events are in a store."""

    def __init__(
        self, store: Store, session: SessionId, *, last: int, stored: Callable[[Sequence[AnyEvent]], None]
    ) -> None:
        """``last``: the newest event that is in the store. ``stored`` is told what was, before any reader is."""
        self._store = store
        self._session = session
        self._stored = stored
        self._waiting: deque[_Batch] = deque()
        self._news = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self._recent: deque[AnyEvent] = deque(maxlen=RECENT)
        self._told = last
        self._promised = last
        self._readers: set[Channel[AnyEvent]] = set()
        self._closed = False

    @property
    def last(self) -> int:
        """The number of the newest lasting event, stored or about to be."""
        return self._promised

    def publish(self, events: Iterable[AnyEvent], *, line: int, chars: int = 0) -> None:
        """Have the lasting ones stored, and all told in order. Those that are in the store are passed over."""
        new = tuple(event for event in events if event.seq is None or event.seq > self._promised)
        self._promised = max([self._promised, *(event.seq for event in new if event.seq is not None)])
        self._waiting.append(_Batch(line, new))
        self._settled.clear()
        self._news.set()

    async def settle(self) -> None:
        """Wait until all that was published is stored and told."""
        await self._settled.wait()

    async def pump(self) -> None:
        """Store and tell what is published, for as long as the journal lives; in a task of its own.

        Raises ``StoreError`` when the store takes no more: nothing that was not stored is told.
        """
        while not (self._closed and not self._waiting):
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                batches = tuple(self._waiting)
                self._waiting.clear()
                await self._keep(batches)
            self._settled.set()
        for reader in self._readers:
            reader.close()

    async def _keep(self, batches: Sequence[_Batch]) -> None:
        events = [event for batch in batches for event in batch.events]
        await self._store.append(self._session, batches[-1].line, events)
        lasting = [event for event in events if event.seq is not None]
        self._recent.extend(lasting)
        self._told = max([self._told, *(event.seq or 0 for event in lasting)])
        if lasting:
            self._stored(lasting)
        for reader in self._readers:
            for event in events:
                if event.seq is None:
                    reader.put(event)
            reader.wake()

    def close(self) -> None:
        """Nothing more will be published; what was still is stored and told."""
        self._closed = True
        self._news.set()

    async def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        """Every lasting event with ``seq > after``, and the passing ones of now in their places.

        Ends when the journal is closed, or when ``until`` is done, after all that has happened by then.
        """
        news = Channel[AnyEvent](BEHIND)
        news.wake()
        if self._closed and not self._waiting:
            news.close()
        if until is not None:
            until.add_done_callback(lambda _: news.close())
        self._readers.add(news)
        try:
            while (taken := await news.take()) is not None:
                for passing in taken.items:
                    follows = passing.after or 0
                    async for event in self._between(after, follows):
                        after = event.seq or after
                        yield event
                    if follows == after:
                        yield passing
                async for event in self._between(after, self._told):
                    after = event.seq or after
                    yield event
            async for event in self._between(after, self._told):
                yield event
        finally:
            self._readers.discard(news)

    async def _between(self, after: int, end: int) -> AsyncIterator[AnyEvent]:
        while after < end:
            page = self._remembered(after, end)
            if not page:
                page = await self._store.events(self._session, after=after, limit=min(PAGE, end - after))
            if not page:
                raise StoreError(f"events after {after} of {self._session} are not there: bascule store check")
            for event in page:
                yield event
            after = page[-1].seq or end

    def _remembered(self, after: int, end: int) -> tuple[AnyEvent, ...]:
        """What of it is in memory from its first event on; nothing if that one is not."""
        if not self._recent or (self._recent[0].seq or 0) > after + 1:
            return ()
        skipped = after + 1 - (self._recent[0].seq or 0)
        return tuple(self._recent[at] for at in range(skipped, min(len(self._recent), skipped + end - after)))
