"""A hub says that it can work when it can, and no longer."""

import asyncio

from bascule.commands import Prompt, Start
from bascule.conversation import Health
from bascule.errors import StoreError
from bascule.events import Complete, PromptAccepted
from bascule.hub.health import FRESH_S, ROOM, Checkup
from bascule.store.memory import MemoryStore
from tests.hub.far import FarProcesses, House, S, seen


class Store(MemoryStore):
    """One that takes nothing for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.touched = 0

    async def touch(self) -> None:
        self.touched += 1
        if self.full:
            raise StoreError("the disk is full")


class Clock:
    """Seconds, as far as a test lets them go."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Processes(FarProcesses):
    """Those whose disk is gone, if a test wants it."""

    gone = False

    async def room(self) -> int:
        if self.gone:
            raise FileNotFoundError("state")
        return await super().room()


async def test_a_hub_that_can_write_and_has_room_is_healthy() -> None:
    store = Store()
    health = await Checkup(store, Processes(store), clock=Clock()).look()
    assert health == Health(store_ms=0.0, room=10**12)


async def test_what_fails_is_named() -> None:
    store, clock = Store(), Clock()
    processes = Processes(store)
    checkup = Checkup(store, processes, clock=clock)
    store.full, processes.free = True, ROOM - 1
    assert (await checkup.look()).failing == ("store", "disk")
    clock.now += FRESH_S
    store.full, processes.gone = False, True
    assert await checkup.look() == Health(failing=("disk",), store_ms=0.0, room=None)
    clock.now += FRESH_S
    processes.gone, processes.free = False, ROOM
    assert (await checkup.look()).failing == ()


async def test_whoever_asks_often_costs_the_store_one_write_a_second() -> None:
    store, clock = Store(), Clock()
    checkup = Checkup(store, Processes(store), clock=clock)
    await asyncio.gather(*(checkup.look() for _ in range(50)))
    assert store.touched == 1
    clock.now += FRESH_S / 2
    await checkup.look()
    assert store.touched == 1
    clock.now += FRESH_S
    await checkup.look()
    assert store.touched == 2


async def test_a_hub_tells_what_it_does_and_what_it_has_done() -> None:
    house = House()
    async with house.hub() as hub:
        await hub.send(Start(command_id=house.id(), session=S, cwd="/tmp", prompt="Hello"))
        prompt_id = (await seen(hub, PromptAccepted)).prompt_id
        house.processes.of().turn(prompt_id, text="Hi.")
        await seen(hub, Complete)
        figures = await hub.figures()
        assert [facts.id for facts in figures.sessions] == [S]
        assert (figures.processes, figures.open_asks) == (1, 0)
        assert (figures.turns, sum(figures.cost_usd.values())) == ({"success": 1}, 0.1)
        assert figures.events["prompt_accepted"] == 1
        assert sum(figures.events.values()) == len(await house.store.events(S))
        reading = hub.conversation(S).events()
        await anext(reading)
        assert (await hub.figures()).readers == figures.readers + 1
        await hub.send(Prompt(command_id=house.id(), session=S, text="Again", when="queue"))
    async with house.hub() as hub:  # counters begin with their hub, and nothing that is read again counts twice
        assert (await hub.figures()).turns == {}
