"""Answers given beforehand: taken in order, denied when they do not fit, never waiting for anybody."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from bascule.payload import Question
from bascule.terminal.answers import JUDGE_YOURSELF, NO_ANSWER_LEFT, NOBODY, Given, Script, decision, parse
from tests.terminal.examples import form_ask, plan_ask, question, question_ask, tool_ask

TWO = question_ask(question("One?"), Question(question="Two?"))
MANY = question_ask(question(labels=("a", "b", "c"), many=True))
FORM = form_ask({"required": ["age"], "properties": {"age": {"type": "integer"}, "nick": {}}})


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("allow", (Given("allow"),)),
        ("allow, deny,allow", (Given("allow"), Given("deny"), Given("allow"))),
        ("deny:no, not now,allow", (Given("deny", "no, not now"), Given("allow"))),
        ("answer:1+3,skip", (Given("answer", "1+3"), Given("skip"))),
        ("approve:accept_edits", (Given("approve", "accept_edits"),)),
        ("always:Bash(git status)", (Given("always", "Bash(git status)"),)),
        ("", ()),
        (" , ", ()),
    ],
)
def test_a_list_is_read(text: str, answers: tuple[Given, ...]) -> None:
    assert parse(text) == answers


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("alow", "'alow' is no answer"),
        ("allow,dney", "'allow,dney' is no answer"),
        ("yes", "Answers are allow, always"),
        ("answer", "answer needs what to answer"),
        ("approve:bypass", "approve:bypass is unknown"),
    ],
)
def test_a_list_that_is_wrong_says_what_is_right(text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        parse(text)


@pytest.mark.parametrize(
    ("text", "ask", "expected"),
    [
        ("allow", tool_ask(), AllowOnce()),
        ("always", tool_ask(), AllowAlways(rule="Tool(git push)")),
        ("always:Tool(x)", tool_ask(), AllowAlways(rule="Tool(x)")),
        ("deny", tool_ask(), Deny()),
        ("deny:no", tool_ask(), Deny(reason="no")),
        ("stop:enough", tool_ask(), DenyAndStop(reason="enough")),
        ("allow", plan_ask(), ApprovePlan()),
        ("approve", plan_ask(), ApprovePlan()),
        ("approve:accept_edits", plan_ask(), ApprovePlan(then="accept_edits")),
        ("outline", plan_ask(), OutlinePlan()),
        ("discuss", plan_ask(), DiscussPlan()),
        ("answer:2", question_ask(), Answers(answers={"Which one?": "Blue"})),
        ("answer:green", question_ask(), Answers(answers={"Which one?": "green"})),
        ("answer:1+3", MANY, Answers(answers={"Which one?": ["a", "c"]})),
        ("answer:1|in words", TWO, Answers(answers={"One?": "Red", "Two?": "in words"})),
        ("answer:7|", FORM, Answers(answers={"age": 7})),
        ("skip", question_ask(), Deny()),
        ("allow", form_ask({}), Answers(answers={})),
    ],
)
def test_what_an_answer_means(text: str, ask: PermissionRequest, expected: Decision) -> None:
    (given_answer,) = parse(text)
    assert decision(given_answer, ask) == expected


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        ("allow", question_ask()),
        ("allow", FORM),
        ("approve", tool_ask()),
        ("answer:1", tool_ask()),
        ("answer:1", plan_ask()),
        ("always", tool_ask(suggestions=())),
        ("always", plan_ask()),
        ("answer:9", question_ask()),
        ("answer:1+2", question_ask()),
        ("answer:1", TWO),
        ("answer:x|", FORM),
    ],
)
def test_an_answer_that_does_not_fit_denies_and_says_so(text: str, ask: PermissionRequest) -> None:
    (given_answer,) = parse(text)
    assert decision(given_answer, ask) == Deny(
        reason=f"the answer given beforehand, {text}, does not fit what was asked"
    )


def test_answers_are_taken_in_order_and_then_denied() -> None:
    script = Script(parse("allow,deny:no"))
    assert [script.answer(tool_ask()) for _ in range(3)] == [
        AllowOnce(), Deny(reason="no"), Deny(reason=NO_ANSWER_LEFT),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "reason"), [(tool_ask(), NOBODY), (plan_ask(), NOBODY), (question_ask(), JUDGE_YOURSELF)]
)
def test_where_nobody_watches_everything_is_denied(ask: PermissionRequest, reason: str) -> None:
    assert Script(None).answer(ask) == Deny(reason=reason)


ASKS = st.sampled_from([tool_ask(), plan_ask(), question_ask(), TWO, MANY, FORM, form_ask({})])
WORDS = st.sampled_from(["deny", "stop", "answer", "skip", "outline", "discuss"])


@given(WORDS, st.text(max_size=8), ASKS)
def test_only_the_words_that_mean_it_allow(word: str, detail: str, ask: Any) -> None:
    assert not isinstance(decision(Given(word, detail), ask), AllowOnce | AllowAlways | ApprovePlan)
