"""The last events of a session, or those before one of them."""

from bascule.commands import Prompt, Start
from bascule.events import Complete, PromptAccepted
from tests.hub.far import House, S, seen


async def test_a_window_before_a_number_that_is_not_there_yet_is_the_last_one() -> None:
    house = House()
    async with house.hub() as hub:
        await hub.send(Start(command_id=house.id(), session=S, cwd="/tmp"))
        await hub.send(Prompt(command_id=house.id(), session=S, text="Hello"))
        prompt = await seen(hub, PromptAccepted)
        house.processes.of().turn(prompt.prompt_id)
        await seen(hub, Complete)
        events = await house.store.events(S)
        assert await hub.window(S, before=10**15, limit=3) == events[-3:]
        assert await hub.window(S, limit=3) == events[-3:]
        assert await hub.window(S, before=events[-1].seq, limit=2) == events[-3:-1]
