"""The events of one session of a hub: stored, then told; over the ends of its processes.

Whoever reads sees an event only when a restart would not lose it. A store that takes nothing for a while holds its
session up, and loses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from bascule.conversation import Placed
from bascule.errors import StoreError
from bascule.events import AnyEvent
from bascule.hub.insisting import insist
from bascule.hub.tail import Tail
from bascule.ids import SessionId
from bascule.store.store import Store


class HubJournal:
    """As ``session.journal.JournalPort``, for each process of the session in turn."""

    def __init__(
        self,
        store: Store,
        session: SessionId,
        *,
        last: int,
        placed: Callable[[Sequence[Placed]], None],
        told: Callable[[AnyEvent], None],
        ended: Callable[[], None],
    ) -> None:
        """``last``: the newest event in the store. ``placed`` is told where new ones stand among those of all
        sessions, ``told`` of each event, passing ones too, before any reader; ``ended`` of the end of a process."""
        self._store = store
        self._session = session
        self._placed = placed
        self._listener = told
        self._ended = ended
        self.line = 0
        """Of the recording: that of the newest event that was stored here."""
        self._stored: int | None = last
        """The newest event in the store; None while that is not known."""
        self._tail = Tail[AnyEvent](self._fetch, lambda event: event.seq, last=last)

    async def _fetch(self, after: int, limit: int) -> Sequence[AnyEvent]:
        """Never empty: no event of a session that is there is ever removed."""
        events = await self._store.events(self._session, after=after, limit=limit)
        if not events:
            raise StoreError(f"what came after {after} is not in the store: bascule store check")
        return events

    @property
    def last(self) -> int:
        """As ``JournalPort.last``."""
        return self._tail.last

    @property
    def readers(self) -> int:
        """How many read it now."""
        return self._tail.readers

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        """As ``JournalPort.store``: returns when they are kept, however long the disk is full."""
        known = await self._known() if self._stored is None else self._stored
        self._stored = None  # what a cancellation leaves is not known
        new = [event for event in events if event.seq is not None and event.seq > known]
        if new:
            position = await self._append(line, new)
            self._placed([Placed(position - len(new) + at, event) for at, event in enumerate(new, 1)])
        self.line = max(self.line, line)
        self._stored = max(known, *(event.seq or 0 for event in new)) if new else known

    async def _known(self) -> int:
        return await insist(lambda: self._store.last_seq(self._session), f"what is stored of {self._session}")

    async def _append(self, line: int, events: Sequence[AnyEvent]) -> int:
        return await insist(lambda: self._store.append(self._session, line, events), f"events of {self._session}")

    def publish(self, events: Sequence[AnyEvent], *, chars: int = 0) -> None:
        """As ``JournalPort.publish``."""
        new = [event for event in events if event.seq is None or event.seq > self._tail.last]
        for event in new:
            self._listener(event)
        self._tail.came(new)

    def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        """As ``Conversation.events``: past the end of a process too, as long as the hub lives."""
        return self._tail.read(after, until=until)

    def close(self) -> None:
        """A process of the session has ended; the session goes on with the next."""
        self._ended()

    def shut(self) -> None:
        """The hub ends: readers end once they have read all."""
        self._tail.close()
