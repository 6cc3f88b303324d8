"""The events of one session, for any number of readers, each at its own pace.

``JournalPort`` is what a session needs; ``Journal`` keeps the events in memory and in a temporary file, as long as the
program lives.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final, Protocol

from bascule.aio.channel import Channel
from bascule.events import AnyEvent
from bascule.session.spool import Reading, Spool

BEHIND: Final = 4096
"""Passing events that wait for a reader; a minute of the densest streaming. Beyond that it is too slow for them."""


class JournalPort(Protocol):
    """Where a session puts its events: first ``store``, and once that has returned ``publish``, for some lines anew.

    The session tells nobody of an event before, and answers nothing that came with it. It does the rest of what the
    event is about in the same step of the loop as ``publish``, so that who hears of an ask can answer it.
    """

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        """Keep the lasting ones of ``events``; of those that are there already (by ``seq``) nothing is done.

        Returns when they outlive this program, if they are meant to. ``line``: the newest of the recording that made
        one of them. Called for some lines after the others, and only where they made a lasting event. What cannot be
        stored now is waited for: raising ends the session.
        """
        ...

    def publish(self, events: Sequence[AnyEvent], *, chars: int = 0) -> None:
        """Hand ``events`` out, passing ones too, but those that were handed out already. Waits for nobody.

        ``chars``: of the lines that they were made of.
        """
        ...

    def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        """As ``Journal.read``."""
        ...

    @property
    def last(self) -> int:
        """The number of the newest lasting event that was handed out; 0 before the first."""
        ...

    def close(self) -> None:
        """Nothing more will come from this session: readers end once they have read all."""
        ...


class Journal:
    """Lasting events are kept from the first on; passing ones go to whoever listens now."""

    def __init__(self, lasting: Spool | None = None, *, after: int = 0) -> None:
        """``after``: the number of the event before the first that will come."""
        self._lasting = lasting or Spool(after=after)
        self._readers: set[Channel[AnyEvent]] = set()
        self._closed = False

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        """Nothing here outlives the program."""

    def publish(self, events: Sequence[AnyEvent], *, chars: int = 0) -> None:
        """As ``JournalPort.publish``: keep the lasting ones, hand out the rest."""
        kept = False
        for event in events:
            if event.seq is None:
                for reader in self._readers:
                    reader.put(event)
            elif event.seq > self.last:
                self._lasting.append(event)
                kept = True
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
        return self._lasting.last

    async def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        """Every lasting event with ``seq > after``, and the passing ones of now between those they belong between.

        Of events from before this journal none is there. Ends when the journal is closed; or when ``until`` is done,
        after all that has happened by then. A reader that is too slow loses passing events only. Raises ``OSError``
        when old events cannot be read back.
        """
        lasting = self._lasting.reading()
        after = max(after, self._lasting.first)
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
