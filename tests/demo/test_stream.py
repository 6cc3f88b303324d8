"""A reply in the words of the Messages API."""

import json
from typing import Any

import pytest

from bascule.demo.asked import Asked
from bascule.demo.script import (
    Call,
    Cut,
    Part,
    Pause,
    Reply,
    Usage,
    Wait,
    block,
    call,
    cut,
    drop,
    fail,
    headers,
    pause,
    say,
    stop,
    think,
    usage,
    wait,
)
from bascule.demo.stream import Envelope, Frame, Sheet, counted, frames, sheet, tokens, whole
from tests.demo.asking import asked, assistant, user

COUNTS = Usage(100, 20, 30, 4)


def envelope(*, chunk: int = 100, delay_s: float = 0.0) -> Envelope:
    return Envelope(message_id="msg_1", model="claude-test", usage=COUNTS, chunk=chunk, delay_s=delay_s)


def played(*parts: Part, chunk: int = 100, delay_s: float = 0.0) -> list[Any]:
    """The stream, its events as values."""
    return [_value(frame) for frame in frames(sheet(Reply(parts)), envelope(chunk=chunk, delay_s=delay_s))]


def _value(frame: Frame) -> Any:
    return json.loads(frame.split(b"data: ")[1]) if isinstance(frame, bytes) else frame


def kinds(stream: list[Any]) -> list[Any]:
    return [frame["type"] if isinstance(frame, dict) else frame for frame in stream]


def deltas(stream: list[Any]) -> list[Any]:
    return [frame["delta"] for frame in stream if isinstance(frame, dict) and frame["type"] == "content_block_delta"]


def test_text_streams_in_the_order_of_the_api() -> None:
    assert kinds(played(say("hi"))) == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_message_start_holds_the_counts_with_one_output_token_and_message_delta_the_final_ones() -> None:
    stream = played(say("hi"))
    start, end = stream[0]["message"], stream[-2]
    assert start["usage"] == {
        "input_tokens": 100,
        "cache_creation_input_tokens": 4,
        "cache_read_input_tokens": 30,
        "output_tokens": 1,
    }
    assert (start["id"], start["model"], start["content"], start["stop_reason"]) == ("msg_1", "claude-test", [], None)
    assert end["usage"] == {**start["usage"], "output_tokens": 20}
    assert end["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}


def test_text_is_cut_into_deltas_of_the_script_or_of_the_step() -> None:
    assert deltas(played(say("abcde"), chunk=2)) == [
        {"type": "text_delta", "text": piece} for piece in ("ab", "cd", "e")
    ]
    assert deltas(played(say("abcde", chunk=4), chunk=2))[0]["text"] == "abcd"


def test_slow_text_pauses_after_each_delta() -> None:
    assert [frame for frame in played(say("abc"), chunk=1, delay_s=0.5) if isinstance(frame, Pause)] == [Pause(0.5)] * 3
    assert Pause(0.5) not in played(say("abc", delay_s=0), chunk=1, delay_s=0.5)


def test_thinking_ends_with_its_signature() -> None:
    stream = played(think("hm", signature="sig"))
    assert stream[2]["content_block"] == {"type": "thinking", "thinking": "", "signature": ""}
    assert deltas(stream) == [
        {"type": "thinking_delta", "thinking": "hm"},
        {"type": "signature_delta", "signature": "sig"},
    ]


def test_call_streams_its_input_as_json_and_stops_for_the_tool() -> None:
    stream = played(call("Read", file_path="/a"), chunk=5)
    start = stream[2]["content_block"]
    assert start == {"type": "tool_use", "id": "toolu_1_0", "name": "Read", "input": {}}
    assert json.loads("".join(delta["partial_json"] for delta in deltas(stream))) == {"file_path": "/a"}
    assert stream[-2]["delta"]["stop_reason"] == "tool_use"


def test_call_may_name_its_id_and_send_what_is_no_json() -> None:
    stream = played(Call("Read", id="toolu_mine", raw='{"file'))
    assert stream[2]["content_block"]["id"] == "toolu_mine"
    assert deltas(stream) == [{"type": "input_json_delta", "partial_json": '{"file'}]


def test_other_blocks_are_sent_at_once() -> None:
    stream = played(block(type="web_search_tool_result", tool_use_id="srv", content=[]), say("found"))
    assert stream[2]["content_block"] == {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []}
    assert kinds(stream)[3:5] == ["content_block_stop", "content_block_start"]
    assert [frame["index"] for frame in stream if "index" in frame] == [0, 0, 1, 1, 1]


def test_input_of_a_server_tool_comes_in_a_delta() -> None:
    stream = played(block(type="server_tool_use", id="srv", name="web_search", input={"query": "x"}))
    assert stream[2]["content_block"] == {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}}
    assert deltas(stream) == [{"type": "input_json_delta", "partial_json": '{"query": "x"}'}]


def test_waits_inside_a_message_stand_between_its_blocks() -> None:
    stream = played(say("a"), wait("gate"), pause(1), say("b"))
    assert stream[5:7] == [Wait("gate"), Pause(1)]


def test_what_stands_in_front_is_waited_for_before_the_stream() -> None:
    one = sheet(Reply((headers({"x": "1"}), wait("gate"), pause(1), say("a"))))
    assert one.opening == (Wait("gate"), Pause(1))
    assert not [frame for frame in frames(one, envelope()) if not isinstance(frame, bytes)]


def test_cut_after_a_block_leaves_the_message_without_an_end() -> None:
    assert kinds(played(say("a"), cut()))[-2:] == ["content_block_stop", Cut("after")]


def test_cut_inside_a_block_leaves_the_block_without_an_end() -> None:
    assert kinds(played(say("a"), cut("inside")))[-2:] == ["content_block_delta", Cut("after")]


def test_error_behind_a_block_is_an_event_of_the_stream() -> None:
    stream = played(say("a"), fail(529, message="too much"))
    assert stream[-1] == {"type": "error", "error": {"type": "overloaded_error", "message": "too much"}}
    assert sheet(Reply((say("a"), fail(529)))).failure is None


@pytest.mark.parametrize("failure", [fail(429), drop()])
def test_error_in_front_is_the_whole_answer(failure: Any) -> None:
    one = sheet(Reply((wait("gate"), failure)))
    assert (one.opening, one.failure) == ((Wait("gate"),), failure)


def test_script_sets_stop_reason_and_headers() -> None:
    one = sheet(Reply((headers({"a": "1", "b": "1"}), call("X"), headers({"b": "2"}), stop("max_tokens"))))
    assert (one.stop_reason, one.headers) == ("max_tokens", {"a": "1", "b": "2"})


def test_whole_body_says_the_same_as_the_stream() -> None:
    reply = Reply((think("hm", signature="sig"), say("hi"), call("Read", file_path="/a")))
    assert whole(sheet(reply), envelope()) == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "toolu_1_2", "name": "Read", "input": {"file_path": "/a"}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 4,
            "cache_read_input_tokens": 30,
            "output_tokens": 20,
        },
    }


def greeting() -> Sheet:
    return sheet(Reply((say("hello there"),)))


def test_counts_of_the_script_stand_and_the_rest_is_estimated() -> None:
    given = sheet(Reply((say("hello there"), usage(input=5, output=6, cache_read=7, cache_creation=8))))
    assert counted(given, Asked()) == Usage(5, 6, 7, 8)
    partly = counted(sheet(Reply((say("hello there"), usage(input=5)))), Asked())
    assert (partly.input, partly.output) == (5, counted(greeting(), Asked()).output)


def test_newest_message_is_input_and_what_was_there_before_is_read_from_the_cache() -> None:
    short = counted(greeting(), asked(user("hi")))
    longer = counted(greeting(), asked(user("x" * 4000), assistant("yes"), user("hi")))
    assert short.input == longer.input
    assert (longer.cache_read or 0) - (short.cache_read or 0) > 1000


def test_nothing_counts_as_one_token() -> None:
    assert tokens("") == 1
