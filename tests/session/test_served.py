"""Tools of this program in a session: announced, called, taken back, and told of when they change."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from bascule.errors import OptionError, StartFailed
from bascule.events import AnyEvent, Notice
from bascule.ids import SessionId
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import tool
from bascule.session.line import Line, Listener
from bascule.session.options import Options
from bascule.session.served import Served, served
from bascule.transcript.fold import Fold
from tests.session.far_end import FarEnd
from tests.session.live import live


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@tool
def drop() -> None:
    """Drop."""


def calc() -> ToolServer:
    return ToolServer("calc", [add])


def response(answer: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = answer["response"]["mcp_response"]
    return said


def listed(answer: dict[str, Any]) -> list[str]:
    return [each["name"] for each in response(answer)["result"]["tools"]]


def notified(far: FarEnd) -> list[str]:
    return [request["message"]["method"] for request in far.requests("mcp_message")]


async def test_a_tool_server_is_announced_with_what_it_offers() -> None:
    far = FarEnd()
    async with live(far, tool_servers=(calc(),), sdk_servers={"raw": add.function}):
        (hello,) = far.requests("initialize")
    assert sorted(hello["sdkMcpServers"]) == ["calc", "raw"]
    manifest = hello["sdkMcpServerManifests"]["calc"]
    assert list(hello["sdkMcpServerManifests"]) == ["calc"]
    assert manifest["initializeResult"]["serverInfo"]["name"] == "calc"
    assert [each["name"] for each in manifest["toolsListResult"]["tools"]] == ["add"]


async def test_a_call_of_the_model_runs_in_this_program() -> None:
    far = FarEnd()
    async with live(far, tool_servers=(calc(),)):
        far.says_to("calc", "m1", "tools/call", id=7, name="add", arguments={"a": 1, "b": 2})
        answer = await far.answered("m1")
    assert response(answer) == {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "3"}]}}


async def test_a_server_is_served_before_the_handshake_is_answered() -> None:
    """CLI 2.1.332 asks a server without a manifest first (21_sdk_mcp)."""
    far = FarEnd()
    far.silent_about.add("initialize")

    async def ask() -> None:
        await far.asked("initialize")
        far.says_to("calc", "m1", "initialize", id=0, protocolVersion="2025-11-25")
        answer = await far.answered("m1")
        far.pipe.exits(1)
        assert response(answer)["result"]["serverInfo"]["name"] == "calc"

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(ask(), name="ask")
        with pytest.raises(StartFailed):
            async with live(far, tool_servers=(calc(),)):
                pytest.fail("it is not ready")


async def test_a_call_that_an_interrupt_takes_back_is_cancelled() -> None:
    far = FarEnd()
    began, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with live(far, tool_servers=(ToolServer("slow", [tool(description="Waits.")(wait)]),)):
        far.says_to("slow", "m1", "tools/call", id=2, name="wait")
        await began.wait()
        far.says_to("slow", "m2", "notifications/cancelled", id=None, requestId=2)
        await ended.wait()
        assert response(await far.answered("m2")) == {"jsonrpc": "2.0", "id": 0, "result": {}}
        assert "error" in response(await far.answered("m1"))


async def test_a_call_that_runs_when_the_process_ends_is_cancelled() -> None:
    far = FarEnd()
    began, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with live(far, tool_servers=(ToolServer("slow", [tool(description="Waits.")(wait)]),)):
        far.says_to("slow", "m1", "tools/call", id=2, name="wait")
        await began.wait()
        far.pipe.exits(None, signal="SIGKILL")
        await ended.wait()
    assert ended.is_set()


async def test_a_new_tool_is_there_before_the_next_prompt() -> None:
    far, server = FarEnd(), calc()
    async with live(far, tool_servers=(server,)) as session, asyncio.TaskGroup() as tasks:
        server.add(drop)
        prompting = tasks.create_task(session.prompt("Use it"), name="prompt")
        await far.asked("mcp_message")
        assert notified(far) == ["notifications/tools/list_changed"]
        assert far.of("user") == []
        far.says_to("calc", "m1", "tools/list")
        assert listed(await far.answered("m1")) == ["add", "drop"]
        far.turn((await prompting).prompt_id)
    assert len(far.of("user")) == 1
    assert far.requests("mcp_set_servers") == []


async def test_a_tool_that_was_added_before_the_cli_asked_needs_no_word() -> None:
    far, server = FarEnd(speaks_197=True), calc()
    async with live(far, tool_servers=(server,)) as session:
        server.add(drop)
        far.turn((await session.prompt("Use it")).prompt_id)
        await session.idle()
    assert notified(far) == []


class Told(NamedTuple):
    """A line, its tool servers, and what has happened on it."""

    line: Line
    tools: Served
    events: list[AnyEvent]

    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


@asynccontextmanager
async def told(far: FarEnd, server: ToolServer, *, listed_s: float = 0.01) -> AsyncIterator[Told]:
    """A line with `server`, whose tools the CLI has listed; it has little time to list them again."""
    line = Line(far.pipe, Fold(SessionId("s")), SessionId("s"))
    with served(line, SessionId("s"), (server,), {"raw": response}, listed_s=listed_s) as tools:  # type: ignore[dict-item]
        async with asyncio.TaskGroup() as tasks:
            events: list[AnyEvent] = []
            listener = Listener(events.append, *([lambda *_: None] * 4))
            tasks.create_task(line.listen(listener), name="reader")
            tools.begun(frozenset(("calc", "raw")))
            watching = tasks.create_task(tools.watch(), name="watch")
            yield Told(line, tools, events)
            watching.cancel()
            far.pipe.exits()


async def test_a_cli_that_does_not_list_anew_is_given_the_server_anew() -> None:
    """CLI 2.1.197 acknowledges the notification, and that is all."""
    far, server = FarEnd(speaks_197=True), calc()
    async with told(far, server) as stage:
        server.add(drop)
        await far.asked("mcp_set_servers", times=2)
        await stage.tools.up_to_date()
    ours = {name: {"type": "sdk", "name": name} for name in ("raw", "calc")}
    without, with_it = (request["servers"] for request in far.requests("mcp_set_servers"))
    assert (without, with_it) == ({"raw": ours["raw"]}, ours)


async def test_a_server_is_not_given_anew_during_a_turn() -> None:
    """It would cut off the calls that run."""
    far, server = FarEnd(speaks_197=True), calc()
    async with told(far, server) as stage:
        far.init()
        await stage.line.until(lambda: stage.line.fold.turn_running)
        server.add(drop)
        await far.asked("mcp_message")
        await stage.tools.up_to_date()
        assert far.requests("mcp_set_servers") == []
        far.result()
        await far.asked("mcp_set_servers", times=2)


def at_once(work: Any) -> None:
    """Run what never waits."""
    with contextlib.suppress(StopIteration):
        work.send(None)


class AsksAtOnce(FarEnd):
    """It lists the tools of a server before it acknowledges that it was given the server."""

    def __init__(self, server: ToolServer) -> None:
        super().__init__(speaks_197=True)
        self.server = server
        self.stage: Told

    def _body(self, subtype: str, request: dict[str, Any]) -> dict[str, Any] | None:
        if subtype == "mcp_set_servers" and self.server.name in request["servers"]:
            at_once(self.stage.tools.serves[self.server.name]({"id": 1, "method": "tools/list"}))
        return super()._body(subtype, request)


async def test_a_change_after_the_server_was_given_anew_is_told_as_well() -> None:
    server = calc()
    far = AsksAtOnce(server)
    async with told(far, server) as far.stage:
        server.add(drop)
        await far.asked("mcp_set_servers", times=2)
        server.remove("drop")
        await far.asked("mcp_set_servers", times=4)
    assert notified(far) == ["notifications/tools/list_changed"] * 2


async def test_a_cli_that_cannot_be_told_is_noticed_and_the_next_change_is_tried_again() -> None:
    far, server = FarEnd(), calc()
    far.refuses["mcp_set_servers"] = "busy"
    async with told(far, server) as stage:
        server.add(drop)
        await stage.line.until(lambda: bool(stage.notices()))
        server.remove("drop")
        await far.asked("mcp_message", times=2)
    assert stage.notices()[0] == (
        "the CLI does not know that tools of calc changed: the CLI refused mcp_set_servers: no: busy"
    )


async def test_a_change_after_the_end_of_the_process_is_nobodys_matter() -> None:
    far, server = FarEnd(), calc()
    async with told(far, server) as stage:
        far.pipe.exits()
        await stage.line.until(lambda: False)
        server.add(drop)
        await stage.tools.up_to_date()
    assert notified(far) == []


@pytest.mark.parametrize(
    "servers",
    [
        {"tool_servers": (ToolServer("calc"), ToolServer("calc"))},
        {"tool_servers": (ToolServer("calc"),), "sdk_servers": {"calc": add.function}},
        {"tool_servers": (ToolServer("calc"),), "mcp_servers": {"calc": {"command": "calc"}}},
    ],
)
def test_two_servers_of_one_name_are_refused(servers: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="two MCP servers are called calc"):
        Options(**servers)
