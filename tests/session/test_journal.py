"""Readers of a journal: in order, each at its own pace, none of them waited for."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from bascule.events import AnyEvent, MessageChunk, Notice
from bascule.session.journal import BEHIND, Journal
from bascule.session.spool import Spool
from tests.transport.programs import steps


def lasting(seq: int) -> Notice:
    return Notice(level="info", text=str(seq), seq=seq)


def passing(after: int, text: str = "…") -> MessageChunk:
    return MessageChunk(item="i", text=text, partial=True, after=after)


async def read(journal: Journal, after: int = 0) -> list[AnyEvent]:
    return [event async for event in journal.read(after)]


async def begun(journal: Journal) -> "asyncio.Task[list[AnyEvent]]":
    """A reader that has read all there is and waits."""
    task = asyncio.ensure_future(read(journal))
    await asyncio.wait({task}, timeout=0)
    await asyncio.wait({task}, timeout=0)
    return task


async def test_a_late_reader_reads_what_lasts() -> None:
    journal = Journal()
    journal.publish([lasting(1), passing(1), lasting(2)])
    journal.close()
    assert await read(journal) == [lasting(1), lasting(2)]
    assert await read(journal, after=1) == [lasting(2)]
    assert await read(journal, after=2) == []


async def test_what_was_handed_out_is_not_handed_out_again() -> None:
    """A host that comes back reads a part of the past once more."""
    journal = Journal()
    journal.publish([lasting(1), lasting(2)])
    journal.publish([lasting(1), lasting(2), lasting(3)])
    journal.close()
    assert await read(journal) == [lasting(1), lasting(2), lasting(3)]


async def test_a_journal_may_begin_later() -> None:
    journal = Journal(after=5)
    assert journal.last == 5
    reader = await begun(journal)
    await journal.store([lasting(6)], line=1)
    journal.publish([lasting(5), lasting(6), passing(6), lasting(7)])
    journal.close()
    assert await reader == [lasting(6), passing(6), lasting(7)]
    assert await read(journal, after=6) == [lasting(7)]


async def test_passing_events_come_where_they_belong() -> None:
    journal = Journal()
    reader = await begun(journal)
    journal.publish([passing(0), lasting(1), passing(1, "a"), passing(1, "b"), lasting(2), passing(2)])
    journal.close()
    assert await reader == [passing(0), lasting(1), passing(1, "a"), passing(1, "b"), lasting(2), passing(2)]


async def test_two_readers_read_the_same() -> None:
    journal = Journal()
    readers = [await begun(journal), await begun(journal)]
    for seq in range(1, 50):
        journal.publish([lasting(seq), passing(seq)])
    journal.close()
    first, second = [await reader for reader in readers]
    assert first == second
    assert len(first) == 98


async def test_a_reader_that_is_too_slow_loses_passing_events_only() -> None:
    journal = Journal()
    reader = await begun(journal)
    journal.publish([lasting(1), *(passing(1) for _ in range(BEHIND + 1)), lasting(2), passing(2)])
    journal.close()
    got = await reader
    assert [event for event in got if event.seq is not None] == [lasting(1), lasting(2)]
    assert 0 < len(got) < BEHIND


async def test_a_reader_that_leaves_is_forgotten() -> None:
    journal = Journal()
    reader = await begun(journal)
    reader.cancel()
    await asyncio.wait({reader})
    journal.publish([lasting(1)])
    journal.close()
    assert await read(journal) == [lasting(1)]


async def test_what_happens_while_a_reader_is_busy_is_not_missed() -> None:
    journal = Journal()
    journal.publish([lasting(1)])
    got: list[AnyEvent] = []
    async for event in journal.read(0):
        got.append(event)
        if event == lasting(1):
            journal.publish([passing(1), lasting(2), passing(2)])
        if event == passing(2):
            journal.close()
    assert got == [lasting(1), passing(1), lasting(2), passing(2)]


async def test_a_reader_until_something_is_done_reads_all_that_has_happened_by_then() -> None:
    journal, done = Journal(), asyncio.get_running_loop().create_future()
    journal.publish([lasting(1)])
    reader = asyncio.ensure_future(_until(journal, done))
    await asyncio.wait({reader}, timeout=0)
    journal.publish([lasting(2), passing(2), lasting(3)])
    done.set_result(None)
    assert await reader == [lasting(1), lasting(2), passing(2), lasting(3)]
    journal.publish([lasting(4)])
    assert await _until(journal, done) == [lasting(1), lasting(2), lasting(3), lasting(4)]


async def _until(journal: Journal, done: "asyncio.Future[None]") -> list[AnyEvent]:
    return [event async for event in journal.read(0, until=done)]


def test_the_number_of_the_last_event_is_known() -> None:
    journal = Journal()
    assert journal.last == 0
    journal.publish([lasting(1), passing(1), lasting(2)])
    assert journal.last == 2


Move = tuple[str, int]
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("last"), st.integers(1, 5)),
        st.tuples(st.just("pass"), st.integers(1, 3)),
        st.tuples(st.just("begin"), st.integers(0, 30)),
        st.tuples(st.just("read"), st.integers(1, 12)),
    ),
    max_size=40,
)


@given(moves=MOVES, part=st.integers(1, 6))
async def test_readers_read_from_a_file_what_they_read_from_memory(moves: list[Move], part: int) -> None:
    """Readers begin anywhere at any time, and read on in steps while more is published."""
    in_memory = await played(Journal(Spool(part_events=10**9)), moves)
    assert await played(Journal(Spool(part_events=part)), moves) == in_memory
    for numbers in map(lasting_of, in_memory):
        assert numbers == sorted(set(numbers))


async def played(journal: Journal, moves: list[Move]) -> list[list[AnyEvent]]:
    """What each reader has read in the end."""
    readers: list[Reader] = []
    for move, number in moves:
        match move:
            case "last":
                journal.publish([lasting(journal.last + step) for step in range(1, number + 1)], chars=number)
            case "pass":
                journal.publish([passing(journal.last, str(step)) for step in range(number)])
            case "begin":
                readers.append(Reader(journal, min(number, journal.last)))
            case _:
                for reader in readers:
                    await reader.step(number)
    journal.close()
    return [await reader.rest() for reader in readers]


class Reader:
    """A reader that takes events only when it is told to."""

    def __init__(self, journal: Journal, after: int) -> None:
        self._room = asyncio.Semaphore(0)
        self._seen: list[AnyEvent] = []
        self._task = asyncio.ensure_future(self._read(journal, after))

    async def _read(self, journal: Journal, after: int) -> None:
        async for event in journal.read(after):
            await self._room.acquire()
            self._seen.append(event)

    async def step(self, count: int) -> None:
        """Let it read so many, or what is there."""
        for _ in range(count):
            self._room.release()
            await steps(3)

    async def rest(self) -> list[AnyEvent]:
        """All that it read, once it has read all."""
        while not self._task.done():
            await self.step(1)
        await self._task
        return self._seen


def lasting_of(events: list[AnyEvent]) -> list[int]:
    return [event.seq for event in events if event.seq is not None]
