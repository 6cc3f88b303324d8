"""The scripted model over loopback: what is answered, what is recorded, how it ends."""

import http.client
import json
import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from bascule.demo.asked import Asked
from bascule.demo.model import ScriptedModel
from bascule.demo.script import (
    Script,
    Step,
    block,
    call,
    cut,
    drop,
    fail,
    headers,
    pause,
    rate_limit,
    respond,
    say,
    turn,
    usage,
    wait,
    when,
)
from bascule.errors import LocalProtocolError
from tests.demo.asking import Answer, ask, assistant, body, outcome, request, user, words


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in set(threading.enumerate()) - before]
    assert not left, f"threads left running: {left}"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Clients that wait for an answer while the test goes on."""
    with ThreadPoolExecutor() as executor:
        yield executor


def test_reply_streams_as_server_sent_events() -> None:
    with ScriptedModel(Script(say("Hello from nowhere."))) as model:
        answer = ask(model, user("hi"))
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["request-id"].startswith("req_")
    assert answer.events[0]["message"]["model"] == "claude-test"
    assert words(answer.events) == "Hello from nowhere."


def test_reply_without_streaming_is_one_body() -> None:
    with ScriptedModel(Script(turn(say("hi"), usage(input=7)))) as model:
        answer = ask(model, user("hi"), stream=False)
    assert answer.json["content"] == [{"type": "text", "text": "hi"}]
    assert answer.json["usage"]["input_tokens"] == 7
    assert answer.headers["content-type"] == "application/json"


def test_message_and_call_ids_differ_from_message_to_message() -> None:
    with ScriptedModel(Script(call("Read"), call("Read"))) as model:
        answers = [ask(model, user("a")), ask(model, user("a"), assistant(), user("b"))]
    assert len({answer.events[0]["message"]["id"] for answer in answers}) == 2
    assert len({answer.events[2]["content_block"]["id"] for answer in answers}) == 2


def test_one_connection_serves_many_requests() -> None:
    with ScriptedModel(Script(say("one"), say("two"))) as model:
        connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=10)
        for messages in ([user("a")], [user("a"), assistant("one"), user("b")]):
            connection.request("POST", "/v1/messages", json.dumps(body(*messages, stream=True)))
            assert connection.getresponse().read().endswith(b'data: {"type": "message_stop"}\n\n')
        connection.close()


def test_errors_carry_their_status_headers_and_form() -> None:
    failure = fail(
        429, message="slow down", headers={"retry-after": "1", **rate_limit("rejected", used=1, resets_at=9)}
    )
    with ScriptedModel(Script(failure)) as model:
        answer = ask(model, user("hi"))
    assert answer.status == 429
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["anthropic-ratelimit-unified-5h-status"] == "rejected"
    assert answer.json == {
        "type": "error",
        "error": {"type": "rate_limit_error", "message": "slow down"},
        "request_id": answer.headers["request-id"],
    }


def test_headers_go_with_a_good_answer_too() -> None:
    with ScriptedModel(Script(turn(headers({"x-limit": "1"}), say("hi")))) as model:
        assert ask(model, user("hi")).headers["x-limit"] == "1"


@pytest.mark.parametrize("steps", [(say("one"), cut()), (say("one"), cut("inside"))])
def test_cut_stream_breaks_off(steps: tuple[Step, ...]) -> None:
    with ScriptedModel(Script(turn(*steps))) as model, pytest.raises(http.client.IncompleteRead) as broken:
        ask(model, user("hi"))
    assert b"one" in broken.value.partial
    assert b"message_stop" not in broken.value.partial


@pytest.mark.parametrize("steps", [(drop(),), (say("one"), cut())])
def test_broken_answer_without_streaming_is_none_at_all(steps: tuple[Step, ...]) -> None:
    with ScriptedModel(Script(turn(*steps))) as model, pytest.raises(http.client.RemoteDisconnected):
        ask(model, user("hi"), stream=False)


def test_error_behind_a_text_is_a_status_without_streaming() -> None:
    with ScriptedModel(Script(turn(say("one"), fail(529)))) as model:
        assert ask(model, user("hi"), stream=False).status == 529


def test_dropped_connection_answers_nothing() -> None:
    with ScriptedModel(Script(turn(drop(), say("now")))) as model:
        with pytest.raises(http.client.RemoteDisconnected):
            ask(model, user("hi"))
        assert words(ask(model, user("hi")).events) == "now"


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/v1/messages"), ("POST", "/v1/complete")])
def test_unknown_path_is_not_found_in_the_form_of_the_api(method: str, path: str) -> None:
    with ScriptedModel(Script()) as model:
        answer = request(model, method, path)
    assert (answer.status, answer.json["error"]["type"]) == (404, "not_found_error")


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"3", b'{"messages": []}', b'{"messages": "hi"}'])
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
def test_body_without_messages_is_an_invalid_request(payload: bytes, path: str) -> None:
    with ScriptedModel(Script(say("untouched"))) as model:
        answer = request(model, "POST", path, payload)
        assert model.left == 1
    assert (answer.status, answer.json["error"]["type"]) == (400, "invalid_request_error")


def test_probe_by_head_is_well() -> None:
    with ScriptedModel(Script()) as model:
        assert [request(model, "HEAD", path).status for path in ("/", "/api/hello")] == [200, 200]
        assert [one.path for one in model.requests] == ["/", "/api/hello"]
        assert model.asked == ()


def test_tokens_are_counted_without_touching_the_script() -> None:
    with ScriptedModel(Script(say("untouched"))) as model:
        answer = request(model, "POST", "/v1/messages/count_tokens", json.dumps(body(user("hi"))).encode())
        assert model.left == 1
    assert answer.json["input_tokens"] > 10


def test_every_request_is_recorded_and_those_of_the_conversation_apart() -> None:
    with ScriptedModel(Script(say("hello"), turn(say("child"), when=when(agent=True)))) as model:
        request(model, "HEAD", "/")
        ask(model, user("first"))
        ask(model, user("[SUGGESTION MODE: suggest]"))
        assert [one.prompt for one in model.asked] == ["first"]
        assert [(one.method, one.aside) for one in model.requests] == [
            ("HEAD", ""),
            ("POST", ""),
            ("POST", "suggestion"),
        ]


def test_gate_holds_the_answer_until_it_is_opened(pool: ThreadPoolExecutor) -> None:
    with ScriptedModel(Script(turn(wait("go"), say("gone")))) as model:
        answer = pool.submit(ask, model, user("hi"))
        model.gate("go").reached()
        assert not answer.done()
        model.gate("go").open()
        assert words(answer.result(10).events) == "gone"


def test_gate_holds_a_whole_body_too(pool: ThreadPoolExecutor) -> None:
    with ScriptedModel(Script(turn(say("one"), wait("go"), say("two")))) as model:
        answer = pool.submit(ask, model, user("hi"), stream=False)
        model.gate("go").reached()
        model.gate("go").open()
        assert [block["text"] for block in answer.result(10).json["content"]] == ["one", "two"]


def test_gate_inside_a_message_holds_only_the_rest(pool: ThreadPoolExecutor) -> None:
    with ScriptedModel(Script(turn(say("one"), wait("go"), say("two")))) as model:
        connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=10)
        connection.request("POST", "/v1/messages", json.dumps(body(user("hi"), stream=True)))
        response = connection.getresponse()
        lines = iter(response.readline, b"")
        assert any(b'"one"' in line for line in lines)
        model.gate("go").open()
        assert any(b'"two"' in line for line in lines)
        response.read()
        connection.close()


def test_open_gate_lets_everybody_pass() -> None:
    with ScriptedModel(Script(turn(wait("go"), say("one")), turn(wait("go"), say("two")))) as model:
        model.gate("go").open()
        assert words(ask(model, user("a")).events) == "one"
        assert words(ask(model, user("a"), assistant(), user("b")).events) == "two"


def test_other_conversations_go_on_while_one_is_held(pool: ThreadPoolExecutor) -> None:
    with ScriptedModel(Script(turn(wait("go"), say("one")), say("two"))) as model:
        held = pool.submit(ask, model, user("a"), session="s1")
        model.gate("go").reached()
        assert words(ask(model, user("b"), session="s2").events) == "two"
        model.gate("go").open()
        held.result(10)


def test_gate_that_nobody_comes_to_is_told() -> None:
    with ScriptedModel(Script()) as model, pytest.raises(TimeoutError, match="no reply came to the gate 'go'"):
        model.gate("go").reached(timeout_s=0.01)


def test_test_waits_until_the_model_was_asked(pool: ThreadPoolExecutor) -> None:
    with ScriptedModel(Script(turn(wait("go"), say("one")))) as model:
        answer = pool.submit(ask, model, user("hi"))
        assert [one.prompt for one in model.reached(1)] == ["hi"]
        model.gate("go").open()
        answer.result(10)


def test_too_few_requests_are_told_with_what_came() -> None:
    with ScriptedModel(Script(say("one"))) as model:
        ask(model, user("hi"))
        with pytest.raises(TimeoutError, match=r"2 requests were awaited for 0\.01 s, 1 came: \['hi'\]"):
            model.reached(2, timeout_s=0.01)


def test_stop_ends_what_is_held_and_what_pauses(pool: ThreadPoolExecutor) -> None:
    answers: list[Future[Answer]] = []
    with ScriptedModel(Script(turn(wait("never"), say("a")), turn(pause(3600), say("b")))) as model:
        answers = [pool.submit(ask, model, user("a"), session=session) for session in ("s1", "s2")]
        model.reached(2)
        model.gate("never").reached()
    for answer in answers:
        assert answer.exception(10) is not None


def test_stop_closes_connections_that_are_idle() -> None:
    with ScriptedModel(Script()) as model:
        host, _, port = urlsplit(model.url).netloc.partition(":")
        idle = socket.create_connection((host, int(port)), timeout=10)
        request(model, "HEAD", "/")
    with idle:
        assert idle.recv(1) == b""


def test_stop_twice_is_stop_once() -> None:
    with ScriptedModel(Script()) as model:
        model.stop()
        model.stop()
    with pytest.raises(LocalProtocolError):
        _ = model.url


def test_gate_of_a_stopped_model_holds_nobody(pool: ThreadPoolExecutor) -> None:
    with ScriptedModel(Script()) as model:
        pass
    assert pool.submit(model.gate("late").hold).result(10) is None


def test_client_that_leaves_harms_nobody(pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING),
        ScriptedModel(Script(turn(wait("go"), say("x" * 100_000)), say("y"))) as model,
    ):
        connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=10)
        connection.request("POST", "/v1/messages", json.dumps(body(user("hi"), stream=True)))
        model.gate("go").reached()
        connection.close()
        model.gate("go").open()
        assert words(ask(model, user("ho")).events) == "y"
    assert not caplog.records


def test_function_that_raises_fails_its_request_and_the_test(caplog: pytest.LogCaptureFixture) -> None:
    def look(asked: Asked) -> Step:
        raise AssertionError(f"unexpected: {asked.prompt}")

    with pytest.raises(AssertionError, match="unexpected: hi"), ScriptedModel(Script(respond(look))) as model:
        answer = ask(model, user("hi"))
        assert answer.status == 400
        assert "unexpected: hi" in answer.json["error"]["message"]
    assert "a function of the script raised" in caplog.text


def test_content_that_is_no_json_fails_its_request_and_the_test() -> None:
    with pytest.raises(TypeError, match="not JSON serializable"), ScriptedModel(Script(block(odd=object()))) as model:
        assert ask(model, user("hi")).status == 400


def test_exception_of_the_block_is_not_hidden_by_one_of_the_script() -> None:
    def look(asked: Asked) -> Step:
        raise AssertionError(asked.prompt)

    with pytest.raises(ZeroDivisionError), ScriptedModel(Script(respond(look))) as model:
        ask(model, user("hi"))
        raise ZeroDivisionError


def test_model_that_is_not_running_has_no_address() -> None:
    model = ScriptedModel(Script())
    with pytest.raises(LocalProtocolError, match="not running"):
        _ = model.url


def test_model_runs_once() -> None:
    model = ScriptedModel(Script())
    with model, pytest.raises(LocalProtocolError, match="runs once"):
        model.start()
    with pytest.raises(LocalProtocolError, match="runs once"):
        model.start()


def test_port_can_be_chosen_and_is_free_again_afterwards() -> None:
    with ScriptedModel(Script()) as first:
        port = urlsplit(first.url).port
    assert port is not None
    with ScriptedModel(Script(), port=port) as second:
        assert second.url == f"http://127.0.0.1:{port}"


async def test_model_serves_async_code_as_well() -> None:
    async with ScriptedModel(Script(turn(call("Read"), say("read")))) as model:
        assert ask(model, user("a")).status == 200
        assert words(ask(model, user("a"), assistant(), user(outcome("ok"))).events) == "read"
