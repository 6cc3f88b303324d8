"""What an answer to an ask may say, and that the wrong ones cannot be built."""

import json
from typing import Any

import msgspec
import pytest

from bascule.errors import LocalProtocolError
from bascule.wire.codec import decode
from bascule.wire.control import ControlResponse, Succeeded
from bascule.wire.permissions import AddDirectories, AddRules, Allow, Deny, Rule, SetMode, decision_of
from tests.wire.recorded import lines, scenario


def written(answer: Allow | Deny) -> Any:
    return json.loads(msgspec.json.encode(answer))


def test_L15_allow_always_carries_an_input() -> None:
    assert written(Allow({})) == {"behavior": "allow", "updatedInput": {}}
    with pytest.raises(TypeError, match="updated_input"):
        Allow()  # type: ignore[call-arg]


@pytest.mark.parametrize("wrong", ["text", None, ()])
def test_an_allow_cannot_carry_what_is_no_input(wrong: Any) -> None:
    with pytest.raises(LocalProtocolError, match="as a dict"):
        Allow(wrong)


@pytest.mark.parametrize("message", ["", None])
def test_a_deny_always_says_why(message: Any) -> None:
    with pytest.raises(LocalProtocolError, match="must not be empty"):
        Deny(message)


def test_an_allow_may_change_the_rules() -> None:
    updates = (
        AddRules(rules=(Rule("t", "a *"),), behavior="allow", destination="session"),
        SetMode("acceptEdits", "session"),
        AddDirectories(directories=("/tmp",), destination="session"),
    )
    assert written(Allow({}, updated_permissions=updates))["updatedPermissions"] == [
        {
            "type": "addRules",
            "rules": [{"toolName": "t", "ruleContent": "a *"}],
            "behavior": "allow",
            "destination": "session",
        },
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "addDirectories", "directories": ["/tmp"], "destination": "session"},
    ]


def test_a_deny_may_end_the_turn() -> None:
    assert written(Deny("no", interrupt=True, tool_use_id="t")) == {
        "behavior": "deny",
        "message": "no",
        "interrupt": True,
        "toolUseID": "t",
    }


def test_a_rule_has_a_text_form() -> None:
    assert [str(Rule("t")), str(Rule("t", "git diff *"))] == ["t", "t(git diff *)"]


def decisions(name: str) -> list[Allow | Deny | None]:
    answers = map(decode, scenario(name, "in"))
    return [
        decision_of(answer.response.response)
        for answer in answers
        if isinstance(answer, ControlResponse) and isinstance(answer.response, Succeeded)
    ]


@pytest.mark.parametrize("version", ["2.1.332", "2.1.197"])
def test_a_recorded_decision_is_read(version: str) -> None:
    (deny,) = decisions(f"{version}/08_deny_msg")
    (interrupting,) = (answer for answer in decisions(f"{version}/08_deny_interrupt") if answer)
    (allow,) = decisions(f"{version}/08_always_write_setmode")
    assert isinstance(deny, Deny)
    assert isinstance(interrupting, Deny)
    assert isinstance(allow, Allow)
    assert (deny.interrupt, interrupting.interrupt) == (False, True)
    assert SetMode("acceptEdits", "session") in allow.updated_permissions


def test_an_allow_without_an_input_is_still_read_as_one() -> None:
    (answer,) = decisions("2.1.332/08_allow_no_updatedInput")
    assert answer == Allow({})


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "x",
        {},
        {"behavior": "maybe"},
        {"behavior": "deny"},
        {"behavior": "deny", "message": ""},
        {"behavior": "allow", "updatedInput": "text"},
    ],
)
def test_what_the_cli_would_not_take_is_no_decision(answer: Any) -> None:
    assert decision_of(answer) is None


def test_every_recorded_decision_is_one() -> None:
    bodies = [
        message.response.response
        for recorded in lines("in")
        if isinstance(message := decode(recorded.line), ControlResponse) and isinstance(message.response, Succeeded)
    ]
    asked = [body for body in bodies if isinstance(body, dict) and body.get("behavior") in ("allow", "deny")]
    refused = [body for body in asked if decision_of(body) is None]
    assert len(asked) > 100
    assert refused == [
        {"behavior": "allow", "updatedInput": "str"},
        {"behavior": "deny"},
        {"behavior": "allow", "updatedInput": "str"},
        {"behavior": "deny"},
    ]
