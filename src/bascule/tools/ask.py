"""Questions to the person: AskUserQuestion."""

from __future__ import annotations

from typing import Any

import msgspec

from bascule.payload import AskUser, Question, QuestionOption
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome


def ask(call: Fields) -> AskUser:
    """The questions; those without a text are left out, for an answer goes by it."""
    return AskUser(questions=tuple(_question(one) for one in call.objects("questions") if one.text("question")))


def _question(one: Fields) -> Question:
    return Question(
        question=one.text("question"),
        header=one.text("header"),
        options=tuple(_option(option) for option in one.objects("options") if option.text("label")),
        multi_select=one.flag("multiSelect"),
    )


def _option(option: Fields) -> QuestionOption:
    return QuestionOption(
        label=option.text("label"), description=option.text("description"), preview=option.text_or_none("preview")
    )


def has_asked(payload: AskUser, outcome: Outcome) -> AskUser:
    """``payload`` with the answers, several labels joined by commas; empty when there were none (14_no_answers)."""
    answers = {question: _answer(answer) for question, answer in outcome.fields.pairs("answers")}
    answered = answers if "answers" in outcome.fields else None
    return msgspec.structs.replace(payload, answers=answered, error=outcome.error)


def _answer(answer: Any) -> str:
    return ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
