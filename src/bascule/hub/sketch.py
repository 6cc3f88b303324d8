"""A session as a list shows it, read off its events one by one. Pure, and small enough to be kept beside it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from bascule.conversation import Status
from bascule.events import (
    AnyEvent,
    Compaction,
    Complete,
    MessageChunk,
    ModeChanged,
    ModelChanged,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    RateLimit,
    Reasoning,
    Retrying,
    SessionAsleep,
    SessionEnded,
    SessionStatus,
    TaskEnded,
    TaskStarted,
    ToolCall,
    ToolUpdate,
    TurnStarted,
)
from bascule.ids import CliSessionId, PendingId, PromptId

AskKind: TypeAlias = Literal["tool", "plan", "question", "elicitation", "dialog"]

TITLE_CHARS: Final = 80
SAID: Final = 64
"""Prompts that are remembered. A command is sent again soon, or never."""


class Sketch(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a session after the event ``seq``. Times are UTC ms."""

    seq: int = 0
    at: int = 0
    cli_session_id: CliSessionId | None = None
    title: str = ""
    """The beginning of its first prompt."""
    mode: str | None = None
    model: str | None = None
    running: bool = False
    resting: Status = "idle"
    """What it is while no turn runs."""
    since: int = 0
    """When the status became what it is."""
    asks: dict[PendingId, AskKind] = msgspec.field(default_factory=dict)
    """Those that are open: of what kind, the oldest first."""
    retry_until: int | None = None
    compacting: bool = False
    limited_until: int | None = None
    tasks: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    """Calls of tools that have not come to their end."""
    said: tuple[PromptId, ...] = ()
    """The newest prompts that were recorded: none of them is to be said again."""
    turns: int = 0
    cost_usd: float | None = None

    @property
    def status(self) -> Status:
        """In one word; what a person can do something about comes first."""
        if self.asks:
            return "waiting"
        if self.limited_until is not None:
            return "limited"
        if not self.running:
            return self.resting
        if self.retry_until is not None:
            return "retrying"
        return "compacting" if self.compacting else "running"

    @property
    def until(self) -> int | None:
        """When it goes on by itself."""
        return {"limited": self.limited_until, "retrying": self.retry_until}.get(self.status)


def sketched(sketch: Sketch, event: AnyEvent) -> Sketch:
    """``sketch`` after one more event. One that it has seen, and one that passes, changes nothing."""
    if event.seq is None or event.seq <= sketch.seq:
        return sketch
    after = replace(_happened(sketch, event), seq=event.seq, at=event.at)
    return after if after.status == sketch.status else replace(after, since=event.at)


def _happened(sketch: Sketch, event: AnyEvent) -> Sketch:
    match event:
        case PermissionRequest(pending_id=pending_id, ask=kind):
            return replace(sketch, asks={**sketch.asks, pending_id: kind})
        case PermissionResolved(pending_id=pending_id) | PermissionCancelled(pending_id=pending_id):
            return replace(sketch, asks={other: kind for other, kind in sketch.asks.items() if other != pending_id})
        case TurnStarted() | Complete():
            return _turned(sketch, event)
        case MessageChunk() | Reasoning() if sketch.retry_until is not None:
            return replace(sketch, retry_until=None)
        case ToolCall() | ToolUpdate() | TaskStarted() | TaskEnded():
            return _worked(sketch, event)
        case Retrying() | Compaction() | RateLimit():
            return _waited(sketch, event)
        case _:
            return _of_process(sketch, event)


def _worked(sketch: Sketch, event: ToolCall | ToolUpdate | TaskStarted | TaskEnded) -> Sketch:
    match event:
        case ToolCall(tool_call_id=call_id):
            return replace(sketch, retry_until=None, calls=sketch.calls | {call_id})
        case ToolUpdate(tool_call_id=call_id):
            return replace(sketch, calls=sketch.calls - {call_id})
        case TaskStarted(task_id=task_id, background=background):
            return sketch if background is False else replace(sketch, tasks=sketch.tasks | {task_id})
        case TaskEnded(task_id=task_id):
            return replace(sketch, tasks=sketch.tasks - {task_id})


def _waited(sketch: Sketch, event: Retrying | Compaction | RateLimit) -> Sketch:
    match event:
        case Retrying(delay_ms=delay_ms):
            return replace(sketch, retry_until=event.at + round(delay_ms))
        case Compaction(phase=phase):
            return replace(sketch, compacting=phase == "started")
        case RateLimit(waiting=waiting, resets_at=resets_at):
            return replace(sketch, limited_until=resets_at * 1000 if waiting and resets_at is not None else None)


def _turned(sketch: Sketch, event: TurnStarted | Complete) -> Sketch:
    match event:
        case TurnStarted():
            return replace(sketch, running=True, resting="idle", turns=sketch.turns + 1, limited_until=None)
        case Complete(cost_usd=cost_usd):
            spent = sketch.cost_usd if cost_usd is None else (sketch.cost_usd or 0.0) + cost_usd
            return replace(sketch, running=False, retry_until=None, compacting=False, cost_usd=spent)


def _of_process(sketch: Sketch, event: AnyEvent) -> Sketch:
    match event:
        case SessionStatus():
            return replace(
                sketch,
                cli_session_id=event.cli_session_id,
                mode=event.permission_mode or sketch.mode,
                model=event.model or sketch.model,
                resting="idle",
            )
        case ModeChanged(mode=mode):
            return replace(sketch, mode=mode)
        case ModelChanged(model=model):
            return replace(sketch, model=model)
        case PromptAccepted(text=text, prompt_id=prompt_id):
            return replace(sketch, title=sketch.title or _title(text), said=(*sketch.said, prompt_id)[-SAID:])
        case SessionAsleep():
            return _stopped(sketch, "asleep")
        case SessionEnded(cause=cause):
            return _stopped(sketch, "ended" if cause == "ended" else "lost")
        case _:
            return sketch


def _stopped(sketch: Sketch, resting: Status) -> Sketch:
    return replace(
        sketch,
        running=False,
        resting=resting,
        retry_until=None,
        compacting=False,
        tasks=frozenset(),
        calls=frozenset(),
        asks={},
    )


def _title(text: str) -> str:
    """Its first line, or the beginning of that."""
    line = " ".join(text.split("\n", 1)[0].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
