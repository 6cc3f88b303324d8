"""The verbs at the lower edge: only those that do something, and what each does."""

from bascule.events import AskOption
from bascule.terminal.dialogue import Dialogue
from bascule.terminal.foot import foot
from bascule.terminal.lines import NO_BREAK
from tests.terminal.examples import form_ask, plan_ask, question, question_ask, told, tool_ask
from tests.terminal.test_dialogue import pressed


def shown(dialogue: object) -> list[str]:
    assert isinstance(dialogue, Dialogue)
    return [row.replace(NO_BREAK, " ") for row in told(foot(dialogue, 0).lines)]


def test_the_verbs_of_a_tool() -> None:
    assert shown(pressed(tool_ask(), "")) == [
        "y allow once · A always … · e edit … · d deny … · s deny and stop · ? help"
    ]


def test_a_verb_that_is_not_offered_is_not_shown() -> None:
    assert shown(pressed(tool_ask(options=(AskOption("deny", "Deny", "deny"),)), "")) == ["d deny … · ? help"]


def test_what_is_left_of_its_time_stands_below_an_ask() -> None:
    assert shown(pressed(tool_ask(expires_at=90_500), ""))[-1] == "Denied by itself in 1 m 30 s"
    assert shown(pressed(tool_ask(expires_at=4_000), ""))[-1] == "Denied by itself in 4.0 s"
    assert shown(pressed(tool_ask(expires_at=-1), "d no"))[-1] == "Denied by itself in 0.0 s"


def test_help_says_what_each_key_does() -> None:
    rows = shown(pressed(tool_ask(), "?"))
    assert rows[0] == "y  allow once     let this one call run, exactly as shown (a does the same)"
    assert rows[-1].strip().startswith("Ctrl-C denies and stops")


def test_the_numbers_of_a_plan_do_not_shift_and_say_what_they_do_to_the_mode() -> None:
    assert shown(pressed(plan_ask(), "")) == [
        "1 approve, ask for each edit · the mode becomes default: every change is asked for",
        "2 approve, accept edits · changes to files in the workspace run unasked",
        "4 ask for changes … · say what the plan should do instead",
        "e edit … · o outline first · t talk first · s deny and stop · ? help",
    ]


def test_a_reason_is_written() -> None:
    at = pressed(tool_ask(), "d no")
    assert isinstance(at, Dialogue)
    assert shown(at) == ["Why not? Claude reads it · Enter sends, empty too · Esc goes back"]
    written = foot(at, 0).editor
    assert written is not None
    assert written.text == "no"
    assert shown(pressed(plan_ask(), "4"))[0].startswith("What should the plan do instead?")


def test_the_rule_is_shown_with_where_it_holds() -> None:
    assert shown(pressed(tool_ask(), "A")) == [
        "Allow, and remember this rule · change it if you like",
        "→ Tool(git push)",
        "  Tool(git *)  (Claude Code's own)",
        "It holds until this session ends (session)",
        "↑↓ another rule · Enter allows and remembers · Esc goes back",
    ]
    assert shown(pressed(tool_ask(), "A DOWN"))[3] == "It holds for you, in this project (local)"
    assert shown(pressed(tool_ask(suggestions=()), "A"))[-1] == "Enter allows and remembers · Esc goes back"
    assert shown(pressed(tool_ask(suggestions=()), "A", ("session", "user")))[-1].startswith("Tab how long · Enter")


def test_the_choices_of_a_question() -> None:
    assert shown(pressed(question_ask(), "")) == ["1–2 choose · 0 own words · d skip … · s deny and stop"]
    assert shown(pressed(question_ask(), "2")) == [
        "Chosen: Blue", "1–2 choose · 0 own words · Enter goes on · d skip … · s deny and stop",
    ]  # fmt: skip
    many = question_ask(question(labels=("One",), many=True))
    assert shown(pressed(many, ""))[0].startswith("1 choose one or more")


def test_own_words() -> None:
    assert shown(pressed(question_ask(), "0")) == ["Enter takes it · Esc goes back to the choices"]
    assert shown(pressed(form_ask({"required": ["n"], "properties": {"n": {"type": "number"}}}), "x ENTER")) == [
        "'x' is not a number", "Enter takes it",
    ]  # fmt: skip


def test_a_form_without_fields() -> None:
    assert shown(pressed(form_ask({}), "")) == ["y done · d decline … · ? help"]
