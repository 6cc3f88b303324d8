"""Events and asks as tests need them, short to write: what a test says nothing about has a plain value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from bascule.events import AskOption, PermissionRequest, Suggestion, ToolCall, ToolUpdate
from bascule.ids import PendingId
from bascule.payload import (
    AskUser,
    Hunk,
    Mark,
    ModifyFile,
    Mutation,
    Part,
    Payload,
    Question,
    QuestionOption,
    ShellExec,
    ShowPlan,
)
from bascule.terminal.lines import Line, Piece

START: int = 1_000_000
"""UTC ms at which the examples begin."""

TOOL_OPTIONS = (
    AskOption("allow_once", "Allow once", "allow"),
    AskOption("allow_always", "Allow always …", "allow_always"),
    AskOption("deny", "Deny", "deny"),
    AskOption("deny_and_stop", "Deny and stop", "deny_and_stop"),
)
PLAN_OPTIONS = (
    AskOption("approve_ask", "Approve, ask for each edit", "plan"),
    AskOption("approve_accept_edits", "Approve, accept edits", "plan"),
    AskOption("deny", "Deny with what to change", "deny"),
    AskOption("outline_plan", "Pause and outline", "plan"),
    AskOption("discuss_plan", "Discuss", "plan"),
    AskOption("deny_and_stop", "Deny and stop", "deny_and_stop"),
)
QUESTION_OPTIONS = (
    AskOption("answers", "Answer", "answer"),
    AskOption("deny", "Skip", "deny"),
    AskOption("deny_and_stop", "Deny and stop", "deny_and_stop"),
)

EDIT = ModifyFile(
    file_path="/w/app.py",
    mutations=(
        Mutation(
            type="patch",
            content="x = 2",
            old_content="x = 1",
            diff="-x = 1\n+x = 2",
            hunks=(Hunk(7, 3, 7, 3, (" a = 0", "-x = 1", "+x = 2", " b = 0")),),
            start_line=8,
        ),
    ),
    added=1,
    removed=1,
)


def tool_ask(
    payload: Payload | None = None,
    *,
    pending_id: str = "ask-1",
    tool_input: Any = None,
    title: str = "git push",
    **more: Any,
) -> PermissionRequest:
    """An ask for a call: a shell command, unless a payload is given."""
    command = payload or ShellExec(command="git push --force")
    given = {name: getattr(command, name) for name in ("command", "file_path") if hasattr(command, name)}
    return PermissionRequest(
        pending_id=PendingId(pending_id),
        ask="tool",
        tool_call_id="call-1",
        tool_name="Tool",
        title=title,
        normalized=command,
        input=given if tool_input is None else tool_input,
        input_hash="hash",
        **{"options": TOOL_OPTIONS, "suggestions": suggestions(), **more},
    )


def suggestions() -> tuple[Suggestion, ...]:
    """Two rules: one of ours, one of the CLI's."""
    return (
        Suggestion(rule="Tool(git push)"),
        Suggestion(rule="Tool(git *)", scope="local", source="cli", update={"x": 1}),
    )


def marked_ask() -> PermissionRequest:
    """A compound command with risks."""
    command = "git fetch && git push --force"
    return tool_ask(
        ShellExec(command=command, work_dir="/w"),
        marks=(Mark(mark="network"), Mark(mark="git push/force", grave=True, start=13, end=29)),
        parts=(
            Part(
                text="git fetch", start=0, end=9, marks=(Mark(mark="network"),), rule="git fetch*", where="rules.toml:3"
            ),
            Part(text="git push --force", start=13, end=29, marks=(Mark(mark="git push/force", grave=True),)),
        ),
        says="Publish the branch",
        reason="no rule covers it",
    )


def plan_ask(plan: str = "# Plan\n\n1. Do it") -> PermissionRequest:
    """A plan to approve, without the auto mode."""
    return PermissionRequest(
        pending_id=PendingId("plan-1"),
        ask="plan",
        tool_name="Plan",
        title="Plan",
        normalized=ShowPlan(plan=plan, file_path="/p/plan.md"),
        input={"plan": plan},
        input_hash="hash",
        options=PLAN_OPTIONS,
    )


def question_ask(*questions: Question) -> PermissionRequest:
    """Questions of the model."""
    asked = questions or (question(),)
    return PermissionRequest(
        pending_id=PendingId("question-1"),
        ask="question",
        tool_name="Ask",
        title="Ask",
        normalized=AskUser(questions=asked),
        input={"questions": []},
        input_hash="hash",
        options=QUESTION_OPTIONS,
    )


def question(text: str = "Which one?", labels: Sequence[str] = ("Red", "Blue"), *, many: bool = False) -> Question:
    """A question with options."""
    options = tuple(QuestionOption(label=label, description=f"{label} it is") for label in labels)
    return Question(question=text, header="Colour", options=options, multi_select=many)


def form_ask(schema: Any, message: str = "Who are you?") -> PermissionRequest:
    """A form of an MCP server."""
    return PermissionRequest(
        pending_id=PendingId("form-1"),
        ask="elicitation",
        tool_name="toy",
        title="toy asks",
        normalized=ShellExec(command=""),
        input={"requested_schema": schema},
        input_hash="hash",
        says=message,
        options=(AskOption("answers", "Answer", "answer"), AskOption("deny", "Decline", "deny")),
    )


def call(
    payload: Payload, *, title: str = "a call", call_id: str = "call-1", parent: str | None = None, at: int = START
) -> ToolCall:
    """A call that begins."""
    return ToolCall(
        tool_call_id=call_id, parent_tool_call_id=parent, tool_name="Tool", tool_title=title, normalized=payload, at=at
    )


def update(
    payload: Payload,
    status: Literal["running", "complete", "error", "denied", "cancelled", "lost"] = "complete",
    *,
    call_id: str = "call-1",
    at: int = START,
) -> ToolUpdate:
    """A call that goes on or ends."""
    return ToolUpdate(tool_call_id=call_id, tool_status=status, normalized=payload, at=at)


def told(pieces: Sequence[Piece]) -> list[str]:
    """The pieces without styles, prose as it was written."""
    return [
        piece.text.rstrip() if isinstance(piece, Line) else "".join(span.text for span in piece.rail) + piece.text
        for piece in pieces
    ]
