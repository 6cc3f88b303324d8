"""Work that runs beside a block of code, in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

from bascule.aio.finish import finish

T = TypeVar("T")


class beside(AbstractAsyncContextManager[asyncio.Task[T]], Generic[T]):
    """Run ``work`` while the block runs. Leaving the block cancels it, and waits until it has ended.

    The block may be left in another task than it was entered in, as an async generator is that nobody reads to its end:
    a TaskGroup around its ``yield`` may not. What ``work`` raises is for who awaits the task.

    It is no generator itself: a loop that shuts down closes all of those at once, this one below its own user.
    """

    def __init__(self, work: Coroutine[Any, Any, T], *, name: str) -> None:
        self._work = work
        self._name = name

    async def __aenter__(self) -> asyncio.Task[T]:
        self._task = asyncio.create_task(self._work, name=self._name)
        return self._task

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await finish(self._ended())

    async def _ended(self) -> None:
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.exception()
