"""Reading is total: whatever the bytes are, there is a message, and what is written is one line of ASCII."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bascule.wire.codec import Message, Unknown, decode, encode
from bascule.wire.hooks import EVENTS, decode_hook_input
from bascule.wire.leftover import extra
from bascule.wire.permissions import decision_of
from tests.wire.recorded import lines

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
LINES = sorted({recorded.line for recorded in lines("out", "in") if len(recorded.line) < 8_000})
TYPES = [
    {"type": "assistant", "message": {"content": []}},
    {"type": "user", "message": {"content": []}},
    {"type": "stream_event", "event": {}},
    {"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "tool_name": "t"}},
    {"type": "control_response", "response": {"subtype": "success", "request_id": "r"}},
    {"type": "system", "subtype": "init"},
    {"type": "result", "modelUsage": {"m": {}}},
]


def check_is_total(line: str | bytes) -> Message:
    """The message of ``line``, whose strings are clean and which can be written again, or says why not."""
    message = decode(line)
    repr(message).encode("utf-8")
    extra(line)
    if not (isinstance(message, Unknown) and message.problem):
        written = encode(message)
        assert written.isascii()
        assert written.count(b"\n") == 1
        json.loads(written)
    return message


@given(st.binary())
def test_any_bytes_are_a_message(line: bytes) -> None:
    assert isinstance(check_is_total(line), Message)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_a_message(line: str) -> None:
    assert isinstance(check_is_total(line), Message)


@given(JSON)
def test_any_json_is_a_message(value: Any) -> None:
    assert isinstance(check_is_total(json.dumps(value)), Message)


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """A message with one of its parts, at any depth, replaced by any JSON."""
    source = draw(
        st.sampled_from(LINES).map(_loaded).filter(lambda value: isinstance(value, dict)) | st.sampled_from(TYPES)
    )
    return _changed(draw, source)


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _changed(draw: st.DrawFn, value: Any) -> Any:
    if value and isinstance(value, dict) and draw(st.integers(0, 3)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: _changed(draw, value[key])}
    if value and isinstance(value, list) and draw(st.integers(0, 3)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _changed(draw, value[at]), *value[at + 1 :]]
    return draw(JSON)


@settings(max_examples=400)
@given(changed())
def test_a_message_with_any_part_changed_is_a_message(value: Any) -> None:
    assert isinstance(check_is_total(json.dumps(value)), Message)


@settings(max_examples=200)
@given(st.sampled_from(LINES), st.data())
def test_a_damaged_line_is_a_message(line: str, data: st.DataObject) -> None:
    raw = line.encode("utf-8", "surrogatepass")
    at = data.draw(st.integers(0, len(raw)))
    damaged = raw[:at] + data.draw(st.binary(max_size=4)) + raw[at + data.draw(st.integers(0, 4)) :]
    assert isinstance(check_is_total(damaged), Message)
    assert decode(damaged.decode("utf-8", "surrogateescape")) is not None


@given(st.sampled_from(LINES))
def test_text_and_bytes_are_read_alike(line: str) -> None:
    assert decode(line) == decode(line.encode("utf-8", "surrogatepass")), "one line, two forms"


@given(st.sampled_from(EVENTS) | st.text(), JSON)
def test_any_hook_input_is_one(event: str, raw: Any) -> None:
    assert decode_hook_input(event, raw) is not None


@given(
    JSON
    | st.fixed_dictionaries({"behavior": st.sampled_from(["allow", "deny"]), "updatedInput": JSON, "message": JSON})
)
def test_any_answer_is_a_decision_or_none(answer: Any) -> None:
    decision = decision_of(answer)
    assert decision is None or answer["behavior"] in ("allow", "deny")
