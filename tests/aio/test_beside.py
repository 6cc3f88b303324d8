"""Work beside a block: it ends with the block, whoever leaves it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bascule.aio.beside import beside


class Work:
    """Waits to be let go; its cleanup takes some turns of the loop."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.log: list[str] = []

    async def run(self) -> str:
        try:
            await self.go.wait()
            return "done"
        finally:
            await asyncio.to_thread(self.log.append, "cleaned")


async def test_the_block_may_wait_for_what_the_work_gives() -> None:
    work = Work()
    async with beside(work.run(), name="work") as task:
        work.go.set()
        assert await task == "done"


async def test_work_that_runs_is_cancelled_and_waited_for() -> None:
    work = Work()
    async with beside(work.run(), name="work") as task:
        await asyncio.wait({task}, timeout=0)
    assert task.cancelled()
    assert work.log == ["cleaned"]


async def test_what_the_work_raised_is_for_who_awaits_it() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    async with beside(fail(), name="work") as task:
        await asyncio.wait({task})
    with pytest.raises(ZeroDivisionError):
        await task


async def test_a_block_that_is_cancelled_waits_for_the_work_all_the_same() -> None:
    work = Work()

    async def block() -> None:
        async with beside(work.run(), name="work") as task:
            await asyncio.wait({task})

    blocked = asyncio.ensure_future(block())
    await asyncio.wait({blocked}, timeout=0.01)
    blocked.cancel()
    await asyncio.wait({blocked}, timeout=0)
    blocked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await blocked
    assert work.log == ["cleaned"]


async def test_a_generator_that_is_closed_by_another_task_ends_its_work() -> None:
    work = Work()

    async def generate() -> AsyncIterator[int]:
        async with beside(work.run(), name="work") as task:
            yield 1
            await task

    numbers = generate()
    assert await anext(numbers) == 1
    await asyncio.ensure_future(numbers.aclose())  # type: ignore[attr-defined]
    assert work.log == ["cleaned"]
