"""The tools that are for a person: plans and questions. They ask in every mode, and the answer is their result."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from bascule.testing.fake_cli.rights import FOR_A_PERSON
from bascule.testing.fake_cli.talk import Talk
from bascule.testing.fake_cli.tools import Outcome, misused

NOT_PLANNING: Final = (
    "You are not in plan mode. To enter plan mode, call the EnterPlanMode tool first. If your plan was already"
    " approved, continue with implementation."
)
APPROVED: Final = "User has approved your plan. You can now start coding.\n\n## Approved Plan{edited}:\n{plan}"
NO_PLAN: Final = "User has approved exiting plan mode. You can now proceed."
ANSWERED: Final = "Your questions have been answered: {pairs}. You can now continue with these answers in mind."
OWN_WORDS: Final = (
    "The user answered: {pairs}. Read the answers carefully — they may request clarification, changes, or that you not"
    " proceed — and follow what they actually say."
)
UNANSWERED: Final = "The user did not answer the questions."
PLAN_REMINDER: Final = (
    "<system-reminder>\nPlan mode is active. You MUST NOT make any edits but to the plan file. You should create your"
    " plan at {file} using the Write tool.\n</system-reminder>"
)
_PLAN: Final = "plan"


def needs(tool: str) -> bool:
    """Whether the tool always asks a person."""
    return tool in FOR_A_PERSON


def out_of_place(tool: str, mode: str) -> Outcome | None:
    """``ExitPlanMode`` without plan mode fails and asks nobody (13_exit_not_in_plan)."""
    return misused(NOT_PLANNING) if tool == "ExitPlanMode" and mode != _PLAN else None


def answer(tool: str, tool_input: dict[str, Any], asked: dict[str, Any], talk: Talk) -> Outcome:
    """The result after the person's answer; ``asked`` is the input as the model wrote it."""
    match tool:
        case "AskUserQuestion":
            return _answered(tool_input, talk)
        case "EnterPlanMode":
            talk.change_mode(_PLAN)
            return Outcome(content="Entered plan mode.", result={"message": "Entered plan mode."})
        case _:
            return _approved(tool_input, asked, talk)


def _answered(tool_input: dict[str, Any], talk: Talk) -> Outcome:
    """The model reads each answer with its note; the newer version marks words that no option has (14_answers_*)."""
    answers, notes = tool_input.get("answers") or {}, tool_input.get("annotations") or {}
    result = {"questions": tool_input["questions"], "answers": answers, **({"annotations": notes} if notes else {})}
    if not answers:
        return Outcome(content=UNANSWERED, result=result)
    pairs = ", ".join(
        f'"{question}"="{_shown(given)}"' + _note(notes.get(question)) for question, given in answers.items()
    )
    labels = {option.get("label") for question in tool_input["questions"] for option in question.get("options", ())}
    own_words = bool(notes) or any(not {*_several(given)} <= labels for given in answers.values())
    said = OWN_WORDS if own_words and talk.version.tells_prompts else ANSWERED
    return Outcome(content=said.format(pairs=pairs), result=result)


def _several(given: Any) -> list[str]:
    return [str(one) for one in given] if isinstance(given, list) else str(given).split(", ")


def _note(annotation: Any) -> str:
    notes = annotation.get("notes") if isinstance(annotation, dict) else None
    return f" notes: {notes}" if notes else ""


def _shown(given: Any) -> str:
    return ",".join(map(str, given)) if isinstance(given, list) else str(given)


def _approved(tool_input: dict[str, Any], asked: dict[str, Any], talk: Talk) -> Outcome:
    """The plan is approved: the mode is what it was before, unless the answer has set another one already."""
    if talk.rights.mode == _PLAN:
        talk.change_mode(talk.plan_after)
    shown, plan = plan_input("ExitPlanMode", asked, talk), tool_input.get("plan")
    result = {"plan": plan, "isAgent": False, "filePath": tool_input.get("planFilePath", shown.get("planFilePath"))}
    if not plan:
        return Outcome(content=NO_PLAN, result=result)
    edited = plan != shown.get("plan")
    said = APPROVED.format(edited=" (edited by user)" if edited else "", plan=plan)
    return Outcome(content=said, result={**result, **({"planWasEdited": True} if edited else {})})


def plan_file(plans: Path) -> Path | None:
    """The plan that was written last into the CLI's plans folder."""
    files = plans.glob("*.md")
    return max(files, key=lambda path: path.stat().st_mtime_ns, default=None)


def reminder(talk: Talk) -> list[dict[str, Any]]:
    """What the CLI adds to what the person wrote: in plan mode, where the plan is to be written."""
    if talk.rights.mode != _PLAN:
        return []
    file = talk.rights.plans / f"plan-{talk.lines.session_id[:8]}.md"
    return [{"type": "text", "text": PLAN_REMINDER.format(file=file)}]


def plan_input(tool: str, tool_input: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """The input of an ask about a plan: from the plan file; the older version takes one in the call as well."""
    if tool != "ExitPlanMode":
        return tool_input
    file = plan_file(talk.rights.plans)
    if file is not None:
        return {"plan": file.read_text("utf-8"), "planFilePath": str(file)}
    return tool_input if talk.version.takes_inline_plan else {}
