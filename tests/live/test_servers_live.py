"""MCP servers as the CLI starts them, on the real CLI: good, slow, broken, far away; what each costs the session."""

import sys
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.script import call, say, turn
from bascule.events import Error, Notice, SessionStatus, ToolUpdate
from bascule.payload import McpCall
from tests.live.stage import Stage, said, seen, so_far

SERVER = """
import json, sys, time

SECRET, PAUSE = sys.argv[1], float(sys.argv[2])
for line in sys.stdin:
    asked = json.loads(line)
    match asked["method"]:
        case "initialize":
            time.sleep(PAUSE)
            info = {"name": "toy", "version": "1"}
            version = asked["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            schema = {"type": "object", "properties": {"text": {"type": "string"}}}
            result = {"tools": [{"name": "echo", "description": "Says it again", "inputSchema": schema}]}
        case "tools/call":
            text = asked["params"]["arguments"].get("text", "")
            result = {"content": [{"type": "text", "text": "x" * 300_000 if text == "much" else "heard: " + text}]}
            result["isError"] = text == "fail"
        case _:
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Any:
    """How a server is started that takes so many seconds for it."""
    path = tmp_path / "toy.py"
    path.write_text(SERVER)
    return lambda pause: {"toy": {"type": "stdio", "command": sys.executable, "args": [str(path), "s", str(pause)]}}


async def test_a_tool_of_a_server_is_called_and_told_of(stage: Stage, toy: Any) -> None:
    steps = turn(call("mcp__toy__echo", text="hello"), say("Heard."))
    async with stage.play(steps, mcp_servers=toy(0)) as (session, model):
        await said(session, "Say it")
        assert "heard: hello" in str(model.asked[-1].body)
    (end,) = (event for event in await so_far(session) if isinstance(event, ToolUpdate))
    assert isinstance(end.normalized, McpCall)
    assert (end.normalized.server, end.normalized.tool, end.normalized.output) == ("toy", "echo", "heard: hello")


@pytest.mark.parametrize(("text", "status"), [("much", "complete"), ("fail", "error")])
async def test_much_and_bad_news_of_a_server_are_told(stage: Stage, toy: Any, text: str, status: str) -> None:
    steps = turn(call("mcp__toy__echo", text=text), say("Heard."))
    async with stage.play(steps, mcp_servers=toy(0)) as (session, _):
        assert (await said(session, "Say it")).outcome == "success"
    (end,) = (event for event in await so_far(session) if isinstance(event, ToolUpdate))
    assert end.tool_status == status


async def test_L79_a_server_that_is_slow_to_start_is_a_fact_and_no_fault(stage: Stage, toy: Any) -> None:
    """2.1.332 waits for it, 2.1.197 begins without and says *pending*."""
    async with stage.play(say("Hello."), mcp_servers=toy(2)) as (session, _):
        assert (await said(session, "Hi")).outcome == "success"
        status = await seen(session, SessionStatus)
        assert [server.status for server in status.mcp_servers] == ["connected" if stage.newer else "pending"]
    assert [event for event in await so_far(session) if isinstance(event, Notice | Error)] == []


@pytest.mark.parametrize(
    "server",
    [{"type": "stdio", "command": "/nowhere/server"}, {"type": "http", "url": "http://127.0.0.1:9/mcp"}],
    ids=["no program", "nobody listens"],
)
async def test_a_server_that_fails_is_told_and_the_session_runs(stage: Stage, server: dict[str, Any]) -> None:
    async with stage.play(say("Hello."), mcp_servers={"toy": server}) as (session, _):
        assert (await said(session, "Hi")).outcome == "success"
        (told,) = await session.cli.mcp_status()
        assert (told.name, told.status) == ("toy", "failed")
