"""The store on a disk: SQLite in WAL mode, one thread that writes, one that reads, one that empties the log.

The file and its folder are their owner's alone, and a lock beside it keeps a second hub out for as long as this one
lives, however it ends. A write has come back when it is committed; a power cut may take the newest commits
(``synchronous=NORMAL``), which the recordings still hold.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import IO, Final, TypeVar

import msgspec

from bascule.commands import Decision, Prompt, Receipt
from bascule.conversation import Placed
from bascule.errors import StoreError
from bascule.events import AnyEvent, from_json
from bascule.ids import CommandId, PendingId, SessionId
from bascule.store import keeping, queueing
from bascule.store.emptying import PAGES, Emptier
from bascule.store.mapping import encoded, read, upsert
from bascule.store.rows import (
    AskRow,
    AskStep,
    AuditRow,
    Checkpoint,
    FoundRow,
    GrantRow,
    Problem,
    ProjectRow,
    QueuedRow,
    ScheduleRow,
    SessionRow,
    TokenRow,
    TurnRow,
)
from bascule.store.upkeep import copy, problems
from bascule.store.writer import Job, Writer
from bascule.transport.folders import make_private

T = TypeVar("T")

BUSY_S: Final = 5.0
"""How long a write waits for another program that has the database open, such as a backup."""

_MIGRATION: Final = re.compile(r"(\d{4})_\w+\.sql")
_WORD: Final = re.compile(r"\w+")
_receipts: Final = msgspec.json.Decoder(Receipt)


async def open_store(path: Path) -> SqliteStore:
    """The store in the file ``path``, which is made where there is none.

    Raises ``StoreError`` when another hub has it, when a newer version wrote it, and when it is none.
    """
    make_private(path.parent)
    lock = _locked(path)
    try:
        epoch = await asyncio.to_thread(_prepare, path)
    except BaseException:
        lock.close()
        raise
    return SqliteStore(path, lock, epoch)


def _locked(path: Path) -> IO[bytes]:
    """Held while the store is open; the system lets go of it when the process ends."""
    lock = os.fdopen(os.open(path.with_name(f"{path.name}.lock"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600), "wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise StoreError(f"another hub uses {path}: end it first, or name another store") from None
    return lock


def _connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
        f"PRAGMA wal_autocheckpoint = {PAGES};"
    )
    if not writes:
        connection.execute("PRAGMA query_only = ON")
    return connection


def _migrations() -> list[tuple[int, str]]:
    """Number and text of each, in order."""
    folder = resources.files("bascule.store") / "migrations"
    named = ((_MIGRATION.fullmatch(entry.name), entry) for entry in folder.iterdir())
    return sorted((int(found[1]), entry.read_text("utf-8")) for found, entry in named if found)


def _migrate(db: sqlite3.Connection) -> str:
    """Bring the schema to this version; the store's epoch."""
    (have,) = db.execute("PRAGMA user_version").fetchone()
    migrations = _migrations()
    newest = migrations[-1][0]
    if have > newest:
        raise StoreError(
            f"a newer bascule wrote this store (schema {have}, this one knows {newest}): use that version, or a backup"
        )
    for number, text in migrations:
        if number > have:
            db.executescript(f"BEGIN; {text} PRAGMA user_version = {number}; COMMIT;")
    db.execute("INSERT INTO meta VALUES ('epoch', ?) ON CONFLICT DO NOTHING", (secrets.token_hex(8),))
    return str(db.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0])


def _prepare(path: Path) -> str:
    """The file with the schema of this version; the store's epoch.

    Nobody but SQLite opens it later: a close takes away the locks that this process has on it, all of them, and then
    the next program that has the database open removes the log as the last.
    """
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))  # SQLite's own files take its rights over
    try:
        with closing(_connect(path, writes=True)) as db:
            return _migrate(db)
    except sqlite3.DatabaseError as exc:
        raise StoreError(f"{path} is no store: {exc}") from exc


class SqliteStore:
    """As ``Store`` says. Made by ``open_store``."""

    def __init__(self, path: Path, lock: IO[bytes], epoch: str) -> None:
        self.path = path
        self.epoch = epoch
        self._lock = lock
        self._emptier = Emptier(lambda: _connect(path, writes=True), name="bascule store log")
        self._writer = Writer(
            lambda: _connect(path, writes=True), name="bascule store", committed=self._emptier.committed
        )
        self._reader = ThreadPoolExecutor(1, "bascule store reader")
        self._reading: sqlite3.Connection | None = None

    async def close(self) -> None:
        """As ``Store.close``."""
        await self._writer.close()
        await asyncio.to_thread(self._emptier.close)
        if self._reading is not None:
            await self._in_reader(self._reading.close)
            self._reading = None
        self._reader.shutdown()
        self._lock.close()

    async def _write(self, job: Job[T]) -> T:
        try:
            return await self._writer.run(job)
        except sqlite3.Error as exc:
            raise StoreError(f"{self.path} cannot be written: {exc}") from exc

    async def _read(self, job: Job[T]) -> T:
        def read_it() -> T:
            if self._reading is None:
                self._reading = _connect(self.path, writes=False)
            return job(self._reading)

        try:
            return await self._in_reader(read_it)
        except sqlite3.Error as exc:
            raise StoreError(f"{self.path} cannot be read: {exc}") from exc

    async def _in_reader(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)

    # Sessions.

    async def put_session(self, row: SessionRow) -> None:
        await self._write(lambda db: upsert(db, "sessions", row, key="id"))

    async def session(self, session: SessionId) -> SessionRow | None:
        rows = await self._rows(SessionRow, "SELECT * FROM sessions WHERE id = ?", session)
        return rows[0] if rows else None

    async def sessions(self, *, archived: bool = False) -> tuple[SessionRow, ...]:
        which = "" if archived else "WHERE archived_at IS NULL"
        return await self._rows(SessionRow, f"SELECT * FROM sessions {which} ORDER BY updated_at DESC, id")

    async def forget_session(self, session: SessionId) -> None:
        def forget(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM words WHERE session = ?", (session,))
            db.execute("DELETE FROM sessions WHERE id = ?", (session,))

        await self._write(forget)

    # The journal.

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        def keep(db: sqlite3.Connection) -> int:
            keeping.append(db, session, line, events)
            return _position(db)

        return await self._write(keep)

    async def events(self, session: SessionId, *, after: int = 0, limit: int = 1000) -> tuple[AnyEvent, ...]:
        query = "SELECT body FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?"
        rows = await self._read(lambda db: db.execute(query, (session, after, limit)).fetchall())
        return tuple(from_json(row["body"]) for row in rows)

    async def events_of_all(self, *, after: int = 0, limit: int = 1000) -> tuple[Placed, ...]:
        query = "SELECT position, body FROM events WHERE position > ? ORDER BY position LIMIT ?"
        rows = await self._read(lambda db: db.execute(query, (after, limit)).fetchall())
        return tuple(Placed(row["position"], from_json(row["body"])) for row in rows)

    async def last_seq(self, session: SessionId) -> int:
        return await self._number("SELECT max(seq) FROM events WHERE session = ?", session)

    async def last_line(self, session: SessionId) -> int:
        return await self._number("SELECT line FROM lines WHERE session = ?", session)

    async def position(self) -> int:
        return await self._read(_position)

    async def search(self, words: str, *, session: SessionId | None = None, limit: int = 50) -> tuple[FoundRow, ...]:
        quoted = " ".join(f'"{word}"' for word in _WORD.findall(words))
        if not quoted:
            return ()
        return await self._rows(
            FoundRow,
            "SELECT session, seq, at, kind, snippet(words, 0, char(2), char(3), '…', 24) AS snippet FROM words"
            " WHERE words MATCH ? AND (? IS NULL OR session = ?) ORDER BY at DESC, rowid DESC LIMIT ?",
            quoted,
            session,
            session,
            limit,
        )

    # Asks.

    async def asks(self, session: SessionId | None = None, *, waiting: bool = True) -> tuple[AskRow, ...]:
        which = "AND state != 'settled'" if waiting else ""
        query = f"SELECT * FROM asks WHERE (? IS NULL OR session = ?) {which} ORDER BY opened_at, pending_id"
        return await self._rows(AskRow, query, session, session)

    async def ask(self, session: SessionId, pending_id: PendingId) -> AskRow | None:
        return await self._read(lambda db: _ask(db, session, pending_id))

    async def ask_steps(self, session: SessionId, pending_id: PendingId) -> tuple[AskStep, ...]:
        query = "SELECT at, step, by, surface, detail FROM ask_steps WHERE session = ? AND pending_id = ? ORDER BY id"
        return await self._rows(AskStep, query, session, pending_id)

    async def claim(
        self,
        session: SessionId,
        pending_id: PendingId,
        command_id: CommandId,
        decision: Decision,
        *,
        by: str | None,
        surface: str | None,
        at: int,
    ) -> AskRow | None:
        def claim(db: sqlite3.Connection) -> AskRow | None:
            done = db.execute(
                "UPDATE asks SET state = 'claimed', command_id = ?, decision = ?, by = ?, surface = ?, claimed_at = ?"
                " WHERE session = ? AND pending_id = ? AND state = 'open'",
                (command_id, encoded(decision), by, surface, at, session, pending_id),
            )
            if done.rowcount:
                keeping.ask_step(db, session, pending_id, at, "claimed", by, surface, encoded(decision))
            return _ask(db, session, pending_id)

        return await self._write(claim)

    async def undo_claim(self, session: SessionId, pending_id: PendingId, command_id: CommandId, *, at: int) -> bool:
        def undo(db: sqlite3.Connection) -> bool:
            done = db.execute(
                "UPDATE asks SET state = 'open', command_id = NULL, decision = NULL, by = NULL, surface = NULL,"
                " claimed_at = NULL WHERE session = ? AND pending_id = ? AND state = 'claimed' AND command_id = ?",
                (session, pending_id, command_id),
            )
            if done.rowcount:
                keeping.ask_step(db, session, pending_id, at, "undone")
            return bool(done.rowcount)

        return await self._write(undo)

    # Turns and grants.

    async def turns(
        self, session: SessionId | None = None, *, since: int = 0, until: int | None = None
    ) -> tuple[TurnRow, ...]:
        return await self._rows(
            TurnRow,
            "SELECT * FROM turns WHERE (? IS NULL OR session = ?) AND started_at >= ? AND (? IS NULL OR started_at < ?)"
            " ORDER BY started_at, session, turn",
            session,
            session,
            since,
            until,
            until,
        )

    async def grants(self, session: SessionId, *, ended: bool = False) -> tuple[GrantRow, ...]:
        which = "" if ended else "AND ended_at IS NULL"
        return await self._rows(
            GrantRow, f"SELECT * FROM grants WHERE session = ? {which} ORDER BY given_at, grant_id", session
        )

    # The queue.

    async def enqueue(self, prompt: Prompt, *, at: int, before: int | None = None) -> QueuedRow:
        return await self._write(lambda db: queueing.enqueue(db, prompt, at=at, before=before))

    async def queue(self, session: SessionId) -> tuple[QueuedRow, ...]:
        return await self._read(lambda db: queueing.waiting(db, session))

    async def edit_queued(self, queued: int, prompt: Prompt) -> bool:
        return await self._write(lambda db: queueing.edit(db, queued, prompt))

    async def move_queued(self, queued: int, *, before: int | None) -> bool:
        return await self._write(lambda db: queueing.move(db, queued, before=before))

    async def take_queued(self, queued: int) -> bool:
        return await self._changed("DELETE FROM queue WHERE id = ?", queued)

    # Commands that were carried out.

    async def receipt(self, command_id: CommandId) -> Receipt | None:
        query = "SELECT receipt FROM receipts WHERE command_id = ?"
        row = await self._read(lambda db: db.execute(query, (command_id,)).fetchone())
        return None if row is None else _receipts.decode(row["receipt"])

    async def put_receipt(self, command_id: CommandId, receipt: Receipt, *, at: int) -> None:
        query = "INSERT INTO receipts (command_id, at, receipt) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        await self._changed(query, command_id, at, encoded(receipt))

    # What else a hub keeps.

    async def put_checkpoint(self, session: SessionId, checkpoint: Checkpoint) -> None:
        await self._changed(
            "INSERT INTO checkpoints (session, line, made_by, body) VALUES (?, ?, ?, ?) ON CONFLICT (session)"
            " DO UPDATE SET line = excluded.line, made_by = excluded.made_by, body = excluded.body",
            session,
            *msgspec.structs.astuple(checkpoint),
        )

    async def checkpoint(self, session: SessionId) -> Checkpoint | None:
        query = "SELECT line, made_by, body FROM checkpoints WHERE session = ?"
        row = await self._read(lambda db: db.execute(query, (session,)).fetchone())
        return None if row is None else Checkpoint(*row)

    async def put_token(self, row: TokenRow) -> None:
        await self._write(lambda db: upsert(db, "tokens", row, key="id"))

    async def tokens(self) -> tuple[TokenRow, ...]:
        return await self._rows(TokenRow, "SELECT * FROM tokens ORDER BY created_at, id")

    async def token_of(self, hash: str) -> TokenRow | None:
        rows = await self._rows(TokenRow, "SELECT * FROM tokens WHERE hash = ?", hash)
        return rows[0] if rows else None

    async def put_project(self, row: ProjectRow) -> None:
        await self._write(lambda db: upsert(db, "projects", row, key="name"))

    async def projects(self) -> tuple[ProjectRow, ...]:
        return await self._rows(ProjectRow, "SELECT * FROM projects ORDER BY name")

    async def forget_project(self, name: str) -> bool:
        return await self._changed("DELETE FROM projects WHERE name = ?", name)

    async def put_schedule(self, row: ScheduleRow) -> None:
        await self._write(lambda db: upsert(db, "schedules", row, key="id"))

    async def schedules(self) -> tuple[ScheduleRow, ...]:
        return await self._rows(ScheduleRow, "SELECT * FROM schedules ORDER BY created_at, id")

    async def forget_schedule(self, schedule: str) -> bool:
        return await self._changed("DELETE FROM schedules WHERE id = ?", schedule)

    async def record(self, row: AuditRow) -> None:
        await self._changed(
            "INSERT INTO audit (at, what, who, surface, session, detail) VALUES (?, ?, ?, ?, ?, ?)",
            *msgspec.structs.astuple(row),
        )

    async def audit(self, *, since: int = 0, limit: int = 1000) -> tuple[AuditRow, ...]:
        columns = "at, what, who, surface, session, detail"
        return await self._rows(
            AuditRow, f"SELECT {columns} FROM audit WHERE at >= ? ORDER BY id DESC LIMIT ?", since, limit
        )

    async def backup(self, path: Path) -> None:
        await self._read(lambda db: copy(db, path))

    async def touch(self) -> None:
        # A value that stays the same would not be written.
        await self._changed(
            "INSERT INTO meta VALUES ('touched', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            secrets.token_hex(8),
        )

    async def check(self) -> tuple[Problem, ...]:
        return await self._read(problems)

    async def _rows(self, kind: type[T], query: str, *values: object) -> tuple[T, ...]:
        rows = await self._read(lambda db: db.execute(query, values).fetchall())
        return tuple(read(kind, row) for row in rows)  # type: ignore[type-var]

    async def _number(self, query: str, *values: object) -> int:
        row = await self._read(lambda db: db.execute(query, values).fetchone())
        return int(row[0] or 0) if row else 0

    async def _changed(self, query: str, *values: object) -> bool:
        return await self._write(lambda db: bool(db.execute(query, values).rowcount))


def _position(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0])


def _ask(db: sqlite3.Connection, session: SessionId, pending_id: PendingId) -> AskRow | None:
    query = "SELECT * FROM asks WHERE session = ? AND pending_id = ?"
    row = db.execute(query, (session, pending_id)).fetchone()
    return None if row is None else read(AskRow, row)
