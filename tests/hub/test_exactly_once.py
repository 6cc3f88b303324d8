"""Whatever dies when: each ask is answered once, each prompt said once, and everybody hears the same of it.

The decision record docs/decisions/2026-11-30-exactly-once.md is what is tested here, at every step of it.
"""

import asyncio
from collections import Counter
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bascule.commands import AllowOnce, Decide, Deny, HubCommand, Prompt, Receipt, Retry, Start, Taken, TooLate
from bascule.events import Complete, PermissionRequest, PermissionResolved, PromptAccepted
from bascule.hub.hub import Hub
from bascule.hub.queue import named_by
from bascule.ids import CommandId, PendingId, PromptId, SessionId
from tests.hub.client import Client
from tests.hub.far import House, S, seen, until
from tests.hub.mortal import Mortal, MortalPipe, MortalStore, unless_dead
from tests.hub.troubled import FullStore
from tests.session.far_end import FarEnd
from tests.transport.programs import steps

R1 = PendingId("r1")
ALLOW = Decide(command_id=CommandId("allow"), session=S, pending_id=R1, decision=AllowOnce(), by="Anna")
DENY = Decide(command_id=CommandId("deny"), session=S, pending_id=R1, decision=Deny(), by="Ben")
LIVES = st.lists(st.integers(0, 12), max_size=4)
"""How many effects each hub lives for, before one that lives long."""


class World:
    """Hubs that die one after the other, and clients who come back to each until they are answered."""

    def __init__(self, lives: list[int]) -> None:
        self.mortal = Mortal()
        self.house = House(store=MortalStore(self.mortal), wrap=lambda pipe: MortalPipe(pipe, self.mortal))
        self._lives: list[int | None] = [*lives, None]
        self.receipts: dict[CommandId, Receipt] = {}

    async def through(self, work: Any) -> None:
        """Have `work(hub)` done to its end, by as many hubs as it takes."""
        while True:
            self.mortal.lives_for(self._lives.pop(0) if len(self._lives) > 1 else None)
            async with self.house.hub() as hub:
                if await unless_dead(self.mortal, work(hub)) is not None:
                    return

    async def send(self, hub: Hub, *commands: HubCommand) -> bool:
        """Clients that send until they are answered, side by side."""
        async with asyncio.TaskGroup() as tasks:
            sent = [(one.command_id, tasks.create_task(hub.send(one))) for one in commands]
        for command_id, task in sent:
            known = self.receipts.setdefault(command_id, task.result())
            assert known == task.result()
        return True


async def asked(world: World) -> PromptId:
    """An ask that waits, in a session whose hub has not died yet."""
    world.mortal.lives_for(None)
    async with world.house.hub() as hub:
        await hub.send(Start(command_id=CommandId("start"), session=S, cwd="/tmp", prompt="Go"))
        prompt_id = (await seen(hub, PromptAccepted)).prompt_id
        world.house.processes.of().begins(prompt_id)
        world.house.processes.of().asks("r1", command="make")
        await seen(hub, PermissionRequest)
    return prompt_id


@given(LIVES)
@example([0])
@example([1, 0, 2])
@settings(max_examples=150, deadline=None)
def test_an_ask_is_answered_once_whatever_dies_when(lives: list[int]) -> None:
    async def run() -> None:
        world = World(lives)
        prompt_id = await asked(world)
        await world.through(lambda hub: world.send(hub, ALLOW, DENY))
        far = world.house.processes.of()
        answers = far.of("control_response")
        assert len(answers) == 1
        far.result(prompt_id)
        await world.through(lambda hub: seen(hub, Complete))
        events = await world.house.store.events(S)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        (resolved,) = [event for event in events if isinstance(event, PermissionResolved)]
        allowed = answers[0]["response"]["response"]["behavior"] == "allow"
        assert (resolved.outcome, resolved.by) == (("allowed", "Anna") if allowed else ("denied", "Ben"))
        assert isinstance(world.receipts[(ALLOW if allowed else DENY).command_id], Taken)
        assert isinstance(world.receipts[(DENY if allowed else ALLOW).command_id], TooLate)
        row = await world.house.store.ask(S, R1)
        assert row is not None
        assert (row.state, row.by) == ("settled", resolved.by)

    asyncio.run(run())


@given(LIVES, st.booleans())
@example([1], True)
@settings(max_examples=100, deadline=None)
def test_a_session_begins_once_with_its_first_prompt_whatever_dies_when(lives: list[int], named: bool) -> None:
    start = Start(command_id=CommandId("start"), session=S if named else SessionId(""), cwd="/tmp", prompt="Go")

    async def run() -> None:
        world = World(lives)
        await world.through(lambda hub: world.send(hub, start))
        (row,) = await world.house.store.sessions()
        assert world.receipts[start.command_id] == Taken(
            session=row.id,
            prompt_id=PromptId(named_by(CommandId("start/prompt"))),
            queued=getattr(world.receipts[start.command_id], "queued", None),
        )
        await world.through(lambda hub: seen(hub, PromptAccepted, of=row.id))
        said = [line["message"]["content"] for far in world.house.processes.all_of(row.id) for line in far.of("user")]
        assert said == ["Go"]

    asyncio.run(run())


@given(LIVES, st.lists(st.sampled_from(["queue", "steer"]), min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_a_prompt_is_said_once_whatever_dies_when(lives: list[int], when: list[Any]) -> None:
    prompts = [
        Prompt(command_id=CommandId(f"p{number}"), session=S, text=f"prompt {number}", when=kind)
        for number, kind in enumerate(when)
    ]

    async def run() -> None:
        world = World(lives)
        first = await asked(world)
        far = world.house.processes.of()
        await world.through(lambda hub: world.send(hub, *prompts))
        far.withdraws("r1")
        far.result(first)
        await world.through(lambda hub: answered(hub, far))
        await world.through(emptied)
        said = Counter(line["message"]["content"] for line in far.of("user"))
        assert said == Counter(["Go", *(prompt.text for prompt in prompts)])
        events = await world.house.store.events(S)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        accepted = Counter(event.text for event in events if isinstance(event, PromptAccepted))
        assert accepted == said
        assert all(isinstance(receipt, Taken) for receipt in world.receipts.values())

    async def emptied(hub: Hub) -> bool:
        """What was written before a hub died is taken out of the queue by the next."""
        while await hub.queue(S):
            await steps(1)
        return True

    async def answered(hub: Hub, far: FarEnd) -> bool:
        """The far end answers each prompt in a turn of its own, until all were said."""
        waiting = {named_by(prompt.command_id) for prompt in prompts}
        async for event in hub.conversation(S).events():
            if isinstance(event, PromptAccepted) and event.prompt_id in waiting - turned:
                turned.add(event.prompt_id)
                far.turn(event.prompt_id)
            if isinstance(event, Complete):
                waiting -= set(event.prompt_ids)
            if not waiting:
                return True
        raise AssertionError("the hub ended by itself")

    async def bounded() -> None:
        async with asyncio.timeout(10):
            await run()

    turned: set[str] = set()
    asyncio.run(bounded())


async def test_a_retry_that_was_done_before_its_hub_died_is_not_done_again() -> None:
    store = FullStore()
    house = House(store=store)
    retry = Retry(command_id=CommandId("retry"), session=S)
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts()
        await client.turn("Hello")
        store.full_for = {"put_receipt"}
        first = await hub.send(retry)
        again = await seen(hub, PromptAccepted, lambda event: event.prompt_id == named_by(retry.command_id))
        house.processes.of().turn(again.prompt_id)
        await seen(hub, Complete, lambda event: again.prompt_id in event.prompt_ids)
    store.full_for = set()
    async with house.hub() as hub:
        second = await hub.send(retry)
        assert isinstance(first, Taken)
        assert isinstance(second, Taken)
        assert first.prompt_id == second.prompt_id
        await until(hub, "idle")
    assert [len(far.of("user")) for far in house.processes.all_of(S)] == [1, 1]
