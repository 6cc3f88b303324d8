"""What MCP servers ask of a person, on the real CLI: a form, an address to open, a refusal, nobody there."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import Answers, Decision, Deny, DenyAndStop, Taken
from bascule.demo.script import call, say, turn
from bascule.events import Notice, PermissionCancelled, PermissionRequest, PermissionResolved
from tests.live.stage import Stage, said, seen

SERVER = """
import json, sys

ADDRESS = {"mode": "url", "url": "http://127.0.0.1:9/login", "elicitationId": "e1", "message": "Log in"}
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FORM = {"message": "Who are you?", "requestedSchema": SCHEMA}
TOOL = {"name": "ask", "description": "Asks", "inputSchema": {"type": "object"}}

def tell(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

called = None
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            told = {"capabilities": {"tools": {}}, "serverInfo": {"name": "toy", "version": "1"}}
            tell(id=message["id"], result={"protocolVersion": version, **told})
        case "tools/list":
            tell(id=message["id"], result={"tools": [TOOL]})
        case "tools/call":
            called = message["id"]
            wanted = ADDRESS if message["params"]["arguments"].get("mode") == "url" else FORM
            tell(id="ask", method="elicitation/create", params=wanted)
        case None:
            tell(method="notifications/elicitation/complete", params={"elicitationId": "e1"})
            answer = json.dumps(message.get("result", message.get("error")))
            tell(id=called, result={"content": [{"type": "text", "text": answer}]})
        case _ if "id" in message:
            tell(id=message["id"], result={})
"""


@pytest.fixture
def servers(tmp_path: Path) -> dict[str, Any]:
    """An MCP server whose tool asks the person something, and tells the model what it was told."""
    path = tmp_path / "toy.py"
    path.write_text(SERVER)
    return {"mcp_servers": {"toy": {"command": sys.executable, "args": [str(path)]}}}


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (Answers(answers={"name": "Anna"}), {"action": "accept", "content": {"name": "Anna"}}),
        (Deny(reason="none of your business"), {"action": "decline"}),
        (DenyAndStop(), {"action": "cancel"}),
    ],
)
async def test_a_form_is_answered_or_declined(
    stage: Stage, servers: dict[str, Any], decision: Decision, told: dict[str, Any]
) -> None:
    async with stage.play(turn(call("mcp__toy__ask"), say("Thanks.")), **servers) as (session, model):
        handle = await session.prompt("Ask me")
        ask = await seen(session, PermissionRequest)
        assert (ask.ask, ask.says, ask.mcp_server) == ("elicitation", "Who are you?", "toy")
        assert ask.input["requested_schema"]["required"] == ["name"]
        assert await session.decide(ask.pending_id, decision) == Taken()
        assert (await handle).text == "Thanks."
        assert json.loads(model.asked[-1].results[0].text) == told
        answered = isinstance(decision, Answers)
        assert (await seen(session, PermissionResolved)).outcome == ("answered" if answered else "denied")


@pytest.mark.parametrize(
    ("decision", "action"), [(Answers(answers={}), "accept"), (Deny(), "decline")], ids=["opened", "refused"]
)
async def test_an_address_is_opened_or_refused(
    stage: Stage, servers: dict[str, Any], decision: Decision, action: str
) -> None:
    """2.1.197 does not take part in it, and tells the server so."""
    async with stage.play(turn(call("mcp__toy__ask", mode="url"), say("Thanks.")), **servers) as (session, model):
        handle = await session.prompt("Ask me")
        if stage.newer:
            ask = await seen(session, PermissionRequest)
            assert (ask.input["mode"], ask.input["url"]) == ("url", "http://127.0.0.1:9/login")
            await session.decide(ask.pending_id, decision)
        await handle
        result = model.asked[-1].results[0].text
        assert json.loads(result)["action" if stage.newer else "code"] == (action if stage.newer else -32602)
        assert (await seen(session, Notice)).text == "toy has what it asked for"


async def test_a_form_is_declined_where_nobody_watches(stage: Stage, servers: dict[str, Any]) -> None:
    async with stage.play(turn(call("mcp__toy__ask"), say("Thanks.")), attended=False, **servers) as (session, model):
        assert (await said(session, "Ask me")).text == "Thanks."
        assert json.loads(model.asked[-1].results[0].text) == {"action": "decline"}


async def test_an_open_form_is_withdrawn_by_an_interrupt(stage: Stage, servers: dict[str, Any]) -> None:
    async with stage.play(turn(call("mcp__toy__ask"), say("never said")), say("Back."), **servers) as (session, _):
        handle = await session.prompt("Ask me")
        ask = await seen(session, PermissionRequest)
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        assert (await seen(session, PermissionCancelled)).pending_id == ask.pending_id
        assert (await said(session, "And?")).text == "Back."


async def test_a_form_that_nobody_answers_in_time_is_declined(stage: Stage, servers: dict[str, Any]) -> None:
    turns = turn(call("mcp__toy__ask"), say("Thanks."))
    async with stage.play(turns, ask_timeout_s=0.3, **servers) as (session, model):
        assert (await said(session, "Ask me")).text == "Thanks."
        assert json.loads(model.asked[-1].results[0].text) == {"action": "decline"}
        assert (await seen(session, PermissionCancelled)).cause == "expired"
