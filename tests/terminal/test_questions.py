"""Questions and forms as steps, and what an answer is worth."""

from typing import Any

import pytest

from bascule.payload import Question, QuestionOption
from bascule.terminal.questions import Step, chosen_value, shown_step, steps_of, value_of
from tests.terminal.examples import form_ask, plan_ask, question, question_ask, told

FORM = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "yours"},
        "age": {"type": "integer"},
        "height": {"type": "number"},
        "member": {"type": "boolean"},
        "plan": {"type": "string", "enum": ["free", "paid"]},
        "odd": "nonsense",
    },
}


def test_a_question_is_a_step() -> None:
    (step,) = steps_of(question_ask(question(many=True)))
    assert (step.name, step.many, [option.label for option in step.options]) == ("Which one?", True, ["Red", "Blue"])


def test_the_fields_of_a_form_are_steps() -> None:
    steps = steps_of(form_ask(FORM))
    assert [(step.name, step.title, step.kind, step.optional) for step in steps] == [
        ("name", "Name · yours", "text", False),
        ("age", "age", "integer", True),
        ("height", "height", "number", True),
        ("member", "member", "boolean", True),
        ("plan", "plan", "text", True),
        ("odd", "odd", "text", True),
    ]
    assert [option.label for option in steps[3].options] == ["yes", "no"]
    assert [option.label for option in steps[4].options] == ["free", "paid"]


@pytest.mark.parametrize("schema", [None, [], {"properties": 3}, {}])
def test_a_form_that_cannot_be_read_has_no_steps(schema: Any) -> None:
    assert steps_of(form_ask(schema)) == ()


def test_a_plan_has_no_steps() -> None:
    assert steps_of(plan_ask()) == ()


@pytest.mark.parametrize(
    ("step", "text", "value"),
    [
        (Step(name="n", title="t"), " own words ", "own words"),
        (Step(name="n", title="t", kind="integer"), "7", 7),
        (Step(name="n", title="t", kind="number"), "1.5", 1.5),
        (Step(name="n", title="t", kind="boolean"), "Yes", True),
        (Step(name="n", title="t", kind="boolean"), "false", False),
        (Step(name="n", title="t", optional=True), "  ", None),
    ],
)
def test_what_an_answer_is_worth(step: Step, text: str, value: Any) -> None:
    assert value_of(step, text) == value


@pytest.mark.parametrize(
    ("step", "text", "problem"),
    [
        (Step(name="n", title="t"), " ", "an answer is needed here"),
        (Step(name="n", title="t", kind="integer"), "1.5", "'1.5' is not a whole number"),
        (Step(name="n", title="t", kind="number"), "x", "'x' is not a number"),
        (Step(name="n", title="t", kind="boolean"), "maybe", "'maybe' is neither yes nor no"),
    ],
)
def test_an_answer_that_is_none_says_why(step: Step, text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        value_of(step, text)


def test_chosen_options_are_worth_their_labels() -> None:
    options = (QuestionOption(label="Red"), QuestionOption(label="Blue"))
    assert chosen_value(Step(name="n", title="t", options=options), {1}) == "Blue"
    assert chosen_value(Step(name="n", title="t", options=options, many=True), {1, 0}) == ["Red", "Blue"]


def test_the_card_of_a_question() -> None:
    preview = QuestionOption(label="Blue", preview="like\nthis")
    ask = question_ask(question(), Question(question="And then?", options=(preview,)))
    assert told(shown_step(ask, 0)) == [
        "┃ Claude asks · 1 of 2", "┃", "┃ Which one?", "┃", "┃ 1 Red  Red it is", "┃ 2 Blue  Blue it is",
    ]  # fmt: skip
    assert told(shown_step(ask, 1))[2:] == ["┃ And then?", "┃", "┃ 1 Blue", "┃   ╎ like", "┃   ╎ this"]


def test_the_message_of_a_form_stands_before_its_first_field() -> None:
    ask = form_ask({"properties": {"name": {}, "age": {}}})
    assert told(shown_step(ask, 0)) == ["┃ toy asks · 1 of 2", "┃", "┃ Who are you?", "┃ name"]
    assert told(shown_step(ask, 1)) == ["┃ toy asks · 2 of 2", "┃", "┃ age"]
