"""Which role a command needs. What widens rights beyond this session, or costs a process, is an owner's."""

from __future__ import annotations

from typing import Final

from bascule.commands import (
    AllowAlways,
    ApprovePlan,
    Compact,
    Decide,
    DropQueued,
    EditQueued,
    GiveGrant,
    HoldQueue,
    HubCommand,
    Interrupt,
    MoveQueued,
    Prompt,
    Rename,
    Retry,
    RevokeGrant,
    Rewind,
    SendQueued,
    StopTask,
    Trust,
    Undo,
)
from bascule.web.keys import RANK, Role

_APPROVERS: Final = (
    Prompt, Interrupt, Undo, Trust, RevokeGrant, EditQueued, MoveQueued, DropQueued, SendQueued, HoldQueue, Retry,
    Rename, Compact, StopTask,
)  # fmt: skip


def needed(command: HubCommand) -> Role:
    """The least role that may send it. A command that is not named here is an owner's."""
    match command:
        case Decide(decision=AllowAlways(scope=scope)) | GiveGrant(scope=scope):
            return "approver" if scope == "session" else "owner"
        case Decide(decision=ApprovePlan(then="auto")):
            return "owner"
        case Decide() | Rewind(dry_run=True):
            return "approver"
        case _:
            return "approver" if isinstance(command, _APPROVERS) else "owner"


def may(role: Role, least: Role) -> bool:
    """Whether ``role`` is at least the other."""
    return RANK[role] >= RANK[least]
