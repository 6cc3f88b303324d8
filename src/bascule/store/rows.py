"""What the store keeps, as values. Times are UTC ms; what is absent is null."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from bascule.commands import Decision, Prompt
from bascule.events import Complete, PermissionRequest
from bascule.ids import CliSessionId, CommandId, GrantId, PendingId, SessionId

Role: TypeAlias = Literal["viewer", "approver", "owner"]
"""A viewer sees, an approver decides and says prompts as well, an owner may do all."""


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session of ours; it outlives its processes."""

    id: SessionId
    cwd: str
    policy: str
    status: str
    """In words of the hub's: ``starting``, ``idle``, ``running``, ``asleep``, ``ended``, ``lost``, …"""
    cli_session_id: CliSessionId | None = None
    last_uuid: str | None = None
    """The last message of the main thread that holds: where a resume can go on."""
    title: str = ""
    mode: str | None = None
    model: str | None = None
    project: str | None = None
    branch: str | None = None
    spec: dict[str, Any] = msgspec.field(default_factory=dict)
    """What each of its processes is started with."""
    keeper: dict[str, Any] | None = None
    """The process that owns the CLI, while there is one."""
    exit: dict[str, Any] | None = None
    """How the last process ended."""
    created_at: int
    updated_at: int
    archived_at: int | None = None


class AskRow(msgspec.Struct, frozen=True, kw_only=True):
    """An ask with what became of it."""

    session: SessionId
    pending_id: PendingId
    state: Literal["open", "claimed", "settled"]
    """``claimed``: an answer is decided on and not known to be written."""
    request: PermissionRequest
    opened_at: int
    command_id: CommandId | None = None
    decision: Decision | None = None
    by: str | None = None
    surface: str | None = None
    claimed_at: int | None = None
    settled_at: int | None = None
    outcome: str | None = None


class AskStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step in the life of an ask; all are kept."""

    at: int
    step: Literal["opened", "claimed", "undone", "resolved", "cancelled"]
    by: str | None = None
    surface: str | None = None
    detail: str | None = None


class GrantRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a person allowed beyond one call, in a session."""

    session: SessionId
    grant_id: GrantId
    rules: tuple[str, ...]
    scope: str
    cause: str
    by: str | None = None
    surface: str | None = None
    given_at: int
    until: int | None = None
    ended_at: int | None = None
    end: str | None = None
    """``revoked``, ``expired``, ``mode``."""
    covered: int = 0


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """A turn, with what it cost."""

    session: SessionId
    turn: int
    started_at: int
    ended_at: int | None = None
    cause: str | None = None
    outcome: str | None = None
    cost_usd: float | None = None
    by: str | None = None
    surface: str | None = None
    complete: Complete | None = None


class QueuedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt that waits for its turn."""

    id: int
    session: SessionId
    client_id: CommandId
    prompt: Prompt
    created_at: int


class TokenRow(msgspec.Struct, frozen=True, kw_only=True):
    """A key to the hub; the secret itself is kept by its owner alone."""

    id: str
    hash: str
    role: Role
    label: str = ""
    created_at: int
    expires_at: int | None = None
    used_at: int | None = None
    revoked_at: int | None = None


class AuditRow(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what, from where."""

    at: int
    what: str
    who: str | None = None
    surface: str | None = None
    session: SessionId | None = None
    detail: str | None = None


class Checkpoint(msgspec.Struct, frozen=True):
    """A fold as it was after a line of its session's recording."""

    line: int
    made_by: str
    """The version of bascule and Python that can read it."""
    body: bytes


class ProjectRow(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that sessions begin in."""

    name: str
    path: str
    body: dict[str, Any] = msgspec.field(default_factory=dict)
    created_at: int


class ScheduleRow(msgspec.Struct, frozen=True, kw_only=True):
    """Work that begins by itself."""

    id: str
    body: dict[str, Any]
    next_at: int | None = None
    paused: bool = False
    created_at: int


class FoundRow(msgspec.Struct, frozen=True, kw_only=True):
    """A place that a search found."""

    session: SessionId
    seq: int
    at: int
    kind: Literal["prompt", "answer", "call"]
    snippet: str
    """Around the words, which stand between U+0002 and U+0003."""


class Problem(msgspec.Struct, frozen=True):
    """What a check of the store found."""

    what: str
    session: SessionId | None = None
