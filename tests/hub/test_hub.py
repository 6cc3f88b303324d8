"""A hub has many sessions, which outlive it, and carries each command out once."""

import asyncio

from bascule.commands import AllowOnce, Decide, Deny, Prompt, Start, Taken, TooLate
from bascule.conversation import Placed
from bascule.events import (
    AnyEvent,
    Complete,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    QueueChanged,
    SessionAsleep,
    SessionStatus,
)
from bascule.hub.hub import Hub
from bascule.ids import PendingId
from tests.hub.far import House, S, seen, until
from tests.transport.programs import steps


def start(house: House, **more: object) -> Start:
    return Start(command_id=house.id(), session=S, cwd="/tmp", **more)  # type: ignore[arg-type]


def prompt(house: House, text: str = "Hello", **more: object) -> Prompt:
    return Prompt(command_id=house.id(), session=S, text=text, **more)  # type: ignore[arg-type]


async def said(hub: Hub, house: House, text: str = "Hello") -> str:
    """A prompt that the far end has heard; its id."""
    await hub.send(prompt(house, text))
    return (await seen(hub, PromptAccepted, lambda event: event.text == text)).prompt_id


async def a_turn(hub: Hub, house: House, text: str = "Hello", answer: str = "Hi.") -> None:
    """A prompt and its answer."""
    prompt_id = await said(hub, house, text)
    house.processes.of().turn(prompt_id, text=answer)
    await seen(hub, Complete, lambda event: prompt_id in event.prompt_ids)


async def test_a_session_begins_with_its_first_prompt_and_no_process_before() -> None:
    house = House()
    async with house.hub() as hub:
        assert await hub.send(start(house)) == Taken(session=S)
        assert hub.live(S).status == "asleep"
        assert house.processes.begun_with == []
        await a_turn(hub, house)
        assert len(house.processes.begun_with) == 1
        await until(hub, "idle")
        (facts,) = await hub.sessions()
        assert (facts.title, facts.turns, facts.cost_usd, facts.queued) == ("Hello", 1, 0.1, 0)


async def test_the_first_prompt_may_come_with_the_start() -> None:
    house = House()
    async with house.hub() as hub:
        receipt = await hub.send(start(house, prompt="Go"))
        accepted = await seen(hub, PromptAccepted)
        assert isinstance(receipt, Taken)
        assert (accepted.text, accepted.prompt_id) == ("Go", receipt.prompt_id)


async def test_an_ask_is_decided_once_and_the_loser_is_told_who_won() -> None:
    house = House()
    async with house.hub() as hub:
        await hub.send(start(house))
        prompt_id = await said(hub, house)
        far = house.processes.of()
        far.begins(prompt_id)
        far.asks("r1", command="make")
        request = await seen(hub, PermissionRequest)
        (ask,) = await hub.asks()
        assert (ask.session, ask.request, ask.claimed_by) == (S, request, None)
        first = Decide(command_id=house.id(), session=S, pending_id=PendingId("r1"), decision=AllowOnce(), by="Anna")
        second = Decide(command_id=house.id(), session=S, pending_id=PendingId("r1"), decision=Deny(), by="Ben")
        receipts = await asyncio.gather(hub.send(first), hub.send(second))
        assert list(receipts) == [Taken(), TooLate(winner="Anna is answering it")]
        assert (await seen(hub, PermissionResolved)).by == "Anna"
        assert await hub.asks() == ()
        third = Decide(command_id=house.id(), session=S, pending_id=PendingId("r1"), decision=Deny(), by="Ben")
        assert await hub.send(third) == TooLate(winner="allowed by Anna")
        assert len(far.of("control_response")) == 1


async def test_the_same_command_gets_the_same_receipt_after_a_restart_too() -> None:
    house = House()
    async with house.hub() as hub:
        begin, hello = start(house), prompt(house)
        await hub.send(begin)
        first = await hub.send(hello)
        await seen(hub, PromptAccepted)
        assert await hub.send(hello) == first
    async with house.hub() as hub:
        assert await hub.send(hello) == first
        assert await hub.send(begin) == Taken(session=S)
        await until(hub, "running")
    assert len(house.processes.of().of("user")) == 1


async def test_an_ask_survives_the_hub_and_a_reader_misses_nothing_and_sees_nothing_twice() -> None:
    house = House()
    read: list[AnyEvent] = []
    async with house.killed() as hub:
        await hub.send(start(house))
        prompt_id = await said(hub, house)
        house.processes.of().begins(prompt_id)
        house.processes.of().asks("r1", command="make")
        async for event in hub.conversation(S).events():
            if event.seq is not None:
                read.append(event)
            if isinstance(event, PermissionRequest):
                break
    far = house.processes.of()
    far.text("while nobody listened")
    async with house.killed() as hub:
        assert [ask.request.pending_id for ask in await hub.asks()] == ["r1"]
        await until(hub, "waiting")
        decision = Decide(command_id=house.id(), session=S, pending_id=PendingId("r1"), decision=AllowOnce())
        assert await hub.send(decision) == Taken()
        far.result(prompt_id)
        async for event in hub.conversation(S).events(after=read[-1].seq or 0):
            if event.seq is not None:
                read.append(event)
            if isinstance(event, Complete):
                break
    assert [event.seq for event in read] == list(range(1, len(read) + 1))
    assert tuple(read) == await house.store.events(S)
    assert len(house.processes.all_of(S)) == 1
    assert len(far.of("control_response")) == 1


async def test_who_reads_all_sessions_has_positions_that_hold_over_a_restart() -> None:
    house = House()
    placed: list[Placed] = []
    async with house.hub() as hub:
        await hub.send(start(house))
        await a_turn(hub, house)
        async for one in hub.all_events(after=0):
            placed += [one] if one.position is not None else []
            if isinstance(one.event, Complete):
                break
    async with house.hub() as hub:
        await a_turn(hub, house, "Again")
        async for one in hub.all_events(after=placed[-1].position):
            placed += [one] if one.position is not None else []
            if isinstance(one.event, Complete):
                break
    assert [one.position for one in placed] == list(range(1, len(placed) + 1))
    assert [one.event for one in placed] == [row.event for row in await house.store.events_of_all()][: len(placed)]


async def test_a_session_at_rest_falls_asleep_and_the_next_prompt_wakes_it_by_a_resume() -> None:
    house = House(idle_sleep_s=0.0)
    async with house.hub() as hub:
        await hub.send(start(house))
        await a_turn(hub, house)
        await seen(hub, SessionAsleep)
        await until(hub, "asleep")
        assert len(house.processes.begun_with) == 1
        await a_turn(hub, house, "Are you awake?")
        assert house.processes.begun_with[1].resume == hub.live(S).row.cli_session_id
        seqs = [event.seq for event in await house.store.events(S)]
        assert seqs == list(range(1, len(seqs) + 1))


async def test_prompts_that_wait_are_said_one_after_the_other_each_in_a_turn_of_its_own() -> None:
    house = House()
    async with house.hub() as hub:
        await hub.send(start(house))
        prompt_id = await said(hub, house)
        far = house.processes.of()
        far.begins(prompt_id)
        await until(hub, "running")
        queued = [await hub.send(prompt(house, text, when="queue")) for text in ("one", "two")]
        rows = await hub.queue(S)
        assert [row.prompt.text for row in rows] == ["one", "two"]
        assert [receipt.queued for receipt in queued if isinstance(receipt, Taken)] == [row.id for row in rows]
        far.result(prompt_id)
        one = await seen(hub, PromptAccepted, lambda event: event.text == "one")
        assert len(far.of("user")) == 2
        far.turn(one.prompt_id)
        two = await seen(hub, PromptAccepted, lambda event: event.text == "two")
        far.turn(two.prompt_id)
        await seen(hub, Complete, lambda event: two.prompt_id in event.prompt_ids)
        assert await hub.queue(S) == ()


async def test_readers_are_told_that_the_queue_changed() -> None:
    house = House()
    async with house.hub() as hub:
        await hub.send(start(house))
        prompt_id = await said(hub, house)
        house.processes.of().begins(prompt_id)
        await seen(hub, SessionStatus)
        reading = hub.conversation(S).events(after=hub.live(S).journal.last)
        waiting = asyncio.ensure_future(anext(reading))
        await steps(1)
        await hub.send(prompt(house, "later", when="queue"))
        event = await waiting
        assert isinstance(event, QueueChanged)
        assert (event.queued, event.held) == (1, False)
