"""How many CLIs start at once: each takes a core for half a second, and many together take the machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakKeyDictionary


class Starts:
    """Lets ``limit`` starts run beside each other; the others wait for their turn, first come first served."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Callable[[], None]]:
        """A place to start in. It is given back by calling what this gives, or when the block is left."""
        places = self._places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._limit))
        await places.acquire()
        taken = True

        def give_back() -> None:
            nonlocal taken
            if taken:
                taken = False
                places.release()

        try:
            yield give_back
        finally:
            give_back()


STARTS: Final = Starts(os.cpu_count() or 1)
"""Of this process; a machine has its cores only once."""
