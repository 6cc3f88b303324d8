"""What hooks may answer; a mistake in the form would let the tool run."""

import json
from typing import Any

import msgspec
import pytest

from bascule.errors import LocalProtocolError
from bascule.wire.codec import decode
from bascule.wire.control import ControlResponse, Succeeded
from bascule.wire.hook_outputs import (
    HookOutput,
    PermissionRequestOutput,
    PostToolUseOutput,
    PreModelSwitchOutput,
    PreSkillShellCommandOutput,
    PreToolUseOutput,
    SessionStartOutput,
    WorktreeCreateOutput,
)
from bascule.wire.permissions import Deny
from tests.wire.recorded import scenario


def written(output: HookOutput) -> Any:
    return json.loads(msgspec.json.encode(output))


def test_a_denial_is_written_as_the_cli_wants_it() -> None:
    output = HookOutput(specific=PreToolUseOutput(permission_decision="deny", reason="not on main"))
    assert written(output) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "not on main",
        }
    }


def test_a_changed_input_is_what_the_recording_shows() -> None:
    bodies = [
        message.response.response
        for message in map(decode, scenario("2.1.332/07_hook_updatedInput", "in"))
        if isinstance(message, ControlResponse) and isinstance(message.response, Succeeded)
    ]
    (recorded,) = (body for body in bodies if "hookSpecificOutput" in body)
    specific = recorded["hookSpecificOutput"]
    output = PreToolUseOutput(
        permission_decision=specific["permissionDecision"], updated_input=specific["updatedInput"]
    )
    assert written(HookOutput(specific=output)) == recorded


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (HookOutput(), {}),
        (HookOutput(go_on=False, stop_reason="x"), {"continue": False, "stopReason": "x"}),
        (HookOutput(system_message="m", suppress_output=True), {"systemMessage": "m", "suppressOutput": True}),
        (HookOutput(decision="block", reason="r"), {"decision": "block", "reason": "r"}),
        (
            HookOutput(specific=PostToolUseOutput(additional_context="c", updated_tool_output="o")),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PostToolUse",
                    "additionalContext": "c",
                    "updatedToolOutput": "o",
                }
            },
        ),
        (
            HookOutput(specific=PermissionRequestOutput(decision=Deny("no"))),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PermissionRequest",
                    "decision": {"behavior": "deny", "message": "no"},
                }
            },
        ),
        (
            HookOutput(specific=SessionStartOutput(watch_paths=("a",))),
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": ["a"]}},
        ),
        (
            HookOutput(specific=WorktreeCreateOutput(worktree_path="/w")),
            {"hookSpecificOutput": {"hookEventName": "WorktreeCreate", "worktreePath": "/w"}},
        ),
    ],
)
def test_the_form_of_an_output(output: HookOutput, told: object) -> None:
    assert written(output) == told


@pytest.mark.parametrize("kind", [PreToolUseOutput, PreSkillShellCommandOutput, PreModelSwitchOutput])
def test_an_unknown_decision_cannot_be_built(kind: Any) -> None:
    with pytest.raises(LocalProtocolError, match="would let the tool run"):
        kind(permission_decision="maybe")


def test_a_hook_blocks_or_approves() -> None:
    with pytest.raises(LocalProtocolError, match="'deny'"):
        HookOutput(decision="deny")
