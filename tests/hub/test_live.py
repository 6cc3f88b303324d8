"""The owner of a session: what goes wrong around it costs neither its process nor what people said."""

import asyncio
from typing import Any

import pytest

from bascule.commands import (
    AllowAlways,
    AllowOnce,
    Decide,
    End,
    HoldQueue,
    Interrupt,
    Prompt,
    Refused,
    Sleep,
    Taken,
    TooLate,
)
from bascule.events import Error, PermissionResolved, PromptAccepted
from bascule.ids import CommandId, PendingId
from tests.hub.client import Client, begun
from tests.hub.far import House, S, seen, until
from tests.hub.troubled import FullStore
from tests.transport.programs import steps

R1 = PendingId("r1")
ALLOW: dict[str, Any] = {"pending_id": R1, "decision": AllowOnce()}


def full_house(**settings: Any) -> tuple[House, FullStore]:
    """A house that looks often, on a disk that can be filled."""
    store = FullStore()
    return House(store=store, look_every_s=0.01, **settings), store


async def refused(store: FullStore, name: str) -> None:
    """Returns when that write has found no room, from now on."""
    store.refused.clear()
    while name not in store.refused:
        await steps(1)


async def test_a_checkpoint_that_finds_no_room_costs_the_session_nothing() -> None:
    house, store = full_house()
    async with begun(house) as client:
        prompt_id = await client.runs()
        store.full_for = {"put_checkpoint", "put_session"}
        house.processes.of().result(prompt_id)
        await refused(store, "put_checkpoint")
        await refused(store, "put_checkpoint")
        assert client.hub.live(S).status == "idle"
        store.full_for = set()
        await client.turn("More")
        assert len(house.processes.all_of(S)) == 1
        while await store.checkpoint(S) is None:
            await steps(1)


async def test_a_prompt_that_was_said_is_taken_out_of_the_queue_once_there_is_room() -> None:
    house, store = full_house()
    async with begun(house) as client:
        store.full_for = {"take_queued"}
        await client.says("Go")
        await refused(store, "take_queued")
        assert [row.prompt.text for row in await store.queue(S)] == ["Go"]
        assert await client.waiting() == []
        store.full_for = set()
        while await store.queue(S):
            await steps(1)
        assert [line["message"]["content"] for line in house.processes.of().of("user")] == ["Go"]


async def test_the_end_of_a_process_is_kept_once_there_is_room_and_holds_nobody_up() -> None:
    house, store = full_house()
    async with begun(house) as client:
        await client.turn()
        store.full_for = {"put_session"}
        assert await client.send(Sleep) == Taken()
        assert not client.hub.live(S).has_process
        await refused(store, "put_session")
        store.full_for = set()
        await client.says("More")
        assert len(house.processes.all_of(S)) == 2


async def test_a_start_that_finds_no_room_is_told_and_what_waits_is_kept() -> None:
    house, store = full_house()
    async with begun(house) as client:
        store.full_for = {"put_session"}
        await client.send(Prompt, text="Go")
        assert "disk is full" in (await seen(client.hub, Error)).message
        store.full_for = set()
        assert await client.waiting() == ["Go"]
        await client.send(HoldQueue, hold=False)
        await seen(client.hub, PromptAccepted)


async def test_a_claim_that_finds_no_room_is_refused_and_the_ask_stays_open() -> None:
    house, store = full_house()
    async with begun(house) as client:
        await client.asked()
        store.full_for = {"claim"}
        assert isinstance(await client.send(Decide, **ALLOW), Refused)
        (ask,) = await client.hub.asks()
        assert ask.claimed_by is None
        assert house.processes.of().answer("r1") is None
        store.full_for = set()
        assert await client.send(Decide, **ALLOW) == Taken()
        assert house.processes.of().answer("r1") is not None


async def test_a_claim_whose_answer_cannot_be_is_opened_again_once_there_is_room() -> None:
    house, store = full_house()
    async with begun(house) as client:
        await client.asked()
        store.full_for = {"undo_claim"}
        kept_by_nobody = AllowAlways(rule="Bash(make)", scope="user")
        async with asyncio.TaskGroup() as tasks:
            sent = tasks.create_task(client.send(Decide, pending_id=R1, decision=kept_by_nobody))
            await refused(store, "undo_claim")
            assert not sent.done()
            store.full_for = set()
        assert isinstance(sent.result(), Refused)
        assert await client.send(Decide, **ALLOW) == Taken()
        assert (await seen(client.hub, PermissionResolved)).outcome == "allowed"


async def test_what_was_done_is_told_and_not_done_again_though_its_receipt_finds_no_room() -> None:
    house, store = full_house()
    allow = Decide(command_id=CommandId("allow"), session=S, **ALLOW)
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts()
        await client.asked()
        store.full_for = {"put_receipt"}
        assert await hub.send(allow) == Taken()
        assert await hub.send(allow) == Taken()
        store.full_for = set()
        assert isinstance(await client.send(Decide, **ALLOW), TooLate)
        assert await store.receipt(allow.command_id) == Taken()
    assert len(house.processes.of().of("control_response")) == 1


async def test_a_turn_is_stopped_though_nothing_can_be_kept() -> None:
    house, store = full_house()
    async with begun(house) as client:
        await client.runs()
        await client.send(Prompt, text="Later", when="queue")
        store.full_for = {"put_session", "put_receipt"}
        assert isinstance(await client.send(Interrupt), Taken)
        assert len(house.processes.of().requests("interrupt")) == 1
        await until(client.hub, "idle")
        assert await client.waiting() == ["Later"]
        store.full_for = set()
        while (row := await store.session(S)) is None or not row.spec["holds_queue"]:
            await steps(1)


async def test_claims_of_a_hub_before_are_written_though_there_is_no_room_for_their_receipts() -> None:
    house, store = full_house()
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts()
        await client.asked()
    await store.claim(S, R1, CommandId("allow"), AllowOnce(), by="Anna", surface=None, at=1)
    store.full_for = {"put_receipt"}
    async with house.hub() as hub:
        assert (await seen(hub, PermissionResolved)).by == "Anna"
        store.full_for = set()
        assert await hub.send(Decide(command_id=CommandId("allow"), session=S, **ALLOW)) == Taken()
    assert len(house.processes.of().of("control_response")) == 1


async def test_nobody_waits_for_an_owner_that_has_ended_by_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    house = House()
    house.processes.refuses = RuntimeError("a bug")
    async with begun(house) as client:
        await client.send(Prompt, text="Go")
        async with asyncio.timeout(10):
            await client.send(End)
        assert await client.waiting() == ["Go"]
    assert "ended by a bug" in caplog.text
