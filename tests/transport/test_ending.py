"""How a process and all that it started is ended: politely, then not, in bounded time, with nothing left over."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bascule.recording import Entry, Exit, exit_of
from bascule.transport.ends import Limits
from bascule.transport.launch import Launch
from bascule.transport.process import ProcessPipe, open_process
from tests.transport.programs import (
    ECHO,
    RING,
    Bell,
    alive,
    gone,
    lines,
    open_files,
    program,
    read_all,
    read_until,
    running_with,
    steps,
)

QUICK = Limits(term_s=0.05, orphans_s=0.05, linger_s=0.05)

STUBBORN = """
    import signal, sys
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready")
    while True:
        signal.pause()
"""

PARENT = """
    import os, signal, subprocess, sys
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.pause()"], start_new_session=True, {how}
    )
    print(child.pid)
    {then}
"""


@pytest.fixture(autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    """Each of these tests ends with the files that it began with."""
    before = open_files()
    yield
    left = {name for name in open_files() - before if "pipe" in name or "socket" in name or "pidfd" in name}
    assert not left


@asynccontextmanager
async def parent(folder: Path, how: str, then: str, limits: Limits = QUICK) -> AsyncIterator[tuple[ProcessPipe, int]]:
    """A process with a child in a session of its own; gives the child's number."""
    async with open_process(program(folder, PARENT.format(how=how, then=then)), limits=limits) as pipe:
        (number,) = lines(await read_until(pipe, "out"))
        yield pipe, int(number)


async def test_a_process_that_ends_with_its_stdin_gets_no_signal(tmp_path: Path) -> None:
    source = """
        import sys
        sys.stdin.read()
        print("session file written")
    """
    async with open_process(program(tmp_path, source)) as pipe:
        assert await pipe.close() == Exit(code=0)
        assert lines(await read_all(pipe)) == ["session file written"]


async def test_L63_after_sigterm_there_is_time_to_write(tmp_path: Path) -> None:
    source = """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        print("ready")
        signal.sigwait([signal.SIGTERM])
        print("session file written")
        raise SystemExit(143)
    """
    async with open_process(program(tmp_path, source)) as pipe:
        await read_until(pipe, "out", "ready")
        assert await pipe.close(grace_s=0.05) == Exit(code=143)
        assert lines(await read_all(pipe)) == ["session file written"]


async def test_L55_S7_a_process_that_ignores_all_is_killed(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, STUBBORN), limits=QUICK) as pipe:
        await read_until(pipe, "out", "ready")
        assert await pipe.close(grace_s=0.05) == Exit(signal="SIGKILL")
    assert not alive(pipe.pid)


async def test_a_stopped_process_is_killed(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO), limits=QUICK) as pipe:
        pipe.signal(signal.SIGSTOP)
        assert await pipe.close(grace_s=0) in (Exit(signal="SIGKILL"), Exit(signal="SIGTERM"))
        assert not alive(pipe.pid)


async def test_a_process_that_reads_nothing_is_ended_with_lines_waiting(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, STUBBORN), limits=QUICK) as pipe:
        await read_until(pipe, "out", "ready")
        pipe.write(("in", "x" * 5_000_000))
        assert await pipe.close(grace_s=0) == Exit(signal="SIGKILL")
        await pipe.drain()


async def test_closing_twice_gives_the_same_answer(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, "raise SystemExit(3)")) as pipe:
        assert await pipe.close() == Exit(code=3)
        assert await pipe.close() == Exit(code=3)


async def test_a_second_closer_hurries_the_first(tmp_path: Path) -> None:
    async with (
        open_process(program(tmp_path, STUBBORN), limits=QUICK) as pipe,
        asyncio.timeout(15),
        asyncio.TaskGroup() as group,
    ):
        await read_until(pipe, "out", "ready")
        patient = group.create_task(pipe.close(grace_s=600), name="patient")
        hurried = group.create_task(pipe.close(grace_s=0), name="hurried")
    assert patient.result() == hurried.result() == Exit(signal="SIGKILL")


async def test_what_was_not_read_can_be_read_after_closing(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, "for n in range(1000): print(n)")) as pipe:
        await pipe.close()
    entries = await read_all(pipe)
    assert lines(entries) == [str(n) for n in range(1000)]
    assert await pipe.read() == ()


@pytest.mark.parametrize(
    "how",
    ["", "stdin=-1", "stdout=-1, stderr=-1", "env={'PATH': '/bin'}"],
    ids=["holds-all", "own-stdin", "own-outputs", "without-our-mark"],
)
async def test_S38_F45_a_child_in_its_own_session_is_ended(tmp_path: Path, how: str) -> None:
    async with parent(tmp_path, how, "sys.stdin.read()") as (pipe, child):
        assert alive(child)
        assert await pipe.close() == Exit(code=0)
        assert not alive(child)


async def test_L56_a_child_whose_parent_was_killed_is_ended(tmp_path: Path) -> None:
    async with parent(tmp_path, "stdout=-1, stderr=-1", "signal.pause()") as (pipe, child):
        pipe.signal(signal.SIGKILL)
        assert exit_of((await read_all(pipe))[-1].line) == Exit(signal="SIGKILL")
        assert alive(child)
        await pipe.close()
        assert not alive(child)


async def test_a_child_that_ignores_sigterm_is_killed(tmp_path: Path, bell: Bell) -> None:
    source = (
        RING
        + """
    import os, signal
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ring(os.getpid())
        while True:
            signal.pause()
    """
    )
    async with open_process(program(tmp_path, source), limits=QUICK) as pipe:
        child = int(await bell.rung())
        await pipe.close()
        assert not alive(child)


async def test_a_daemon_that_left_its_parents_is_ended(tmp_path: Path, bell: Bell) -> None:
    source = (
        RING
        + """
    import os, signal, sys
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ring(os.getpid())
            signal.pause()
        os._exit(0)
    os.wait()
    sys.stdin.read()
    """
    )
    async with open_process(program(tmp_path, source), limits=QUICK) as pipe:
        daemon = int(await bell.rung())
        await pipe.close()
        assert not alive(daemon)


async def test_L47_the_exit_comes_though_a_child_holds_stdout_open(tmp_path: Path) -> None:
    async with parent(tmp_path, "", "sys.stdin.readline(); sys.exit(4)") as (pipe, child):
        pipe.write(("in", "end"))
        assert exit_of((await read_all(pipe))[-1].line) == Exit(code=4)
        assert alive(child)
        assert await pipe.close() == Exit(code=4)
        assert not alive(child)


async def test_L47_a_child_that_writes_for_ever_does_not_delay_the_exit_for_ever(tmp_path: Path) -> None:
    source = """
        import os, signal
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
            while True:
                os.write(1, b"spam\\n")
                signal.pause()
        os.write(1, b"last words\\n")
        os._exit(2)
    """
    async with open_process(program(tmp_path, source), limits=QUICK) as pipe:
        entries = await read_all(pipe)
    assert exit_of(entries[-1].line) == Exit(code=2)
    assert "last words" in lines(entries)
    assert set(lines(entries)) <= {"last words", "spam"}


async def test_a_process_that_even_sigkill_did_not_end_in_time_is_not_waited_for(tmp_path: Path) -> None:
    """No test can make such a process; with no time at all the kernel is as slow as one, now and then."""
    for _ in range(5):
        limits = Limits(term_s=0, kill_s=0, linger_s=0)
        async with asyncio.timeout(10), open_process(program(tmp_path, STUBBORN), limits=limits) as pipe:
            assert await pipe.close(grace_s=0) in (Exit(), Exit(signal="SIGKILL"), Exit(signal="SIGTERM"))
            entries = await read_all(pipe)
            assert entries[-1].dir == "exit"
        await gone(pipe.pid)


async def test_a_cancelled_read_loses_nothing(tmp_path: Path) -> None:
    seen: list[Entry] = []
    async with open_process(program(tmp_path, ECHO)) as pipe:

        async def read_some() -> None:
            seen.extend(await pipe.read())

        for number in range(50):
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(read_some(), name="reader")
                pipe.write(("in", str(number)))
                await steps(number % 7)
                reader.cancel()
        pipe.end()
        seen += await read_all(pipe)
    assert lines(seen, "in") == [str(number) for number in range(50)]
    assert lines(seen) == [f"echo {number}" for number in range(50)]


@pytest.mark.parametrize("after", range(0, 24))
async def test_a_cancelled_close_still_ends_everything(after: int) -> None:
    cat = Launch(("/bin/cat",), {}, "/")
    async with asyncio.TaskGroup() as group:
        async with open_process(cat, limits=QUICK) as pipe:
            closing = group.create_task(pipe.close(grace_s=0.01), name="close")
            await steps(after)
            closing.cancel()
            await steps(1)
            closing.cancel()
        assert not alive(pipe.pid)
    assert closing.done()
    assert (await read_all(pipe))[-1].dir == "exit"


@pytest.mark.parametrize("after", range(0, 12))
async def test_a_cancelled_start_leaves_no_process(tmp_path: Path, after: int) -> None:
    started: list[ProcessPipe] = []

    async def use() -> None:
        async with open_process(Launch(("/bin/cat",), {"CASE": str(tmp_path)}, "/"), limits=QUICK) as pipe:
            started.append(pipe)
            await pipe.drain()
            while await pipe.read():
                pass

    async with asyncio.TaskGroup() as group:
        task = group.create_task(use(), name="use")
        await steps(after)
        task.cancel()
    assert task.cancelled()
    assert not running_with(f"CASE={tmp_path}")


async def test_L66_a_pipe_that_is_open_when_the_loop_ends_leaves_no_trace(tmp_path: Path) -> None:
    """Run by itself, since what is wrong shows on stderr when the interpreter ends."""
    source = """
        import asyncio
        from bascule.transport.launch import Launch
        from bascule.transport.process import open_process

        async def main():
            async with open_process(Launch(("/bin/cat",), {}, "/")) as pipe:
                pipe.write(("in", "x"))
                await pipe.read()
                raise KeyboardInterrupt

        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
    """
    launch = program(tmp_path, source)
    env = {**launch.env, "PYTHONDEVMODE": "1"}
    async with open_process(Launch(launch.argv, env, launch.cwd)) as pipe:
        entries = await read_all(pipe)
    assert lines(entries) == ["interrupted"]
    assert lines(entries, "err") == []
