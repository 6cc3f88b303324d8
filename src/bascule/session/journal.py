"""The events of one session, for any number of readers, each at its own pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Final

from bascule.aio.channel import Channel
from bascule.events import AnyEvent
from bascule.session.spool import Reading, Spool

BEHIND: Final = 4096
"""Passing events that wait for a reader; a minute of the densest streaming. Beyond that it is too slow for them."""


class Journal:
    """Lasting events are kept from the first on; passing ones go to whoever listens now."""

    def __init__(self, lasting: Spool | None = None) -> None:
        self._lasting = lasting or Spool()
        self._readers: set[Channel[AnyEvent]] = set()
        self._closed = False

    def publish(self, events: Iterable[AnyEvent], *, chars: int = 0) -> None:
        """Keep the lasting ones, hand out the rest. Waits for nobody. ``chars``: of the line that they were made of."""
        kept = False
        for event in events:
            if event.seq is not None:
                self._lasting.append(event)
                kept = True
            else:
                for reader in self._readers:
                    reader.put(event)
        if kept:
            self._lasting.came_from(chars)
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
        is too slow loses passing events only. Raises ``OSError`` when old events cannot be read back.
        """
        lasting = self._lasting.reading()
        news = Channel[AnyEvent](BEHIND)
        news.wake()
        if self._closed:
            news.close()
        if until is not None:
            until.add_done_callback(lambda _: news.close())
        self._readers.add(news)
        try:
            while (taken := await news.take()) is not None:
                for event in _since(after, taken.items, lasting, self.last):
                    after = event.seq or after
                    yield event
            for event in lasting.between(after, self.last):
                yield event
        finally:
            self._readers.discard(news)


def _since(after: int, passing: tuple[AnyEvent, ...], lasting: Reading, end: int) -> Iterator[AnyEvent]:
    """The lasting events from ``after`` to ``end`` with the passing ones in their places, but for stale ones."""
    for event in passing:
        follows = event.after or 0
        if follows > after:
            yield from lasting.between(after, follows)
            after = follows
        if follows == after:
            yield event
    yield from lasting.between(after, end)
