"""What a host registers before the first prompt."""

import json

import pytest

from bascule.errors import LocalProtocolError
from bascule.wire.codec import decode, encode
from bascule.wire.control import ControlRequest
from bascule.wire.initialize import Agent, HookMatcher, Initialize
from tests.wire.recorded import scenario


def test_hooks_agents_and_servers_are_written_as_the_cli_wants_them() -> None:
    initialize = Initialize(
        hooks={"PreToolUse": (HookMatcher(("h1",), matcher="Bash", timeout_s=5, on_failure="block"),)},
        agents={
            "a": Agent("d", "p", tools=(), omit_claude_md=True),
            "b": Agent("d", "p", observer="a", critical_system_reminder="r", auto_compact_window=100_000),
        },
        sdk_mcp_servers=("calc",),
        append_system_prompt="s",
        skills=(),
        json_schema={},
    )
    assert json.loads(encode(ControlRequest("r", initialize))) == {
        "type": "control_request",
        "request_id": "r",
        "request": {
            "subtype": "initialize",
            "hooks": {
                "PreToolUse": [
                    {"hookCallbackIds": ["h1"], "matcher": "Bash", "timeout": 5, "onFailure": "block"},
                ]
            },
            "agents": {
                "a": {"description": "d", "prompt": "p", "tools": [], "omitClaudeMd": True},
                "b": {
                    "description": "d",
                    "prompt": "p",
                    "observer": "a",
                    "criticalSystemReminder_EXPERIMENTAL": "r",
                    "autoCompactWindow": 100_000,
                },
            },
            "sdkMcpServers": ["calc"],
            "appendSystemPrompt": "s",
            "skills": [],
            "jsonSchema": {},
        },
    }


def test_nothing_asked_for_is_nothing_written() -> None:
    assert json.loads(encode(ControlRequest("r", Initialize())))["request"] == {"subtype": "initialize"}


def test_a_recorded_initialize_is_read() -> None:
    requests = [decode(line) for line in scenario("2.1.332/07_hook_err_block", "in")]
    (initialize,) = (
        message.request
        for message in requests
        if isinstance(message, ControlRequest) and isinstance(message.request, Initialize)
    )
    assert initialize.hooks["PreToolUse"][0].on_failure == "block"


def test_a_matcher_without_a_callback_cannot_be_built() -> None:
    with pytest.raises(LocalProtocolError, match="at least one callback"):
        HookMatcher(())
