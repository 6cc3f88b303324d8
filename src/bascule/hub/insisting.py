"""What must not be left undone while the store takes nothing: it is tried again, for as long as it takes.

A full disk so holds up whoever needs it, and loses nothing. What a person can do again is told to fail instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from bascule.errors import StoreError

log = logging.getLogger("bascule.hub")

T = TypeVar("T")

AGAIN_S: Final = (0.1, 0.5, 2.0, 5.0)
"""When a store that could not be used is tried again; the last one for as long as it takes."""


async def insist(work: Callable[[], Awaitable[T]], what: str) -> T:
    """What ``work`` gives once the store does it. ``what`` waits, in words for the log."""
    tries = 0
    while True:
        try:
            return await work()
        except StoreError as exc:
            log.warning("%s: waits for the store: %s", what, exc)
            await asyncio.sleep(AGAIN_S[min(tries, len(AGAIN_S) - 1)])
            tries += 1
