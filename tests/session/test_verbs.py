"""What goes to the CLI for each verb of a decision, and which verbs fit which ask."""

from typing import Any

import msgspec
import pytest

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
    Refused,
)
from bascule.events import PermissionRequest, Suggestion
from bascule.ids import PendingId
from bascule.payload import Generic
from bascule.session.verbs import DENIED, DISCUSS, OUTLINE, Question, Reply, reply_to
from bascule.wire.control import CanUseTool, Elicitation, UserDialog

RULES = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "make"}], "behavior": "allow"}
CLI_SUGGESTION = Suggestion(rule="Bash(make)", source="cli", update={**RULES, "destination": "localSettings"})


def event(kind: Any, *suggestions: Suggestion) -> PermissionRequest:
    return PermissionRequest(
        pending_id=PendingId("r1"),
        ask=kind,
        tool_name="Bash",
        title="make",
        normalized=Generic(name="Bash"),
        input={},
        input_hash="h",
        suggestions=suggestions,
    )


def reply(
    question: Question, decision: Decision, kind: str = "tool", *suggestions: Suggestion, governs: bool = True
) -> Reply:
    said = reply_to(event(kind, *suggestions), question, decision, governs=governs)
    assert isinstance(said, Reply)
    return said


def refusal(question: Question, decision: Decision, kind: str = "tool") -> str:
    said = reply_to(event(kind), question, decision, governs=True)
    assert isinstance(said, Refused)
    return said.reason


def wire(said: Reply) -> Any:
    return msgspec.json.decode(msgspec.json.encode(said.answer))


def bash(**given: Any) -> CanUseTool:
    return CanUseTool(tool_name="Bash", input=given or {"command": "make", "timeout": 5})


def questions(*texts: str) -> CanUseTool:
    rows = [{"question": text, "header": "h", "options": [], "multiSelect": True} for text in texts]
    return CanUseTool(tool_name="Q", input={"questions": rows})


def test_L15_allow_always_echoes_the_input() -> None:
    said = reply(bash(), AllowOnce())
    assert wire(said) == {"behavior": "allow", "updatedInput": {"command": "make", "timeout": 5}}
    assert (said.outcome, said.edited) == ("allowed", False)


def test_F16_even_an_empty_input_is_echoed() -> None:
    assert wire(reply(CanUseTool(tool_name="X", input={}), AllowOnce())) == {"behavior": "allow", "updatedInput": {}}


def test_an_edited_input_is_what_runs() -> None:
    said = reply(bash(), AllowOnce(input={"command": "make test"}))
    assert wire(said)["updatedInput"] == {"command": "make test"}
    assert said.edited


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("make", "a JSON object"),
        ({"command": ["make"]}, "`command` was text and would now be a list"),
        ({"command": "make", "timeout": "5"}, "`timeout` was a number and would now be text"),
        ({"command": "make", "timeout": True}, "`timeout` was a number and would now be a boolean"),
        ({"command": {}}, "an object"),
        ({"command": None}, "null"),
    ],
)
def test_an_edited_input_that_the_tool_would_fail_on_is_refused(given: Any, why: str) -> None:
    assert why in refusal(bash(), AllowOnce(input=given))


def test_always_under_a_policy_of_ours_is_a_grant_and_no_rule_of_the_cli() -> None:
    said = reply(bash(), AllowAlways(rule="Bash(make *)", scope="session"))
    assert wire(said) == {"behavior": "allow", "updatedInput": {"command": "make", "timeout": 5}}
    assert (said.outcome, said.rule, said.scope) == ("allowed_always", "Bash(make *)", "session")


@pytest.mark.parametrize(
    ("scope", "destination"),
    [("session", "session"), ("project", "projectSettings"), ("user", "userSettings"), ("local", "localSettings")],
)
def test_a_suggestion_of_the_cli_is_handed_back_for_the_chosen_scope(scope: Any, destination: str) -> None:
    said = reply(bash(), AllowAlways(rule="Bash(make)", scope=scope), "tool", CLI_SUGGESTION)
    assert wire(said)["updatedPermissions"] == [{**RULES, "destination": destination}]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Bash(make (all))", {"toolName": "Bash", "ruleContent": "make (all)"}),
        (" mcp__git__log ", {"toolName": "mcp__git__log"}),
    ],
)
def test_where_the_cli_governs_an_edited_rule_is_one_of_the_clis(text: str, rule: dict[str, str]) -> None:
    said = reply(bash(), AllowAlways(rule=text), "tool", CLI_SUGGESTION, governs=False)
    assert wire(said)["updatedPermissions"] == [
        {"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"}
    ]


def test_a_denial_always_has_a_message() -> None:
    """07_shape_deny_no_message: without one the model reads a schema error."""
    said = reply(bash(), Deny())
    assert wire(said) == {"behavior": "deny", "message": DENIED}
    assert said.reason is None
    assert wire(reply(bash(), Deny(reason="not on main"))) == {"behavior": "deny", "message": "not on main"}


def test_F18_a_denial_does_not_stop_the_others() -> None:
    assert "interrupt" not in wire(reply(bash(), Deny(reason="no")))


def test_deny_and_stop_ends_the_turn() -> None:
    said = reply(bash(), DenyAndStop(reason="enough"))
    assert wire(said) == {"behavior": "deny", "message": "enough", "interrupt": True}
    assert (said.outcome, said.reason) == ("denied_stop", "enough")


def test_answers_go_back_with_their_questions() -> None:
    asked = questions("Which?", "How?")
    said = reply(asked, Answers(answers={"Which?": ["A", "C"], "How?": "my way"}, notes={"How?": "soon"}), "question")
    assert wire(said)["updatedInput"] == {
        "questions": asked.input["questions"],
        "answers": {"Which?": "A, C", "How?": "my way"},
        "annotations": {"How?": {"notes": "soon"}},
    }
    assert said.outcome == "answered"


@pytest.mark.parametrize("answers", [{}, {"Which?": "A"}, {"Which?": "A", "How?": ""}])
def test_a_question_is_never_allowed_without_all_answers(answers: dict[str, Any]) -> None:
    """14_no_answers: the model would read that the user did not answer."""
    assert "How?" in refusal(questions("Which?", "How?"), Answers(answers=answers), "question")


def test_an_answer_to_what_was_not_asked_is_refused() -> None:
    assert "Who?" in refusal(questions("Which?"), Answers(answers={"Which?": "A", "Who?": "me"}), "question")


@pytest.mark.parametrize("rows", [None, 3, ["x"], [{"question": 4}]])
def test_F20_a_malformed_question_can_still_be_answered(rows: Any) -> None:
    asked = CanUseTool(tool_name="Q", input={"questions": rows})
    assert wire(reply(asked, Answers(answers={"it": "yes"}), "question"))["updatedInput"]["answers"] == {"it": "yes"}
    assert "missing" in refusal(asked, Answers(answers={}), "question")


@pytest.mark.parametrize(("then", "mode"), [("ask", "default"), ("accept_edits", "acceptEdits"), ("auto", "auto")])
def test_a_plan_is_approved_with_how_to_go_on(then: Any, mode: str) -> None:
    said = reply(CanUseTool(tool_name="P", input={"plan": "1."}), ApprovePlan(then=then), "plan")
    assert wire(said) == {
        "behavior": "allow",
        "updatedInput": {"plan": "1."},
        "updatedPermissions": [{"type": "setMode", "mode": mode, "destination": "session"}],
    }
    assert not said.edited


def test_an_edited_plan_goes_back() -> None:
    said = reply(CanUseTool(tool_name="P", input={"plan": "1."}), ApprovePlan(plan="2."), "plan")
    assert wire(said)["updatedInput"] == {"plan": "2."}
    assert said.edited


@pytest.mark.parametrize(("decision", "text"), [(OutlinePlan(), OUTLINE), (DiscussPlan(), DISCUSS)])
def test_talking_about_a_plan_is_a_denial_that_says_what_to_do(decision: Decision, text: str) -> None:
    assert wire(reply(CanUseTool(tool_name="P", input={}), decision, "plan")) == {"behavior": "deny", "message": text}


@pytest.mark.parametrize(
    ("kind", "decision"),
    [
        ("question", AllowOnce()),
        ("plan", AllowOnce()),
        ("plan", AllowAlways(rule="X")),
        ("tool", Answers(answers={"a": "b"})),
        ("tool", ApprovePlan()),
        ("tool", OutlinePlan()),
        ("question", DiscussPlan()),
    ],
)
def test_a_verb_that_does_not_fit_is_refused_with_those_that_do(kind: str, decision: Decision) -> None:
    assert f"no answer to a {kind}: use " in refusal(bash(), decision, kind)


def test_a_form_is_answered_or_declined() -> None:
    form = Elicitation(mcp_server_name="s")
    assert wire(reply(form, Answers(answers={"n": 1}), "elicitation")) == {"action": "accept", "content": {"n": 1}}
    assert wire(reply(form, Deny(), "elicitation")) == {"action": "decline"}
    assert wire(reply(form, DenyAndStop(), "elicitation")) == {"action": "cancel"}
    assert "declined" in refusal(form, AllowOnce(), "elicitation")


def test_a_dialog_is_answered_or_dismissed() -> None:
    dialog = UserDialog(dialog_kind="k")
    assert wire(reply(dialog, Deny(), "dialog")) == {"behavior": "cancelled"}
    answers = Answers(answers={"choice": "retry"})
    assert wire(reply(dialog, answers, "dialog")) == {"behavior": "completed", "result": {"choice": "retry"}}
    assert "dismissed" in refusal(dialog, AllowOnce(), "dialog")
