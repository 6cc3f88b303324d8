"""Work that runs beside a block of code, in a task of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from bascule.aio.finish import finish

T = TypeVar("T")


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, T], *, name: str) -> AsyncIterator[asyncio.Task[T]]:
    """Run ``work`` while the block runs. Leaving the block cancels it, and waits until it has ended.

    The block may be left in another task than it was entered in, as an async generator is that nobody reads to its end:
    a TaskGroup around its ``yield`` may not. What ``work`` raises is for who awaits the task.
    """
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        await finish(_ended(task))


async def _ended(task: asyncio.Task[Any]) -> None:
    await asyncio.wait({task})
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()
