"""What one line becomes, and what one message is written as."""

import json
from typing import Any

import pytest

from bascule.errors import LocalProtocolError
from bascule.wire import codec, messages, stream, system
from bascule.wire.blocks import Document, Image, Source, Text, Thinking, ToolResult, ToolUse, UnknownBlock
from bascule.wire.codec import Unknown, decode, encode, prepare
from bascule.wire.control import CanUseTool, ControlCancel, ControlRequest, ControlResponse, Succeeded, UnknownRequest
from bascule.wire.json_text import DEPTH_LIMIT
from bascule.wire.messages import Assistant, User, UserBody
from bascule.wire.permissions import Allow
from bascule.wire.result import Result
from tests.wire.recorded import scenario


def line(**value: Any) -> str:
    return json.dumps(value)


def assistant(*content: Any, **more: Any) -> str:
    return line(type="assistant", message={"id": "m", "content": list(content)}, **more)


def blocks(text: str | bytes) -> Any:
    message = decode(text)
    assert isinstance(message, Assistant)
    return message.message.content


def ask(**request: Any) -> str:
    return line(type="control_request", request_id="r", request=request)


def test_a_text_turn_is_init_then_assistant_then_result() -> None:
    init, said, result = map(decode, scenario("2.1.332/01_simple_text", "out"))
    assert isinstance(init, system.Init)
    assert isinstance(said, Assistant)
    assert isinstance(result, Result)
    assert init.permission_mode == "default"
    assert init.api_key_source == "ANTHROPIC_API_KEY"
    assert init.session_id == said.session_id == result.session_id
    assert said.message.content == (Text("Hello from the fake model."),)
    assert said.message.usage is not None
    assert (said.message.usage.input_tokens, said.message.usage.output_tokens) == (10, 1)
    assert (result.subtype, result.is_error, result.terminal_reason) == ("success", False, "completed")
    assert result.model_usage["claude-opus-5-5"].cost_usd == result.total_cost_usd == 0.0002964
    assert result.model_usage["claude-opus-5-5"].context_window == 1_000_000


@pytest.mark.parametrize(
    "text", [line(type="keep_alive"), line(type="keep_alive").encode(), b'{"type":"keep_alive"}\r\n']
)
def test_a_line_is_text_or_bytes_with_or_without_its_newline(text: str | bytes) -> None:
    assert decode(text) == messages.KeepAlive()


def test_the_type_may_stand_anywhere() -> None:
    text = '{"subtype":"init","model":"m","a":{"type":"result"},"type":"system","tools":["x"]}'
    assert decode(text) == system.Init(model="m", tools=("x",))


def test_L1_an_unknown_block_leaves_the_rest_of_the_line_alive() -> None:
    new = {"type": "hologram", "z": 1}
    read = blocks(assistant({"type": "text", "text": "a"}, new, {"type": "thinking", "thinking": "b"}))
    assert read == (Text("a"), UnknownBlock(new), Thinking("b"))
    assert read[1].tag == "hologram"


def test_L1_a_block_that_lacks_what_its_kind_needs_is_unknown() -> None:
    nameless = {"type": "tool_use", "id": "t"}
    assert blocks(assistant(nameless, "bare")) == (UnknownBlock(nameless), UnknownBlock("bare"))


@pytest.mark.parametrize("content", [{"one": "object"}, [], None, 5, "text", [{"type": "text", "text": "x"}]])
def test_L2_a_tool_result_may_hold_any_json(content: Any) -> None:
    text = line(
        type="user",
        message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": content}]},
    )
    message = decode(text)
    assert isinstance(message, User)
    assert message.message.content == (ToolResult("t", content),)


def test_L3_images_and_documents_in_user_messages_survive() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    document = {"type": "document", "source": {"type": "text", "data": "x"}, "title": "t"}
    message = decode(line(type="user", message={"role": "user", "content": [image, document]}))
    assert isinstance(message, User)
    assert message.message.content == (
        Image(Source("base64", media_type="image/png", data="AA==")),
        Document(Source("text", data="x"), title="t"),
    )


def test_L4_F56_S10_an_unknown_type_is_kept_whole_and_has_no_problem() -> None:
    text = line(type="hologram", subtype="new", x={"y": 1})
    assert decode(text) == Unknown("hologram", "new", text)
    assert decode(line(type="system", subtype="new")) == Unknown("system", "new", line(type="system", subtype="new"))


def test_L4_a_tool_progress_heartbeat_is_known() -> None:
    heartbeats = [decode(text) for text in scenario("2.1.332/30_tool_progress", "out") if '"tool_progress"' in text]
    assert heartbeats
    assert all(isinstance(heartbeat, messages.ToolProgress) for heartbeat in heartbeats)


def test_L5_S10_a_rate_limit_event_says_what_was_sent_and_nothing_more() -> None:
    text = line(
        type="rate_limit_event",
        rate_limit_info={"status": "rejected", "resetsAt": 1.5e9, "rateLimitType": "five_hour", "isUsingOverage": True},
    )
    message = decode(text)
    assert isinstance(message, messages.RateLimitEvent)
    assert message.rate_limit_info == messages.RateLimitInfo(
        status="rejected", resets_at=1.5e9, rate_limit_type="five_hour", is_using_overage=True
    )
    assert decode('{"type":"rate_limit_event"}') == messages.RateLimitEvent()


def test_L7_S3_a_huge_line_is_read_whole() -> None:
    read = blocks(assistant({"type": "text", "text": "x" * 3_000_000}))
    assert len(read[0].text) == 3_000_000


def test_L14_a_result_needs_nothing_but_its_type() -> None:
    assert decode('{"type":"result"}') == Result()


def test_L14_a_field_that_does_not_fit_costs_that_field_only() -> None:
    text = line(
        type="result",
        is_error=True,
        num_turns={"no": "number"},
        total_cost_usd="free",
        errors=["why", 5],
        modelUsage={"good": {"inputTokens": 7}, "bad": 3},
        usage={"input_tokens": "many", "output_tokens": 4},
        permission_denials=[{"tool_name": "x", "tool_input": 1}],
    )
    message = decode(text)
    assert isinstance(message, Result)
    assert (message.is_error, message.num_turns, message.total_cost_usd, message.errors) == (True, None, None, ("why",))
    assert {name: usage.input_tokens for name, usage in message.model_usage.items()} == {"good": 7}
    assert message.usage is not None
    assert (message.usage.input_tokens, message.usage.output_tokens) == (None, 4)
    assert [denial.tool_name for denial in message.permission_denials] == ["x"]


def test_S11_every_block_of_a_message_survives() -> None:
    content = [{"type": "text", "text": "x"}, {"type": "image", "source": {"type": "x"}}, {"type": "?"}, 7]
    assert len(blocks(assistant(*content))) == len(content)


def test_a_float_where_an_integer_stands_is_read_if_it_is_whole() -> None:
    usage = decode(line(type="result", num_turns=2.0, result_index=1.5))
    assert isinstance(usage, Result)
    assert (usage.num_turns, usage.result_index) == (2, None)


def test_a_delay_may_be_a_float() -> None:
    retries = [decode(text) for text in scenario("2.1.197/18_429_then_ok", "out") if '"api_retry"' in text]
    delays = [retry.retry_delay_ms for retry in retries if isinstance(retry, system.ApiRetry)]
    assert any(isinstance(delay, float) for delay in delays)


@pytest.mark.parametrize(
    ("damaged", "read"),
    [
        (rb"a\ud83db", "a\ufffdb"),
        (rb"\ud83d\ude00", "\U0001f600"),
        (b"a\xffb", "a\ufffdb"),
        (b"a\x00b", "a\x00b"),
        (b"a\xc2\x85b", "a\x85b"),
        ("a\udcffb", "a\ufffdb"),
    ],
)
def test_text_that_is_no_text_is_read_clean(damaged: str | bytes, read: str) -> None:
    head, tail = '{"type":"assistant","message":{"content":[{"type":"text","text":"', '"}]}}'
    text: str | bytes = head + damaged + tail if isinstance(damaged, str) else head.encode() + damaged + tail.encode()
    assert blocks(text) == (Text(read),)


def test_of_two_equal_keys_the_last_counts() -> None:
    assert decode('{"type":"x","type":"keep_alive"}') == messages.KeepAlive()


def test_an_integer_of_any_length_is_read() -> None:
    huge = 10**60
    read = blocks(assistant({"type": "tool_use", "id": "t", "name": "n", "input": {"n": huge}}))
    assert read == (ToolUse("t", "n", {"n": huge}),)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "-Infinity", "9" * 5_000])
def test_a_number_out_of_range_is_null(number: str) -> None:
    head, tail = '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"n",', "}]}}"
    assert blocks(f'{head}"input":{{"n":{number}}}{tail}') == (ToolUse("t", "n", {"n": None}),)


@pytest.mark.parametrize("levels", [DEPTH_LIMIT * 2, 100_000])
def test_a_deep_ask_is_read_with_its_depths_cut_off(levels: int) -> None:
    deep = "[" * levels + '"]"' + "]" * levels
    text = '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"t",'
    message = decode(f'{text}"input":{{"a":{deep},"b":"\\"[{{"}}}}}}')
    assert isinstance(message, ControlRequest)
    assert isinstance(message.request, CanUseTool)
    assert message.request.input == {"a": nested_null(DEPTH_LIMIT - 3), "b": '"[{'}


def nested_null(levels: int) -> Any:
    value: Any = None
    for _ in range(levels):
        value = [value]
    return value


def test_an_ask_with_many_parts_that_is_not_deep_is_read_whole() -> None:
    given = {"edits": [{"n": n} for n in range(DEPTH_LIMIT + 1)]}
    text = ask(subtype="can_use_tool", tool_name="t", input=given)
    assert decode(text) == decode(text.encode()) == ControlRequest("r", CanUseTool("t", given))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("\x00", "no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("null", "no JSON object"),
        ("[1,2]", "no JSON object"),
        ("{}", "no type"),
        ('{"type":5}', "no type"),
        ('{"type":"control_request","request_id":"r"}', "Object missing required field `request`"),
        ('{"type":"control_response","response":"x"}', "response: Expected `object`, got `str`"),
        ('{"type":"control_cancel_request"}', "Object missing required field `request_id`"),
    ],
)
def test_what_is_no_message_says_why(text: str, problem: str) -> None:
    message = decode(text)
    assert isinstance(message, Unknown)
    assert (message.raw, message.problem) == (text, problem)


def test_brackets_without_an_end_are_no_json() -> None:
    message = decode("[" * 100_000)
    assert isinstance(message, Unknown)
    assert message.problem is not None


def test_a_byte_order_mark_is_no_part_of_a_line() -> None:
    assert decode("\ufeff" + line(type="keep_alive")) == messages.KeepAlive()
    assert decode(b"\xef\xbb\xbf" + line(type="keep_alive").encode()) == messages.KeepAlive()


def test_an_ask_without_an_input_is_no_ask() -> None:
    message = decode(ask(subtype="can_use_tool", tool_name="t"))
    assert message == ControlRequest("r", UnknownRequest({"subtype": "can_use_tool", "tool_name": "t"}))


def test_an_unknown_request_still_has_an_id_to_be_answered_by() -> None:
    message = decode(ask(subtype="ui_copy", text="x"))
    assert isinstance(message, ControlRequest)
    assert isinstance(message.request, UnknownRequest)
    assert (message.request_id, message.request.tag) == ("r", "ui_copy")


def test_an_unknown_stream_event_is_kept() -> None:
    read = [
        decode(line(type="stream_event", event=event))
        for event in ({"type": "new"}, {"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta"}}, 5)
    ]
    assert read == [
        stream.StreamEvent(event=stream.UnknownEvent({"type": "new"})),
        stream.StreamEvent(event=stream.BlockDelta(0, stream.UnknownDelta({"type": "new_delta"}))),
        stream.StreamEvent(event=stream.UnknownEvent(5)),
    ]


def test_a_system_line_is_written_with_its_type() -> None:
    assert encode(system.Status(status="compacting")) == b'{"type":"system","subtype":"status","status":"compacting"}\n'


def test_what_is_not_ascii_is_written_escaped() -> None:
    text = encode(User(message=UserBody("user", "caf\xe9 \U0001f600 \u2028")))
    assert text == (b'{"type":"user","message":{"role":"user","content":"caf\\u00e9 \\ud83d\\ude00 \\u2028"}}\n')


def test_a_lone_surrogate_is_written_as_a_replacement_character() -> None:
    text = encode(ControlResponse(Succeeded("r", Allow({"a": "x\ud83dy", "n": float("nan")}))))
    assert json.loads(text)["response"]["response"]["updatedInput"] == {"a": "x\ufffdy", "n": None}


def test_what_was_not_understood_is_written_as_it_was_read() -> None:
    unknown = {"type": "hologram", "subtype": "s", "deep": [{"type": "text", "text": "\xe9"}]}
    assert json.loads(encode(decode(assistant(unknown, [unknown]))))["message"]["content"] == [unknown, [unknown]]
    assert json.loads(encode(decode(ask(subtype="new", x=1)))) == json.loads(ask(subtype="new", x=1))


def test_an_unknown_message_is_written_as_it_was_read() -> None:
    assert encode(decode(line(type="hologram", x="\xe9"))) == b'{"type":"hologram","x":"\\u00e9"}\n'


@pytest.mark.parametrize("text", ["null", "{", '{"type":"control_request","request_id":"r"}', "{}"])
def test_a_line_that_may_kill_the_cli_is_not_written(text: str) -> None:
    with pytest.raises(LocalProtocolError, match="may kill the CLI"):
        encode(decode(text))


def test_a_cancel_names_its_request() -> None:
    assert encode(ControlCancel("r")) == b'{"type":"control_cancel_request","request_id":"r"}\n'


def test_nothing_is_left_to_make_at_the_first_line_once_prepared() -> None:
    codec._by_type.cache_clear()
    prepare()
    made = codec._by_type.cache_info().misses
    decode(assistant())
    assert codec._by_type.cache_info().misses == made
