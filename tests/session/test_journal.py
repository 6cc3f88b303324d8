"""Readers of a journal: in order, each at its own pace, none of them waited for."""

import asyncio

from bascule.events import AnyEvent, MessageChunk, Notice
from bascule.session.journal import BEHIND, Journal


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
