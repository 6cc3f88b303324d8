"""The probe's side of a conversation, with a far end that the test plays."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bascule.doctor.dialogue import REFUSAL, Dialogue, refuse
from bascule.errors import ProcessLost
from bascule.recording import Entry, Exit
from bascule.testing.memory import MemoryPipe
from bascule.wire.control import Answer, CanUseTool, Failed, Succeeded
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.permissions import Allow
from bascule.wire.requests import Interrupt, McpStatus
from bascule.wire.result import Result
from bascule.wire.system import Init

RESULT = {"type": "result", "subtype": "success", "result": "ok"}
INIT = {"type": "system", "subtype": "init", "model": "m"}


def ask(**request: Any) -> dict[str, Any]:
    """A request of the CLI."""
    return {"type": "control_request", "request_id": "theirs-1", "request": request}


def says(*lines: dict[str, Any]) -> Callable[[str], Iterator[str]]:
    """A far end that says this to a prompt, and answers each request with its subtype."""

    def answer(line: str) -> Iterator[str]:
        said = json.loads(line)
        if said["type"] == "user":
            yield from map(json.dumps, lines)
        elif said["type"] == "control_request":
            body = {"subtype": "success", "request_id": said["request_id"], "response": said["request"]}
            yield json.dumps({"type": "control_response", "response": body})

    return answer


def dialogue(pipe: MemoryPipe) -> tuple[Dialogue, list[Entry]]:
    kept: list[Entry] = []
    return Dialogue(pipe, kept.append), kept


def answers(pipe: MemoryPipe) -> list[Any]:
    """What our side answered to requests of the CLI."""
    written = map(json.loads, pipe.heard)
    return [said["response"] for said in written if said["type"] == "control_response"]


async def test_a_turn_is_what_was_said_up_to_its_result() -> None:
    pipe = MemoryPipe(answer=says(INIT, RESULT, INIT))
    talk, kept = dialogue(pipe)
    turn = await talk.turn("Hello?")
    assert turn.result.result == "ok"
    assert [type(message) for message in turn.said] == [Init, Result]
    assert [init.model for init in turn.all(Init)] == ["m"]
    assert json.loads(pipe.heard[0])["message"] == {"role": "user", "content": "Hello?"}
    assert [entry.dir for entry in kept] == ["in", "out", "out", "out"]


async def test_an_answer_is_found_by_its_id() -> None:
    talk, _ = dialogue(MemoryPipe(answer=says()))
    for body in (Interrupt(), McpStatus()):
        answer = await talk.request(body)
        assert isinstance(answer, Succeeded)
        assert answer.response["subtype"] == type(body).__struct_config__.tag


async def test_asks_are_answered_as_the_scene_says() -> None:
    pipe = MemoryPipe(answer=says(ask(subtype="can_use_tool", tool_name="X", input={"a": 1}), RESULT))
    talk, _ = dialogue(pipe)

    async def allow(asked: CanUseTool) -> Answer:
        return Allow(updated_input=asked.input)

    await talk.turn("go", on_ask=allow)
    (answer,) = answers(pipe)
    assert answer["request_id"] == "theirs-1"
    assert answer["response"] == {"behavior": "allow", "updatedInput": {"a": 1}}


async def test_an_answer_may_be_one_that_no_session_could_write() -> None:
    pipe = MemoryPipe(answer=says(ask(subtype="can_use_tool", tool_name="X", input={}), RESULT))
    talk, _ = dialogue(pipe)

    async def odd(asked: CanUseTool) -> str:
        return '{"behavior":"maybe"}'

    await talk.turn("go", on_ask=odd)
    assert answers(pipe) == [{"subtype": "success", "request_id": "theirs-1", "response": {"behavior": "maybe"}}]


async def test_an_ask_may_be_left_open() -> None:
    pipe = MemoryPipe(answer=says(ask(subtype="can_use_tool", tool_name="X", input={}), RESULT))
    talk, _ = dialogue(pipe)

    async def silent(asked: CanUseTool) -> None:
        return None

    await talk.turn("go", on_ask=silent)
    assert answers(pipe) == []


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"subtype": "can_use_tool", "tool_name": "X", "input": {}}, {"behavior": "deny", "message": REFUSAL}),
        ({"subtype": "hook_callback", "callback_id": "Stop", "input": {}}, {}),
    ],
)
async def test_what_a_scene_does_not_expect_is_denied_or_gets_no_opinion(
    request_: dict[str, Any], said: dict[str, Any]
) -> None:
    pipe = MemoryPipe(answer=says(ask(**request_), RESULT))
    talk, _ = dialogue(pipe)
    await talk.turn("go", on_ask=refuse)
    assert [answer["response"] for answer in answers(pipe)] == [said]


async def test_hooks_answer_by_their_event() -> None:
    hook = ask(subtype="hook_callback", callback_id="Stop", input={"hook_event_name": "Stop"})
    pipe = MemoryPipe(answer=says(hook, RESULT))
    talk, _ = dialogue(pipe)
    await talk.turn("go", hooks={"Stop": HookOutput(decision="block", reason="no")})
    await talk.turn("go", hooks={"Stop": "it fails"})
    held, failed = answers(pipe)
    assert held["response"] == {"decision": "block", "reason": "no"}
    assert (failed["subtype"], failed["error"]) == ("error", "it fails")


async def test_a_request_that_nobody_serves_is_refused() -> None:
    pipe = MemoryPipe(answer=says(ask(subtype="dance"), RESULT))
    talk, _ = dialogue(pipe)
    await talk.turn("go")
    assert [answer["subtype"] for answer in answers(pipe)] == ["error"]


async def test_a_cli_that_ends_too_soon_is_lost_with_what_was_waited_for() -> None:
    pipe = MemoryPipe()
    talk, _ = dialogue(pipe)
    pipe.exits(1)
    with pytest.raises(ProcessLost, match="waited for Result"):
        await talk.turn("Hello?")
    assert talk.awaited == "Result"
    assert talk.exit == Exit(code=1)


async def test_the_end_is_waited_for_and_all_before_it_is_heard() -> None:
    pipe = MemoryPipe(answer=says(INIT))
    talk, _ = dialogue(pipe)
    talk.prompt("go")
    talk.hang_up()
    assert await talk.ended() == Exit(code=0)
    assert [type(message) for message in talk.log] == [Init]
    assert await talk.ended() == Exit(code=0)


async def test_a_signal_reaches_the_cli() -> None:
    pipe = MemoryPipe()
    talk, _ = dialogue(pipe)
    talk.signal(15)
    assert await talk.ended() == Exit(code=143)


async def test_a_refusal_of_ours_is_an_answer_too() -> None:
    def refuses(line: str) -> Iterator[str]:
        body = {"subtype": "error", "request_id": json.loads(line)["request_id"], "error": "no"}
        yield json.dumps({"type": "control_response", "response": body})

    talk, _ = dialogue(MemoryPipe(answer=refuses))
    assert await talk.request(Interrupt()) == Failed("probe-1", "no")
