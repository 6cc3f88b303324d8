"""Stored, then told: nobody sees what a restart would lose, and nobody misses what was stored."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.conversation import Placed
from bascule.errors import StoreError
from bascule.events import AnyEvent, MessageChunk, Notice
from bascule.hub.journal import HubJournal
from bascule.hub.tail import BEHIND, RECENT, Tail
from bascule.ids import SessionId
from bascule.store.memory import MemoryStore
from bascule.store.rows import SessionRow
from tests.transport.programs import steps

S = SessionId("s")


class SlowStore(MemoryStore):
    """A store whose writes come back when the test says so, or fail a few times."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.failures = 0

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")
        return await super().append(session, line, events)


@pytest.fixture
async def store() -> SlowStore:
    return await new_store()


async def new_store() -> SlowStore:
    made = SlowStore()
    await made.put_session(SessionRow(id=S, cwd="/w", policy="p", status="idle", created_at=0, updated_at=0))
    return made


def lasting(seq: int) -> AnyEvent:
    return Notice(session=S, seq=seq, level="info", text=str(seq))


def passing(after: int, text: str = "…") -> AnyEvent:
    return MessageChunk(session=S, after=after, item="m", text=text, partial=True)


def journal(store: SlowStore, *, last: int = 0) -> HubJournal:
    return HubJournal(store, S, last=last, placed=lambda placed: None, told=lambda event: None, ended=lambda: None)


async def say(made: HubJournal, *events: AnyEvent, line: int = 1) -> None:
    """As a session does for each line."""
    await made.store(events, line=line)
    made.publish(events)


async def told(events: AsyncIterator[AnyEvent]) -> list[str]:
    return [f"{event.seq}" if event.seq else f"~{event.after}" async for event in events]


async def test_an_event_is_told_once_it_is_stored_and_not_before(store: SlowStore) -> None:
    made = journal(store)
    async with asyncio.TaskGroup() as tasks:
        reader = tasks.create_task(told(made.read(0)))
        store.gate.clear()
        saying = tasks.create_task(say(made, lasting(1)))
        await steps(20)
        assert not saying.done()
        assert made.last == 0
        store.gate.set()
        await saying
        assert await store.last_seq(S) == made.last == 1
        made.shut()
    assert reader.result() == ["1"]


async def test_a_reader_gets_the_past_and_then_the_present_without_gap_or_double(store: SlowStore) -> None:
    made = journal(store)
    for number in range(1, RECENT + 500):
        await say(made, lasting(number))
    async with asyncio.TaskGroup() as tasks:
        places = (0, 7, RECENT, RECENT + 498)
        readers = [tasks.create_task(told(made.read(after))) for after in places]
        for number in range(RECENT + 500, RECENT + 600):
            await say(made, lasting(number))
            await steps(1)
        made.shut()
    for reader, after in zip(readers, places, strict=True):
        assert reader.result() == [str(number) for number in range(after + 1, RECENT + 600)]


async def test_deltas_keep_their_places_and_are_not_stored(store: SlowStore) -> None:
    made = journal(store)
    async with asyncio.TaskGroup() as tasks:
        reader = tasks.create_task(told(made.read(0)))
        await steps(1)
        await say(made, lasting(1), passing(1))
        await say(made, passing(1), lasting(2), passing(2))
        late = tasks.create_task(told(made.read(0)))
        made.shut()
    assert reader.result() == ["1", "~1", "~1", "2", "~2"]
    assert late.result() == ["1", "2"]


async def test_a_reader_that_is_too_slow_loses_deltas_only(store: SlowStore) -> None:
    made = journal(store)
    reading = made.read(0)
    await say(made, lasting(1))
    assert (await anext(reading)).seq == 1
    for _ in range(BEHIND + 10):
        made.publish([passing(1)])
    await say(made, lasting(2))
    made.shut()
    rest = await told(reading)
    assert rest[-1] == "2"
    assert len(rest) < 20


async def test_the_end_of_a_process_is_not_the_end_of_a_reader(store: SlowStore) -> None:
    made = journal(store)
    async with asyncio.TaskGroup() as tasks:
        reader = tasks.create_task(told(made.read(0)))
        await say(made, lasting(1))
        made.close()
        await steps(5)
        assert not reader.done()
        await say(made, lasting(2))
        made.shut()
    assert reader.result() == ["1", "2"]
    assert await told(made.read(1)) == ["2"]


async def test_lines_that_are_read_again_after_a_restart_are_passed_over(store: SlowStore) -> None:
    await say(journal(store), lasting(1), lasting(2), line=2)
    places: list[Placed] = []
    again = HubJournal(store, S, last=2, placed=places.extend, told=lambda event: None, ended=lambda: None)
    await say(again, lasting(1), lasting(2), line=2)
    await say(again, lasting(2), lasting(3), line=3)
    again.shut()
    assert await told(again.read(0)) == ["1", "2", "3"]
    assert await store.last_line(S) == 3
    assert places == [Placed(3, lasting(3))]


async def test_what_was_stored_and_not_told_is_told_by_who_comes_back(store: SlowStore) -> None:
    made = journal(store)
    async with asyncio.TaskGroup() as tasks:
        store.gate.clear()
        saying = tasks.create_task(say(made, lasting(1)))
        await steps(2)
        saying.cancel()
    store.gate.set()
    await store.append(S, 1, [lasting(1)])
    await say(made, lasting(1), lasting(2), line=2)
    made.shut()
    assert await told(made.read(0)) == ["1", "2"]


async def test_a_full_disk_holds_the_session_up_and_loses_nothing(store: SlowStore) -> None:
    made = journal(store)
    store.failures = 2
    await say(made, lasting(1))
    made.shut()
    assert await told(made.read(0)) == ["1"]


async def test_a_reader_that_waits_for_a_turn_ends_with_it(store: SlowStore) -> None:
    made = journal(store)
    done = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as tasks:
        reader = tasks.create_task(told(made.read(0, until=done)))
        await say(made, lasting(1))
        done.set_result(None)
        assert await reader == ["1"]


async def test_events_that_are_missing_in_the_store_are_an_error(store: SlowStore) -> None:
    made = journal(store, last=5)
    made.shut()
    with pytest.raises(StoreError, match="is not in the store"):
        await told(made.read(0))


async def test_where_numbers_were_left_out_the_store_is_asked() -> None:
    async def fetch(after: int, limit: int) -> Sequence[int]:
        return list(range(after + 1, after + 1 + limit))

    tail = Tail[int](fetch, lambda number: number, last=0)
    tail.came([1, 2])
    tail.came([5, 4])
    tail.close()
    assert [number async for number in tail.read(0)] == [1, 2, 3, 4, 5]


@given(st.lists(st.lists(st.booleans(), max_size=4), max_size=12), st.integers(0, 20))
def test_whatever_is_published_a_reader_sees_each_lasting_event_once_and_in_order(
    lines: list[list[bool]], after: int
) -> None:
    async def run() -> list[str]:
        made = journal(await new_store())
        async with asyncio.TaskGroup() as tasks:
            reader = tasks.create_task(told(made.read(after)))
            seq = 0
            for number, kinds in enumerate(lines, 1):
                events = []
                for lasts in kinds:
                    seq += lasts
                    events.append(lasting(seq) if lasts else passing(seq))
                await say(made, *events, line=number)
                await steps(1)
            made.shut()
        return reader.result()

    seen = asyncio.run(run())
    total = sum(sum(kinds) for kinds in lines)
    numbers = [int(one) for one in seen if not one.startswith("~")]
    assert numbers == list(range(after + 1, total + 1))
    position = after
    for one in seen:
        if one.startswith("~"):
            assert int(one[1:]) == position
        else:
            position = int(one)
