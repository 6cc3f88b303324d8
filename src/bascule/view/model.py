"""What a reader of one session sees, as a value: items in the order in which they appeared, and what holds now.

A surface draws this; ``fold.py`` makes it; ``ui/src/fold.ts`` makes the same from the same events. What can be derived
is not stored: the status word, the open asks and the tree of calls are functions here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from bascule.conversation import Status
from bascule.events import (
    Attachment,
    AvailableCommand,
    GrantGiven,
    McpServer,
    ModelUsage,
    PermissionRequest,
    TaskUsage,
)
from bascule.ids import CliSessionId, GrantId, PromptId
from bascule.payload import Payload, TodoItem


class Shown(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What all items have."""

    key: str
    """Names the item as long as the session lives."""
    at: int
    """UTC ms at which it appeared."""
    turn: int = 0
    """The turn it belongs to; 0 outside of one."""
    parent: str | None = None
    """The call of the subagent it happened in; null for the main thread."""


class Prompt(Shown, frozen=True, kw_only=True, tag="prompt"):
    """What somebody said to the model."""

    prompt_id: PromptId
    text: str
    attachments: tuple[Attachment, ...] = ()
    by: str | None = None
    surface: str | None = None
    disposition: Literal["sent", "queued", "steered"]
    state: Literal["waiting", "running", "done"] = "waiting"
    """``waiting``: no turn has taken it up."""


class Text(Shown, frozen=True, kw_only=True, tag="text"):
    """What the model said."""

    text: str
    partial: bool
    """More of it is to come."""


class Thought(Shown, frozen=True, kw_only=True, tag="thought"):
    """What the model thought."""

    text: str
    partial: bool
    ended_at: int | None = None
    """Null when it was not seen to grow: how long it took is unknown."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy said in a person's place."""

    verdict: Literal["allow", "deny"]
    rule: str
    reason: str


class Call(Shown, frozen=True, kw_only=True, tag="call"):
    """A tool call; of a subagent, what it did has this call's id as ``parent``."""

    tool_call_id: str
    tool_name: str
    title: str
    status: Literal["running", "complete", "error", "denied", "cancelled", "lost"]
    payload: Payload
    elapsed_s: float | None = None
    """As the CLI last said."""
    ended_at: int | None = None
    verdict: Verdict | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """How an ask was answered, and by whom."""

    outcome: Literal["allowed", "allowed_always", "denied", "denied_stop", "answered"]
    at: int
    by: str | None = None
    surface: str | None = None
    reason: str | None = None
    rule: str | None = None
    scope: str | None = None
    edited: bool = False
    waited_ms: int
    choosable: bool = False


class Ask(Shown, frozen=True, kw_only=True, tag="ask"):
    """A person was asked; open while ``answer`` and ``cancelled`` are both null."""

    request: PermissionRequest
    answer: Answer | None = None
    cancelled: Literal["withdrawn", "expired", "lost", "interrupted"] | None = None
    ended_at: int | None = None


class Judged(Shown, frozen=True, kw_only=True, tag="judged"):
    """A policy answered for a call that is not in view."""

    verdict: Verdict


class TurnEnd(Shown, frozen=True, kw_only=True, tag="turn"):
    """The line under a turn. Tokens are the main thread's; null is not known."""

    outcome: Literal["success", "error", "interrupted", "max_turns", "budget", "refused", "lost"]
    cost_usd: float | None = None
    duration_ms: int | None = None
    rounds: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None
    models: dict[str, ModelUsage] = msgspec.field(default_factory=dict)
    denied: int = 0
    structured: Any = None


class Retry(Shown, frozen=True, kw_only=True, tag="retry"):
    """The API was not reached, and is asked again."""

    attempt: int
    max_retries: int
    until: int
    """UTC ms of the next attempt."""
    error_status: int | None = None
    error: str
    ended_at: int | None = None
    """When it went on, or gave up."""


class Compaction(Shown, frozen=True, kw_only=True, tag="compaction"):
    """The conversation was summarised."""

    phase: Literal["started", "finished", "failed"]
    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    ended_at: int | None = None


class Limit(Shown, frozen=True, kw_only=True, tag="limit"):
    """A usage window is nearly used up, or is."""

    message: str
    status: Literal["allowed", "allowed_warning", "rejected"]
    window: str | None = None
    utilization: float | None = None
    resets_at: int | None = None
    """UTC seconds."""
    waiting: bool = False


class Change(Shown, frozen=True, kw_only=True, tag="change"):
    """The mode or the model changed."""

    what: Literal["mode", "model"]
    value: str
    by: str | None = None


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Work that runs beside the turn."""

    task_id: str
    what: str
    """In the CLI's words: ``local_agent``, ``local_bash``, …"""
    title: str
    tool_call_id: str | None = None
    started_at: int
    usage: TaskUsage | None = None


class TaskDone(Shown, frozen=True, kw_only=True, tag="task"):
    """Work beside the turn ended."""

    task: Task
    outcome: str | None = None


class Granted(Shown, frozen=True, kw_only=True, tag="grant"):
    """Something was allowed beyond one call."""

    grant: GrantGiven
    ended: Literal["revoked", "expired", "mode"] | None = None
    ended_at: int | None = None
    ended_by: str | None = None
    covered: int = 0


class Hooked(Shown, frozen=True, kw_only=True, tag="hook"):
    """A hook of the user's settings ran."""

    hook_event: str
    name: str
    outcome: str
    output: str | None = None


class Failure(Shown, frozen=True, kw_only=True, tag="failure"):
    """Something failed."""

    what: str
    message: str
    hint: str = ""
    detail: str | None = None


class Notice(Shown, frozen=True, kw_only=True, tag="notice"):
    """Something worth a line."""

    level: Literal["info", "notice", "warning"]
    text: str


class Asleep(Shown, frozen=True, kw_only=True, tag="asleep"):
    """The process was stopped for idleness."""

    idle_s: float


class End(Shown, frozen=True, kw_only=True, tag="end"):
    """The process is gone."""

    cause: Literal["ended", "killed", "crashed", "start_failed", "resume_failed"]
    exit_code: int | None = None
    signal: str | None = None
    stderr_tail: str = ""


class Unknown(Shown, frozen=True, kw_only=True, tag="unknown"):
    """The CLI said something new."""

    message_type: str
    subtype: str | None = None


Item: TypeAlias = (
    Prompt | Text | Thought | Call | Ask | Judged | TurnEnd | Retry | Compaction | Limit | Change | TaskDone | Granted
    | Hooked | Failure | Notice | Asleep | End | Unknown
)  # fmt: skip
"""Whatever has a place in the transcript; told apart by ``kind``."""


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """How full the context is, in tokens."""

    used: int
    size: int | None = None
    remaining: int | None = None


class View(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. Times are UTC ms."""

    items: tuple[Item, ...] = ()
    """In the order in which they appeared; what changes keeps its place."""
    open: dict[str, int] = msgspec.field(default_factory=dict)
    """Items that may still change: key to place in ``items``."""
    seq: int = 0
    """The last lasting event that was folded."""
    running: int = 0
    """The turn that runs; 0 when none does."""
    running_since: int | None = None
    resting: Literal["starting", "idle", "asleep", "ended", "lost"] = "starting"
    """What it is while no turn runs."""
    limited_until: int | None = None
    cli_session_id: CliSessionId | None = None
    cli_version: str | None = None
    cwd: str | None = None
    model: str | None = None
    mode: str | None = None
    requested_mode: str | None = None
    mcp_servers: tuple[McpServer, ...] = ()
    commands: tuple[AvailableCommand, ...] = ()
    context: Context | None = None
    todos: tuple[TodoItem, ...] = ()
    tasks: tuple[Task, ...] = ()
    """What runs beside the turn."""
    grants: dict[GrantId, int] = msgspec.field(default_factory=dict)
    """Grants that hold: id to place in ``items``."""
    cost_usd: float | None = None
    """Of the turns in view; null while no cost was told."""


def status(view: View) -> Status:
    """What the session does now, in one word; what a person can do something about comes first."""
    if any(open_asks(view)):
        return "waiting"
    if view.limited_until is not None:
        return "limited"
    if not view.running:
        return view.resting
    if "retry" in view.open:
        return "retrying"
    return "compacting" if "compaction" in view.open else "running"


def open_asks(view: View) -> Iterator[Ask]:
    """Asks that wait, the oldest first."""
    for place in view.open.values():
        item = view.items[place]
        if isinstance(item, Ask):
            yield item


def children(view: View, parent: str | None) -> Iterator[Item]:
    """What happened in the subagent of that call, or in the main thread. What belongs to a call out of view is of the
    main thread."""
    calls = {item.tool_call_id for item in view.items if isinstance(item, Call)}
    for item in view.items:
        if (item.parent if item.parent in calls else None) == parent:
            yield item


def held_grants(view: View) -> Iterator[Granted]:
    """Grants that hold, the oldest first."""
    for place in view.grants.values():
        item = view.items[place]
        assert isinstance(item, Granted)
        yield item
