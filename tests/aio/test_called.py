"""`called` tells a cancellation that a function brings on itself from one that is meant for it."""

import asyncio

import pytest

from bascule.aio.called import called


async def answers() -> int:
    return 1


async def fails() -> int:
    raise ZeroDivisionError


async def awaits_what_was_cancelled() -> int:
    task = asyncio.ensure_future(asyncio.Event().wait())
    task.cancel()
    return await task


async def test_called_gives_what_the_work_gives_and_raises_what_it_raises() -> None:
    assert await called(answers()) == 1
    with pytest.raises(ZeroDivisionError):
        await called(fails())


async def test_a_cancellation_that_nobody_sent_is_a_failure() -> None:
    with pytest.raises(RuntimeError, match="awaited something that was cancelled"):
        await called(awaits_what_was_cancelled())


async def test_a_cancellation_passes() -> None:
    task = asyncio.ensure_future(called(asyncio.Event().wait()))
    await asyncio.wait({task}, timeout=0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_a_timeout_passes() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await called(asyncio.Event().wait())
