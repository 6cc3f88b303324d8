"""What a line says beyond its message."""

import json

from bascule.wire.blocks import Text
from bascule.wire.leftover import beyond, extra


def test_a_key_that_no_class_models_is_told_with_its_place() -> None:
    line = json.dumps(
        {
            "type": "assistant",
            "new": 1,
            "message": {"content": [{"type": "text", "text": "a", "sub": {"x": 2}}, {"type": "?", "y": 3}]},
        }
    )
    assert extra(line) == {("new",): 1, ("message", "content", 0, "sub"): {"x": 2}}


def test_a_value_that_did_not_fit_is_told() -> None:
    line = json.dumps(
        {"type": "result", "num_turns": "many", "errors": ["a", 5], "modelUsage": {"m": 3, "n": {"x": 1}}}
    )
    assert extra(line) == {
        ("num_turns",): "many",
        ("errors",): ["a", 5],
        ("modelUsage", "m"): 3,
        ("modelUsage", "n", "x"): 1,
    }


def test_a_null_counts_as_absent() -> None:
    assert extra('{"type":"assistant","message":null,"parent_tool_use_id":null}') == {}


def test_a_line_that_is_understood_leaves_nothing() -> None:
    assert extra('{"type":"system","subtype":"status","status":"requesting"}') == {}


def test_an_unknown_line_keeps_itself() -> None:
    assert extra('{"type":"hologram","x":1}') == {}
    assert extra("no json") == {}


def test_a_part_of_a_line_can_be_compared_alone() -> None:
    assert beyond({"type": "text", "text": "a", "new": 1}, Text("a")) == {("new",): 1}
