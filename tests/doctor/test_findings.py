"""What is read from a CLI's conversations."""

import json
from typing import Any

from bascule.doctor.findings import NEW, Findings, findings
from bascule.recording import Entry
from tests.doctor.recorded import scene


def said(*lines: dict[str, Any] | str) -> Findings:
    """The findings of a CLI that said this."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return findings(Entry(0, "out", text) for text in texts)


def asked(subtype: str, response: dict[str, Any], **request: Any) -> list[Entry]:
    """A request of ours and what it was answered with."""
    ours = {"type": "control_request", "request_id": "r1", "request": {"subtype": subtype, **request}}
    theirs = {"type": "control_response", "response": {"request_id": "r1", **response}}
    return [Entry(0, "in", json.dumps(ours)), Entry(0, "out", json.dumps(theirs))]


def test_keys_are_noted_by_kind_without_the_envelope() -> None:
    found = said(
        {"type": "result", "subtype": "success", "uuid": "u", "session_id": "s", "is_error": False},
        {"type": "result", "total_cost_usd": 1},
        {"type": "system", "subtype": "status", "status": None},
    )
    assert found.keys == {"result": {"is_error", "total_cost_usd"}, "system/status": {"status"}}
    assert found.unread == {}


def test_a_message_of_a_new_kind_is_new() -> None:
    found = said({"type": "system", "subtype": "weather", "wind": 3}, {"type": "opinion", "text": "x"})
    assert found.unread == {"system/weather": {NEW}, "opinion": {NEW}}
    assert found.keys["system/weather"] == {"wind"}


def test_what_no_class_takes_is_told_by_its_place() -> None:
    found = said(
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "x", "mood": 1}], "usage": {"gold": 2}}},
        {"type": "result", "num_turns": "many"},
    )
    assert found.unread == {"assistant": {"message.content.mood", "message.usage.gold"}, "result": {"num_turns"}}


def test_a_line_that_is_no_json_is_told() -> None:
    assert said("Segmentation fault").unread == {"(no JSON)": {"Segmentation fault"}}


def test_init_tells_tools_capabilities_and_the_version() -> None:
    init = {"type": "system", "subtype": "init", "tools": ["Bash"], "claude_code_version": "2.1.9"}
    found = said(init, {**init, "tools": ["Read"], "capabilities": ["c1"]})
    assert found.tools == {"Bash", "Read"}
    assert found.capabilities == {"c1"}
    assert found.version == "2.1.9"


def test_the_handshake_tells_models_and_the_version() -> None:
    body = {"models": [{"value": "opus"}, {"displayName": "?"}], "claude_code_version": "2.2.0", "mood": "good"}
    found = findings(asked("initialize", {"subtype": "success", "response": body}))
    assert found.models == {"opus"}
    assert found.version == "2.2.0"
    assert found.unread == {"answer/initialize": {"mood"}}
    assert found.keys["answer/initialize"] == body.keys()


def test_a_request_that_fails_is_known_and_one_that_is_unsupported_is_not() -> None:
    entries = [
        *asked("get_plan", {"subtype": "error", "error": "there is no plan"}),
        *asked("get_status", {"subtype": "error", "error": "Unsupported control request subtype: get_status"}),
        *asked("mcp_status", {"subtype": "success"}),
    ]
    assert findings(entries).requests == {"get_plan", "mcp_status"}


def test_echoes_of_our_own_answers_are_nothing() -> None:
    echo = {"type": "control_response", "response": {"subtype": "success", "request_id": "theirs", "response": {}}}
    assert said(echo) == Findings()


def test_hooks_that_are_listed_are_hook_events() -> None:
    body = {"eventCatalog": [{"name": "PreToolUse"}, {"name": "Sunrise"}, {"summary": "?"}]}
    found = findings(asked("get_hooks_listing", {"subtype": "success", "response": body}))
    assert found.hook_events == {"PreToolUse", "Sunrise"}


def test_what_a_hook_is_told_is_a_kind_of_its_own() -> None:
    hook = {"hook_event_name": "Stop", "stop_hook_active": True, "mood": 1}
    request = {"subtype": "hook_callback", "callback_id": "c", "input": hook}
    found = said({"type": "control_request", "request_id": "x", "request": request})
    assert found.keys["hook/Stop"] == {"stop_hook_active", "mood"}
    assert found.unread == {"hook/Stop": {"mood"}}
    assert found.keys["asked/hook_callback"] == {"callback_id", "input"}
    assert found.hook_events == frozenset()


def test_a_request_of_a_new_kind_is_noted_by_its_name() -> None:
    found = said({"type": "control_request", "request_id": "x", "request": {"subtype": "dance", "to": "y"}})
    assert found.keys == {"asked/dance": {"to"}}
    assert found.unread == {"asked/dance": {NEW}}


def test_our_own_lines_are_not_the_clis() -> None:
    assert findings([Entry(0, "in", '{"type":"user","mood":1}'), Entry(0, "err", "oh"), Entry(0, "note", "{}")]) == (
        Findings()
    )


def test_a_recorded_scene_is_read() -> None:
    found = findings(scene("2.1.332", "conversation"))
    assert found.version == "2.1.332"
    assert {"asked/can_use_tool", "hook/PreToolUse", "command_lifecycle", "answer/interrupt"} <= found.keys.keys()
    assert found.requests >= {"initialize", "interrupt", "set_model", "get_hooks_listing"}
    assert "ExitPlanMode" in found.tools
    assert "Stop" in found.hook_events
