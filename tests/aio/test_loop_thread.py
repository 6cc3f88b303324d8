import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bascule.aio.loop_thread import Bell, LoopThread, insist
from bascule.errors import LocalProtocolError, SessionClosed

INTERRUPTED = ("loop_thread.py", "threading.py", "base_events.py", "selector_events.py", "futures.py")


@contextmanager
def running() -> Iterator[LoopThread]:
    loop = LoopThread("a loop of a test")
    try:
        yield loop
    finally:
        loop.close()


async def soon(value: int = 1) -> int:
    return value


async def never() -> None:
    await asyncio.Event().wait()


def ctrl_c_at(instruction: int, call: Callable[[], object]) -> bool:
    """Whether ``call`` was over before this instruction, at which a Ctrl-C meets it."""
    passed = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal passed
        if Path(frame.f_code.co_filename).name not in INTERRUPTED:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        passed += event == "opcode"
        if event == "opcode" and passed == instruction:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return False
    finally:
        sys.settrace(None)
    return True


@pytest.mark.filterwarnings("ignore:coroutine 'soon' was never awaited")
def test_a_ctrl_c_at_whatever_instruction_leaves_the_loop_running() -> None:
    """A future of the standard library stays locked at some of them."""
    met: list[int] = []

    def everywhere() -> None:
        with running() as loop:
            while not ctrl_c_at(len(met) + 1, lambda: loop.call(soon())):
                met.append(loop.call(soon(len(met)), timeout_s=10))

    traced = threading.Thread(target=everywhere)  # This one's instructions are traced for coverage.
    traced.start()
    traced.join()
    assert len(met) > 100


def test_what_the_work_gives_and_raises_comes_back() -> None:
    async def fails() -> None:
        raise ValueError("no")

    with running() as loop:
        assert loop.call(soon(3)) == 3
        with pytest.raises(ValueError, match="no"):
            loop.call(fails())


def test_items_come_one_by_one() -> None:
    async def items() -> AsyncIterator[int]:
        for number in range(3):
            yield number

    with running() as loop:
        assert list(loop.iterate(items())) == [0, 1, 2]


def test_who_stops_waiting_cancels_the_work() -> None:
    async def errands() -> int:
        return sum(task.get_name() == "errand" for task in asyncio.all_tasks())

    with running() as loop:
        with pytest.raises(TimeoutError):
            loop.call(never(), timeout_s=0)
        assert loop.call(errands()) == 1


def test_what_runs_when_the_loop_is_closed_is_cancelled_and_raises() -> None:
    loop = LoopThread("a loop of a test")
    errand = loop.start(never())
    loop.close()
    with pytest.raises(SessionClosed, match="closed meanwhile"):
        errand.result()
    with pytest.raises(SessionClosed, match="was closed"):
        loop.call(soon())


def test_what_is_given_to_the_loop_in_its_last_moment_raises() -> None:
    """Whether it still gets there, comes there while it is ending, or finds it closed."""
    for _ in range(50):
        loop = LoopThread("a loop of a test")
        loop.stop()
        with pytest.raises(SessionClosed):
            loop.call(never())
        loop.close()


def test_the_loops_own_thread_may_not_wait_for_itself() -> None:
    with running() as loop:

        async def waits_for_itself() -> None:
            loop.call(soon())

        with pytest.raises(LocalProtocolError, match="waits for itself"):
            loop.call(waits_for_itself())


def test_a_bell_is_heard_by_all_who_wait_and_who_come_late() -> None:
    bell = Bell()
    assert not bell.wait(0)
    heard: list[bool] = []
    waiting = [threading.Thread(target=lambda: heard.append(bell.wait(10))) for _ in range(3)]
    for each in waiting:
        each.start()
    bell.ring()
    bell.ring()
    for each in waiting:
        each.join()
    assert heard == [True] * 3
    assert bell.wait(0)


def test_cleanup_ends_in_spite_of_one_ctrl_c() -> None:
    calls: list[int] = []

    def cleanup() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        insist(cleanup)
    assert calls == [1, 1]


def test_a_loop_that_cannot_be_made_raises_and_nobody_waits_for_it() -> None:
    tried = subprocess.run([sys.executable, "-c", NO_MORE_FILES], stdout=subprocess.PIPE, text=True, check=True)
    assert tried.stdout == "Too many open files\n"


NO_MORE_FILES = """
import asyncio, resource
from bascule.aio.loop_thread import LoopThread

resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
try:
    LoopThread("a loop of a test")
except OSError as exc:
    print(exc.strerror)
"""
