"""What goes to the CLI for each verb of a decision. Pure: who may decide, and when, stands in ``asks.py``.

A verb that does not fit its ask is refused, with what would fit: a question is never allowed without answers (the model
would read that the user did not answer, 14_no_answers), a plan is approved with how to go on, and what nobody knows can
only be dismissed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias, assert_never

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
    Refused,
)
from bascule.events import PermissionRequest
from bascule.tools.cli_rules import cli_rule
from bascule.tools.shapes import misfit
from bascule.wire import permissions as wire
from bascule.wire.control import Cancelled, CanUseTool, Completed, Elicitation, ElicitationAnswer, UserDialog
from bascule.wire.fitting import fit

Question: TypeAlias = CanUseTool | Elicitation | UserDialog
"""The requests of the CLI that a person answers."""

Outcome: TypeAlias = Literal["allowed", "allowed_always", "denied", "denied_stop", "answered"]

DENIED: Final = (
    "The user refused this. Do not try to reach the same another way; go on without it, or say what you would need."
)
"""What the model reads when a person gave no reason. Never empty: a denial without a message fails as a tool error
(07_shape_deny_no_message)."""

OUTLINE: Final = (
    "Not yet. First write the whole plan as visible text in your reply, in numbered steps that name the files you would"
    " touch, so that it can be read here. Then ask for approval again."
)
DISCUSS: Final = (
    "Not yet. The user wants to talk about the plan first: say in your reply what you are unsure of and what the"
    " alternatives are, ask your questions there, and wait for the answer before you ask for approval again."
)

PLAN_MODES: Final[Mapping[str, str]] = {"ask": "default", "accept_edits": "acceptEdits", "auto": "auto"}
"""How to go on after a plan, in the CLI's modes. Never a jump to bypass."""

_DESTINATIONS: Final[Mapping[str, str]] = {
    "session": "session",
    "project": "projectSettings",
    "user": "userSettings",
    "local": "localSettings",
}


class Reply(NamedTuple):
    """An answer for the wire, and what it amounts to in our words."""

    answer: wire.Allow | wire.Deny | ElicitationAnswer | Completed | Cancelled
    outcome: Outcome
    reason: str | None = None
    rule: str | None = None
    scope: str | None = None
    edited: bool = False
    outlines: bool = False
    """The plan is sent back to be written out first."""


def reply_to(event: PermissionRequest, question: Question, decision: Decision, *, governs: bool) -> Reply | Refused:
    """What ``decision`` writes as the answer to ``question``, or why it is no answer to it.

    *Allow always* hands back the CLI's own suggestion where it made that one. Another rule becomes one of the CLI's
    unless bascule ``governs``: then it is a grant, which is the caller's to keep.
    """
    if not _is_json(decision):
        return Refused(reason="the decision holds something that is no JSON, so the CLI could not read it")
    match question:
        case CanUseTool():
            return _to_tool(event, question, decision, governs=governs)
        case Elicitation():
            return _to_elicitation(decision)
        case UserDialog():
            return _to_dialog(decision)


def _is_json(decision: Decision) -> bool:
    try:
        msgspec.json.encode(decision)
    except UnicodeEncodeError:
        return True  # a lone surrogate, which has an escape on the wire
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _to_tool(event: PermissionRequest, question: CanUseTool, decision: Decision, *, governs: bool) -> Reply | Refused:
    match decision:
        case Deny(reason=reason):
            return _deny(reason)
        case DenyAndStop(reason=reason):
            return Reply(wire.Deny(message=reason or DENIED, interrupt=True), "denied_stop", reason=reason)
        case AllowOnce() | AllowAlways() if event.ask == "tool":
            return _allow(event, question, decision, governs=governs)
        case Answers() if event.ask == "question":
            return _answer(question, decision)
        case ApprovePlan() if event.ask == "plan":
            return _approve(question, decision)
        case OutlinePlan() if event.ask == "plan":
            return Reply(wire.Deny(message=OUTLINE), "denied", reason="to be written out first", outlines=True)
        case DiscussPlan() if event.ask == "plan":
            return Reply(wire.Deny(message=DISCUSS), "denied", reason="to be talked about first")
        case AllowOnce() | AllowAlways() | Answers() | ApprovePlan() | OutlinePlan() | DiscussPlan():
            return _unfit(event.ask)
        case _:
            assert_never(decision)


def _unfit(kind: str) -> Refused:
    fitting = {
        "tool": "allow_once, allow_always, deny or deny_and_stop",
        "plan": "approve_plan, outline_plan, discuss_plan, deny or deny_and_stop",
        "question": "answers, deny or deny_and_stop",
    }
    return Refused(reason=f"that is no answer to a {kind}: use {fitting[kind]}")


def _deny(reason: str | None) -> Reply:
    return Reply(wire.Deny(message=reason or DENIED), "denied", reason=reason)


def _allow(
    event: PermissionRequest, question: CanUseTool, decision: AllowOnce | AllowAlways, *, governs: bool
) -> Reply | Refused:
    given = question.input if decision.input is None else decision.input
    if wrong := misfit(question.tool_name, question.input, given):
        return Refused(reason=wrong)
    edited = given != question.input
    if isinstance(decision, AllowOnce):
        return Reply(wire.Allow(updated_input=given), "allowed", edited=edited)
    updates = _cli_rules(event, decision) or (() if governs else (_cli_rule(decision),))
    answer = wire.Allow(updated_input=given, updated_permissions=updates)
    return Reply(answer, "allowed_always", rule=decision.rule, scope=decision.scope, edited=edited)


def _cli_rules(event: PermissionRequest, decision: AllowAlways) -> tuple[wire.AddRules, ...]:
    """The CLI's own suggestions that bear this rule's text, to be kept where the person wants them."""
    taken = [s.update for s in event.suggestions if s.source == "cli" and s.rule == decision.rule]
    destination = _DESTINATIONS[decision.scope]
    return tuple(msgspec.structs.replace(fit(update, wire.AddRules), destination=destination) for update in taken)


def _cli_rule(decision: AllowAlways) -> wire.AddRules:
    tool, content = cli_rule(decision.rule)
    rule = wire.Rule(tool_name=tool, rule_content=content)
    return wire.AddRules(rules=(rule,), behavior="allow", destination=_DESTINATIONS[decision.scope])


def _answer(question: CanUseTool, decision: Answers) -> Reply | Refused:
    asked = _question_texts(question.input)
    answers = {text: _joined(answer) for text, answer in decision.answers.items()}
    missing = [text for text in asked if not answers.get(text)]
    unknown = [text for text in answers if asked and text not in asked]
    if missing or not answers:
        return Refused(reason=f"each question needs an answer (say so in words to skip one); missing: {missing}")
    if unknown:
        return Refused(reason=f"these were not asked: {unknown}")
    given = {**question.input, "answers": answers}
    if decision.notes:
        given["annotations"] = {text: {"notes": note} for text, note in decision.notes.items()}
    return Reply(wire.Allow(updated_input=given), "answered")


def _question_texts(given: dict[str, Any]) -> list[str]:
    questions = given.get("questions")
    rows = questions if isinstance(questions, list) else []
    return [row["question"] for row in rows if isinstance(row, dict) and isinstance(row.get("question"), str)]


def _joined(answer: Any) -> str:
    """Several labels as one text, as people read it; a list the CLI joins without blanks (14_answers_list)."""
    return ", ".join(map(str, answer)) if isinstance(answer, list | tuple) else str(answer)


def _approve(question: CanUseTool, decision: ApprovePlan) -> Reply:
    given = question.input if decision.plan is None else {**question.input, "plan": decision.plan}
    mode = wire.SetMode(mode=PLAN_MODES[decision.then], destination="session")
    answer = wire.Allow(updated_input=given, updated_permissions=(mode,))
    return Reply(answer, "allowed", reason=f"then: {decision.then}", edited=given != question.input)


def _to_elicitation(decision: Decision) -> Reply | Refused:
    match decision:
        case Answers(answers=answers):
            return Reply(ElicitationAnswer(action="accept", content=answers), "answered")
        case Deny(reason=reason):
            return Reply(ElicitationAnswer(action="decline"), "denied", reason=reason)
        case DenyAndStop(reason=reason):
            return Reply(ElicitationAnswer(action="cancel"), "denied", reason=reason)
        case _:
            return Refused(reason="a form is answered with answers, declined with deny, cancelled with deny_and_stop")


def _to_dialog(decision: Decision) -> Reply | Refused:
    match decision:
        case Answers(answers=answers):
            return Reply(Completed(result=answers), "answered")
        case Deny(reason=reason) | DenyAndStop(reason=reason):
            return Reply(Cancelled(), "denied", reason=reason)
        case _:
            return Refused(reason="a dialog is answered with answers, or dismissed with deny")
