"""A plain function in a thread: what it gives or raises comes back, and nobody waits for one that never ends."""

import asyncio
import threading
from contextvars import ContextVar

import pytest

from bascule.mcp.thread import in_thread

WHO: ContextVar[str] = ContextVar("WHO")


async def test_the_function_runs_in_a_daemon_thread_with_the_callers_context() -> None:
    def tell() -> tuple[str, bool, str]:
        thread = threading.current_thread()
        return thread.name, thread.daemon, WHO.get()

    WHO.set("me")
    assert await in_thread(tell, name="teller") == ("teller", True, "me")


@pytest.mark.parametrize("raised", [KeyError("k"), SystemExit(2)])
async def test_what_the_function_raises_is_raised(raised: BaseException) -> None:
    def fail() -> None:
        raise raised

    with pytest.raises(type(raised)) as caught:
        await in_thread(fail, name="failing")
    assert caught.value is raised


async def test_a_stop_iteration_is_raised_as_a_coroutine_raises_it() -> None:
    """A future of asyncio's refuses it, and would never be done."""
    with pytest.raises(RuntimeError, match="StopIteration"):
        await in_thread(lambda: next(iter(())), name="exhausted")


def test_a_loop_closes_while_a_function_never_ends_and_its_late_end_is_nobodys_matter() -> None:
    go, threads = threading.Event(), list[threading.Thread]()

    def stuck() -> None:
        threads.append(threading.current_thread())
        go.wait()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await in_thread(stuck, name="stuck")

    asyncio.run(give_up())
    (thread,) = threads
    assert thread.is_alive()
    go.set()
    thread.join(10)
    assert not thread.is_alive()
