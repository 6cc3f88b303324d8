"""Questions and forms as steps: what is asked, what may be chosen, and what an answer is worth.

A question of the model and a form of an MCP server are the same to a person: one thing after the other, by digit or in
his own words. Nothing is chosen beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.events import PermissionRequest
from bascule.payload import AskUser, Question, QuestionOption
from bascule.terminal.asks import EDGE, subject
from bascule.terminal.clean import plain
from bascule.terminal.lines import EMPTY, QUIET, STRONG, YOU, Line, Piece, Span, behind, line, shown, spans_of

Kind: TypeAlias = Literal["text", "number", "integer", "boolean"]
"""What an answer in words must be."""

YES_NO: Final = (QuestionOption(label="yes"), QuestionOption(label="no"))


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is asked."""

    name: str
    """What the answer is filed under: the question, or the field of the form."""
    title: str
    options: tuple[QuestionOption, ...] = ()
    many: bool = False
    """Several options may be chosen."""
    kind: Kind = "text"
    optional: bool = False


def steps_of(ask: PermissionRequest) -> tuple[Step, ...]:
    """What is asked, in order; empty for a form that only points to a page."""
    match ask.normalized:
        case AskUser(questions=questions):
            return tuple(map(_of_question, questions))
        case _:
            return tuple(_fields(ask.input)) if ask.ask == "elicitation" else ()


def _of_question(asked: Question) -> Step:
    return Step(name=asked.question, title=asked.question, options=asked.options, many=asked.multi_select)


def _fields(form: Any) -> Iterator[Step]:
    """The fields of a form's JSON schema (22_elicit_accept, CLI 2.1.332); one we cannot read is free text."""
    schema = _mapping(_mapping(form).get("requested_schema"))
    required = schema.get("required")
    for name, field in _mapping(schema.get("properties")).items():
        told = _mapping(field)
        title = " · ".join(str(told[key]) for key in ("title", "description") if told.get(key))
        kind = told.get("type")
        yield Step(
            name=str(name),
            title=title or str(name),
            options=_choices(told),
            kind=kind if kind in ("number", "integer", "boolean") else "text",
            optional=not (isinstance(required, list) and name in required),
        )


def _choices(field: Mapping[str, Any]) -> tuple[QuestionOption, ...]:
    values = field.get("enum")
    if isinstance(values, list):
        return tuple(QuestionOption(label=str(value)) for value in values)
    return YES_NO if field.get("type") == "boolean" else ()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def value_of(step: Step, text: str) -> Any:
    """What an answer is worth where it is sent. Raises `ValueError` in words for people when it is none."""
    text = text.strip()
    if not text and not step.optional:
        raise ValueError("an answer is needed here")
    if not text:
        return None
    match step.kind:
        case "integer":
            return _number(text, int, "a whole number")
        case "number":
            return _number(text, float, "a number")
        case "boolean":
            if text.lower() not in ("yes", "no", "true", "false"):
                raise ValueError(f"{text!r} is neither yes nor no")
            return text.lower() in ("yes", "true")
        case "text":
            return text


def _number(text: str, kind: type[int] | type[float], name: str) -> int | float:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{text!r} is not {name}") from None


def chosen_value(step: Step, chosen: Iterable[int]) -> Any:
    """What the chosen options are worth: one label, or a list of them where several may be chosen."""
    labels = [step.options[index].label for index in sorted(chosen)]
    return labels if step.many else value_of(step, labels[0])


def shown_step(ask: PermissionRequest, index: int) -> list[Piece]:
    """The card of one step: the question, its options by digit, their previews."""
    steps = steps_of(ask)
    step = steps[index]
    place = f" · {index + 1} of {len(steps)}" if len(steps) > 1 else ""
    head = line((subject(ask), f"1;{YOU}"), (place, QUIET))
    message = [Line(spans=shown(row)) for row in (ask.says or "").split("\n")] if ask.ask == "elicitation" else []
    title = [Line(spans=shown(row, STRONG)) for row in step.title.split("\n")]
    options = [row for number, option in enumerate(step.options, 1) for row in _option(number, option)]
    return behind(
        EDGE, [head, EMPTY, *(message if index == 0 else ()), *title, *([EMPTY] if options else ()), *options]
    )


def _option(number: int, option: QuestionOption) -> Iterator[Line]:
    about = f"  {option.description}" if option.description else ""
    label = spans_of([(f"{number} ", YOU), *shown(option.label.replace("\n", " "))])
    yield Line(spans=(*label, *shown(about.replace("\n", " "), QUIET)), hang=2)
    if option.preview:
        yield from behind((Span("  ╎ ", QUIET),), (line(row) for row in plain(option.preview).rstrip().split("\n")))
