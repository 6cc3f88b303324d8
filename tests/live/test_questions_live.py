"""Questions of every shape on the real CLI: what the model reads of the answers, and that it reads some."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowOnce, Answers, Decision, Deny, DenyAndStop, Refused, Taken
from bascule.demo.script import call, say, turn
from bascule.events import PermissionRequest, PermissionResolved
from bascule.session.session import Session
from tests.live.stage import Stage, said, seen


def question(text: str, *labels: str, several: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": f"{label}, and no other"} for label in labels]
    return {"question": text, "header": text.split()[0], "multiSelect": several, "options": options}


COLOR = question("Which colour?", "Red", "Blue")
SIZES = question("What sizes?", "Small", "Large", "Huge", several=True)
THANKS = say("Thanks.")


def asks(*questions: dict[str, Any]) -> Any:
    return turn(call("AskUserQuestion", questions=list(questions)), THANKS)


async def asked(session: Session) -> PermissionRequest:
    """The question, once it is asked."""
    return await seen(session, PermissionRequest)


@pytest.mark.parametrize(
    ("questions", "answers", "told"),
    [
        ([COLOR], {"Which colour?": "Blue"}, ['"Which colour?"="Blue"']),
        ([SIZES], {"What sizes?": ["Small", "Huge"]}, ['"What sizes?"="Small, Huge"']),
        ([SIZES], {"What sizes?": ["Large"]}, ['"What sizes?"="Large"']),
        ([COLOR], {"Which colour?": "Green, like the door"}, ['"Which colour?"="Green, like the door"']),
        ([SIZES], {"What sizes?": ["Small", "one in between"]}, ['"What sizes?"="Small, one in between"']),
        ([COLOR], {"Which colour?": "(skipped: decide yourself)"}, ["(skipped: decide yourself)"]),
        (
            [COLOR, SIZES],
            {"Which colour?": "Red", "What sizes?": ["Small", "Large"]},
            ['"Which colour?"="Red"', '"What sizes?"="Small, Large"'],
        ),
    ],
    ids=["one", "several options", "one of several", "own words", "options and own words", "skipped", "two questions"],
)
async def test_an_answer_is_read_by_the_model(
    stage: Stage, questions: list[dict[str, Any]], answers: dict[str, Any], told: list[str]
) -> None:
    async with stage.play(asks(*questions)) as (session, model):
        handle = await session.prompt("Ask me")
        ask = await asked(session)
        assert [one["question"] for one in ask.input["questions"]] == [one["question"] for one in questions]
        assert await session.decide(ask.pending_id, Answers(answers=answers)) == Taken()
        assert (await handle).text == "Thanks."
        assert (await seen(session, PermissionResolved)).outcome == "answered"
        (result,) = model.asked[-1].results
        assert not result.failed
        assert all(text in result.text for text in told)


@pytest.mark.parametrize("decision", [AllowOnce(), Answers(answers={}), Answers(answers={"Which colour?": "Red"})])
async def test_S32_a_question_is_not_allowed_without_all_its_answers(stage: Stage, decision: Decision) -> None:
    async with stage.play(asks(COLOR, SIZES)) as (session, model):
        handle = await session.prompt("Ask me")
        ask = await asked(session)
        assert isinstance(await session.decide(ask.pending_id, decision), Refused)
        await session.decide(ask.pending_id, Deny(reason="ask me tomorrow"))
        assert (await handle).text == "Thanks."
        assert "ask me tomorrow" in model.asked[-1].results[0].text


async def test_a_question_may_stop_the_turn(stage: Stage) -> None:
    async with stage.play(asks(COLOR), say("Yes?")) as (session, _):
        handle = await session.prompt("Ask me")
        await session.decide((await asked(session)).pending_id, DenyAndStop())
        assert (await handle).outcome == "interrupted"
        assert (await said(session, "And now?")).text == "Yes?"


@pytest.mark.parametrize("policy", ["supervised", "autonomous"])
async def test_L43_a_question_that_nobody_can_answer_is_left_to_the_model(stage: Stage, policy: str) -> None:
    async with stage.play(asks(COLOR), policy=policy, attended=False) as (session, model):
        assert (await said(session, "Ask me")).text == "Thanks."
        assert "use your judgement and state your assumption" in model.asked[-1].results[0].text


FORM = {
    "name": {"type": "string", "title": "Name"},
    "age": {"type": "integer", "minimum": 0},
    "height": {"type": "number"},
    "member": {"type": "boolean"},
    "colour": {"type": "string", "enum": ["red", "blue"]},
}
SERVER = f"""
import json, sys

FORM = json.loads({json.dumps(json.dumps(FORM))})
TOOL = {{"name": "ask", "description": "Asks", "inputSchema": {{"type": "object"}}}}

def tell(**message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            told = {{"capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "toy", "version": "1"}}}}
            tell(id=message["id"], result={{"protocolVersion": message["params"]["protocolVersion"], **told}})
        case "tools/list":
            tell(id=message["id"], result={{"tools": [TOOL]}})
        case "tools/call":
            called = message["id"]
            schema = {{"type": "object", "properties": FORM, "required": ["name"]}}
            tell(id="ask", method="elicitation/create", params={{"message": "Who?", "requestedSchema": schema}})
        case None:
            tell(id=called, result={{"content": [{{"type": "text", "text": json.dumps(message.get("result"))}}]}})
        case _ if "id" in message:
            tell(id=message["id"], result={{}})
"""


@pytest.mark.parametrize(
    "answers", [{"name": "Anna", "age": 41, "height": 1.7, "member": True, "colour": "blue"}, {"name": "Anna"}]
)
async def test_a_form_of_every_kind_of_field_is_filled_in(
    stage: Stage, tmp_path: Path, answers: dict[str, Any]
) -> None:
    path = tmp_path / "toy.py"
    path.write_text(SERVER)
    servers = {"mcp_servers": {"toy": {"command": sys.executable, "args": [str(path)]}}}
    async with stage.play(turn(call("mcp__toy__ask"), THANKS), **servers) as (session, model):
        handle = await session.prompt("Ask me")
        ask = await asked(session)
        assert ask.ask == "elicitation"
        assert set(ask.input["requested_schema"]["properties"]) == set(FORM)
        assert await session.decide(ask.pending_id, Answers(answers=answers)) == Taken()
        assert (await handle).text == "Thanks."
        told = json.loads(model.asked[-1].results[0].text)
        assert told == {"action": "accept", "content": answers}
