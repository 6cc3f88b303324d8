"""A store looked at and copied, also while a hub writes it: neither needs its lock."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from bascule.errors import StoreError
from bascule.ids import SessionId
from bascule.store.mapping import read
from bascule.store.rows import Problem, SessionRow


def check_store(path: Path) -> tuple[Problem, ...]:
    """What is wrong with the store in the file ``path``. Raises ``StoreError`` when it is none."""
    with _opened(path) as db:
        return problems(db)


def backup_store(path: Path, to: Path) -> None:
    """A whole copy in the new file ``to``, readable by its owner only. Raises ``StoreError``."""
    with _opened(path) as db:
        copy(db, to)


class Left(NamedTuple):
    """A session as the store knows it, without its hub."""

    row: SessionRow
    waits: bool
    """Somebody is asked in it, or something waits to be said."""


def sessions_in(path: Path) -> tuple[Left, ...]:
    """All sessions in the file ``path``, the oldest change first. Raises ``StoreError`` when it is no store."""
    with _opened(path) as db:
        found = db.execute(
            "SELECT *, EXISTS (SELECT 1 FROM asks WHERE session = sessions.id AND state != 'settled')"
            " OR EXISTS (SELECT 1 FROM queue WHERE session = sessions.id) AS waits"
            " FROM sessions ORDER BY updated_at, id"
        ).fetchall()
    return tuple(Left(read(SessionRow, row), bool(row["waits"])) for row in found)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise StoreError(f"there is no store at {path}: name one with --store")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            yield db
    except sqlite3.DatabaseError as exc:
        raise StoreError(f"{path} cannot be read: {exc}") from exc


def copy(db: sqlite3.Connection, to: Path) -> None:
    """The database in the new file ``to``. Raises ``StoreError`` when that is there, or cannot be written."""
    try:
        os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise StoreError(f"{to} is there already: name a new file") from None
    except OSError as exc:
        raise StoreError(f"{to} cannot be written: {exc}") from exc
    with closing(sqlite3.connect(to)) as target:
        db.backup(target)


def problems(db: sqlite3.Connection) -> tuple[Problem, ...]:
    """Damage of the file, references to nothing, and journals with gaps."""
    damage = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
    strays = [f"a row of {row[0]} belongs to no session" for row in db.execute("PRAGMA foreign_key_check")]
    gaps = db.execute("SELECT session FROM events GROUP BY session HAVING count(*) != max(seq) OR min(seq) != 1")
    return (
        *(Problem(text) for text in (*damage, *strays)),
        *(Problem("events are missing", SessionId(row["session"])) for row in gaps),
    )
