"""The queue of prompts as a table: an order by rank, so that one is moved without touching the others."""

from __future__ import annotations

import sqlite3
from typing import Final

import msgspec

from bascule.commands import Prompt
from bascule.ids import CommandId, SessionId
from bascule.store.mapping import encoded
from bascule.store.rows import QueuedRow

STEP: Final = 1024.0
_prompts: Final = msgspec.json.Decoder(Prompt)


def enqueue(db: sqlite3.Connection, prompt: Prompt, *, at: int, before: int | None) -> QueuedRow:
    """As ``Store.enqueue``."""
    db.execute(
        "INSERT INTO queue (session, rank, client_id, text, body, by, surface, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, client_id) DO NOTHING",
        (
            prompt.session,
            _rank(db, prompt.session, before),
            prompt.command_id,
            prompt.text,
            encoded(prompt),
            prompt.by,
            prompt.surface,
            at,
        ),
    )
    return next(row for row in waiting(db, prompt.session) if row.client_id == prompt.command_id)


def waiting(db: sqlite3.Connection, session: SessionId) -> tuple[QueuedRow, ...]:
    """As ``Store.queue``."""
    rows = db.execute("SELECT * FROM queue WHERE session = ? ORDER BY rank, id", (session,))
    return tuple(
        QueuedRow(
            id=row["id"],
            session=SessionId(row["session"]),
            client_id=CommandId(row["client_id"]),
            prompt=_prompts.decode(row["body"]),
            created_at=row["created_at"],
        )
        for row in rows
    )


def edit(db: sqlite3.Connection, queued: int, prompt: Prompt) -> bool:
    """As ``Store.edit_queued``."""
    return bool(
        db.execute("UPDATE queue SET text = ?, body = ? WHERE id = ?", (prompt.text, encoded(prompt), queued)).rowcount
    )


def move(db: sqlite3.Connection, queued: int, *, before: int | None) -> bool:
    """As ``Store.move_queued``."""
    row = db.execute("SELECT session FROM queue WHERE id = ?", (queued,)).fetchone()
    if row is None or before == queued:
        return row is not None
    rank = _rank(db, row["session"], before)
    return bool(db.execute("UPDATE queue SET rank = ? WHERE id = ?", (rank, queued)).rowcount)


def _rank(db: sqlite3.Connection, session: str, before: int | None) -> float:
    """One behind all others, or between ``before`` and the one in front of it."""
    found = db.execute("SELECT rank FROM queue WHERE session = ? AND id = ?", (session, before)).fetchone()
    if found is None:
        (last,) = db.execute("SELECT max(rank) FROM queue WHERE session = ?", (session,)).fetchone()
        return float(last or 0.0) + STEP
    behind = float(found["rank"])
    (front,) = db.execute("SELECT max(rank) FROM queue WHERE session = ? AND rank < ?", (session, behind)).fetchone()
    between = behind - STEP if front is None else (float(front) + behind) / 2
    if between < behind and (front is None or between > float(front)):
        return between
    _spread(db, session)  # so many were put between the same two that no number is left there
    return _rank(db, session, before)


def _spread(db: sqlite3.Connection, session: str) -> None:
    ids = [row["id"] for row in db.execute("SELECT id FROM queue WHERE session = ? ORDER BY rank, id", (session,))]
    db.executemany("UPDATE queue SET rank = ? WHERE id = ?", [(at * STEP, id_) for at, id_ in enumerate(ids, 1)])
