"""Who asked what, who still owes an answer, and what may still be written. Sans-I/O.

Decoded messages go in, protocol events come out; each move of ours gives the one line to write. What the CLI says never
raises: it is passed on, or it changes nothing. A move of ours that the protocol forbids raises ``LocalProtocolError``,
since the CLI's way of refusing is to die (24_*) or to wait for ever (07_shape_*). What came too late is neither: it is
the value ``TooLate``.

What a request means, and who answers it, is decided in ``session/``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import msgspec

from bascule.errors import LocalProtocolError
from bascule.wire.codec import encode
from bascule.wire.control import Answer, ControlCancel, ControlRequest, ControlResponse, Failed, OurRequest, Succeeded
from bascule.wire.control import failed as refusal
from bascule.wire.control import succeeded as answer_to
from bascule.wire.initialize import Initialize
from bascule.wire.messages import User
from bascule.wire.shape import Message


class MessageReceived(msgspec.Struct, frozen=True):
    """A line of the conversation, known or not."""

    message: Message


class RequestReceived(msgspec.Struct, frozen=True):
    """The CLI asks, and waits for exactly one answer."""

    request: ControlRequest


class RequestWithdrawn(msgspec.Struct, frozen=True):
    """The CLI needs no answer any more: an interrupt, a hook's time-out, or another answer was first."""

    request_id: str


class AnswerReceived(msgspec.Struct, frozen=True):
    """The answer to a request of ours. ``answer.response`` may be None, which is a yes (21_control_requests)."""

    answer: Succeeded | Failed


class Ended(msgspec.Struct, frozen=True):
    """The CLI will say no more."""

    unanswered: tuple[str, ...]
    """Requests of ours, in order, that will never be answered."""
    unanswerable: tuple[str, ...]
    """Requests of the CLI, in order, that nobody needs an answer to any more."""


ConnectionEvent: TypeAlias = MessageReceived | RequestReceived | RequestWithdrawn | AnswerReceived | Ended


class TooLate(msgspec.Struct, frozen=True):
    """Nothing to write: the request was withdrawn before, or the CLI is gone."""

    cause: Literal["withdrawn", "ended"]


class Asked(NamedTuple):
    """A request of ours: its id, and the line to write."""

    request_id: str
    line: str


class Connection:
    """One conversation with one CLI process. ``prefix`` begins the ids of our requests.

    A second connection to the same process (a host that came back) takes another prefix, so that it takes no old answer
    for one of its own.
    """

    def __init__(self, *, prefix: str = "bascule") -> None:
        self._prefix = prefix
        self._ended = False
        self._begun = False
        self._asked = 0
        self._ours: dict[str, None] = {}
        self._theirs: dict[str, Literal["open", "answered", "withdrawn"]] = {}
        self._prompts: set[str] = set()
        self._recalled: dict[str, ControlRequest] = {}
        """What another host left open, while the past is told."""

    @property
    def left_open(self) -> tuple[ControlRequest, ...]:
        """Of the past that was told so far: what still waits for an answer, in the order in which it came."""
        return tuple(self._recalled.values())

    @property
    def open_requests(self) -> tuple[str, ...]:
        """The CLI's requests that wait for an answer, in the order in which they came."""
        return tuple(request_id for request_id, state in self._theirs.items() if state == "open")

    def receive(self, message: Message) -> tuple[ConnectionEvent, ...]:
        """What a line from the CLI means: mostly one event.

        None for what changes nothing: a request that came before, a withdrawal of what is not open, an answer to what
        was not asked. The last are also the echoes of our own answers, with ``--replay-user-messages``
        (09_user_msg_while_asking): their ids are the CLI's, so no request of ours bears them.
        """
        match message:
            case ControlRequest():
                return self._requested(message)
            case ControlResponse(response=answer):
                return self._answered(answer)
            case ControlCancel(request_id=request_id):
                return self._withdrawn(request_id)
            case _:
                return (MessageReceived(message),)

    def recall(self, direction: Literal["in", "out"], message: Message) -> None:
        """A line of the past, in the recording's order: what was open when another host left is open here.

        To be called before anything else. What that host asked is not ours: its answers change nothing here.
        """
        match message:
            case ControlRequest(request_id=request_id) if direction == "out":
                if self._theirs.setdefault(request_id, "open") == "open":
                    self._recalled.setdefault(request_id, message)
            case ControlCancel(request_id=request_id) if direction == "out":
                self._recall_end(request_id, "withdrawn")
            case ControlResponse(response=answer) if direction == "in":
                self._recall_end(answer.request_id, "answered")
            case ControlResponse(response=answer):
                for pending in _pending(answer):
                    self.recall(direction, pending)
            case User(uuid=str(uuid)) if direction == "in":
                self._prompts.add(uuid)
                self._begun = True
            case _:
                self._begun = self._begun or direction == "in"

    def recalled(self) -> tuple[RequestReceived, ...]:
        """The past is over: the CLI's requests that still wait for an answer, in the order in which they came."""
        waiting = tuple(map(RequestReceived, self._recalled.values()))
        self._recalled.clear()
        return waiting

    def again(self, *, prefix: str) -> Connection:
        """The same conversation for a host that comes back: it knows what was recalled here, and has its own ids."""
        other = Connection(prefix=prefix)
        other._begun = self._begun
        other._theirs.update(self._theirs)
        other._prompts.update(self._prompts)
        other._recalled.update(self._recalled)
        return other

    def adopt(self, request_id: str) -> None:
        """Take an open request of the host before for one of ours: its answer comes as ``AnswerReceived``."""
        self._ours[request_id] = None

    def receive_eof(self) -> Ended:
        """The CLI's output has ended: who waits in vain. The second time nobody does."""
        ended = Ended(tuple(self._ours), self.open_requests)
        self._ended = True
        self._ours.clear()
        self._theirs.update(dict.fromkeys(ended.unanswerable, "withdrawn"))
        return ended

    def prompt(self, prompt: User) -> str:
        """The line of a prompt made by ``wire.messages.user_prompt``.

        Raises LocalProtocolError for a prompt without a uuid, which nobody could settle, and for a uuid that was used
        before: the CLI echoes such a prompt and never runs it (11_dup_uuid).
        """
        self._may_write()
        if prompt.uuid is None or prompt.message.role != "user":
            raise LocalProtocolError("a prompt has a uuid of its own and the role `user`: make it with user_prompt()")
        if prompt.uuid in self._prompts:
            raise LocalProtocolError(
                f"prompt {prompt.uuid} was sent before, and the CLI would not run it: use a new uuid"
            )
        line = _line(prompt)
        self._prompts.add(prompt.uuid)
        self._begun = True
        return line

    def request(self, body: OurRequest) -> Asked:
        """A request of ours; its answer comes as ``AnswerReceived``.

        Raises LocalProtocolError for an ``Initialize`` with hooks that is not the first thing said: 2.1.197 answers it
        with success and calls none of them (21_init_twice).
        """
        self._may_write()
        if isinstance(body, Initialize) and body.hooks and self._begun:
            raise LocalProtocolError("hooks go with the first `initialize`, before all else: later they are ignored")
        request_id = f"{self._prefix}-{self._asked + 1}"
        line = _line(ControlRequest(request_id=request_id, request=body))
        self._asked += 1
        self._begun = True
        self._ours[request_id] = None
        return Asked(request_id, line)

    def cancel(self, request_id: str) -> str | None:
        """The line that withdraws a request of ours; None if it was answered before. No answer will come."""
        if request_id not in self._ours:
            return None
        del self._ours[request_id]
        return _line(ControlCancel(request_id=request_id))

    def answer(self, request_id: str, body: Answer | None) -> str | TooLate:
        """The line that answers a request of the CLI; None acknowledges without a body.

        Raises LocalProtocolError for a request that was never made, and for a second answer.
        """
        return self._settle(answer_to(request_id, body))

    def fail(self, request_id: str, error: str) -> str | TooLate:
        """The line that refuses a request of the CLI; raises as ``answer`` does.

        Not for hooks: to a CLI that does not know ``onFailure`` an error lets the tool run (07_hook_result_key).
        """
        return self._settle(refusal(request_id, error))

    def _settle(self, response: ControlResponse) -> str | TooLate:
        request_id = response.response.request_id
        match self._theirs.get(request_id):
            case "open":
                line = _line(response)
                self._theirs[request_id] = "answered"
                return line
            case "withdrawn":
                return TooLate("ended" if self._ended else "withdrawn")
            case "answered":
                raise LocalProtocolError(f"request {request_id} was answered before; the CLI takes one answer")
            case _:
                raise LocalProtocolError(f"the CLI made no request {request_id}")

    def _recall_end(self, request_id: str, how: Literal["answered", "withdrawn"]) -> None:
        if self._theirs.get(request_id) == "open":
            self._theirs[request_id] = how
            del self._recalled[request_id]

    def _may_write(self) -> None:
        if self._ended:
            raise LocalProtocolError("the CLI process has ended; it takes no more prompts and requests")

    def _requested(self, *requests: ControlRequest) -> tuple[RequestReceived, ...]:
        new = {request.request_id: request for request in requests if request.request_id not in self._theirs}
        self._theirs.update(dict.fromkeys(new, "open"))
        return tuple(map(RequestReceived, new.values()))

    def _answered(self, answer: Succeeded | Failed) -> tuple[ConnectionEvent, ...]:
        if answer.request_id not in self._ours:
            return ()
        del self._ours[answer.request_id]
        return (AnswerReceived(answer), *self._requested(*_pending(answer)))

    def _withdrawn(self, request_id: str) -> tuple[RequestWithdrawn, ...]:
        if self._theirs.get(request_id) != "open":
            return ()
        self._theirs[request_id] = "withdrawn"
        return (RequestWithdrawn(request_id),)


def _pending(answer: Succeeded | Failed) -> tuple[ControlRequest, ...]:
    """The CLI's own requests that come with the answer to one of ours."""
    return (
        *answer.pending_permission_requests,
        *answer.pending_elicitation_requests,
        *answer.pending_user_dialog_requests,
    )


def _line(message: Message) -> str:
    """``message`` as a pipe takes it: ASCII, without the newline."""
    return encode(message).decode("ascii").removesuffix("\n")
