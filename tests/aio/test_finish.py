"""`finish` runs cleanup to its end, however often its caller is cancelled."""

import asyncio

import pytest

from bascule.aio.finish import finish


class Cleanup:
    """Work that goes on when the test lets it."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.started = asyncio.Event()
        self.may_end = asyncio.Event()
        self.done = False

    async def run(self) -> str:
        self.started.set()
        await self.may_end.wait()
        if self.failure is not None:
            raise self.failure
        self.done = True
        return "clean"


async def test_finish_gives_what_the_work_gives() -> None:
    cleanup = Cleanup()
    cleanup.may_end.set()
    assert await finish(cleanup.run()) == "clean"


async def test_finish_raises_what_the_work_raises() -> None:
    cleanup = Cleanup(OSError("disk full"))
    cleanup.may_end.set()
    with pytest.raises(OSError, match="disk full"):
        await finish(cleanup.run())


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_work_ends_however_often_the_caller_is_cancelled(times: int) -> None:
    cleanup = Cleanup()
    async with asyncio.TaskGroup() as group:
        caller = group.create_task(finish(cleanup.run()), name="caller")
        await cleanup.started.wait()
        for _ in range(times):
            caller.cancel()
            await turn_of_the_loop()
            assert not caller.done()
        cleanup.may_end.set()
    assert cleanup.done
    assert caller.cancelled()


async def test_a_failure_under_cancellation_is_its_cause() -> None:
    cleanup = Cleanup(OSError("disk full"))
    seen: list[BaseException | None] = []

    async def caller() -> None:
        try:
            await finish(cleanup.run())
        except asyncio.CancelledError as exc:
            seen.append(exc.__cause__)
            raise

    async with asyncio.TaskGroup() as group:
        task = group.create_task(caller(), name="caller")
        await cleanup.started.wait()
        task.cancel()
        cleanup.may_end.set()
    assert seen == [cleanup.failure]


async def test_a_timeout_of_the_caller_waits_for_the_work() -> None:
    cleanup = Cleanup()
    asyncio.get_running_loop().call_later(0.02, cleanup.may_end.set)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.001):
            await finish(cleanup.run())
    assert cleanup.done


async def test_work_that_is_cancelled_itself_cancels_the_caller() -> None:
    async def gives_up() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await finish(gives_up())


async def test_a_cancelled_caller_of_cancelled_work_has_no_cause_to_tell() -> None:
    began = asyncio.Event()
    go = asyncio.Event()

    async def gives_up() -> None:
        began.set()
        await go.wait()
        raise asyncio.CancelledError

    async with asyncio.TaskGroup() as group:
        caller = group.create_task(finish(gives_up()), name="caller")
        await began.wait()
        caller.cancel()
        go.set()
    assert caller.cancelled()


async def turn_of_the_loop() -> None:
    """Let every task that is ready take one step."""
    passed = asyncio.Event()
    asyncio.get_running_loop().call_soon(passed.set)
    await passed.wait()
