"""Whether a hub can work: something is written, and the room is looked at; once a second, however often it is asked."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Final

from bascule.conversation import Health, Part
from bascule.errors import StoreError
from bascule.hub.processes import Processes
from bascule.store.store import Store

FRESH_S: Final = 1.0
"""An answer holds for so long."""
WRITTEN_S: Final = 5.0
"""What a write may take in a store that is of use."""
ROOM: Final = 200_000_000
"""Bytes that recordings may come to need before somebody has looked."""


class Checkup:
    """The last answer, and how to come to a new one."""

    def __init__(self, store: Store, processes: Processes, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._processes = processes
        self._clock = clock
        self._looking = asyncio.Lock()
        self._at = -math.inf
        self._found = Health()

    async def look(self) -> Health:
        """How it is. Never raises but when cancelled."""
        async with self._looking:
            if self._clock() - self._at >= FRESH_S:
                self._found = await self._look()
                self._at = self._clock()
            return self._found

    async def _look(self) -> Health:
        took_ms, room = await self._written(), await self._room()
        failing: list[Part] = []
        if took_ms is None:
            failing.append("store")
        if room is None or room < ROOM:
            failing.append("disk")
        return Health(failing=tuple(failing), store_ms=took_ms, room=room)

    async def _written(self) -> float | None:
        began = self._clock()
        try:
            async with asyncio.timeout(WRITTEN_S):
                await self._store.touch()
        except (StoreError, TimeoutError):
            return None
        return (self._clock() - began) * 1000

    async def _room(self) -> int | None:
        try:
            return await self._processes.room()
        except OSError:
            return None
