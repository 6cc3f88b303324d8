"""Events in short, one line each, so that a person can check a golden file against its recording.

``seq`` (or ``~`` for a passing event), the turn, the recording's line, the event, and what is telling about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from bascule import recording
from bascule.events import (
    AnyEvent,
    AvailableCommands,
    Complete,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    SessionStatus,
    ToolCall,
    ToolUpdate,
)
from bascule.ids import SessionId
from bascule.recording import Entry
from bascule.transcript import Fold

RECORDINGS = Path(__file__).parents[1] / "recordings"
COMMON = {"type", "session", "seq", "after", "at", "turn", "line"}


def entries(path: Path) -> list[Entry]:
    """The entries of a recording; it has no damage."""
    with path.open("rb") as file:
        read = list(recording.read(file))
    kept = [entry for entry in read if isinstance(entry, Entry)]
    assert len(kept) == len(read)
    return kept


def folded(found: Iterable[Entry]) -> list[AnyEvent]:
    """All events of a recording, its end included."""
    fold = Fold(SessionId("s"))
    events = [event for entry in found for event in fold.feed(entry)]
    return [*events, *fold.end()]


def brief(event: AnyEvent) -> str:
    """One line about ``event``."""
    number = "~" if event.seq is None else str(event.seq)
    words = " ".join(f"{key}={_short(value)}" for key, value in _telling(event).items())
    return f"{number:>3} t{event.turn} l{event.line:<3} {event.__struct_config__.tag} {words}".rstrip()


def _telling(event: AnyEvent) -> dict[str, Any]:
    match event:
        case AvailableCommands():
            return {"commands": len(event.available_commands)}
        case SessionStatus():
            return {"status": event.session_status, "model": event.model, "mode": event.permission_mode}
        case PromptAccepted():
            return {"disposition": event.disposition, "attachments": len(event.attachments)}
        case ToolCall():
            return {"title": event.tool_title, "kind": event.normalized.__struct_config__.tag} | _inside(event)
        case ToolUpdate():
            return {"status": event.tool_status} | _inside(event)
        case PermissionRequest():
            return {"ask": event.ask, "title": event.title, "agent": event.agent_id is not None, "reason": event.reason}
        case PermissionResolved():
            return {"outcome": event.outcome, "edited": event.edited, "reason": event.reason, "by": event.by}
        case Complete():
            return {
                "outcome": event.outcome,
                "cost": event.cost_usd,
                "total": event.total_cost_usd,
                "prompts": len(event.prompt_ids),
                "denials": len(event.permission_denials),
                "text": event.text,
            }
        case _:
            plain = msgspec.to_builtins(event)
            hidden = COMMON | {"item", "pending_id", "prompt_ids", "task_id", "tool_call_id", "resets_at", "usage"}
            return {key: value for key, value in plain.items() if key not in hidden and value not in (None, "", ())}


def _inside(event: ToolCall | ToolUpdate) -> dict[str, Any]:
    return {"inside": "an agent"} if event.parent_tool_call_id else {}


def _short(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = text.replace("\n", "⏎")
    return text if len(text) <= 90 else text[:89] + "…"
