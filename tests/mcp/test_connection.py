"""A connection to a server of tools: what each message of the CLI's is answered with, in the shapes of 21_sdk_mcp."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bascule.errors import ToolError
from bascule.ids import SessionId
from bascule.mcp.connection import Connection, connected
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import CallContext, tool


class Stage:
    """A server with its connection, and what was sent to the CLI."""

    def __init__(self) -> None:
        self.server = ToolServer("desk", version="7", instructions="Open drawers.")
        self.sent: list[dict[str, Any]] = []
        self.connection: Connection

    async def notify(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    async def ask(self, method: str, request_id: object = 1, **params: Any) -> dict[str, Any]:
        answer = await self.connection({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        assert answer is not None
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", request_id)
        return answer

    async def call(self, name: str, request_id: object = 1, **arguments: Any) -> dict[str, Any]:
        meta = {"claudecode/toolUseId": "toolu_1", "progressToken": 9}
        return await self.ask("tools/call", request_id, name=name, arguments=arguments, _meta=meta)

    async def said(self, method: str, **params: Any) -> None:
        assert await self.connection({"jsonrpc": "2.0", "method": method, "params": params}) is None


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    with connected(stage.server, SessionId("s1"), stage.notify) as stage.connection:
        yield stage


def text(answer: dict[str, Any]) -> str:
    (block,) = answer["result"]["content"]
    return str(block["text"])


class Slow:
    """A tool that waits until it is let go, and tells how it ended."""

    def __init__(self, timeout_s: float | None = None) -> None:
        self.began = asyncio.Event()
        self.go = asyncio.Event()
        self.ended: list[str] = []
        self.tool = tool(name="slow", description="Waits.", timeout_s=timeout_s)(self.wait)

    async def wait(self) -> str:
        self.began.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        return "done"


@tool
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def test_a_handshake_names_the_server(stage: Stage) -> None:
    answer = await stage.ask("initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    assert answer["result"] == {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "desk", "version": "7"},
        "instructions": "Open drawers.",
    }


@pytest.mark.parametrize("version", ["2099-01-01", None, 5, ["2025-06-18"]])
async def test_a_version_that_is_not_spoken_here_gets_the_newest_that_is(stage: Stage, version: Any) -> None:
    answer = await stage.ask("initialize", 0, protocolVersion=version)
    assert answer["result"]["protocolVersion"] == "2025-11-25"


async def test_tools_are_listed_with_schema_and_hints(stage: Stage) -> None:
    shown = tool(read_only=True, destructive=False, open_world=False, max_result_chars=99)(add.function)
    stage.server.add(shown)
    (listed,) = (await stage.ask("tools/list"))["result"]["tools"]
    assert listed == {
        "name": "add",
        "description": "Add.",
        "inputSchema": add.signature.schema,
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
        "_meta": {"anthropic/alwaysLoad": True, "anthropic/maxResultSizeChars": 99},
    }


async def test_a_server_of_many_tools_leaves_it_to_the_cli_when_they_are_loaded() -> None:
    with connected(ToolServer("many", [add], always_load=False), SessionId("s1"), Stage().notify) as connection:
        (listed,) = connection.manifest()["toolsListResult"]["tools"]
    assert listed["_meta"] == {}


async def test_the_manifest_is_what_the_cli_would_learn_by_asking(stage: Stage) -> None:
    stage.server.add(add)
    manifest = stage.connection.manifest()
    asked = await stage.ask("initialize", protocolVersion="2025-11-25")
    assert manifest["initializeResult"] == asked["result"]
    assert manifest["toolsListResult"] == (await stage.ask("tools/list"))["result"]


async def test_a_call_gives_its_result(stage: Stage) -> None:
    stage.server.add(add)
    assert (await stage.call("add", 2, a=1, b=2))["result"] == {"content": [{"type": "text", "text": "3"}]}


async def test_input_that_does_not_fit_is_an_error_that_the_model_can_mend(stage: Stage) -> None:
    stage.server.add(add)
    answer = await stage.call("add", a="one", b=2)
    assert answer["result"]["isError"] is True
    assert text(answer) == "the input does not fit: a: Expected `int`, got `str`; it takes a, b"


async def test_a_call_without_arguments_has_none(stage: Stage) -> None:
    stage.server.add(tool(name="now", description="Tells.")(lambda: "now"))
    assert text(await stage.ask("tools/call", name="now")) == "now"


async def test_what_a_tool_raises_is_told_to_the_model_and_logged(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    async def divide(a: int) -> float:
        return a / 0

    stage.server.add(tool(description="Divides.")(divide))
    answer = await stage.call("divide", a=1)
    assert (answer["result"]["isError"], text(answer)) == (True, "ZeroDivisionError: division by zero")
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("plain", [True, False])
async def test_a_tool_that_exits_ends_its_call_and_not_the_program(
    plain: bool, stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    def leave() -> None:
        sys.exit(2)

    async def leave_later() -> None:
        leave()

    stage.server.add(tool(name="leave", description="Leaves.")(leave if plain else leave_later))
    answer = await stage.call("leave")
    assert (answer["result"]["isError"], text(answer)) == (True, "SystemExit: 2")
    assert "the tool leave failed" in caplog.text


async def test_a_tool_error_is_told_to_the_model_in_its_own_words_and_not_logged(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    async def find(colour: str) -> str:
        raise ToolError(f"there is no {colour}; there are red and blue")

    stage.server.add(tool(description="Finds.")(find))
    answer = await stage.call("find", colour="green")
    assert (answer["result"]["isError"], text(answer)) == (True, "there is no green; there are red and blue")
    assert caplog.text == ""


async def test_a_result_without_a_json_form_is_an_error(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    def odd() -> object:
        return object()

    stage.server.add(tool(description="Gives an object.")(odd))
    answer = await stage.call("odd")
    assert (answer["result"]["isError"], "unsupported" in text(answer)) == (True, True)
    assert "the tool odd failed" in caplog.text


async def test_a_plain_function_runs_in_a_thread_of_its_own(stage: Stage) -> None:
    def where() -> bool:
        return threading.current_thread() is threading.main_thread()

    stage.server.add(tool(description="Tells.")(where))
    assert text(await stage.call("where")) == "false"


async def test_plain_functions_that_never_end_hold_up_no_other(stage: Stage) -> None:
    """There are more of them than the loop has threads of its own."""
    go = threading.Event()

    def stuck() -> None:
        go.wait()

    stage.server.add(tool(description="Sticks.", timeout_s=0.01)(stuck))
    stage.server.add(tool(name="now", description="Tells.")(lambda: "now"))
    async with asyncio.TaskGroup() as tasks:
        calls = [tasks.create_task(stage.call("stuck", number), name="stuck") for number in range(40)]
    assert {text(each.result()) for each in calls} == {"stuck did not end within 0.01 s and was stopped"}
    assert text(await stage.call("now")) == "now"
    go.set()


async def test_a_function_that_gives_an_awaitable_is_awaited(stage: Stage) -> None:
    stage.server.add(tool(name="later", description="Adds later.")(lambda: add.function(1, 2)))
    assert text(await stage.call("later")) == "3"


async def test_S12_a_tool_that_takes_longer_than_its_time_is_stopped_and_the_model_is_told(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Slow(timeout_s=0.01)
    stage.server.add(slow.tool)
    answer = await stage.call("slow")
    assert (answer["result"]["isError"], text(answer)) == (True, "slow did not end within 0.01 s and was stopped")
    assert slow.ended == ["cancelled"]
    assert "the tool slow was stopped" in caplog.text


async def test_a_time_out_inside_of_a_tool_is_its_own(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    async def fetch() -> None:
        raise TimeoutError("the server is silent")

    stage.server.add(tool(description="Fetches.", timeout_s=60)(fetch))
    assert text(await stage.call("fetch")) == "TimeoutError: the server is silent"
    assert "Traceback" in caplog.text


async def test_calls_run_beside_each_other(stage: Stage) -> None:
    slow = Slow()
    stage.server.add(slow.tool, add)
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(stage.call("slow", 1), name="first")
        await slow.began.wait()
        assert text(await stage.call("add", 2, a=1, b=2)) == "3"
        slow.go.set()
    assert text(first.result()) == "done"


async def test_a_call_that_the_cli_takes_back_is_cancelled_and_answered(stage: Stage) -> None:
    slow = Slow()
    stage.server.add(slow.tool)
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(stage.call("slow", 3), name="call")
        await slow.began.wait()
        await stage.said("notifications/cancelled", requestId=99)
        await stage.said("notifications/cancelled", requestId=["3"])
        assert slow.ended == []
        await stage.said("notifications/cancelled", requestId=3, reason="AbortError: remote-cancel")
    assert slow.ended == ["cancelled"]
    assert calling.result()["error"]["message"] == "the call was cancelled"
    await stage.said("notifications/cancelled", requestId=3)


async def test_a_call_whose_request_is_withdrawn_is_cancelled(stage: Stage) -> None:
    slow = Slow()
    stage.server.add(slow.tool)
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(stage.call("slow"), name="call")
        await slow.began.wait()
        calling.cancel()
    assert slow.ended == ["cancelled"]


async def test_a_new_handshake_cancels_what_ran_for_the_connection_before(stage: Stage) -> None:
    first, second = Slow(), Slow()
    stage.server.add(first.tool)
    async with asyncio.TaskGroup() as tasks:
        old = tasks.create_task(stage.call("slow", 2), name="old")
        await first.began.wait()
        await stage.ask("initialize", 0, protocolVersion="2025-11-25")
        stage.server.add(second.tool)
        new = tasks.create_task(stage.call("slow", 2), name="new")
        await second.began.wait()
        await asyncio.wait_for(asyncio.shield(old), 5)
        second.go.set()
    assert first.ended == ["cancelled"]
    assert "error" in old.result()
    assert text(new.result()) == "done"


async def test_a_tool_knows_its_call_and_tells_how_far_it_is(stage: Stage) -> None:
    async def copy(call: CallContext) -> str:
        await call.progress(1, total=3, message="one")
        await call.progress(2)
        return f"{call.session} {call.tool_call_id}"

    stage.server.add(tool(description="Copies.")(copy))
    assert text(await stage.call("copy")) == "s1 toolu_1"
    assert [sent["params"] for sent in stage.sent] == [
        {"progressToken": 9, "progress": 1, "total": 3, "message": "one"},
        {"progressToken": 9, "progress": 2},
    ]
    assert {sent["method"] for sent in stage.sent} == {"notifications/progress"}


async def test_progress_that_the_cli_did_not_ask_for_is_not_told(stage: Stage) -> None:
    async def copy(call: CallContext) -> str:
        await call.progress(1)
        return str(call.tool_call_id)

    stage.server.add(tool(description="Copies.")(copy))
    assert text(await stage.ask("tools/call", name="copy", _meta={"claudecode/toolUseId": 5})) == "None"
    assert text(await stage.ask("tools/call", name="copy", _meta="?")) == "None"
    assert stage.sent == []


async def test_a_ping_is_answered(stage: Stage) -> None:
    assert (await stage.ask("ping"))["result"] == {}


async def test_a_tool_that_is_not_there_is_an_error(stage: Stage) -> None:
    assert (await stage.call("nothing"))["error"] == {"code": -32602, "message": "desk has no tool 'nothing'"}


async def test_what_is_no_matter_of_tools_is_an_error(stage: Stage) -> None:
    answer = await stage.ask("resources/list")
    assert answer["error"] == {"code": -32601, "message": "desk knows no resources/list, only tools"}
    nameless = await stage.connection({"jsonrpc": "2.0", "id": 4})
    assert nameless is not None
    assert nameless["error"]["code"] == -32600


async def test_other_notifications_change_nothing(stage: Stage) -> None:
    await stage.said("notifications/initialized")
    assert stage.sent == []


async def test_tools_that_change_are_noticed_from_any_thread(stage: Stage) -> None:
    assert not stage.connection.changed.is_set()
    await asyncio.to_thread(stage.server.add, add)
    await asyncio.wait_for(stage.connection.changed.wait(), 5)
    await stage.connection.tell_changed()
    assert [sent["method"] for sent in stage.sent] == ["notifications/tools/list_changed"]


async def test_a_cli_that_has_not_asked_yet_is_never_outdated(stage: Stage) -> None:
    stage.server.add(add)
    assert not stage.connection.outdated


async def waits_until_up_to_date(connection: Connection, began: asyncio.Event) -> None:
    began.set()
    await connection.up_to_date()


async def test_who_waits_until_the_cli_is_up_to_date_goes_on_when_it_has_listed_the_tools(stage: Stage) -> None:
    stage.connection.assume_told()
    await stage.connection.up_to_date()
    stage.server.add(add)
    began = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(waits_until_up_to_date(stage.connection, began), name="wait")
        await began.wait()
        assert not waiting.done()
        await stage.ask("tools/list")
    assert not stage.connection.outdated


async def test_who_waits_goes_on_when_the_cli_will_ask(stage: Stage) -> None:
    await stage.ask("tools/list")
    stage.server.add(add)
    began = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(waits_until_up_to_date(stage.connection, began), name="wait")
        await began.wait()
        assert not waiting.done()
        stage.connection.will_ask()
    assert not stage.connection.outdated


def test_a_server_outlives_the_loop_of_a_session() -> None:
    server = ToolServer("desk")

    async def serve() -> Connection:
        connection = connected(server, SessionId("s1"), Stage().notify)
        kept.append(connection)
        return connection.__enter__()

    kept: list[Any] = []
    asyncio.run(serve())
    server.add(add)
    assert server.tools == (add,)
    kept[0].__exit__(None, None, None)
