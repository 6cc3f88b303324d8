"""A process pipe with small programs at the far end: what goes in, what comes out, and in which order."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from bascule.errors import LocalProtocolError
from bascule.recording import Entry, Exit, exit_of
from bascule.transport.census import MARK
from bascule.transport.complaints import TAIL_CHARACTERS
from bascule.transport.ends import Limits
from bascule.transport.process import open_process
from tests.transport.programs import ECHO, RING, Bell, lines, program, read_all, read_until


async def test_entries_come_in_the_order_of_a_recording(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe:
        assert pipe.write(("note", "mind"), ("in", "one"))
        begun = await read_until(pipe, "out")
        pipe.end()
        entries = begun + await read_all(pipe)
    assert [entry.dir for entry in entries] == ["argv", "env", "note", "in", "out", "exit"]
    assert [entry.line for entry in entries][2:5] == ["mind", "one", "echo one"]
    assert exit_of(entries[-1].line) == Exit(code=0)


async def test_times_are_the_clocks(tmp_path: Path) -> None:
    ticks = iter(range(100, 200))
    async with open_process(program(tmp_path, ECHO), clock=lambda: float(next(ticks))) as pipe:
        pipe.write(("note", "mind"), ("in", "one"))
        entries = await read_until(pipe, "out")
    assert [entry.t for entry in entries] == [100.0, 100.0, 101.0, 101.0, 102.0]


async def test_time_begins_with_the_process(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe:
        pipe.write(("in", "one"))
        entries = await read_until(pipe, "out")
    times = [entry.t for entry in entries]
    assert 0 <= times[0] < times[-1] < 20
    assert times == sorted(times)


async def test_argv_and_env_come_first_and_env_holds_names_only(tmp_path: Path) -> None:
    launch = program(tmp_path, ECHO)
    secret = {**launch.env, "ANTHROPIC_API_KEY": "sk-secret"}
    argv = (*launch.argv, "--settings", "--api-key=sk-secret")
    async with open_process(type(launch)(argv, secret, launch.cwd)) as pipe:
        first, second = (await pipe.read())[:2]
    assert (first.dir, json.loads(first.line)) == ("argv", [launch.argv[0], "--settings", "--api-key=…"])
    assert (second.dir, json.loads(second.line)) == ("env", ["ANTHROPIC_API_KEY", MARK, "PATH"])


async def test_L112_the_child_gets_the_given_environment_and_its_mark_only(tmp_path: Path) -> None:
    launch = program(tmp_path, "print(open('/proc/self/environ').read().replace(chr(0), '|'))")
    async with open_process(launch) as pipe:
        (seen,) = lines(await read_all(pipe))
    names = {pair.partition("=")[0] for pair in seen.strip("|").split("|")}
    assert names == {"PATH", MARK}


async def test_a_process_leads_a_session_of_its_own(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, "import os; print(os.getsid(0), os.getpid(), os.getcwd())")) as pipe:
        (seen,) = lines(await read_all(pipe))
        assert seen == f"{pipe.pid} {pipe.pid} {tmp_path}"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\n\r\n\ntwo\n", ["one", "", "", "two"]),
        (b"\xef\xbb\xbfone\n", ["one"]),
        (b"half", ["half"]),
        (b"", []),
        (b"a\0b\n", ["a\0b"]),
        (b"\xff\xfe{\n", ["\udcff\udcfe{"]),
        (b"not json at all\n{\n", ["not json at all", "{"]),
        ("snow\u2028man\u0085\n".encode(), ["snow\u2028man\u0085"]),
    ],
    ids=["lines", "crlf", "bom", "half", "nothing", "nul", "invalid-utf8", "garbage", "unicode-line-ends"],
)
async def test_whatever_a_process_writes_becomes_lines(tmp_path: Path, written: bytes, read: list[str]) -> None:
    launch = program(tmp_path, f"import sys; sys.stdout.buffer.write({written!r})")
    async with open_process(launch) as pipe:
        entries = await read_all(pipe)
    assert lines(entries) == read
    assert exit_of(entries[-1].line) == Exit(code=0)


async def test_F53_a_character_split_between_two_chunks_is_whole(tmp_path: Path) -> None:
    source = """
        import sys
        for byte in "日本語 🙂".encode():
            sys.stdout.buffer.write(bytes([byte]))
            sys.stdout.buffer.flush()
        print()
    """
    async with open_process(program(tmp_path, source)) as pipe:
        assert lines(await read_all(pipe)) == ["日本語 🙂"]


async def test_S3_F51_L7_a_huge_line_arrives_whole_and_so_does_the_next(tmp_path: Path) -> None:
    source = """
        import sys
        sys.stdout.write("x" * 30_000_000 + "\\nnext\\n")
    """
    async with open_process(program(tmp_path, source)) as pipe:
        huge, following = lines(await read_all(pipe))
    assert len(huge) == 30_000_000
    assert following == "next"


async def test_F52_many_lines_have_no_limit_in_sum(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, "for n in range(200_000): print(n, 'x' * 60)")) as pipe:
        seen = lines(await read_all(pipe))
    assert len(seen) == 200_000
    assert seen[-1] == "199999 " + "x" * 60


async def test_killed_in_the_middle_of_a_line(tmp_path: Path) -> None:
    source = """
        import os, signal, sys
        sys.stdout.write("whole\\nhal")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    """
    async with open_process(program(tmp_path, source)) as pipe:
        entries = await read_all(pipe)
    assert lines(entries) == ["whole", "hal"]
    assert exit_of(entries[-1].line) == Exit(signal="SIGKILL")


@pytest.mark.parametrize("code", [0, 1, 3, 143])
async def test_an_exit_tells_its_code(tmp_path: Path, code: int) -> None:
    async with open_process(program(tmp_path, f"raise SystemExit({code})")) as pipe:
        entries = await read_all(pipe)
        assert await pipe.read() == ()
        assert await pipe.close() == Exit(code=code)
    assert exit_of(entries[-1].line) == Exit(code=code)


async def test_S5_stderr_is_read_and_its_tail_kept(tmp_path: Path) -> None:
    source = """
        import sys
        for number in range(20_000):
            print("complaint", number, "x" * 50, file=sys.stderr)
        print("done")
    """
    async with open_process(program(tmp_path, source)) as pipe:
        entries = await read_all(pipe)
        assert len(pipe.stderr_tail) <= TAIL_CHARACTERS
        assert pipe.stderr_tail.endswith("complaint 19999 " + "x" * 50)
    assert lines(entries) == ["done"]
    assert len(lines(entries, "err")) == 20_000


async def test_stdout_may_be_closed_long_before_the_end(tmp_path: Path) -> None:
    source = """
        import os, sys
        os.close(1)
        sys.stdin.read()
        os.write(2, b"still here")
        os._exit(5)
    """
    async with open_process(program(tmp_path, source)) as pipe:
        pipe.end()
        entries = await read_all(pipe)
    assert lines(entries, "err") == ["still here"]
    assert exit_of(entries[-1].line) == Exit(code=5)


async def test_L72_lines_arrive_whole_and_in_order_whoever_wrote_them(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe, asyncio.TaskGroup() as writers:

        async def writer(name: str) -> None:
            for number in range(20):
                assert pipe.write(("in", f"{name}{number} {'x' * 5000}"))
                await pipe.drain()

        for name in "abc":
            writers.create_task(writer(name), name=name)
        entries: list[Entry] = []
        while len(lines(entries)) < 60:
            entries += await pipe.read()
    assert lines(entries) == [f"echo {line}" for line in lines(entries, "in")]


async def test_several_lines_in_one_write_are_one_write(tmp_path: Path) -> None:
    source = "import os; print(os.read(0, 1000))"
    async with open_process(program(tmp_path, source)) as pipe:
        assert pipe.write(("in", "one"), ("note", "n"), ("in", "two"))
        assert lines(await read_all(pipe)) == [r"b'one\ntwo\n'"]


@pytest.mark.parametrize("line", ["two\nlines", "\n", "lone \ud83d"])
async def test_a_line_that_would_damage_the_stream_is_refused(tmp_path: Path, line: str) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe:
        with pytest.raises(LocalProtocolError):
            pipe.write(("note", "kept out as well"), ("in", line))
        pipe.write(("in", "fine"))
        entries = await read_until(pipe, "out")
    assert [(entry.dir, entry.line) for entry in entries[2:]] == [("in", "fine"), ("out", "echo fine")]


async def test_bytes_that_were_no_utf8_are_written_back_as_they_were(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, "import os; print(os.read(0, 100))")) as pipe:
        pipe.write(("in", "\udcff"))
        assert lines(await read_all(pipe)) == [r"b'\xff\n'"]


async def test_L17_a_write_to_a_dead_process_is_false_and_not_recorded(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, "pass")) as pipe:
        await read_all(pipe)
        assert not pipe.write(("note", "allowed by Ada"), ("in", "allow"))
        assert not pipe.write(("note", "alone"))
        await pipe.drain()
        assert await pipe.read() == ()


async def test_L18_a_write_after_the_end_of_stdin_is_false_and_not_recorded(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe:
        pipe.end()
        pipe.end()
        assert not pipe.write(("in", "late"))
        assert pipe.write(("note", "we end it"))
        await pipe.drain()
        entries = await read_all(pipe)
    assert [(entry.dir, entry.line) for entry in entries if entry.dir in ("in", "note")] == [("note", "we end it")]


async def test_L18_a_broken_stdin_is_false_and_no_error(tmp_path: Path) -> None:
    source = """
        import os, signal
        os.close(0)
        print("closed")
        signal.pause()
    """
    async with open_process(program(tmp_path, source)) as pipe:
        await read_until(pipe, "out", "closed")
        assert not pipe.write(("in", "late"))
        await pipe.drain()
        await pipe.close(grace_s=0)
        assert lines(await read_all(pipe), "in") == []


async def test_drain_waits_while_the_process_reads_nothing(tmp_path: Path) -> None:
    source = """
        import signal, sys
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        print("ready")
        signal.sigwait([signal.SIGUSR1])
        print(len(sys.stdin.readline()))
    """
    async with open_process(program(tmp_path, source)) as pipe:
        await read_until(pipe, "out", "ready")
        assert pipe.write(("in", "x" * 5_000_000))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await pipe.drain()
        pipe.signal(signal.SIGUSR1)
        await pipe.drain()
        await read_until(pipe, "out", "5000001")


async def test_drain_ends_with_the_process(tmp_path: Path) -> None:
    source = """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        print("ready")
        signal.sigwait([signal.SIGUSR1])
    """
    async with open_process(program(tmp_path, source)) as pipe:
        await read_until(pipe, "out", "ready")
        pipe.write(("in", "x" * 5_000_000))
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(pipe.drain(), name="drain")
            pipe.signal(signal.SIGUSR1)
        assert waiting.done()
        assert exit_of((await read_all(pipe))[-1].line) == Exit(code=0)


async def test_a_reader_that_stays_away_stops_the_process_and_loses_nothing(tmp_path: Path, bell: Bell) -> None:
    source = (
        RING
        + """
    import os
    os.set_blocking(1, False)
    lines, sent, full = [b"%07d\\n" % number for number in range(100_000)], 0, False
    data = b"".join(lines)
    while sent < len(data):
        try:
            sent += os.write(1, data[sent:])
        except BlockingIOError:
            if not full:
                ring(sent)
                full = True
                os.set_blocking(1, True)
    """
    )
    limits = Limits(high_water=100_000)
    async with open_process(program(tmp_path, source), limits=limits) as pipe:
        sent_when_full = int(await bell.rung())
        first = await pipe.read()
        seen = [*first, *await read_all(pipe)]
    assert sum(len(entry.line) for entry in first) <= limits.high_water + 2**18
    assert sent_when_full < 800_000
    assert lines(seen) == [f"{number:07d}" for number in range(100_000)]


async def test_what_a_dead_process_left_in_its_pipe_is_read_above_the_mark(tmp_path: Path, bell: Bell) -> None:
    source = (
        RING
        + """
    import os
    for _ in range(60):
        os.write(1, b"x" * 999 + b"\\n")
    ring("written")
    """
    )
    async with open_process(program(tmp_path, source), limits=Limits(high_water=10)) as pipe:
        await bell.rung()
        assert await pipe.close() == Exit(code=0)
        entries = await read_all(pipe)
    assert lines(entries) == ["x" * 999] * 60
    assert entries[-1].dir == "exit"


async def test_a_signal_reaches_the_process(tmp_path: Path) -> None:
    source = """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        print("ready")
        print("got", signal.sigwait([signal.SIGINT]).name)
    """
    async with open_process(program(tmp_path, source)) as pipe:
        await read_until(pipe, "out", "ready")
        pipe.signal(signal.SIGINT)
        entries = await read_all(pipe)
        pipe.signal(signal.SIGINT)
    assert lines(entries) == ["got SIGINT"]


async def test_L70_two_processes_have_nothing_in_common(tmp_path: Path) -> None:
    launch = program(tmp_path, ECHO)
    async with open_process(launch) as one, open_process(launch) as other:
        one.write(("in", "for one"))
        other.write(("in", "for other"))
        assert lines(await read_until(one, "out")) == ["echo for one"]
        assert lines(await read_until(other, "out")) == ["echo for other"]
        assert one.pid != other.pid


async def test_L114_a_line_that_begins_with_a_dash_is_a_line(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe:
        pipe.write(("in", "--dangerously-skip-permissions"))
        assert lines(await read_until(pipe, "out")) == ["echo --dangerously-skip-permissions"]


async def test_a_failure_of_the_caller_ends_the_process_and_passes(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        async with open_process(program(tmp_path, ECHO)) as pipe:
            pid = pipe.pid
            raise ZeroDivisionError
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_S1_a_line_reaches_the_process_while_nobody_reads_what_it_wrote(tmp_path: Path, bell: Bell) -> None:
    source = (
        RING
        + """
    import os, sys, threading
    threading.Thread(target=lambda: os.write(1, b"flood\\n" * 500_000), daemon=True).start()
    ring(sys.stdin.readline().strip())
    sys.stdin.read()
    os._exit(0)
    """
    )
    async with open_process(program(tmp_path, source), limits=Limits(high_water=1000)) as pipe:
        assert pipe.write(("in", "answer"))
        assert await bell.rung() == "answer"


async def test_S4_stdin_stays_open_until_it_is_ended(tmp_path: Path) -> None:
    source = """
        import select, sys
        sys.stdin.readline()
        print("open" if not select.select([0], [], [], 0.2)[0] else "closed")
        print("ended" if sys.stdin.read() == "" else "more")
    """
    async with open_process(program(tmp_path, source)) as pipe:
        pipe.write(("in", "prompt"))
        assert lines(await read_until(pipe, "out")) == ["open"]
        pipe.end()
        assert lines(await read_until(pipe, "out")) == ["ended"]
