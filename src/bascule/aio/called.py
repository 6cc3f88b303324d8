"""A function of somebody else's, called so that a cancellation of its own making is told from ours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def called(work: Awaitable[T]) -> T:
    """What ``work`` gives. Raises what it raises, and ``RuntimeError`` in place of a ``CancelledError`` that nobody
    sent: a function raises it that awaits a task which was cancelled, and whoever waits for an answer would be left
    without one.
    """
    try:
        return await work
    except asyncio.CancelledError as exc:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise RuntimeError("it awaited something that was cancelled") from exc
