"""An answer that was claimed: who comes with it while it is written is told how that went."""

import asyncio

from bascule.commands import AllowOnce, Decide, Taken
from bascule.ids import CommandId, PendingId
from bascule.transport.pipe import RecordedPipe
from tests.hub.client import Client
from tests.hub.far import House, S
from tests.hub.mortal import Mortal, MortalPipe
from tests.hub.troubled import FullStore
from tests.transport.programs import steps

R1 = PendingId("r1")
ALLOW = Decide(command_id=CommandId("allow"), session=S, pending_id=R1, decision=AllowOnce(), by="Anna")


class FullPipe(MortalPipe):
    """Its CLI has room when the test says so."""

    def __init__(self, pipe: RecordedPipe, room: asyncio.Event) -> None:
        super().__init__(pipe, Mortal())
        self._room = room

    async def drain(self) -> None:
        await self._room.wait()


async def test_a_command_that_comes_again_while_its_claim_is_written_has_not_lost() -> None:
    store, room = FullStore(), asyncio.Event()
    room.set()
    house = House(store=store, wrap=lambda pipe: FullPipe(pipe, room))
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts()
        await client.asked()
    await store.claim(S, R1, ALLOW.command_id, AllowOnce(), by="Anna", surface=None, at=1)
    room.clear()
    store.full_for = {"append"}
    async with house.hub() as hub:
        await house.processes.of().answered("r1")
        again = asyncio.ensure_future(hub.send(ALLOW))
        await steps(20)
        assert not again.done()
        room.set()
        assert await again == Taken()
        store.full_for = set()
    assert len(house.processes.of().of("control_response")) == 1
