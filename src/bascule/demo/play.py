"""Which message comes next: requests in, replies out.

A fresh prompt takes a turn of the script; what the CLI asks after it (results of calls, a retry, a nudge) goes on in
that turn. Every conversation (session and subagent) has its own place in its own turn; the row of turns without a
condition is one for all. What the CLI asks aside is answered by `aside` and moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from bascule.demo.aside import answer_aside
from bascule.demo.asked import Asked
from bascule.demo.script import (
    Call,
    Choose,
    Cut,
    Drop,
    Fail,
    Headers,
    Part,
    Reply,
    Respond,
    Say,
    Script,
    Step,
    Stop,
    Usage,
)

EXHAUSTED: Final = "(Scripted model: this turn of the script has no further message.)"
UNSCRIPTED_AGENT: Final = "(Scripted model: no turn of the script fits this subagent's task.)"


class _Request(NamedTuple):
    """What tells a request from the one before: a retry adds nothing to the conversation."""

    prompt: str
    messages: int
    interruptions: int


class _Place:
    """Where one conversation stands."""

    def __init__(self) -> None:
        self.rest: tuple[Step, ...] = ()
        self.last_request: _Request | None = None
        self.last_reply = Reply(())


class Play:
    """A script being played. Not safe for threads: who shares it, locks it."""

    def __init__(self, script: Script) -> None:
        self._otherwise = script.otherwise
        self._in_order = [turn.steps for turn in script.turns if turn.when is None]
        self._on_condition = [(turn.when, turn.steps) for turn in script.turns if turn.when is not None]
        self._places: dict[tuple[str, str], _Place] = {}

    @property
    def left(self) -> int:
        """How many turns without a condition nobody has taken yet."""
        return len(self._in_order)

    def answer(self, asked: Asked) -> Reply:
        """The next message for this conversation; it counts as sent.

        Asked again for what was answered already, the turn goes on if it has more, else its last message comes again.
        """
        conversation = (asked.session, asked.agent)
        if asked.aside:
            return self._answer_aside(asked, self._places.get(conversation))
        opens = asked.fresh or asked.woken or conversation not in self._places
        place = self._places.setdefault(conversation, _Place())
        request = _request(asked)
        again = request == place.last_request
        if opens and not again:
            place.rest = self._take_turn(asked)
        elif not place.rest and again:
            return place.last_reply
        elif not place.rest:
            place.rest = self._fitting(asked) or (Say(EXHAUSTED),)
        place.last_request = request
        place.last_reply, place.rest = next_reply(place.rest, asked)
        return place.last_reply

    def _answer_aside(self, asked: Asked, place: _Place | None) -> Reply:
        if place and asked.aside == "summary":
            place.last_request = None  # The conversation gets shorter: its length tells no retry from now on.
        steps = self._fitting(asked)
        return answer_aside(asked) if steps is None else next_reply(steps, asked)[0]

    def _take_turn(self, asked: Asked) -> tuple[Step, ...]:
        if (steps := self._fitting(asked)) is not None:
            return steps
        if asked.agent:
            return (Say(UNSCRIPTED_AGENT),)
        return self._in_order.pop(0) if asked.fresh and self._in_order else self._otherwise

    def _fitting(self, asked: Asked) -> tuple[Step, ...] | None:
        return next((steps for when, steps in self._on_condition if when.fits(asked)), None)


def next_reply(steps: Sequence[Step], asked: Asked) -> tuple[Reply, tuple[Step, ...]]:
    """The first message of `steps`, and the steps after it; choices on the way are made by `asked`."""
    rest = list(steps)
    taken: list[Part] = []
    while rest:
        if _closes(taken, rest[0]):
            break
        step = rest.pop(0)
        match step:
            case Choose() | Respond():
                rest[:0] = chosen(step, asked)
            case Reply():
                return step, tuple(rest)
            case Fail(times=times) if times > 1:
                rest.insert(0, _once_less(step))
                return Reply((*taken, step)), tuple(rest)
            case Stop() | Cut() | Drop() | Fail():
                return Reply((*taken, step)), tuple(rest)
            case _:
                taken.append(step)
    return Reply(tuple(taken)), tuple(rest)


def chosen(step: Choose | Respond, asked: Asked) -> Sequence[Step]:
    """The steps that take the place of a choice."""
    match step:
        case Choose(cases=cases):
            return next((case.steps for case in cases if case.when.fits(asked)), ())
        case Respond(make=make):
            made = make(asked)
            return list(made) if isinstance(made, Sequence) else [made]


def _request(asked: Asked) -> _Request:
    messages = sum(message.get("role") != "system" for message in asked.messages)
    return _Request(asked.prompt, messages, asked.interruptions)


def _closes(taken: Sequence[Part], coming: Step) -> bool:
    """Whether the message ends before this step: a reply stands alone, and a call waits for its result."""
    if isinstance(coming, Reply):
        return bool(taken)
    called = any(isinstance(part, Call) for part in taken)
    return called and not isinstance(coming, Call | Usage | Headers | Stop | Cut)


def _once_less(step: Fail) -> Fail:
    return Fail(step.status, step.message, step.type, step.headers, step.times - 1)
