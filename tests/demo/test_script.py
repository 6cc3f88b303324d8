"""The words of the script language, and what they refuse."""

import doctest
from collections.abc import Callable

import pytest

from bascule.demo import script as language
from bascule.demo.asked import Asked, Result
from bascule.demo.script import (
    Call,
    Case,
    Fail,
    Pause,
    Say,
    Script,
    Turn,
    When,
    call,
    case,
    fail,
    pause,
    rate_limit,
    say,
    think,
    turn,
    when,
)
from bascule.errors import OptionError


def test_examples_in_the_docstrings_hold() -> None:
    results = doctest.testmod(language)
    assert results.attempted > 0
    assert results.failed == 0


def test_lone_step_is_a_turn_of_its_own() -> None:
    assert Script(say("hi"), turn(say("ho"))).turns == (Turn((Say("hi"),)), Turn((Say("ho"),)))


def test_scripts_are_equal_by_what_they_say() -> None:
    assert Script(say("hi")) == Script(turn(say("hi")))
    assert Script(say("hi")) != Script(say("ho"))


def test_input_of_a_call_may_have_any_name() -> None:
    assert call("Odd", tool="hammer", input=3, id="x") == Call("Odd", {"tool": "hammer", "input": 3, "id": "x"})


def test_error_type_goes_with_the_status() -> None:
    assert [fail(status).kind for status in (429, 529, 418)] == ["rate_limit_error", "overloaded_error", "api_error"]
    assert fail(429, "billing_error").kind == "billing_error"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: say("x", chunk=0),
        lambda: think("x", delay_s=-1),
        lambda: pause(-0.1),
        lambda: Pause(-0.1),
        lambda: fail(200),
        lambda: fail(429, times=0),
        lambda: Fail(600),
        lambda: when(pattern="("),
        turn,
        lambda: Script(chunk=0),
    ],
)
def test_impossible_steps_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(OptionError):
        wrong()


DENIED = Asked(results=(Result("a", "rather not", failed=True),))
FAILED = Asked(results=(Result("a", "Exit code 1", failed=True),))
WENT_WELL = Asked(results=(Result("a", "Done."), Result("b", "Done too.")))


@pytest.mark.parametrize(
    ("condition", "fitting", "other"),
    [
        (when(), Asked(prompt="anything"), Asked(aside="title")),
        (when(prompt="FIX"), Asked(prompt="please fix it"), Asked(prompt="leave it")),
        (when(prompt=("fix", "mend")), Asked(prompt="mend it"), Asked(prompt="leave it")),
        (when(pattern=r"\bhi\b"), Asked(prompt="Hi there"), Asked(prompt="this")),
        (when(note="Stop hook"), Asked(note="stop hook feedback:"), Asked(prompt="Stop hook")),
        (when(result="done TOO"), WENT_WELL, FAILED),
        (when(refused=True), DENIED, FAILED),
        (when(refused=False), FAILED, DENIED),
        (when(failed=True), FAILED, WENT_WELL),
        (when(failed=False), WENT_WELL, DENIED),
        (when(agent=True), Asked(headers={"x-claude-code-agent-id": "a1"}), Asked()),
        (when(agent=False), Asked(), Asked(headers={"x-claude-code-agent-id": "a1"})),
        (when(aside="title"), Asked(aside="title"), Asked()),
        (when(prompt="fix", agent=False), Asked(prompt="fix"), Asked(prompt="no")),
    ],
)
def test_condition_holds_if_every_field_does(condition: When, fitting: Asked, other: Asked) -> None:
    assert condition.fits(fitting)
    assert not condition.fits(other)


def test_case_without_condition_always_fits() -> None:
    assert case(say("x")) == Case((Say("x"),), When())


def test_rate_limit_makes_the_headers_of_the_five_hour_window() -> None:
    assert rate_limit("allowed", used=0.42, resets_at=1796058699) == {
        "anthropic-ratelimit-unified-status": "allowed",
        "anthropic-ratelimit-unified-reset": "1796058699",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "allowed",
        "anthropic-ratelimit-unified-5h-reset": "1796058699",
        "anthropic-ratelimit-unified-5h-utilization": "0.42",
    }


def test_warning_names_the_threshold_that_was_passed() -> None:
    limits = rate_limit("allowed_warning", used=0.91, resets_at=1796058699)
    assert limits["anthropic-ratelimit-unified-5h-surpassed-threshold"] == "0.9"
