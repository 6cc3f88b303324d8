"""What an answer of the host means, to either version."""

from typing import Any

import pytest

from bascule.testing.fake_cli import VERSIONS
from bascule.testing.fake_cli.answers import INVALID, Allowed, Broken, Denied, Said, hook, permission

NEW, OLD = VERSIONS.values()


def success(payload: Any) -> dict[str, Any]:
    return {"subtype": "success", "request_id": "a", "response": payload}


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
@pytest.mark.parametrize(
    ("payload", "meant"),
    [
        ({"behavior": "allow", "updatedInput": {"a": 1}}, Allowed({"a": 1})),
        (
            {"behavior": "allow", "updatedInput": {}, "updatedPermissions": [{"type": "setMode"}, 5]},
            Allowed({}, ({"type": "setMode"},)),
        ),
        ({"behavior": "allow", "updatedInput": {}, "updatedPermissions": "x"}, Allowed({})),
        ({"behavior": "deny", "message": "no"}, Denied("no")),
        ({"behavior": "deny", "message": "no", "interrupt": True}, Denied("no", interrupt=True)),
        ({"behavior": "deny", "message": "no", "interrupt": "yes"}, Denied("no")),
    ],
)
def test_a_right_answer_is_understood(payload: Any, meant: object, version: Any) -> None:
    assert permission(success(payload), version) == meant
    assert permission({**success(payload), "subtype": "weird"}, version) == meant


@pytest.mark.parametrize("payload", [None, "x", {}, {"behavior": "maybe"}, {"behavior": "deny"}])
def test_a_wrong_answer_fails_in_the_words_of_the_version(payload: Any) -> None:
    assert permission(success(payload), NEW) == Broken(INVALID)
    failed = permission(success(payload), OLD)
    assert isinstance(failed, Broken)
    assert failed.words.startswith("Tool permission request failed: ZodError: ")


def test_L15_only_the_newer_version_does_without_the_input() -> None:
    assert permission(success({"behavior": "allow"}), NEW) == Allowed(None)
    assert isinstance(permission(success({"behavior": "allow"}), OLD), Broken)
    assert isinstance(permission(success({"behavior": "allow", "updatedInput": "x"}), NEW), Broken)


def test_an_error_is_told_to_the_model() -> None:
    answer = {"subtype": "error", "error": "UI crashed"}
    assert permission(answer, NEW) == Broken("Tool permission request failed: Error: UI crashed")


def specific(event: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({}, Said()),
        (specific(), Said()),
        (specific(permissionDecision="deny", permissionDecisionReason="no"), Said(decision="deny", reason="no")),
        (specific(permissionDecision="allow", updatedInput={"a": 1}), Said(decision="allow", input={"a": 1})),
        (specific(permissionDecision="perhaps"), Said(failed=True)),
        (specific("Stop"), Said(misdirected=True)),
        ({"decision": "block", "reason": "no"}, Said(decision="deny", reason="no")),
        ({"decision": "approve"}, Said()),
        ({"continue": False, "systemMessage": "look"}, Said(stops=True, system_message="look")),
        ("x", Said(failed=True)),
        (None, Said(failed=True)),
    ],
)
def test_a_hook_before_a_tool(payload: Any, said: Said) -> None:
    assert hook(success(payload), "PreToolUse", NEW) == said


def test_a_hook_elsewhere_blocks_and_does_not_deny() -> None:
    assert hook(success({"decision": "block", "reason": "r"}), "Stop", NEW) == Said(decision="block", reason="r")
    assert hook({"subtype": "error", "error": "x"}, "Stop", NEW) == Said(failed=True)
