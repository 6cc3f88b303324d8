"""Who owes whom an answer; what is late; what must never be written."""

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from bascule import recording
from bascule.errors import LocalProtocolError
from bascule.protocol.connection import (
    AnswerReceived,
    Asked,
    Connection,
    ConnectionEvent,
    Ended,
    MessageReceived,
    RequestReceived,
    RequestWithdrawn,
    TooLate,
)
from bascule.wire.codec import decode
from bascule.wire.control import (
    CanUseTool,
    ControlCancel,
    ControlRequest,
    ControlResponse,
    Failed,
    Succeeded,
    UnknownRequest,
)
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.initialize import HookMatcher, Initialize
from bascule.wire.messages import User, UserBody, user_prompt
from bascule.wire.permissions import Allow, Deny
from bascule.wire.requests import Interrupt, SetModel
from bascule.wire.shape import Unknown

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("2.*/*.jsonl"))
HOOKS: dict[str, tuple[HookMatcher, ...]] = {"PreToolUse": (HookMatcher(hook_callback_ids=("gate",)),)}


def said(connection: Connection, message: Any) -> tuple[ConnectionEvent, ...]:
    return connection.receive(decode(json.dumps(message)))


def asks(connection: Connection, request_id: str = "r1") -> tuple[ConnectionEvent, ...]:
    return said(connection, ask(request_id))


def ask(request_id: str) -> dict[str, Any]:
    body = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "make"}, "tool_use_id": "t1"}
    return {"type": "control_request", "request_id": request_id, "request": body}


def success(request_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "control_response", "response": {"subtype": "success", "request_id": request_id, **more}}


def test_a_message_is_passed_on() -> None:
    (event,) = said(Connection(), {"type": "keep_alive"})
    assert isinstance(event, MessageReceived)


@pytest.mark.parametrize(
    "line", ["", "not json", "null", "[1]", '{"type":"control_request"}', '{"type":"nope"}', "\udcff"]
)
def test_a_malformed_line_never_raises(line: str) -> None:
    (event,) = Connection().receive(decode(line))
    assert isinstance(event, MessageReceived)
    assert isinstance(event.message, Unknown)


def test_a_request_is_received_and_open() -> None:
    connection = Connection()
    (event,) = asks(connection)
    assert isinstance(event, RequestReceived)
    assert isinstance(event.request.request, CanUseTool)
    assert connection.open_requests == ("r1",)


def test_a_request_of_an_unknown_kind_is_received_too() -> None:
    (event,) = said(Connection(), {"type": "control_request", "request_id": "r1", "request": {"subtype": "new"}})
    assert isinstance(event, RequestReceived)
    assert isinstance(event.request.request, UnknownRequest)


def test_an_answer_has_the_one_shape_that_works() -> None:
    """07_shape_result_inner_id and its like: the id inside, the key `response`."""
    connection = Connection()
    asks(connection)
    line = connection.answer("r1", Allow(updated_input={"command": "make"}))
    assert isinstance(line, str)
    assert json.loads(line) == {
        "type": "control_response",
        "response": {
            "subtype": "success",
            "request_id": "r1",
            "response": {"behavior": "allow", "updatedInput": {"command": "make"}},
        },
    }
    assert connection.open_requests == ()


def test_a_refusal_says_why() -> None:
    connection = Connection()
    asks(connection)
    line = connection.fail("r1", "no such thing")
    assert isinstance(line, str)
    assert json.loads(line)["response"] == {"subtype": "error", "request_id": "r1", "error": "no such thing"}


def test_an_acknowledgement_has_no_body() -> None:
    connection = Connection()
    asks(connection)
    line = connection.answer("r1", None)
    assert isinstance(line, str)
    assert json.loads(line)["response"] == {"subtype": "success", "request_id": "r1"}


def test_L19_a_second_answer_is_our_mistake() -> None:
    connection = Connection()
    asks(connection)
    connection.answer("r1", Deny(message="no"))
    with pytest.raises(LocalProtocolError, match="r1 was answered before"):
        connection.answer("r1", Deny(message="no"))
    with pytest.raises(LocalProtocolError, match="r1 was answered before"):
        connection.fail("r1", "no")


def test_an_answer_to_no_request_is_our_mistake() -> None:
    with pytest.raises(LocalProtocolError, match="made no request r9"):
        Connection().answer("r9", HookOutput())


def test_L23_an_answer_to_a_withdrawn_request_is_too_late() -> None:
    connection = Connection()
    asks(connection)
    assert said(connection, {"type": "control_cancel_request", "request_id": "r1"}) == (RequestWithdrawn("r1"),)
    assert connection.open_requests == ()
    assert connection.answer("r1", Deny(message="no")) == TooLate("withdrawn")
    assert connection.fail("r1", "no") == TooLate("withdrawn")


def test_a_withdrawal_of_what_is_not_open_changes_nothing() -> None:
    connection = Connection()
    asks(connection)
    connection.answer("r1", Deny(message="no"))
    assert said(connection, {"type": "control_cancel_request", "request_id": "r1"}) == ()
    assert said(connection, {"type": "control_cancel_request", "request_id": "r9"}) == ()


def test_a_request_that_comes_twice_is_one() -> None:
    connection = Connection()
    assert len(asks(connection)) == 1
    assert asks(connection) == ()
    connection.answer("r1", Deny(message="no"))
    assert asks(connection) == ()


def test_pending_requests_of_an_initialize_answer_are_asked_again_once() -> None:
    """Rule 1 of the control envelope: a host that came back gets what is still open, whole."""
    connection = Connection()
    asks(connection, "known")
    asked = connection.request(Initialize())
    answer, *requests = said(
        connection,
        success(
            asked.request_id,
            response={},
            pending_permission_requests=[ask("known"), ask("new"), ask("new")],
            pending_elicitation_requests=[ask("other")],
        ),
    )
    assert isinstance(answer, AnswerReceived)
    assert [request.request.request_id for request in requests if isinstance(request, RequestReceived)] == [
        "new",
        "other",
    ]
    assert connection.open_requests == ("known", "new", "other")


def test_a_request_of_ours_is_answered_once() -> None:
    connection = Connection(prefix="p")
    asked = connection.request(SetModel("opus"))
    assert json.loads(asked.line) == {
        "type": "control_request",
        "request_id": "p-1",
        "request": {"subtype": "set_model", "model": "opus"},
    }
    assert said(connection, success("p-1", response={"model": "opus"})) == (
        AnswerReceived(Succeeded(request_id="p-1", response={"model": "opus"})),
    )
    assert said(connection, success("p-1")) == ()


def test_an_answer_without_a_body_is_an_answer() -> None:
    """2.1.197 acknowledges an interrupt so."""
    connection = Connection()
    asked = connection.request(Interrupt())
    assert said(connection, success(asked.request_id)) == (AnswerReceived(Succeeded(request_id=asked.request_id)),)


def test_an_error_is_an_answer() -> None:
    connection = Connection()
    asked = connection.request(Interrupt())
    refusal = {"subtype": "error", "request_id": asked.request_id, "error": "no", "error_code": "unsupported_request"}
    assert said(connection, {"type": "control_response", "response": refusal}) == (
        AnswerReceived(Failed(request_id=asked.request_id, error="no", error_code="unsupported_request")),
    )


def test_two_requests_have_two_ids_and_their_answers_may_cross() -> None:
    connection = Connection()
    first, second = connection.request(Interrupt()), connection.request(Interrupt())
    assert first.request_id != second.request_id
    assert len(said(connection, success(second.request_id))) == 1
    assert len(said(connection, success(first.request_id))) == 1


def test_the_echo_of_our_own_answer_is_no_answer() -> None:
    """09_user_msg_while_asking: `--replay-user-messages` repeats our control responses."""
    connection = Connection()
    connection.request(Interrupt())
    asks(connection)
    line = connection.answer("r1", Deny(message="no"))
    assert isinstance(line, str)
    assert connection.receive(decode(line)) == ()


def test_a_request_we_withdrew_is_not_answered_any_more() -> None:
    connection = Connection()
    asked = connection.request(Interrupt())
    line = connection.cancel(asked.request_id)
    assert line is not None
    assert json.loads(line) == {"type": "control_cancel_request", "request_id": asked.request_id}
    assert said(connection, success(asked.request_id)) == ()
    assert connection.cancel(asked.request_id) is None


def test_a_prompt_is_one_line() -> None:
    line = Connection().prompt(user_prompt("a\nb\u2028c\ud83d", uuid="u1", priority="next"))
    assert "\n" not in line
    assert line.isascii()
    assert json.loads(line)["uuid"] == "u1"


def test_a_uuid_used_twice_is_refused() -> None:
    """11_dup_uuid: the CLI would echo it and never run it."""
    connection = Connection()
    connection.prompt(user_prompt("a", uuid="u1"))
    with pytest.raises(LocalProtocolError, match="u1 was sent before"):
        connection.prompt(user_prompt("b", uuid="u1"))


@pytest.mark.parametrize(
    "prompt", [User(message=UserBody(role="user")), User(uuid="u", message=UserBody(role="assistant"))]
)
def test_a_prompt_that_would_kill_the_cli_is_refused(prompt: User) -> None:
    """24_user_role_assistant, and one without a uuid that nobody could settle."""
    with pytest.raises(LocalProtocolError, match="user_prompt"):
        Connection().prompt(prompt)


def test_hooks_go_with_the_first_initialize_only() -> None:
    """21_init_twice: 2.1.197 answers a late one with success and calls no hook."""
    connection = Connection()
    assert isinstance(connection.request(Initialize(hooks=HOOKS)), Asked)
    with pytest.raises(LocalProtocolError, match="first `initialize`"):
        connection.request(Initialize(hooks=HOOKS))
    assert isinstance(connection.request(Initialize()), Asked)


def test_hooks_do_not_go_after_a_prompt() -> None:
    connection = Connection()
    connection.prompt(user_prompt("a", uuid="u1"))
    with pytest.raises(LocalProtocolError, match="first `initialize`"):
        connection.request(Initialize(hooks=HOOKS))


def test_the_end_tells_who_waits_in_vain_once() -> None:
    connection = Connection()
    answered = connection.request(Interrupt())
    said(connection, success(answered.request_id))
    open_one = connection.request(Interrupt())
    asks(connection, "r1")
    asks(connection, "r2")
    connection.answer("r1", Deny(message="no"))
    assert connection.receive_eof() == Ended(unanswered=(open_one.request_id,), unanswerable=("r2",))
    assert connection.receive_eof() == Ended(unanswered=(), unanswerable=())


def test_after_the_end_an_answer_is_too_late_and_a_prompt_is_a_mistake() -> None:
    connection = Connection()
    asks(connection)
    connection.receive_eof()
    assert connection.answer("r1", Deny(message="no")) == TooLate("ended")
    with pytest.raises(LocalProtocolError, match="has ended"):
        connection.prompt(user_prompt("a", uuid="u1"))
    with pytest.raises(LocalProtocolError, match="has ended"):
        connection.request(Interrupt())


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_the_cli_said_in_any_recording_is_received(path: Path) -> None:
    """Each request of the CLI is open until it was withdrawn or the end came, and nothing raises."""
    connection, waiting = Connection(), dict[str, None]()
    for entry in recording.read(path.read_bytes().splitlines(keepends=True)):
        if isinstance(entry, recording.Entry) and entry.dir == "out":
            for event in connection.receive(decode(entry.line)):
                match event:
                    case RequestReceived(request):
                        assert request.request_id not in waiting
                        waiting[request.request_id] = None
                    case RequestWithdrawn(request_id):
                        del waiting[request_id]
                    case AnswerReceived():
                        pytest.fail("an answer to a request that this connection never made")
    assert connection.receive_eof() == Ended(unanswered=(), unanswerable=tuple(waiting))


def recall(connection: Connection, direction: Literal["in", "out"], message: Any) -> None:
    connection.recall(direction, decode(json.dumps(message)))


def test_what_another_host_left_open_is_open_here_and_nothing_else() -> None:
    connection = Connection(prefix="second")
    for request_id in ("r1", "r2", "r3", "r4"):
        recall(connection, "out", ask(request_id))
    recall(connection, "out", ask("r1"))
    recall(connection, "in", success("r2"))
    recall(connection, "in", success("r2"))
    recall(connection, "out", {"type": "control_cancel_request", "request_id": "r3"})
    recall(connection, "out", {"type": "keep_alive"})
    assert [event.request.request_id for event in connection.recalled()] == ["r1", "r4"]
    assert connection.recalled() == ()
    assert connection.open_requests == ("r1", "r4")
    assert isinstance(connection.answer("r1", Deny(message="no")), str)
    assert connection.answer("r3", Deny(message="no")) == TooLate("withdrawn")
    with pytest.raises(LocalProtocolError, match="answered before"):
        connection.answer("r2", Deny(message="no"))


def test_a_request_that_is_repeated_after_the_past_is_not_asked_twice() -> None:
    connection = Connection()
    recall(connection, "out", ask("r1"))
    connection.recalled()
    assert asks(connection, "r1") == ()


def test_an_answer_to_another_host_is_none_of_ours() -> None:
    connection = Connection(prefix="second")
    recall(connection, "in", {"type": "control_request", "request_id": "first-1", "request": {"subtype": "interrupt"}})
    connection.recalled()
    assert said(connection, success("first-1")) == ()
    assert connection.request(Interrupt()).request_id == "second-1"


def test_what_was_sent_before_is_not_sent_again() -> None:
    connection = Connection()
    prompt = user_prompt("Hi", uuid="11111111-1111-4111-8111-111111111111")
    recall(connection, "in", json.loads(connection_line(prompt)))
    with pytest.raises(LocalProtocolError, match="was sent before"):
        connection.prompt(prompt)
    with pytest.raises(LocalProtocolError, match="first `initialize`"):
        connection.request(Initialize(hooks=HOOKS))


def connection_line(prompt: User) -> str:
    return Connection().prompt(prompt)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_host_that_comes_back_finds_open_what_was_open(path: Path) -> None:
    connection = Connection(prefix="second")
    waiting: dict[str, None] = {}
    for entry in recording.read(path.read_bytes().splitlines()):
        if not isinstance(entry, recording.Entry) or entry.dir not in ("in", "out"):
            continue
        message = decode(entry.line)
        connection.recall("in" if entry.dir == "in" else "out", message)
        match message:
            case ControlRequest(request_id=request_id) if entry.dir == "out":
                waiting[request_id] = None
            case ControlResponse(response=answer) if entry.dir == "in":
                waiting.pop(answer.request_id, None)
            case ControlCancel(request_id=request_id) if entry.dir == "out":
                waiting.pop(request_id, None)
    assert [event.request.request_id for event in connection.recalled()] == list(waiting)


def test_who_comes_back_knows_what_was_told_of_the_past_and_asks_under_its_own_ids() -> None:
    past = Connection()
    recall(past, "in", {"type": "control_request", "request_id": "first-1", "request": {"subtype": "interrupt"}})
    recall(past, "out", ask("r1"))
    recall(past, "out", ask("r2"))
    recall(past, "in", success("r2"))
    assert [request.request_id for request in past.left_open] == ["r1"]
    back = past.again(prefix="second")
    assert [event.request.request_id for event in back.recalled()] == ["r1"]
    assert back.request(Interrupt()).request_id == "second-1"
    assert asks(back, "r2") == ()
    assert isinstance(back.answer("r1", Deny(message="no")), str)
    assert [request.request_id for request in past.left_open] == ["r1"]


def test_a_request_of_the_host_before_can_be_waited_for() -> None:
    connection = Connection(prefix="second")
    connection.adopt("first-1")
    (answered,) = said(connection, success("first-1"))
    assert isinstance(answered, AnswerReceived)
    assert said(connection, success("first-1")) == ()


def test_what_came_with_an_answer_to_the_host_before_is_open() -> None:
    connection = Connection(prefix="second")
    told = success("first-1")
    told["response"]["pending_permission_requests"] = [ask("r1")]
    recall(connection, "out", told)
    assert [event.request.request_id for event in connection.recalled()] == ["r1"]
