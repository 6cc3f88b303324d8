"""The events of one session, for any number of readers, each at its own pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Final

from bascule.aio.channel import Channel
from bascule.events import AnyEvent

BEHIND: Final = 4096
"""Passing events that wait for a reader; a minute of the densest streaming. Beyond that it is too slow for them."""


class Journal:
    """Lasting events are kept from the first on; passing ones go to whoever listens now."""

    def __init__(self) -> None:
        self._lasting: list[AnyEvent] = []
        self._readers: set[Channel[AnyEvent]] = set()
        self._closed = False

    def publish(self, events: Iterable[AnyEvent]) -> None:
        """Keep the lasting ones, hand out the rest. Waits for nobody."""
        before = len(self._lasting)
        for event in events:
            if event.seq is not None:
                self._lasting.append(event)
            else:
                for reader in self._readers:
                    reader.put(event)
        if len(self._lasting) > before:
            for reader in self._readers:
                reader.wake()

    def close(self) -> None:
        """Nothing more will happen: readers end once they have read all."""
        self._closed = True
        for reader in self._readers:
            reader.close()

    @property
    def last(self) -> int:
        """The number of the newest lasting event; 0 before the first."""
        return len(self._lasting)

    async def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        """Every lasting event with ``seq > after``, and the passing ones of now between those they belong between.

        Ends when the journal is closed; or when ``until`` is done, after all that has happened by then. A reader that
        is too slow loses passing events only.
        """
        news = Channel[AnyEvent](BEHIND)
        news.wake()
        if self._closed:
            news.close()
        if until is not None:
            until.add_done_callback(lambda _: news.close())
        self._readers.add(news)
        try:
            while (taken := await news.take()) is not None:
                for event in self._since(after, taken.items, len(self._lasting)):
                    after = event.seq or after
                    yield event
            for event in self._lasting[after:]:
                yield event
        finally:
            self._readers.discard(news)

    def _since(self, after: int, passing: tuple[AnyEvent, ...], end: int) -> Iterator[AnyEvent]:
        """The lasting events from ``after`` to ``end`` with the passing ones in their places, but for stale ones."""
        for event in passing:
            follows = event.after or 0
            if follows > after:
                yield from self._lasting[after:follows]
                after = follows
            if follows == after:
                yield event
        yield from self._lasting[after:end]
