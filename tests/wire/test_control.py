"""The control channel: the one envelope that works, both ways."""

import json

import pytest

from bascule.errors import LocalProtocolError
from bascule.wire.codec import decode, encode
from bascule.wire.control import (
    Answer,
    Cancelled,
    CanUseTool,
    Completed,
    ControlCancel,
    ControlRequest,
    ControlResponse,
    Elicitation,
    ElicitationAnswer,
    Failed,
    HookCallback,
    McpAnswer,
    McpMessage,
    Provenance,
    Succeeded,
    UnknownRequest,
    UserDialog,
    failed,
    succeeded,
)
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.permissions import AddDirectories, AddRules, Allow, Deny, Rule, SetMode, UnknownUpdate
from tests.wire.recorded import lines, scenario


def asks(name: str) -> list[ControlRequest]:
    return [message for message in map(decode, scenario(name, "out")) if isinstance(message, ControlRequest)]


def test_an_ask_names_the_tool_its_input_and_what_always_could_mean() -> None:
    (ask,) = asks("2.1.332/08_deny_msg")
    assert isinstance(ask.request, CanUseTool)
    assert ask.request.tool_name == "Bash"
    assert ask.request.input["command"]
    assert any(isinstance(update, AddRules | AddDirectories) for update in ask.request.permission_suggestions)


def test_every_request_of_the_cli_is_known() -> None:
    kinds = {
        type(message.request)
        for recorded in lines("out")
        if isinstance(message := decode(recorded.line), ControlRequest)
    }
    assert kinds == {CanUseTool, HookCallback, McpMessage, Elicitation}


def test_every_suggestion_is_known() -> None:
    kinds = {
        type(update)
        for recorded in lines("out")
        if isinstance(message := decode(recorded.line), ControlRequest) and isinstance(message.request, CanUseTool)
        for update in message.request.permission_suggestions
    }
    assert kinds == {AddRules, AddDirectories, SetMode}


def test_an_unknown_suggestion_does_not_cost_the_ask() -> None:
    new = {"type": "addTime", "minutes": 5}
    rule = {"type": "addRules", "rules": [{"toolName": "t"}, {"no": "name"}], "behavior": "allow"}
    request = {"subtype": "can_use_tool", "tool_name": "t", "input": {}, "permission_suggestions": [new, rule]}
    message = decode(json.dumps({"type": "control_request", "request_id": "r", "request": request}))
    assert isinstance(message, ControlRequest)
    assert isinstance(message.request, CanUseTool)
    assert message.request.permission_suggestions == (
        UnknownUpdate(new),
        AddRules(rules=(Rule("t"),), behavior="allow"),
    )


def test_an_mcp_tool_says_where_it_comes_from() -> None:
    sources = [ask.request.mcp_server for ask in asks("2.1.332/22_tools") if isinstance(ask.request, CanUseTool)]
    assert Provenance("toy", "dynamic") in sources


def test_a_dialog_is_read() -> None:
    text = '{"type":"control_request","request_id":"r","request":{"subtype":"request_user_dialog","dialog_kind":"k"}}'
    assert decode(text) == ControlRequest("r", UserDialog("k"))


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (Allow({"a": 1}), {"behavior": "allow", "updatedInput": {"a": 1}}),
        (Deny("no"), {"behavior": "deny", "message": "no"}),
        (HookOutput(decision="block", reason="r"), {"decision": "block", "reason": "r"}),
        (HookOutput(), {}),
        (
            McpAnswer({"jsonrpc": "2.0", "result": {}, "id": 0}),
            {"mcp_response": {"jsonrpc": "2.0", "result": {}, "id": 0}},
        ),
        (ElicitationAnswer("accept", {"name": "x"}), {"action": "accept", "content": {"name": "x"}}),
        (ElicitationAnswer("decline"), {"action": "decline"}),
        (Completed(5), {"behavior": "completed", "result": 5}),
        (Completed(None), {"behavior": "completed", "result": None}),
        (Cancelled(), {"behavior": "cancelled"}),
    ],
)
def test_an_answer_stands_inside_with_its_request_id(answer: Answer, body: object) -> None:
    assert json.loads(encode(succeeded("r", answer))) == {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "r", "response": body},
    }


def test_an_acknowledgement_has_no_body() -> None:
    assert json.loads(encode(succeeded("r"))) == {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "r"},
    }


@pytest.mark.parametrize(("error", "told"), [("why", "why"), ("", "no reason given")])
def test_a_refusal_always_says_why(error: str, told: str) -> None:
    assert json.loads(encode(failed("r", error))) == {
        "type": "control_response",
        "response": {"subtype": "error", "request_id": "r", "error": told},
    }


def test_an_elicitation_has_three_answers() -> None:
    with pytest.raises(LocalProtocolError, match="'maybe'"):
        ElicitationAnswer("maybe")


def test_our_own_answers_are_read_back() -> None:
    assert decode(encode(failed("r", "why"))) == ControlResponse(Failed("r", "why"))
    assert decode(encode(succeeded("r", Deny("no")))) == ControlResponse(
        Succeeded("r", {"behavior": "deny", "message": "no"})
    )
    assert decode(encode(ControlCancel("r"))) == ControlCancel("r")


def test_an_unsupported_request_has_a_code() -> None:
    answers = [decode(text) for text in scenario("2.1.332/21_control_requests", "out") if "unsupported_request" in text]
    codes = {
        answer.response.error_code
        for answer in answers
        if isinstance(answer, ControlResponse) and isinstance(answer.response, Failed)
    }
    assert codes == {"unsupported_request"}


@pytest.mark.parametrize(
    ("failure", "unsupported"),
    [
        (Failed("r", "no such thing", "unsupported_request"), True),
        (Failed("r", "Unsupported control request subtype: get_plan"), True),  # 2.1.197
        (Failed("r", "Server not found: x"), False),
        (Failed("r"), False),
    ],
)
def test_a_request_that_the_cli_does_not_know_is_told_from_one_that_it_refuses(
    failure: Failed, *, unsupported: bool
) -> None:
    assert failure.unsupported is unsupported


def test_pending_asks_come_with_the_answer_to_initialize() -> None:
    pending = {"type": "control_request", "request_id": "p", "request": {"subtype": "can_use_tool", "input": {}}}
    open_ask = {**pending, "request": {"subtype": "can_use_tool", "tool_name": "t", "input": {}}}
    body = {"subtype": "success", "request_id": "r", "response": {}, "pending_permission_requests": [open_ask, pending]}
    message = decode(json.dumps({"type": "control_response", "response": body}))
    assert isinstance(message, ControlResponse)
    assert message.response.pending_permission_requests == (
        ControlRequest("p", CanUseTool("t", {})),
        ControlRequest("p", UnknownRequest({"subtype": "can_use_tool", "input": {}})),
    )
