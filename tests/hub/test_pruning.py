"""A hub takes away what is past its limits, and nothing that is in use."""

import asyncio
import logging
from pathlib import Path

import pytest
from msgspec.structs import replace

from bascule.commands import Fork, Prompt, Refused, Rename, Retry, Start, Taken
from bascule.errors import OptionError, RecordingGone, StartFailed
from bascule.events import Complete, PermissionRequest, PromptAccepted, SessionAsleep
from bascule.hub import recorded
from bascule.hub.hub import Hub
from bascule.hub.live import now_ms
from bascule.hub.pruning import prune
from bascule.hub.retention import DAY_MS, Limits
from bascule.ids import SessionId
from bascule.recording import Failed
from tests.hub.far import House, S, seen, until
from tests.hub.troubled import FullStore
from tests.transport.programs import steps

MONTHS = Limits(keep_days=90)
SMALL = Limits(recordings_mb=1)
T = SessionId("t")


def later() -> int:
    return now_ms() + 100 * DAY_MS


async def rested(hub: Hub, house: House, session: SessionId = S, *, mb: int = 5) -> None:
    """A session that had one turn and sleeps."""
    await hub.send(Start(command_id=house.id(), session=session, cwd="/tmp", prompt="Hello"))
    prompt_id = (await seen(hub, PromptAccepted, of=session)).prompt_id
    house.processes.of(session).turn(prompt_id, text="Hi.")
    await seen(hub, SessionAsleep, of=session)
    while hub.is_busy(session):
        await steps(1)
    house.processes.bytes[session] = mb * 1_000_000


def sleepy() -> House:
    return House(idle_sleep_s=0.0)


async def on_record(house: House) -> list[tuple[str, str | None]]:
    return [(row.what, row.session) for row in reversed(await house.store.audit())]


async def test_an_old_session_is_forgotten_with_all_that_is_kept_of_it(caplog: pytest.LogCaptureFixture) -> None:
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
        reading = hub.conversation(S).events(after=hub.live(S).journal.last)
        with caplog.at_level(logging.WARNING, "bascule.hub"):
            assert [one.session for one in await prune(hub, MONTHS, now=later())] == [S]
        with pytest.raises(OptionError, match="there is no session s"):
            hub.conversation(S)
        assert (await hub.sessions(archived=True), await house.store.sessions(archived=True)) == ((), ())
        assert await house.store.events(S) == ()
        assert await house.processes.recorded() == {}
        assert await on_record(house) == [("session_removed", S)]
        assert (await house.store.audit())[0].detail == "Hello: nothing happened in it for 100 days (keep_days is 90)"
        assert "the session s is removed, 5.0 MB: nothing happened in it for 100 days" in caplog.text
        assert [event async for event in reading] == []
    async with house.hub() as hub:
        assert await hub.sessions(archived=True) == ()


async def test_what_runs_is_asked_or_waits_is_never_removed() -> None:
    house = sleepy()
    async with house.hub() as hub:
        await hub.send(Start(command_id=house.id(), session=S, cwd="/tmp", prompt="Hello"))
        prompt_id = (await seen(hub, PromptAccepted)).prompt_id
        far = house.processes.of()
        far.begins(prompt_id)
        assert await prune(hub, MONTHS, now=later()) == ()
        far.asks("r1", command="make")
        await seen(hub, PermissionRequest)
        assert await prune(hub, MONTHS, now=later()) == ()
    async with house.hub() as hub:  # one that has only just begun, and joins what a hub before it left
        assert await prune(hub, MONTHS, now=later()) == ()
        await until(hub, "waiting")
        assert len(await hub.asks()) == 1
    assert await on_record(house) == []


async def test_what_waits_to_be_said_is_kept() -> None:
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
        house.processes.refuses = StartFailed("no")
        await hub.send(Prompt(command_id=house.id(), session=S, text="Again"))
        await until(hub, "asleep")
        assert len(await hub.queue(S)) == 1
        assert await prune(hub, MONTHS, now=later()) == ()


async def test_without_its_recording_a_session_is_read_and_forked_and_not_gone_on_with() -> None:
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
        await rested(hub, house, T, mb=0)
        events = await house.store.events(S)
        assert [(one.what, one.session) for one in await prune(hub, SMALL, now=later())] == [("recording", S)]
        assert await on_record(house) == [("recording_removed", S)]
        assert await prune(hub, SMALL, now=later()) == ()
    async with house.hub() as hub:
        facts = await hub.session(S)
        assert facts is not None
        assert (facts.recording_gone, facts.status) == (True, "asleep")
        assert await hub.window(S) == events
        with pytest.raises(RecordingGone, match="its events are there"):
            await hub.recording(S)
        for command in (
            Prompt(command_id=house.id(), session=S, text="Again"),
            Retry(command_id=house.id(), session=S),
        ):
            receipt = await hub.send(command)
            assert isinstance(receipt, Refused)
            assert "fork it to go on" in receipt.reason
        forked = await hub.send(Fork(command_id=house.id(), session=S))
        assert isinstance(forked, Taken)
        assert forked.session is not None
        await hub.send(Prompt(command_id=house.id(), session=forked.session, text="Again"))
        await seen(hub, PromptAccepted, of=forked.session)
        assert house.processes.begun_with[-1].resume == hub.live(S).row.cli_session_id


async def test_what_cannot_be_removed_stays_as_it_was_and_that_is_on_record() -> None:
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
        house.processes.stuck = True
        assert await prune(hub, MONTHS, now=later()) == ()
        assert await on_record(house) == [("session_removed", S), ("session_stays", S)]
        house.processes.stuck = False
        facts = await hub.session(S)
        assert facts is not None
        assert not facts.recording_gone
        await hub.send(Prompt(command_id=house.id(), session=S, text="Again"))
        again = await seen(hub, PromptAccepted, lambda event: event.text == "Again")
        house.processes.of().turn(again.prompt_id)
        await seen(hub, Complete, lambda event: again.prompt_id in event.prompt_ids)


async def test_a_hub_that_begins_prunes_by_itself() -> None:
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
    (row,) = await house.store.sessions()
    await house.store.put_session(replace(row, updated_at=0))
    async with House(store=house.store, limits=MONTHS).hub() as hub:
        while await hub.sessions():
            await steps(1)
    assert await on_record(house) == [("session_removed", S)]


def test_a_folder_whose_keeper_lives_is_not_removed(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    recorded.add(folder, 0.0, [Failed(kind="start_failed", message="no")])
    (folder / "mcp.json").write_text("{}")
    assert recorded.sizes(tmp_path)["a"] > 2
    with recorded._alone(folder), pytest.raises(StartFailed):
        recorded.discard(folder)
    assert (folder / recorded.NAME).exists()
    recorded.discard(folder)
    assert not folder.exists()
    recorded.discard(folder)


async def test_a_store_that_is_full_costs_no_session_its_recording() -> None:
    store = FullStore()
    house = House(store=store, idle_sleep_s=0.0)
    async with house.hub() as hub:
        await rested(hub, house)
        store.full_for = {"put_session"}
        assert await prune(hub, SMALL, now=later()) == ()
        assert not hub.live(S).spec.recording_gone
        store.full_for = set()
        told = await hub.send(Prompt(command_id=house.id(), session=S, text="Go on"))
        assert isinstance(told, Taken)


async def test_what_a_person_did_to_a_session_keeps_it() -> None:
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
        live = hub.live(S)
        live.row, live.sketch = replace(live.row, updated_at=1), replace(live.sketch, at=1)
        await hub.send(Rename(command_id=house.id(), session=S, title="Keep me"))
        assert await prune(hub, MONTHS, now=now_ms() + DAY_MS) == ()


async def test_who_reads_all_sessions_misses_nothing_of_one_that_is_forgotten() -> None:
    """What came last in the store may have been its events."""
    house = sleepy()
    async with house.hub() as hub:
        await rested(hub, house)
    async with house.hub() as hub:
        await prune(hub, MONTHS, now=later())
        reading = hub.all_events(after=0)
        await hub.send(Start(command_id=house.id(), session=T, cwd="/tmp", prompt="Hello"))
        async with asyncio.timeout(10):
            assert (await anext(reading)).event.session == T
