"""Stored, then told: nobody sees what a restart would lose, and nobody misses what was stored."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.errors import StoreError
from bascule.events import AnyEvent, MessageChunk, Notice
from bascule.hub.journal import RECENT, HubJournal
from bascule.ids import SessionId
from bascule.store.memory import MemoryStore
from bascule.store.rows import SessionRow
from tests.transport.programs import steps

S = SessionId("s")


class SlowStore(MemoryStore):
    """A store whose writes come back when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.full = False

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        await self.gate.wait()
        if self.full:
            raise StoreError("the disk is full")
        return await super().append(session, line, events)


@pytest.fixture
async def store() -> SlowStore:
    made = SlowStore()
    await made.put_session(SessionRow(id=S, cwd="/w", policy="p", status="idle", created_at=0, updated_at=0))
    return made


def lasting(seq: int) -> AnyEvent:
    return Notice(session=S, seq=seq, level="info", text=str(seq))


def passing(after: int, text: str = "…") -> AnyEvent:
    return MessageChunk(session=S, after=after, item="m", text=text, partial=True)


def journal(store: SlowStore, *, last: int = 0) -> HubJournal:
    return HubJournal(store, S, last=last, stored=lambda events: None)


async def told(events: AsyncIterator[AnyEvent]) -> list[str]:
    return [f"{event.seq}" if event.seq else f"~{event.after}" async for event in events]


async def test_an_event_is_told_once_it_is_stored_and_not_before(store: SlowStore) -> None:
    made = journal(store)
    seen: list[AnyEvent] = []

    async def read() -> None:
        async for event in made.read(0):
            assert await store.last_seq(S) >= (event.seq or 0)
            seen.append(event)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(made.pump())
        tasks.create_task(read())
        store.gate.clear()
        made.publish([lasting(1)], line=1)
        await steps(20)
        assert seen == []
        assert made.last == 1
        store.gate.set()
        await made.settle()
        made.close()
    assert seen == [lasting(1)]


async def test_a_reader_gets_the_past_and_then_the_present_without_gap_or_double(store: SlowStore) -> None:
    made = journal(store)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(made.pump())
        for number in range(1, RECENT + 500):
            made.publish([lasting(number)], line=number)
        await made.settle()
        readers = [tasks.create_task(told(made.read(after))) for after in (0, 7, RECENT, RECENT + 498)]
        for number in range(RECENT + 500, RECENT + 600):
            made.publish([lasting(number)], line=number)
            await steps(1)
        made.close()
    for reader, after in zip(readers, (0, 7, RECENT, RECENT + 498), strict=True):
        assert reader.result() == [str(number) for number in range(after + 1, RECENT + 600)]


async def test_deltas_keep_their_places_and_are_not_stored(store: SlowStore) -> None:
    made = journal(store)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(made.pump())
        reader = tasks.create_task(told(made.read(0)))
        await steps(1)
        made.publish([lasting(1), passing(1)], line=1)
        made.publish([passing(1), lasting(2), passing(2)], line=2)
        await made.settle()
        late = tasks.create_task(told(made.read(0)))
        made.close()
    assert reader.result() == ["1", "~1", "~1", "2", "~2"]
    assert late.result() == ["1", "2"]


async def test_lines_that_are_read_again_after_a_restart_are_passed_over(store: SlowStore) -> None:
    first = journal(store)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(first.pump())
        first.publish([lasting(1), lasting(2)], line=2)
        first.close()
    again = journal(store, last=await store.last_seq(S))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(again.pump())
        reader = tasks.create_task(told(again.read(0)))
        again.publish([lasting(1), lasting(2)], line=2)
        again.publish([lasting(3)], line=3)
        again.close()
    assert reader.result() == ["1", "2", "3"]
    assert await store.last_line(S) == 3


async def test_a_store_that_takes_no_more_tells_nothing(store: SlowStore) -> None:
    made = journal(store)
    store.full = True
    made.publish([lasting(1)], line=1)
    with pytest.raises(StoreError, match="full"):
        await made.pump()
    made.close()


async def test_a_reader_that_waits_for_a_turn_ends_with_it(store: SlowStore) -> None:
    made = journal(store)
    done = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(made.pump())
        reader = tasks.create_task(told(made.read(0, until=done)))
        made.publish([lasting(1)], line=1)
        await made.settle()
        done.set_result(None)
        assert await reader == ["1"]
        made.close()


async def test_events_that_are_missing_in_the_store_are_an_error(store: SlowStore) -> None:
    with pytest.raises(StoreError, match="are not there"):
        await told(journal(store, last=5).read(0, until=_done()))


def _done() -> asyncio.Future[None]:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


@given(st.lists(st.lists(st.booleans(), max_size=4), max_size=12), st.integers(0, 20))
def test_whatever_is_published_a_reader_sees_each_lasting_event_once_and_in_order(
    lines: list[list[bool]], after: int
) -> None:
    async def run() -> list[str]:
        store = SlowStore()
        await store.put_session(SessionRow(id=S, cwd="/w", policy="p", status="idle", created_at=0, updated_at=0))
        made = journal(store)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(made.pump())
            reader = tasks.create_task(told(made.read(after)))
            seq = 0
            for number, kinds in enumerate(lines, 1):
                events = []
                for lasts in kinds:
                    seq += lasts
                    events.append(lasting(seq) if lasts else passing(seq))
                made.publish(events, line=number)
                await steps(1)
            made.close()
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
