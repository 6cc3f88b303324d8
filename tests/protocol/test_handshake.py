"""What is registered before the first prompt, and what the answer tells."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule import recording
from bascule.errors import LocalProtocolError
from bascule.protocol.connection import AnswerReceived, Connection
from bascule.protocol.handshake import HOOK_TIMEOUT_S, Hook, Welcome, hello, welcome
from bascule.wire.codec import decode
from bascule.wire.control import ControlRequest, ControlResponse, Succeeded
from bascule.wire.hooks import NEVER_CALLED
from bascule.wire.initialize import Agent, Initialize

RECORDINGS = Path(__file__).parents[1] / "recordings"


def written(body: Initialize) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(Connection().request(body).line)["request"]
    return request


def test_nothing_registered_is_the_bare_request() -> None:
    assert written(hello()) == {"subtype": "initialize"}


def test_a_gate_blocks_when_it_fails_and_has_a_day() -> None:
    assert written(hello([Hook(event="PreToolUse", callback_id="gate")]))["hooks"] == {
        "PreToolUse": [{"hookCallbackIds": ["gate"], "timeout": HOOK_TIMEOUT_S, "onFailure": "block"}]
    }


def test_other_hooks_do_not_block_and_keep_their_order() -> None:
    hooks = [
        Hook(event="Stop", callback_id="git", timeout_s=9),
        Hook(event="PreToolUse", callback_id="gate"),
        Hook(event="Stop", callback_id="user", matcher="Ba.*"),
    ]
    assert written(hello(hooks))["hooks"]["Stop"] == [
        {"hookCallbackIds": ["git"], "timeout": 9},
        {"hookCallbackIds": ["user"], "matcher": "Ba.*", "timeout": HOOK_TIMEOUT_S},
    ]


def test_all_that_a_host_can_bring() -> None:
    body = hello(
        agents={"r": Agent(description="reads", prompt="Read.")},
        sdk_servers=["calc", "desk"],
        sdk_manifests={"desk": {"initializeResult": {}}},
        system_prompt=("a", "b"),
        append_system_prompt="c",
        json_schema={},
        title="t",
        dialog_kinds=("a dialog",),
        skills=(),
        tool_aliases={"Bash": "mcp__x__bash"},
        plan_mode_instructions="p",
        system_prompt_snapshot=False,
        exclude_dynamic_sections=True,
        forward_subagent_text=True,
        per_task_stop=True,
    )
    assert written(body) == {
        "subtype": "initialize",
        "agents": {"r": {"description": "reads", "prompt": "Read."}},
        "sdkMcpServers": ["calc", "desk"],
        "sdkMcpServerManifests": {"desk": {"initializeResult": {}}},
        "systemPrompt": ["a", "b"],
        "appendSystemPrompt": "c",
        "jsonSchema": {},
        "title": "t",
        "supportedDialogKinds": ["a dialog"],
        "skills": [],
        "toolAliases": {"Bash": "mcp__x__bash"},
        "planModeInstructions": "p",
        "systemPromptSnapshot": False,
        "excludeDynamicSections": True,
        "forwardSubagentText": True,
        "perTaskStopAffordance": True,
    }


@pytest.mark.parametrize("event", sorted(NEVER_CALLED))
def test_S18_an_event_that_is_never_called_back_is_refused(event: str) -> None:
    with pytest.raises(LocalProtocolError, match=f"never calls {event}"):
        hello([Hook(event=event, callback_id="x")])


@pytest.mark.parametrize(
    ("hook", "written_as"),
    [
        (Hook(event="PreToolUse", callback_id="x"), "block"),
        (Hook(event="PreToolUse", callback_id="x", blocks=False), "continue"),
        (Hook(event="UserPromptSubmit", callback_id="x", blocks=True), "block"),
        (Hook(event="Stop", callback_id="x"), None),
        (Hook(event="Stop", callback_id="x", blocks=False), "continue"),
    ],
)
def test_what_a_failed_hook_means_is_said(hook: Hook, written_as: str | None) -> None:
    assert written(hello([hook]))["hooks"][hook.event][0].get("onFailure") == written_as


def test_a_hook_that_could_stop_nothing_cannot_block() -> None:
    with pytest.raises(LocalProtocolError, match="PostToolUse hook can stop nothing"):
        hello([Hook(event="PostToolUse", callback_id="x", blocks=True)])


def test_two_hooks_with_one_id_are_refused() -> None:
    with pytest.raises(LocalProtocolError, match="'x'"):
        hello([Hook(event="Stop", callback_id="x"), Hook(event="PreToolUse", callback_id="x")])


def recorded(version: str, name: str) -> Welcome:
    """The welcome in a recording: the answer to its own `initialize`."""
    asked: set[str] = set()
    for entry in recording.read((RECORDINGS / version / f"{name}.jsonl").read_bytes().splitlines()):
        assert isinstance(entry, recording.Entry)
        match decode(entry.line) if entry.dir in ("in", "out") else None:
            case ControlRequest(request_id=request_id, request=Initialize()):
                asked.add(request_id)
            case ControlResponse(response=Succeeded() as answer) if answer.request_id in asked:
                return welcome(answer)
    pytest.fail(f"{name} holds no answer to initialize")


def test_a_new_cli_tells_its_version_and_that_gates_hold() -> None:
    told = recorded("2.1.332", "21_init_and_prompt_pipelined")
    assert told.version == "2.1.332"
    assert told.gates_hold
    assert told.mode == "default"
    assert told.models
    assert "compact" in {command.name for command in told.commands}
    assert told.capabilities


def test_an_older_cli_tells_less() -> None:
    told = recorded("2.1.197", "21_init_and_prompt_pipelined")
    assert told.version is None
    assert not told.gates_hold
    assert told.models
    assert told.commands
    assert told.capabilities == frozenset()


@pytest.mark.parametrize("body", [None, 1, [], {"commands": 3, "models": [{}], "capabilities": "x"}])
def test_an_odd_answer_tells_nothing(body: Any) -> None:
    connection = Connection()
    asked = connection.request(hello())
    line = {"type": "control_response", "response": {"subtype": "success", "request_id": asked[0], "response": body}}
    (event,) = connection.receive(decode(json.dumps(line)))
    assert isinstance(event, AnswerReceived)
    assert isinstance(event.answer, Succeeded)
    assert welcome(event.answer) == Welcome()
