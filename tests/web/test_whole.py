"""The server on a real hub, over a real socket, through a restart of both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from litestar import Litestar
from websockets.asyncio.client import connect

from bascule.cli.keyring import Keyring
from bascule.web.app import app
from bascule.web.auth import Door
from bascule.web.serving import listen, serving
from bascule.web.settings import Settings
from tests.hub.far import House
from tests.web.conftest import Wire


@asynccontextmanager
async def up(house: House) -> AsyncIterator[tuple[Litestar, str]]:
    """A hub and its server; both are gone when the block ends, and what they kept is not."""
    async with house.killed() as hub:
        listening, settings = listen(Settings(port=0))
        application = app(hub, settings, Keyring(house.store))
        async with serving(application, settings, listening):
            yield application, f"ws://127.0.0.1:{settings.port}/ws"


@asynccontextmanager
async def wire(url: str, token: str) -> AsyncIterator[Wire]:
    async with connect(url, additional_headers={"Authorization": f"Bearer {token}"}, proxy=None) as connection:
        yield Wire(connection)


async def hear_to(wire: Wire, kind: str, heard: list[Any]) -> Any:
    """Lasting events into `heard`, until there is one of this kind; receipts are passed over."""
    while True:
        new = [event for event in (await wire.hear("events", "receipt")).get("events", ()) if event["seq"] is not None]
        heard += new
        found = [event for event in new if event["type"] == kind]
        if found:
            return found[0]


async def send(wire: Wire, **command: Any) -> None:
    await wire.say(type="command", command={"session": "s", **command})


async def test_F9_an_ask_and_every_event_outlive_hub_and_server() -> None:
    house, heard = House(), list[Any]()
    async with up(house) as (application, url):
        door: Door = application.state.door
        _, token = await door.make_key("owner", "Anna", expires_at=None)
        async with wire(url, token) as first:
            await send(first, type="start", command_id="c1", cwd="/tmp")
            assert (await first.hear("receipt"))["receipt"]["session"] == "s"
            epoch = (await first.hello("s"))["epoch"]
            await send(first, type="prompt", command_id="c2", text="Hello")
            prompt_id = (await hear_to(first, "prompt_accepted", heard))["prompt_id"]
            far = house.processes.of()
            far.begins(prompt_id)
            far.asks("r1", command="make")
            ask = await hear_to(first, "permission_request", heard)
    far.text("while nobody listened")
    async with up(house) as (_, url), wire(url, token) as second:
        welcome = await second.hello("s", after=heard[-1]["seq"], epoch=epoch)
        assert [each["request"]["pending_id"] for each in welcome["asks"]] == ["r1"]
        decision = {"decision": {"verb": "allow_once"}, "input_hash": ask["input_hash"]}
        await send(second, type="decide", command_id="c3", pending_id="r1", **decision)
        assert (await hear_to(second, "permission_resolved", heard))["by"] == "Anna"
        far.result(prompt_id)
        await hear_to(second, "complete", heard)
    assert [event["seq"] for event in heard] == list(range(1, len(heard) + 1))
    assert len(far.of("control_response")) == 1
    told = [(row.what, row.who, row.surface) for row in await house.store.audit()]
    assert told == [("decide", "Anna", "api"), ("prompt", "Anna", "api"), ("start", "Anna", "api")]
