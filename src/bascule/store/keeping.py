"""Events into tables: what a line made, and what follows from it, in the one transaction of the caller.

Asks, turns, grants and the words to search are read off the events, so that no table tells another story than the
journal. An event that is there already changes nothing: who comes back may send a line again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

import msgspec

from bascule.events import (
    AnyEvent,
    Complete,
    GrantEnded,
    GrantGiven,
    MessageChunk,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    ToolCall,
    TurnStarted,
    to_json,
)
from bascule.ids import SessionId


def append(db: sqlite3.Connection, session: SessionId, line: int, events: Iterable[AnyEvent]) -> int:
    """Keep the lasting ``events`` of the session's ``line``, and that it was read; how many were new."""
    new = 0
    for event in events:
        if event.seq is None:
            continue
        row = (session, event.seq, event.line, event.at, event.turn, _type(event), _json(event))
        done = db.execute(
            "INSERT INTO events (session, seq, line, at, turn, type, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (session, seq) DO NOTHING",
            row,
        )
        if done.rowcount:
            new += 1
            _follow(db, session, event)
    db.execute(
        "INSERT INTO lines (session, line) VALUES (?, ?)"
        " ON CONFLICT (session) DO UPDATE SET line = max(line, excluded.line)",
        (session, line),
    )
    return new


def _type(event: AnyEvent) -> str:
    return str(type(event).__struct_config__.tag)


def _json(event: AnyEvent) -> str:
    return to_json(event).decode()


def _follow(db: sqlite3.Connection, session: SessionId, event: AnyEvent) -> None:
    match event:
        case PermissionRequest() | PermissionResolved() | PermissionCancelled():
            _follow_ask(db, session, event)
        case TurnStarted() | Complete():
            _follow_turn(db, session, event)
        case GrantGiven() | GrantEnded():
            _follow_grant(db, session, event)
        case PromptAccepted(text=text):
            db.execute(
                "INSERT INTO prompts (session, prompt_id, by, surface) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (session, event.prompt_id, event.by, event.surface),
            )
            _word(db, session, event, "prompt", text)
        case MessageChunk(text=text, parent_tool_call_id=None):
            _word(db, session, event, "answer", text)
        case ToolCall(tool_title=text):
            _word(db, session, event, "call", text)


def _follow_ask(
    db: sqlite3.Connection, session: SessionId, event: PermissionRequest | PermissionResolved | PermissionCancelled
) -> None:
    match event:
        case PermissionRequest():
            db.execute(
                "INSERT INTO asks (session, pending_id, state, request, opened_at) VALUES (?, ?, 'open', ?, ?)"
                " ON CONFLICT (session, pending_id) DO NOTHING",
                (session, event.pending_id, _json(event), event.at),
            )
            ask_step(db, session, event.pending_id, event.at, "opened")
        case PermissionResolved():
            _settle(db, session, event.pending_id, event.at, event.outcome, event.by, event.surface)
            detail = {"outcome": event.outcome, "reason": event.reason, "rule": event.rule, "scope": event.scope}
            told = msgspec.json.encode({key: value for key, value in detail.items() if value is not None}).decode()
            ask_step(db, session, event.pending_id, event.at, "resolved", event.by, event.surface, told)
        case PermissionCancelled():
            _settle(db, session, event.pending_id, event.at, event.cause, None, None)
            ask_step(db, session, event.pending_id, event.at, "cancelled", detail=event.cause)


def _settle(
    db: sqlite3.Connection, session: str, pending_id: str, at: int, outcome: str, by: str | None, surface: str | None
) -> None:
    db.execute(
        "UPDATE asks SET state = 'settled', settled_at = ?, outcome = ?, by = ?, surface = ?"
        " WHERE session = ? AND pending_id = ?",
        (at, outcome, by, surface, session, pending_id),
    )


def ask_step(
    db: sqlite3.Connection,
    session: str,
    pending_id: str,
    at: int,
    step: str,
    by: str | None = None,
    surface: str | None = None,
    detail: str | None = None,
) -> None:
    """One more step in the life of an ask."""
    db.execute(
        "INSERT INTO ask_steps (session, pending_id, at, step, by, surface, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (session, pending_id, at, step, by, surface, detail),
    )


def _follow_turn(db: sqlite3.Connection, session: SessionId, event: TurnStarted | Complete) -> None:
    match event:
        case TurnStarted(prompt_ids=prompt_ids):
            said = _who_said(db, session, prompt_ids[0]) if prompt_ids else (None, None)
            db.execute(
                "INSERT INTO turns (session, turn, started_at, cause, by, surface) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (session, turn) DO NOTHING",
                (session, event.turn, event.at, event.cause, *said),
            )
        case Complete():
            db.execute(
                "INSERT INTO turns (session, turn, started_at, ended_at, outcome, cost_usd, complete)"
                " VALUES (:session, :turn, :at, :at, :outcome, :cost, :body) ON CONFLICT (session, turn) DO UPDATE"
                " SET ended_at = :at, outcome = :outcome, cost_usd = :cost, complete = :body",
                {
                    "session": session,
                    "turn": event.turn,
                    "at": event.at,
                    "outcome": event.outcome,
                    "cost": event.cost_usd,
                    "body": _json(event),
                },
            )
            if event.last_message_uuid is not None:
                db.execute("UPDATE sessions SET last_uuid = ? WHERE id = ?", (event.last_message_uuid, session))


def _who_said(db: sqlite3.Connection, session: SessionId, prompt_id: str) -> tuple[Any, Any]:
    row = db.execute(
        "SELECT by, surface FROM prompts WHERE session = ? AND prompt_id = ?", (session, prompt_id)
    ).fetchone()
    return (row[0], row[1]) if row else (None, None)


def _follow_grant(db: sqlite3.Connection, session: SessionId, event: GrantGiven | GrantEnded) -> None:
    match event:
        case GrantGiven():
            db.execute(
                "INSERT INTO grants (session, grant_id, rules, scope, cause, by, surface, given_at, until)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, grant_id) DO NOTHING",
                (
                    session,
                    event.grant_id,
                    msgspec.json.encode(event.rules).decode(),
                    event.scope,
                    event.cause,
                    event.by,
                    event.surface,
                    event.at,
                    event.until,
                ),
            )
        case GrantEnded():
            db.execute(
                'UPDATE grants SET ended_at = ?, "end" = ?, covered = ? WHERE session = ? AND grant_id = ?',
                (event.at, event.cause, event.covered, session, event.grant_id),
            )


def _word(db: sqlite3.Connection, session: SessionId, event: AnyEvent, kind: str, text: str) -> None:
    if text.strip():
        db.execute(
            "INSERT INTO words (text, session, seq, at, kind) VALUES (?, ?, ?, ?, ?)",
            (text, session, event.seq, event.at, kind),
        )
