"""The keyboard before an ask: no key allows by accident, and each verb says exactly what was meant."""

from typing import Any

import msgspec
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
from bascule.events import AskOption, PermissionRequest
from bascule.ids import PendingId
from bascule.payload import Generic, Question, ShowPlan
from bascule.terminal.dialogue import (
    ARMING_MS,
    SESSION,
    Asking,
    Choosing,
    Dialogue,
    Next,
    Open,
    Ruling,
    Scope,
    View,
    Writing,
    asked,
    begin,
    edited,
    press,
    stop,
)
from bascule.terminal.keys import Key
from tests.terminal.examples import form_ask, plan_ask, question, question_ask, told, tool_ask

READY = ARMING_MS
NAMED = {"ENTER": "enter", "ESC": "escape", "TAB": "tab", "BACKTAB": "shift-tab", "UP": "up", "DOWN": "down"}


def keys(script: str) -> list[Key]:
    """`d no ENTER`: words in capitals are keys, of others each letter is one."""
    found: list[Key] = []
    for word in script.split():
        found += [Key(NAMED[word])] if word in NAMED else [Key("char", char) for char in word]
    return found


def pressed(ask: PermissionRequest, script: str, scopes: tuple[Scope, ...] = SESSION) -> Next:
    """What comes of the keys, each pressed when the card had been read."""
    now = 0
    at: Next = begin(ask, now, scopes)
    for key in keys(script):
        now += READY
        assert isinstance(at, Choosing | Writing | Ruling | Asking), f"{at} is decided already"
        at = press(at, key, now)
    return at


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("y", AllowOnce()),
        ("a", AllowOnce()),
        ("s", DenyAndStop()),
        ("S no ENTER", DenyAndStop(reason="no")),
        ("S ENTER", DenyAndStop()),
        ("d ENTER", Deny()),
        ("d no ENTER", Deny(reason="no")),
        ("d no ESC y", AllowOnce()),
        ("? y", AllowOnce()),
        ("A ENTER", AllowAlways(rule="Tool(git push)")),
        ("A DOWN ENTER", AllowAlways(rule="Tool(git *)", scope="local")),
        ("A TAB ENTER", AllowAlways(rule="Tool(git push)")),
        ("A DOWN TAB ENTER", AllowAlways(rule="Tool(git *)")),
        ("A x ENTER", AllowAlways(rule="Tool(git push)x")),
        ("A ESC d ENTER", Deny()),
    ],
)
def test_each_verb_of_a_tool(script: str, decision: Decision) -> None:
    assert pressed(tool_ask(), script) == decision


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("1", ApprovePlan(then="ask")),
        ("2", ApprovePlan(then="accept_edits")),
        ("4 less ENTER", Deny(reason="less")),
        ("d ENTER", Deny()),
        ("o", OutlinePlan()),
        ("t", DiscussPlan()),
        ("s", DenyAndStop()),
    ],
)
def test_each_verb_of_a_plan(script: str, decision: Decision) -> None:
    assert pressed(plan_ask(), script) == decision


@pytest.mark.parametrize("script", ["3", "y", "a", "A", "ENTER"])
def test_a_plan_is_not_approved_by_a_key_that_is_not_offered(script: str) -> None:
    assert isinstance(pressed(plan_ask(), script), Choosing)


@pytest.mark.parametrize(
    ("script", "answers"),
    [
        ("1 ENTER", {"Which one?": "Red"}),
        ("1 2 ENTER", {"Which one?": "Blue"}),
        ("0 green ENTER", {"Which one?": "green"}),
        ("0 x ESC 1 ENTER", {"Which one?": "Red"}),
    ],
)
def test_a_question_is_answered(script: str, answers: dict[str, Any]) -> None:
    assert pressed(question_ask(), script) == Answers(answers=answers)


def test_several_options_may_be_chosen_where_that_is_asked() -> None:
    ask = question_ask(question(labels=("a", "b", "c"), many=True))
    assert pressed(ask, "1 3 2 2 ENTER") == Answers(answers={"Which one?": ["a", "c"]})


def test_questions_are_answered_one_after_the_other() -> None:
    ask = question_ask(question("One?"), Question(question="Two?"))
    assert pressed(ask, "2 ENTER well ENTER") == Answers(answers={"One?": "Blue", "Two?": "well"})


@pytest.mark.parametrize(
    ("script", "decision"),
    [("d ENTER", Deny()), ("d later ENTER", Deny(reason="later")), ("s", DenyAndStop()), ("S ENTER", DenyAndStop())],
)
def test_a_question_may_be_left(script: str, decision: Decision) -> None:
    assert pressed(question_ask(), script) == decision


@pytest.mark.parametrize("script", ["ENTER", "y", "a", "9", "1 1 ENTER", "x", "d ESC ENTER"])
def test_a_question_is_not_answered_by_accident(script: str) -> None:
    at = pressed(question_ask(), script)
    assert isinstance(at, Asking)
    assert at.index == 0


def test_an_answer_that_is_none_says_why_and_stays() -> None:
    at = pressed(form_ask({"required": ["age"], "properties": {"age": {"type": "integer"}}}), "x ENTER")
    assert isinstance(at, Asking)
    assert at.problem == "'x' is not a whole number"
    assert press(at, Key("backspace"), 10_000) != at


def test_a_form_is_filled_in() -> None:
    schema = {"required": ["age"], "properties": {"age": {"type": "integer"}, "ok": {"type": "boolean"}, "more": {}}}
    assert pressed(form_ask(schema), "7 ENTER 1 ENTER ENTER") == Answers(answers={"age": 7, "ok": True})
    assert pressed(form_ask(schema), "7 ENTER ENTER x ENTER") == Answers(answers={"age": 7, "more": "x"})


def test_a_form_without_fields_is_done_or_declined() -> None:
    assert pressed(form_ask({}), "y") == Answers(answers={})
    assert pressed(form_ask({}), "d ENTER") == Deny()


def test_a_dialog_can_be_dismissed() -> None:
    ask = PermissionRequest(
        pending_id=PendingId("d"), ask="dialog", tool_name="x", title="x", normalized=Generic(name="x"), input={},
        input_hash="h", options=(AskOption("deny", "Dismiss", "deny"),),
    )  # fmt: skip
    assert pressed(ask, "d ENTER") == Deny()
    assert isinstance(pressed(ask, "s"), Choosing)
    assert isinstance(pressed(ask, "v"), View)


KEYS = st.one_of(
    st.sampled_from(
        [Key(name) for name in ("enter", "newline", "escape", "tab", "up", "left", "backspace", "focus", "eof")]
    ),
    st.sampled_from("bcdehostvxzDEY?120 ").map(lambda char: Key("char", char)),
    st.text(max_size=5).map(lambda text: Key("paste", text)),
)


@given(st.lists(KEYS, max_size=20))
def test_no_keys_but_the_three_that_mean_it_allow(pressed_keys: list[Key]) -> None:
    at: Next = begin(tool_ask(), 0)
    for number, key in enumerate(pressed_keys, 1):
        if not isinstance(at, Choosing | Writing | Ruling | Asking):
            break
        at = press(at, key, number * READY)
    assert not isinstance(at, AllowOnce | AllowAlways)


@given(st.lists(KEYS, max_size=20))
def test_enter_and_pasted_text_never_answer_a_plan(pressed_keys: list[Key]) -> None:
    at: Next = begin(plan_ask(), 0)
    for number, key in enumerate(pressed_keys, 1):
        if not isinstance(at, Choosing | Writing | Ruling | Asking) or key.text in ("1", "2"):
            break
        at = press(at, key, number * READY)
    assert not isinstance(at, ApprovePlan)


@pytest.mark.parametrize("ask", [tool_ask(), question_ask()])
def test_keys_that_come_before_a_card_was_read_do_nothing(ask: PermissionRequest) -> None:
    at = begin(ask, 1_000)
    early = 1_000 + ARMING_MS - 1
    assert press(at, Key("char", "y"), early) == begin(ask, early)
    assert press(at, Key("char", "1"), early) == begin(ask, early)


def test_whoever_goes_on_typing_never_allows() -> None:
    at: Next = begin(tool_ask(), 0)
    for now in range(100, 60_000, ARMING_MS - 1):
        assert isinstance(at, Choosing)
        at = press(at, Key("char", "y"), now)
        assert at == begin(tool_ask(), now)
    assert isinstance(at, Choosing)
    assert press(at, Key("char", "y"), at.since + ARMING_MS) == AllowOnce()


def test_enter_right_after_always_does_nothing() -> None:
    ruling = press(begin(tool_ask(), 0), Key("char", "A"), READY)
    assert isinstance(ruling, Ruling)
    assert isinstance(press(ruling, Key("enter"), READY + 1), Ruling)
    assert press(ruling, Key("escape"), READY + 1) == ruling.back
    assert press(ruling, Key("enter"), READY * 2) == AllowAlways(rule="Tool(git push)")


@pytest.mark.parametrize(
    ("script", "scope"), [("A TAB ENTER", "project"), ("A BACKTAB ENTER", "user"), ("A DOWN TAB ENTER", "session")]
)
def test_how_long_a_rule_holds_is_chosen_where_there_is_a_choice(script: str, scope: Scope) -> None:
    decision = pressed(tool_ask(), script, ("session", "project", "user"))
    assert isinstance(decision, AllowAlways)
    assert decision.scope == scope


def test_always_without_a_suggestion_needs_a_rule() -> None:
    ask = tool_ask(suggestions=())
    assert isinstance(pressed(ask, "A ENTER"), Ruling)
    assert isinstance(pressed(ask, "A UP"), Ruling)
    assert pressed(ask, "A Tool ENTER") == AllowAlways(rule="Tool")


def test_a_verb_that_is_not_offered_does_nothing() -> None:
    ask = tool_ask(options=(AskOption("deny", "Deny", "deny"),))
    assert all(isinstance(pressed(ask, key), Choosing) for key in ("y", "a", "A", "e", "E", "s", "S"))
    assert pressed(ask, "d ENTER") == Deny()


def opened(ask: PermissionRequest, at: Dialogue | None = None) -> Open:
    found = press(at or begin(ask, 0), Key("char", "e"), READY)
    assert isinstance(found, Open)
    return found


def test_an_edited_input_is_shown_and_needs_a_yes_of_its_own() -> None:
    at = opened(tool_ask())
    assert (at.suffix, at.text) == (".json", '{\n  "command": "git push --force"\n}\n')
    taken, pieces = edited(at, '{"command": "git push"}', 5_000)
    assert told(pieces) == [
        "┃ Edited by you, not allowed yet:", "┃", "┃   {", '┃ -   "command": "git push --force"',
        '┃ +   "command": "git push"', "┃   }",
    ]  # fmt: skip
    assert isinstance(press(taken, Key("char", "y"), 5_001), Choosing)
    assert press(taken, Key("char", "y"), 5_000 + READY) == AllowOnce(input={"command": "git push"})


def shell_ask(**more: Any) -> PermissionRequest:
    given = {"command": "git push --force", "description": "Push", **more}
    return msgspec.structs.replace(tool_ask(), tool_name="Bash", input=given)


def test_a_command_is_edited_as_the_text_it_is_and_its_other_fields_stay() -> None:
    at = opened(shell_ask())
    assert (at.suffix, at.text, at.key) == (".sh", "git push --force", "command")
    taken, pieces = edited(at, "git push\n", 0)
    assert told(pieces) == ["┃ Edited by you, not allowed yet:", "┃", "┃ - git push --force", "┃ + git push"]
    assert press(taken, Key("char", "y"), READY) == AllowOnce(input={"command": "git push", "description": "Push"})
    assert opened(shell_ask(), taken).text == "git push"


def test_a_command_that_was_not_changed_is_as_asked() -> None:
    for text in ("git push --force", "git push --force\n"):
        taken, _ = edited(opened(shell_ask()), text, 0)
        assert (taken.edited, taken.problem) == (None, "Nothing is changed: as asked.")
    ended = shell_ask(command="ls\n")
    assert edited(opened(ended), "ls\n", 0)[0].edited is None


def test_every_field_can_be_edited_as_json() -> None:
    found = press(begin(shell_ask(), 0), Key("char", "E"), READY)
    assert isinstance(found, Open)
    assert (found.suffix, found.key) == (".json", None)
    refused, _ = edited(found, "{", 0)
    assert opened(shell_ask(), refused).text == "{"


def test_an_edited_input_goes_with_always_too() -> None:
    taken, _ = edited(opened(tool_ask()), '{"command": "ls"}', 0)
    ruling = press(taken, Key("char", "A"), READY)
    assert isinstance(ruling, Ruling)
    assert press(ruling, Key("enter"), READY * 2) == AllowAlways(rule="Tool(git push)", input={"command": "ls"})


@pytest.mark.parametrize(("text", "problem"), [("{", "That is no JSON"), ("[1]", "An input is a JSON object")])
def test_what_cannot_be_used_is_kept_for_the_next_edit(text: str, problem: str) -> None:
    refused, pieces = edited(opened(tool_ask()), text, 0)
    assert pieces == []
    assert refused.problem.startswith(problem)
    assert press(refused, Key("char", "y"), READY) == AllowOnce()
    assert opened(tool_ask(), refused).text == text


def test_an_input_that_was_not_changed_is_as_asked() -> None:
    taken, pieces = edited(opened(tool_ask()), '{"command": "git push --force"}', 0)
    assert (taken.edited, pieces, taken.problem) == (None, [], "Nothing is changed: as asked.")


def test_an_edited_plan_goes_with_its_approval() -> None:
    at = opened(plan_ask())
    assert (at.suffix, at.text) == (".md", "# Plan\n\n1. Do it")
    taken, pieces = edited(at, "# Plan\n\n1. Do less", 0)
    assert "┃ + 1. Do less" in told(pieces)
    assert press(taken, Key("char", "2"), READY) == ApprovePlan(then="accept_edits", plan="# Plan\n\n1. Do less")
    assert opened(plan_ask(), taken).text == "# Plan\n\n1. Do less"


def test_a_plan_without_a_text_can_be_edited() -> None:
    ask = plan_ask()
    empty = PermissionRequest(
        pending_id=ask.pending_id, ask="plan", tool_name="P", title="P", normalized=ShowPlan(), input={},
        input_hash="h", options=ask.options,
    )  # fmt: skip
    assert opened(empty).text == ""


def test_the_whole_input_can_be_read() -> None:
    at = pressed(tool_ask(), "v")
    assert isinstance(at, View)
    assert at.text == '{\n  "command": "git push --force"\n}\n'


@pytest.mark.parametrize("script", ["d no", "A"])
def test_ctrl_c_goes_back_from_what_is_being_written(script: str) -> None:
    at = pressed(tool_ask(), script)
    assert isinstance(at, Writing | Ruling)
    assert stop(at) == at.back


@pytest.mark.parametrize("ask", [tool_ask(), plan_ask(), question_ask()])
def test_ctrl_c_before_a_card_denies_and_stops(ask: PermissionRequest) -> None:
    assert stop(begin(ask, 0)) == DenyAndStop()


def test_ctrl_c_declines_what_cannot_be_stopped() -> None:
    assert stop(begin(form_ask({}), 0)) == Deny()


@pytest.mark.parametrize("script", ["", "d x", "A", "?"])
def test_what_is_asked_is_known_all_along(script: str) -> None:
    at = pressed(tool_ask(), script)
    assert isinstance(at, Choosing | Writing | Ruling | Asking)
    assert asked(at) == tool_ask()
