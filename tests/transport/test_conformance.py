"""What every pipe promises, whoever is at its far end (see `bascule.transport.pipe`).

The far end is always the same: it answers each line with `echo LINE`, and ends with 0 when its stdin is closed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from bascule.errors import LocalProtocolError
from bascule.ids import SessionId
from bascule.recording import Entry, Exit, decode, encode, exit_of
from bascule.testing.memory import MemoryPipe
from bascule.transport.keeper import attach, spawn_keeper
from bascule.transport.pipe import Pipe
from bascule.transport.process import open_process
from bascule.transport.replay import ReplayPipe
from bascule.transport.tap import Tap
from tests.transport.programs import ECHO, lines, program, read_all, read_until, steps

Open: TypeAlias = Callable[[], AbstractAsyncContextManager[Pipe]]

SAID = ("one", "two", "three")


@asynccontextmanager
async def memory() -> AsyncIterator[Pipe]:
    """The far end is a function."""
    yield MemoryPipe(answer=lambda line: [f"echo {line}"])


@asynccontextmanager
async def attached() -> AsyncIterator[Pipe]:
    """The same, and others may come to it as well."""
    yield MemoryPipe(answer=lambda line: [f"echo {line}"]).attach()


@asynccontextmanager
async def tapped() -> AsyncIterator[Pipe]:
    """The same, and all is kept."""
    kept: list[Entry] = []
    async with memory() as pipe:
        yield Tap(pipe, kept.extend)


@asynccontextmanager
async def replayed() -> AsyncIterator[Pipe]:
    """The far end is what it was when these lines were written."""
    entries = [Entry(0.0, "argv", "[]"), Entry(0.0, "env", "[]")]
    for at, line in enumerate(SAID, 1):
        entries += [
            Entry(float(at), "note", "then"),
            Entry(float(at), "in", line),
            Entry(at + 0.5, "out", f"echo {line}"),
        ]
    yield ReplayPipe([*entries, Entry(9.0, "exit", '{"code":0}')], strict=True)


@asynccontextmanager
async def kept(folder: Path) -> AsyncIterator[Pipe]:
    """A process whose keeper stands between."""
    state = folder / "state" / "sessions" / "one"
    await spawn_keeper(program(folder, ECHO), state, session_id=SessionId("one"))
    async with attach(state) as pipe:
        yield pipe
        await pipe.close()


@pytest.fixture(params=["process", "kept", "memory", "attached", "tapped", "replayed"])
def open_pipe(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens a pipe with the echo at its far end."""
    return {
        "process": lambda: open_process(program(tmp_path, ECHO)),
        "kept": lambda: kept(tmp_path),
        "memory": memory,
        "attached": attached,
        "tapped": tapped,
        "replayed": replayed,
    }[request.param]


async def test_what_is_written_comes_back_in_its_place(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        seen: list[Entry] = []
        for line in SAID:
            assert pipe.write(("note", f"about {line}"), ("in", line))
            await pipe.drain()
            seen += await read_until(pipe, "out", f"echo {line}")
        pipe.end()
        seen += await read_all(pipe)
    ours = [(entry.dir, entry.line) for entry in seen if entry.dir in ("note", "in", "out")]
    assert ours == [
        pair for line in SAID for pair in (("note", f"about {line}"), ("in", line), ("out", f"echo {line}"))
    ]
    assert seen[-1].dir == "exit"
    assert [entry.t for entry in seen] == sorted(entry.t for entry in seen)


async def test_an_entry_is_the_same_once_it_was_recorded(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        pipe.write(("in", "one"))
        seen = await read_until(pipe, "out")
        assert [decode(encode(entry), 1) for entry in seen] == seen


async def test_entries_of_one_write_have_one_time(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        pipe.write(("note", "a"), ("in", "one"))
        seen = await read_until(pipe, "out")
        note, line = (entry for entry in seen if entry.dir in ("note", "in"))
        assert note.t == line.t


async def test_reading_ends_with_the_exit_for_ever(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        assert await pipe.close() == Exit(code=0) or isinstance(pipe, ReplayPipe)
        assert (await read_all(pipe))[-1].dir == "exit"
        assert await pipe.read() == ()
        assert await pipe.read() == ()


async def test_the_exit_entry_says_what_close_says(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        seen: list[Entry] = []
        for line in SAID:
            pipe.write(("in", line))
            seen += await read_until(pipe, "out", f"echo {line}")
        how = await pipe.close()
        again = await pipe.close(grace_s=0)
        seen += await read_all(pipe)
        assert how == again == exit_of(seen[-1].line) == Exit(code=0)


async def test_nothing_is_written_after_the_end(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        pipe.end()
        pipe.end()
        assert not pipe.write(("in", "one"))
        await pipe.drain()
        rest = await read_all(pipe)
        assert lines(rest, "in") == []
        assert not pipe.write(("note", "after all"))
        pipe.signal(15)
        assert await pipe.read() == ()


@pytest.mark.parametrize("line", ["two\nlines", "lone \ud83d surrogate"])
async def test_a_line_that_would_damage_the_stream_is_refused(open_pipe: Open, line: str) -> None:
    async with open_pipe() as pipe:
        with pytest.raises(LocalProtocolError):
            pipe.write(("in", line))
        assert pipe.write(("in", "one"))
        assert lines(await read_until(pipe, "out"), "in") == ["one"]


async def test_what_the_cli_alone_can_say_is_refused(open_pipe: Open) -> None:
    async with open_pipe() as pipe:
        with pytest.raises(LocalProtocolError, match="'out'"):
            pipe.write(("out", "one"))  # type: ignore[arg-type]


async def test_a_cancelled_read_loses_nothing(open_pipe: Open) -> None:
    seen: list[Entry] = []
    async with open_pipe() as pipe:

        async def read_some() -> None:
            seen.extend(await pipe.read())

        for number, line in enumerate(SAID):
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(read_some(), name="reader")
                await steps(number)
                pipe.write(("in", line))
                await steps(number % 2)
                reader.cancel()
        while len(lines(seen)) < len(SAID):
            seen += await pipe.read()
    assert lines(seen, "in") == list(SAID)
    assert lines(seen) == [f"echo {line}" for line in SAID]


async def test_a_waiting_reader_gets_what_is_written(open_pipe: Open) -> None:
    async with open_pipe() as pipe, asyncio.TaskGroup() as group:
        reader = group.create_task(read_until(pipe, "out"), name="reader")
        await steps(3)
        assert pipe.write(("in", "one"))
    assert lines(reader.result(), "in") == ["one"]
