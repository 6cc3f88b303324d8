"""Answers given beforehand, for runs without a keyboard: `--answers allow,deny:too much,answer:2`.

The list is taken in order, one answer per ask. An answer that does not fit what is asked denies, an ask for which none
is left is denied, and without any list nobody is watching: nothing ever waits, nothing is ever allowed by default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from bascule.commands import (
    AllowAlways,
    AllowOnce,
    Answers,
    ApprovePlan,
    Decision,
    Deny,
    DenyAndStop,
    DiscussPlan,
    OutlinePlan,
)
from bascule.errors import OptionError
from bascule.events import PermissionRequest
from bascule.terminal.questions import Step, chosen_value, steps_of, value_of

NOBODY: Final = "nobody is watching"
NO_ANSWER_LEFT: Final = "no answer left"
JUDGE_YOURSELF: Final = "nobody is watching: use your judgement and state your assumption"

_WORDS: Final = {
    "allow": "let it run once",
    "always": "allow by the first rule suggested, or by the one after the colon",
    "deny": "refuse, with the reason after the colon",
    "stop": "refuse and end the turn",
    "approve": "approve the plan; after the colon ask, accept_edits or auto",
    "outline": "have the plan written out first",
    "discuss": "talk about the plan first",
    "answer": "an option's number (1+3 for several) or text; | between questions",
    "skip": "leave a question to Claude",
}
_SPLIT: Final = re.compile(rf",\s*(?=(?:{'|'.join(_WORDS)})\b)")


class Given(msgspec.Struct, frozen=True):
    """One answer of the list."""

    word: str
    detail: str = ""


def parse(text: str) -> tuple[Given, ...]:
    """The answers of a list. A comma divides where an answer's word follows; others belong to a reason.

    Raises `OptionError` with what is allowed.
    """
    return tuple(_given(part.strip()) for part in _SPLIT.split(text.strip(" ,")) if part.strip())


def _given(part: str) -> Given:
    word, _, detail = part.partition(":")
    word = word.strip()
    if word not in _WORDS:
        raise OptionError(f"--answers: {part!r} is no answer. Answers are {', '.join(_WORDS)}.")
    if word == "answer" and not detail.strip():
        raise OptionError("--answers: answer needs what to answer: answer:1, answer:1+3 or answer:some text.")
    if word == "approve" and detail.strip() not in ("", "ask", "accept_edits", "auto"):
        raise OptionError(
            f"--answers: approve:{detail} is unknown. It is approve:ask, approve:accept_edits or approve:auto."
        )
    return Given(word, detail.strip())


class Script:
    """The answers still to be given; None: there never were any, since nobody is watching."""

    def __init__(self, given: Sequence[Given] | None) -> None:
        self._left = None if given is None else list(given)

    def answer(self, ask: PermissionRequest) -> Decision:
        """The decision over `ask`."""
        if self._left is None:
            return Deny(reason=JUDGE_YOURSELF if ask.ask == "question" else NOBODY)
        if not self._left:
            return Deny(reason=NO_ANSWER_LEFT)
        return decision(self._left.pop(0), ask)


def decision(given: Given, ask: PermissionRequest) -> Decision:
    """What `given` means for `ask`; a denial that says so where it does not fit."""
    match given:
        case Given(word="deny" | "skip"):
            return Deny(reason=given.detail or None)
        case Given(word="stop"):
            return DenyAndStop(reason=given.detail or None)
    make = _MEANINGS.get((ask.ask, given.word))
    return (make(given, ask) if make else None) or _misfit(given, ask)


def _misfit(given: Given, ask: PermissionRequest) -> Deny:
    detail = f":{given.detail}" if given.detail else ""
    return Deny(reason=f"the answer given beforehand, {given.word}{detail}, does not fit what was asked")


def _always(given: Given, ask: PermissionRequest) -> Decision | None:
    if given.detail:
        return AllowAlways(rule=given.detail)
    return AllowAlways(rule=ask.suggestions[0].rule, scope=ask.suggestions[0].scope) if ask.suggestions else None


def _approve(given: Given, ask: PermissionRequest) -> Decision | None:
    match given.detail:
        case "accept_edits" | "auto" as then:
            return ApprovePlan(then=then)
        case _:
            return ApprovePlan()


def _answer(given: Given, ask: PermissionRequest) -> Decision | None:
    steps = steps_of(ask)
    texts = [text.strip() for text in given.detail.split("|")] if len(steps) > 1 else [given.detail]
    if len(texts) != len(steps):
        return None
    try:
        answers = {step.name: _value(step, text) for step, text in zip(steps, texts, strict=True)}
    except ValueError:
        return None
    return Answers(answers={name: value for name, value in answers.items() if value is not None})


def _value(step: Step, text: str) -> Any:
    """An option by its number, several by numbers joined with +, else the text itself."""
    numbers = [int(part) - 1 for part in text.split("+")] if re.fullmatch(r"[1-9]\d?(\+[1-9]\d?)*", text) else []
    if numbers and step.options:
        if max(numbers) >= len(step.options) or (len(numbers) > 1 and not step.many):
            raise ValueError(f"there is no choice {text}")
        return chosen_value(step, numbers)
    return value_of(step, text)


_MEANINGS: Final[dict[tuple[str, str], Callable[[Given, PermissionRequest], Decision | None]]] = {
    ("tool", "allow"): lambda given, ask: AllowOnce(),
    ("tool", "always"): _always,
    ("plan", "allow"): lambda given, ask: ApprovePlan(),
    ("plan", "approve"): _approve,
    ("plan", "outline"): lambda given, ask: OutlinePlan(),
    ("plan", "discuss"): lambda given, ask: DiscussPlan(),
    ("question", "answer"): _answer,
    ("elicitation", "answer"): _answer,
    ("elicitation", "allow"): lambda given, ask: None if steps_of(ask) else Answers(answers={}),
}
