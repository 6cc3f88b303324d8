"""Who speaks to one session of a hub in tests, and has the far end answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bascule.commands import Command, Prompt, Receipt, Start, Taken
from bascule.events import Complete, PermissionRequest, PromptAccepted, SessionStatus
from bascule.hub.hub import Hub
from tests.hub.far import House, S, seen, until


class Client:
    """Who sends commands to a session."""

    def __init__(self, house: House, hub: Hub) -> None:
        self.house = house
        self.hub = hub

    async def send(self, kind: type[Command], **more: Any) -> Receipt:
        """A new command of that kind."""
        command: Any = kind(**{"command_id": self.house.id(), "session": S, **more})
        return await self.hub.send(command)

    async def starts(self, **more: Any) -> None:
        """A session, without a process."""
        assert isinstance(await self.send(Start, cwd="/tmp", **more), Taken)

    async def says(self, text: str, **more: Any) -> str:
        """A prompt that the CLI has heard; its id."""
        await self.send(Prompt, text=text, **more)
        return (await seen(self.hub, PromptAccepted, lambda event: event.text == text)).prompt_id

    async def turn(self, text: str = "Hello", answer: str = "Hi.") -> Complete:
        """A prompt and its answer."""
        prompt_id = await self.says(text)
        self.house.processes.of().turn(prompt_id, text=answer)
        done = await seen(self.hub, Complete, lambda event: prompt_id in event.prompt_ids)
        await until(self.hub, "idle")
        return done

    async def runs(self, text: str = "Go") -> str:
        """A turn that goes on; its prompt."""
        prompt_id = await self.says(text)
        self.house.processes.of().begins(prompt_id)
        await seen(self.hub, SessionStatus)
        return prompt_id

    async def asked(self, text: str = "Go") -> str:
        """A turn in which the ask `r1` waits; its prompt."""
        prompt_id = await self.runs(text)
        self.house.processes.of().asks("r1", command="make")
        await seen(self.hub, PermissionRequest)
        return prompt_id

    async def waiting(self) -> list[str]:
        """The texts that wait."""
        return [row.prompt.text for row in await self.hub.queue(S)]


@asynccontextmanager
async def begun(house: House | None = None, **settings: Any) -> AsyncIterator[Client]:
    """The client of a session that has begun, in a hub of that house, or of a new one with these settings."""
    house = house or House(**settings)
    async with house.hub() as hub:
        client = Client(house, hub)
        await client.starts()
        yield client
