"""The far end of a `MemoryPipe` does as it is told, and otherwise as the CLI does."""

import asyncio
from collections.abc import Callable

import pytest

from bascule.recording import Entry, Exit, exit_of
from bascule.testing.memory import MemoryPipe
from tests.transport.programs import lines, read_all


async def test_what_the_far_end_says_is_read_in_order() -> None:
    pipe = MemoryPipe()
    pipe.says("one", "two")
    pipe.complains("oh")
    pipe.says("three")
    assert [(entry.dir, entry.line) for entry in await pipe.read()] == [
        ("out", "one"),
        ("out", "two"),
        ("err", "oh"),
        ("out", "three"),
    ]


async def test_with_a_command_line_it_begins_as_a_process_does() -> None:
    pipe = MemoryPipe(argv=["claude", "-p"])
    pipe.says("one")
    assert [(entry.dir, entry.line) for entry in await pipe.read()] == [
        ("argv", '["claude","-p"]'),
        ("env", "[]"),
        ("out", "one"),
    ]


async def test_times_are_always_the_same() -> None:
    first, second = MemoryPipe(), MemoryPipe()
    for pipe in (first, second):
        pipe.says("one")
        pipe.write(("in", "two"))
    assert await first.read() == await second.read()
    assert [entry.t for entry in await said(MemoryPipe(clock=lambda: 7.0))] == [7.0]


async def said(pipe: MemoryPipe) -> tuple[Entry, ...]:
    """One word of the far end."""
    pipe.says("word")
    return await pipe.read()


async def test_what_we_write_is_heard() -> None:
    pipe = MemoryPipe()
    pipe.write(("note", "n"), ("in", "one"), ("in", "two"))
    assert pipe.heard == ["one", "two"]
    assert [await pipe.hear(), await pipe.hear()] == ["one", "two"]


async def test_the_test_can_wait_for_a_line() -> None:
    pipe = MemoryPipe()
    async with asyncio.TaskGroup() as group:
        hearing = group.create_task(pipe.hear(), name="hear")
        asyncio.get_running_loop().call_soon(pipe.write, ("in", "late"))
    assert hearing.result() == "late"


async def test_waiting_for_a_line_that_never_comes_ends() -> None:
    pipe = MemoryPipe()
    with pytest.raises(EOFError):
        async with asyncio.timeout(5):
            asyncio.get_running_loop().call_soon(pipe.end)
            await pipe.hear()


async def test_answers_follow_what_they_answer() -> None:
    pipe = MemoryPipe(answer=lambda line: [f"{line}!"])
    pipe.write(("in", "a"), ("in", "b"))
    assert [entry.line for entry in await pipe.read()] == ["a", "b", "a!", "b!"]


async def test_an_answer_may_be_to_die() -> None:
    pipe = MemoryPipe()
    dying = MemoryPipe(answer=lambda line: pipe_dies(dying))
    assert dying.write(("in", "a"))
    assert [entry.dir for entry in await read_all(dying)] == ["in", "exit"]
    assert not dying.write(("in", "b"))
    assert pipe.heard == []


def pipe_dies(pipe: MemoryPipe) -> list[str]:
    """It says nothing any more."""
    pipe.exits(signal="SIGSEGV")
    return ["never said"]


async def test_it_may_end_by_itself() -> None:
    pipe = MemoryPipe()
    pipe.says("last words")
    pipe.exits(3)
    pipe.says("from the grave")
    entries = await read_all(pipe)
    assert lines(entries) == ["last words"]
    assert exit_of(entries[-1].line) == Exit(code=3)
    assert await pipe.close() == Exit(code=3)
    pipe.signal(2)
    assert pipe.signals == []


@pytest.mark.parametrize(
    ("number", "how"),
    [(2, Exit(code=0)), (15, Exit(code=143)), (9, Exit(signal="SIGKILL")), (1, Exit(signal="SIGHUP"))],
)
async def test_it_dies_of_a_signal_as_the_cli_does(number: int, how: Exit) -> None:
    pipe = MemoryPipe(ends_at_eof=False)
    pipe.signal(number)
    assert pipe.signals == [number]
    assert exit_of((await read_all(pipe))[-1].line) == how


@pytest.mark.parametrize(
    ("pipe", "signals", "how"),
    [
        (MemoryPipe, [], Exit(code=0)),
        (lambda: MemoryPipe(ends_at_eof=False), [15], Exit(code=143)),
        (lambda: MemoryPipe(ends_at_eof=False, ignores=[15]), [15, 9], Exit(signal="SIGKILL")),
        (lambda: MemoryPipe(ends_at_eof=False, ignores=[15, 9]), [15, 9], Exit()),
    ],
    ids=["polite", "deaf", "stubborn", "stuck"],
)
async def test_closing_goes_as_far_as_it_must(pipe: Callable[[], MemoryPipe], signals: list[int], how: Exit) -> None:
    far_end = pipe()
    assert await far_end.close() == how
    assert far_end.signals == signals
    assert exit_of((await read_all(far_end))[-1].line) == how


async def test_a_far_end_that_stops_reading_makes_us_wait() -> None:
    pipe = MemoryPipe()
    pipe.stops_reading()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await pipe.drain()
    asyncio.get_running_loop().call_soon(pipe.reads_again)
    await pipe.drain()
    assert pipe.write(("in", "x"))


async def test_a_far_end_may_have_last_words_when_its_stdin_is_closed() -> None:
    pipe = MemoryPipe(at_eof=lambda: ["one more thing"])
    pipe.end()
    pipe.end()
    assert [(entry.dir, entry.line) for entry in (await pipe.read())[:-1]] == [("out", "one more thing")]
