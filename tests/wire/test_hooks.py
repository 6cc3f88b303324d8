"""What hooks are told."""

from typing import Any, get_args

import pytest

from bascule.wire.codec import decode
from bascule.wire.control import ControlRequest, HookCallback
from bascule.wire.hooks import (
    EVENTS,
    HookInput,
    Notification,
    PostToolUse,
    PreToolUse,
    Stop,
    UnknownHookInput,
    decode_hook_input,
)
from bascule.wire.leftover import beyond
from tests.wire.recorded import lines


def recorded_inputs() -> list[dict[str, Any]]:
    messages = [decode(recorded.line) for recorded in lines("out") if "hook_callback" in recorded.line]
    return [
        message.request.input
        for message in messages
        if isinstance(message, ControlRequest) and isinstance(message.request, HookCallback)
    ]


def test_every_recorded_input_is_read_whole() -> None:
    for raw in recorded_inputs():
        told = decode_hook_input(raw["hook_event_name"], raw)
        assert not isinstance(told, UnknownHookInput)
        assert beyond(raw, told) == {}


def test_the_recordings_hold_the_events_that_a_host_is_called_for() -> None:
    assert {raw["hook_event_name"] for raw in recorded_inputs()} == {"PreToolUse", "Stop"}


def test_a_pre_tool_use_hook_is_told_what_will_run() -> None:
    told = next(
        told for raw in recorded_inputs() if isinstance(told := decode_hook_input("PreToolUse", raw), PreToolUse)
    )
    assert told.tool_name == "Bash"
    assert told.tool_input["command"]
    assert told.effort is not None
    assert told.permission_mode


def test_a_stop_hook_is_told_whether_it_kept_the_model_going() -> None:
    told = [decode_hook_input("Stop", raw) for raw in recorded_inputs() if raw["hook_event_name"] == "Stop"]
    assert {stop.stop_hook_active for stop in told if isinstance(stop, Stop)} == {False, True}


@pytest.mark.parametrize(
    ("event", "raw"),
    [
        ("NewEvent", {"hook_event_name": "NewEvent"}),
        ("PreToolUse", {"hook_event_name": "PostToolUse", "tool_name": "t"}),
        ("PreToolUse", {"tool_input": {}}),
        ("Stop", "text"),
    ],
)
def test_what_is_not_understood_is_kept(event: str, raw: Any) -> None:
    assert decode_hook_input(event, raw) == UnknownHookInput(raw)


def test_an_unknown_input_says_its_event() -> None:
    assert UnknownHookInput({"hook_event_name": "NewEvent"}).tag == "NewEvent"


def test_a_field_that_does_not_fit_costs_that_field_only() -> None:
    told = decode_hook_input("PostToolUse", {"tool_name": "t", "duration_ms": "long", "cwd": "/"})
    assert told == PostToolUse(tool_name="t", cwd="/")


def test_the_event_need_not_be_named_twice() -> None:
    assert decode_hook_input("Notification", {"message": "m"}) == Notification(message="m")


def test_every_event_has_its_class() -> None:
    assert len(EVENTS) == len(set(EVENTS)) == len(get_args(HookInput)) - 1
