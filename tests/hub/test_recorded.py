"""A recording whose keeper is dead tells what the keeper could not, and the hub reads on in it."""

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from bascule.errors import HistoryError
from bascule.events import Notice
from bascule.hub.journal import HubJournal
from bascule.hub.recorded import NAME, ToTheEnd, add, at_rest, begin
from bascule.ids import SessionId
from bascule.recording import Entry, Exit, Noticed, encode, note
from bascule.session.line import Line
from bascule.store.memory import MemoryStore
from bascule.store.rows import SessionRow
from bascule.transcript.fold import Fold
from bascule.transport.keeper import attach
from tests.disk import full_disk
from tests.keeper.place import Place
from tests.transport.programs import gone

ECHO = """
    import sys
    for line in sys.stdin:
        print(line.strip(), flush=True)
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.clear()


async def read(folder: Path, after: int = 0) -> list[Entry]:
    with at_rest(folder, after=after) as pipe:
        entries: list[Entry] = []
        while some := await pipe.read():
            entries += some
    return entries


async def test_the_end_of_a_process_and_notes_are_added(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(encode(Entry(1.0, "argv", '["claude"]')) + b'{"t":2.0,"dir":"ou')
    add(tmp_path, 0.0, [Noticed(level="info", text="it was killed")])
    argv, end, told = await read(tmp_path)
    assert (argv.dir, end.dir) == ("argv", "exit")
    assert told.line == note(Noticed(level="info", text="it was killed"))
    add(tmp_path, 0.0)
    assert (await read(tmp_path))[:3] == [argv, end, told]
    assert (await read(tmp_path, after=3))[0] == told


async def test_a_recording_at_rest_takes_nothing(tmp_path: Path) -> None:
    add(tmp_path, 0.0, [Noticed(level="info", text="x")])
    with at_rest(tmp_path, after=0) as pipe:
        assert not pipe.write(("note", "x"))
        pipe.end()
        pipe.signal(9)
        await pipe.drain()
        assert await pipe.close() == Exit()


async def test_a_recording_that_lost_lines_gives_no_number_twice(tmp_path: Path) -> None:
    """Else what happens next would be passed over as known, and an ask be lost."""
    told = note(Noticed(level="info", text="x"))
    (tmp_path / NAME).write_bytes(encode(Entry(1.0, "note", told)))
    store, session = MemoryStore(), SessionId("s")
    await store.put_session(SessionRow(id=session, cwd="/w", policy="p", status="idle", created_at=0, updated_at=0))
    await store.append(session, 9, [Notice(session=session, seq=n, level="info", text=str(n)) for n in (1, 2, 3)])
    journal = HubJournal(store, session, last=3, placed=lambda _: None, told=lambda _: None, ended=lambda: None)
    with at_rest(tmp_path, after=0) as pipe:
        line = Line(pipe, Fold(session), session, journal=journal)
        await line.recall(pipe)
    assert await store.last_seq(session) == 3
    assert [event.seq for event in line.fold.feed(Entry(2.0, "note", told))] == [4]


async def test_what_a_killed_keeper_had_not_sent_is_read_from_the_file(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        whole = ToTheEnd(pipe, place.folder(), 0.0)
        whole.write(("in", "one"))
        seen: list[Entry] = []
        while not any(entry.line == "one" and entry.dir == "out" for entry in seen):
            seen += await whole.read()
        os.kill(address.pid, signal.SIGKILL)
        await gone(address.pid)
        with (place.folder() / NAME).open("ab") as file:  # as if it had come to be recorded, and not to be sent
            file.write(encode(Entry(99.0, "out", "two")))
        while entries := await whole.read():
            seen += entries
        assert seen == place.recorded()
        assert [entry.line for entry in seen[-2:-1]] == ["two"]
        assert seen[-1].dir == "exit"
        assert whole.line == len(seen)
        assert await whole.read() == ()


async def test_an_end_that_the_keeper_told_is_the_end(place: Place) -> None:
    await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        whole = ToTheEnd(pipe, place.folder(), 0.0)
        assert whole.history_until == pipe.history_until
        await whole.drain()
        whole.signal(0)
        whole.end()
        seen: list[Entry] = []
        while entries := await whole.read():
            seen += entries
        assert seen == place.recorded()
        assert await whole.close() == Exit(code=0)


async def test_where_the_disk_is_full_the_end_is_told_all_the_same(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        whole = ToTheEnd(pipe, place.folder(), 0.0)
        os.kill(address.pid, signal.SIGKILL)
        await gone(address.pid)
        with full_disk((place.folder() / NAME).stat().st_size):
            seen: list[Entry] = []
            while not seen or seen[-1].dir != "exit":
                seen += await whole.read()
        assert seen[-1].dir == "exit"


def told(*lines: str) -> Generator[Entry, None, None]:
    """Entries; one that is called `stop` is none."""
    for number, line in enumerate(lines):
        if line == "stop":
            raise HistoryError("it was written anew", line)
        yield Entry(float(number), "out", line)


async def test_a_recording_is_begun_whole_and_only_we_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    begin(folder, told("one", "two"))
    assert [entry.line for entry in await read(folder)] == ["one", "two"]
    assert (folder / NAME).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("room", [None, 0])
def test_what_cannot_be_recorded_leaves_nothing(tmp_path: Path, room: int | None) -> None:
    folder, entries = tmp_path / "s", told("one", "stop" if room is None else "two")
    with pytest.raises((HistoryError, OSError)), full_disk(room) if room is not None else nullcontext():
        begin(folder, entries)
    assert not folder.exists()
    assert list(entries) == []


async def test_a_begin_that_fails_later_leaves_what_was_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    begin(folder, told("one"))
    with pytest.raises(HistoryError):
        begin(folder, told("two", "stop"))
    assert [entry.line for entry in await read(folder)] == ["one"]
