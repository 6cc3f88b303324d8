"""What a prompt's receipt promises: it stands in the recording, or it waits."""

import asyncio

from bascule.commands import Taken
from bascule.events import PromptAccepted
from bascule.transport.pipe import Ours, RecordedPipe
from tests.hub.far import House, S, seen, until
from tests.hub.mortal import ThroughRecorded
from tests.hub.test_hub import a_turn, prompt, said, start


class Cut(ThroughRecorded):
    """A pipe to a keeper that is about to die: once `cuts`, what is written is sent, and never recorded."""

    def __init__(self, pipe: RecordedPipe) -> None:
        super().__init__(pipe)
        self.cuts = False
        self.sent = asyncio.Event()

    def write(self, *entries: Ours) -> bool:
        if not self.cuts:
            return super().write(*entries)
        self.sent.set()
        return True


def cut_house() -> tuple[House, list[Cut]]:
    pipes: list[Cut] = []

    def wrapped(pipe: RecordedPipe) -> RecordedPipe:
        pipes.append(Cut(pipe))
        return pipes[-1]

    return House(wrap=wrapped), pipes


async def test_a_prompt_that_a_dying_keeper_swallowed_is_said_to_the_next_process() -> None:
    house, pipes = cut_house()
    async with house.hub() as hub:
        await hub.send(start(house))
        await a_turn(hub, house)
        await until(hub, "idle")
        pipes[0].cuts = True
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(hub.send(prompt(house, "Again")), name="send")
            await pipes[0].sent.wait()
            house.processes.of().pipe.exits(None)
        assert isinstance(sending.result(), Taken)
        accepted = await seen(hub, PromptAccepted, lambda event: event.text == "Again")
        assert len(pipes) == 2
        assert [line["uuid"] for line in house.processes.of().of("user")] == [accepted.prompt_id]


async def test_a_queued_prompt_that_a_dying_keeper_swallowed_still_waits() -> None:
    house, pipes = cut_house()
    async with house.hub() as hub:
        await hub.send(start(house))
        first = await said(hub, house)
        far = house.processes.of()
        far.begins(first)
        await until(hub, "running")
        await hub.send(prompt(house, "one", when="queue"))
        pipes[0].cuts = True
        far.result(first)
        await pipes[0].sent.wait()
        far.pipe.exits(None)
        await until(hub, "lost")
        assert [row.prompt.text for row in await hub.queue(S)] == ["one"]
