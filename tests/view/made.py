"""Events that no recording of the tests holds: grants, limits, a session that sleeps, what comes for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from bascule import events as told
from bascule.events import AnyEvent, is_passing
from bascule.ids import CliSessionId, GrantId, PendingId, PromptId, SessionId
from bascule.payload import Generic, ShellExec, ShellOutput, TodoItem


def numbered(events: Sequence[AnyEvent]) -> tuple[AnyEvent, ...]:
    """As a session gives them: each 1.5 s after the one before."""
    done: list[AnyEvent] = []
    seq = 0
    for place, event in enumerate(events, 1):
        common: dict[str, Any] = {"session": SessionId("s"), "at": place * 1500, "line": place}
        if is_passing(event):
            done.append(replace(event, after=seq, **common))
        else:
            seq += 1
            done.append(replace(event, seq=seq, **common))
    return tuple(done)


def asked(pending_id: str, call: str | None = None) -> told.PermissionRequest:
    """An ask for a command."""
    return told.PermissionRequest(
        pending_id=PendingId(pending_id),
        ask="tool",
        tool_call_id=call,
        tool_name="Run",
        title="rm -rf build",
        normalized=ShellExec(command="rm -rf build"),
        input={"command": "rm -rf build"},
        input_hash="h",
        turn=1,
    )


def update(call: str, status: Any, **more: Any) -> told.ToolUpdate:
    """Something about a call."""
    payload = ShellExec(command="make", output=ShellOutput(stdout="done"))
    return told.ToolUpdate(tool_call_id=call, tool_status=status, normalized=payload, turn=1, **more)


def granted(grant_id: str, **more: Any) -> told.GrantGiven:
    """Something is allowed for longer."""
    return told.GrantGiven(grant_id=GrantId(grant_id), rules=("Run(make *)",), scope="session", cause="trust", **more)


def called(call: str, parent: str | None = None) -> told.ToolCall:
    """A call begins."""
    payload = Generic(name="Run", input={"command": "make"})
    return told.ToolCall(
        tool_call_id=call, parent_tool_call_id=parent, tool_name="Run", tool_title="make", normalized=payload, turn=1
    )


def limit(status: Any, *, waiting: bool = False, resets_at: int | None = None) -> told.RateLimit:
    """Where a window stands."""
    return told.RateLimit(
        rate_limit_message="5-hour window", status=status, window="five_hour", resets_at=resets_at, waiting=waiting
    )


PROMPT: Final = PromptId("p1")
STATUS: Final = told.SessionStatus(
    cli_session_id=CliSessionId("c"),
    session_status="new",
    model="opus",
    cwd="/home/anna/app",
    permission_mode="default",
)
CONTEXT: Final = told.ContextWindow(context_window_used=1200, context_window_size=200_000)
DENIAL: Final = told.Denial(tool_name="Run", tool_call_id="c7")
USAGE: Final = told.TaskUsage(total_tokens=41_000, tool_uses=9, duration_ms=180_000)

HOLDING: Final[tuple[AnyEvent, ...]] = (
    STATUS,
    told.SessionStatus(cli_session_id=CliSessionId("c"), session_status="changed"),
    told.AvailableCommands(available_commands=(told.AvailableCommand("compact", "Summarise"),)),
    told.PromptAccepted(prompt_id=PROMPT, text="Build it", by="Anna", surface="phone"),
    told.TurnStarted(cause="prompt", prompt_ids=(PROMPT, PromptId("never")), turn=1),
    told.ModeChanged(mode="acceptEdits", by="Anna", turn=1),
    told.ModeChanged(mode="acceptEdits", turn=1),
    told.ModelChanged(model="haiku", turn=1),
    told.ModelChanged(model="haiku", turn=1),
    granted("g1", until=900_000, by="Anna", edits=True),
    granted("g2"),
    told.GrantEnded(grant_id=GrantId("g1"), cause="expired", covered=3),
    told.GrantEnded(grant_id=GrantId("g7"), cause="revoked"),
    CONTEXT,
    told.Todos(items=(TodoItem(id="1", description="Write it", status="in_progress", active_form="Writing it"),)),
    told.TaskStarted(task_id="t1", kind="local_bash", title="npm run dev", background=True),
    told.TaskStarted(task_id="t2", kind="local_agent", title="Look", background=False),
    told.TaskStarted(task_id="t3", kind="local_agent", title="Review", tool_call_id="c9"),
    told.TaskProgress(task_id="t3", kind="local_agent", title="Review", usage=USAGE),
    told.TaskEnded(task_id="t3", kind="local_agent", title="Review", outcome="completed"),
    told.TaskEnded(task_id="t2", kind="local_agent", title="Look", outcome="completed"),
    told.Hook(hook_event="Stop", name="lint", outcome="started"),
    told.Hook(hook_event="Stop", name="lint", outcome="error", output="no"),
    told.Notice(level="warning", text="The recording has a gap."),
    told.Unrecognised(message_type="system", subtype="quota_notice"),
    told.SessionAsleep(idle_s=900),
)

WAITING: Final[tuple[AnyEvent, ...]] = (
    STATUS,
    told.TurnStarted(cause="unknown", turn=1),
    limit("allowed_warning"),
    limit("rejected", waiting=True, resets_at=4_000_000_000),
    limit("allowed"),
    limit("allowed"),
    told.Retrying(attempt=1, max_retries=10, delay_ms=512.5, error="overloaded", error_status=529, turn=1),
    told.Retrying(attempt=2, max_retries=10, delay_ms=1024, error="overloaded", error_status=529, turn=1),
    told.MessageChunk(item="m1", text="Here", partial=True, turn=1),
    told.MessageChunk(item="m1", text=" I am", partial=True, turn=1),
    told.Compaction(phase="started", trigger="auto", pre_tokens=168_000, turn=1),
    told.Compaction(phase="finished", pre_tokens=168_000, post_tokens=31_000, turn=1),
    told.Compaction(phase="failed", turn=1),
    told.Reasoning(item="m2", reasoning_text="Hm", partial=True, turn=1),
    told.Reasoning(item="m2", reasoning_text="mm", partial=True, turn=1),
    told.MessageChunk(item="m3", text="In a subagent", partial=True, parent_tool_call_id="c1", turn=1),
    told.Compaction(phase="started", turn=1),
    told.Complete(outcome="interrupted", turn=1),
    told.Complete(outcome="success", cost_usd=0.1, turn=2),
    told.Complete(outcome="success", cost_usd=0.2, turn=3),
    told.Reasoning(item="m4", reasoning_text="Again", partial=True, turn=4),
    told.Reasoning(item="m4", reasoning_text="Again, whole", turn=4),
    told.SessionEnded(cause="killed", signal="SIGKILL"),
    told.Retrying(attempt=2, max_retries=10, delay_ms=10, error="overloaded"),
    told.SessionEnded(cause="ended", exit_code=0),
)

DECIDING: Final[tuple[AnyEvent, ...]] = (
    STATUS,
    told.TurnStarted(cause="prompt", turn=1),
    called("c1"),
    called("c2", parent="c1"),
    asked("a1", "c2"),
    asked("a2"),
    told.PermissionResolved(pending_id=PendingId("a1"), outcome="allowed", by="Anna", waited_ms=38_000, edited=True),
    told.PermissionResolved(pending_id=PendingId("a1"), outcome="denied", waited_ms=39_000),
    told.PermissionCancelled(pending_id=PendingId("a2"), cause="withdrawn"),
    told.PermissionCancelled(pending_id=PendingId("a3"), cause="expired"),
    told.PolicyDecided(tool_call_id="c1", verdict="allow", rule="Run(make *)", reason="a rule allows it"),
    told.PolicyDecided(tool_call_id="c7", verdict="deny", rule="Run(rm *)", reason="a rule denies it"),
    told.PolicyDecided(tool_call_id=None, verdict="deny", rule="*", reason="nobody is watching"),
    update("c2", "running", elapsed_s=3.0),
    update("c2", "complete"),
    update("c1", "error", elapsed_s=7.5),
    update("c8", "running"),
    update("c8", "complete"),
    told.Error(kind="api", message="Overloaded", hint="Try again"),
    told.Complete(
        outcome="error", cost_usd=0.25, permission_denials=(told.Denial(tool_name="Run", tool_call_id="c7"),)
    ),
    asked("a4"),
)

MADE: Final = {"holding": numbered(HOLDING), "waiting": numbered(WAITING), "deciding": numbered(DECIDING)}
