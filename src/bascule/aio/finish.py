"""Cleanup that a cancelled caller cannot cut short."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` to its end, however often the caller is cancelled meanwhile.

    ``work`` must bound itself: nothing here will stop it. A cancellation that arrives is raised once ``work`` is done,
    with what ``work`` raised as its cause. (An anyio shield is cut by a second native cancellation; this is not.)
    """
    task = asyncio.create_task(work, name="finish")
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        raise cancelled from (None if task.cancelled() else task.exception())
    return task.result()
