"""The log of a store is emptied beside who writes."""

import logging
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from bascule.store.emptying import Emptier


class Watched(sqlite3.Connection):
    """Tells when the log was emptied, or could not be."""

    emptied: threading.Event
    full: bool = False

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        if self.full:
            self.full = False
            self.emptied.set()
            raise sqlite3.OperationalError("disk I/O error")
        done = super().execute(*arguments)
        self.emptied.set()
        return done


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "db"


def written(database: Path) -> sqlite3.Connection:
    """A writer that never empties its log."""
    writer = sqlite3.connect(database, isolation_level=None)
    writer.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x);")
    return writer


def emptier(database: Path, emptied: threading.Event, *, full: bool = False) -> Emptier:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(database, factory=Watched)
        connection.emptied, connection.full = emptied, full
        return connection

    return Emptier(connect, name="empties", every_s=0.0)


def rows_without_the_log(database: Path) -> list[int]:
    """What would be there if the log were lost."""
    alone = shutil.copy(database, database.with_name("alone"))
    reader = sqlite3.connect(alone)
    try:
        return [x for (x,) in reader.execute("SELECT x FROM t")]
    finally:
        reader.close()


def test_what_was_committed_comes_into_the_database_while_the_writer_goes_on(database: Path) -> None:
    writer, emptied = written(database), threading.Event()
    beside = emptier(database, emptied)
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.execute("COMMIT")
    writer.execute("BEGIN IMMEDIATE")
    beside.committed()
    assert emptied.wait(10)
    beside.close()
    writer.execute("INSERT INTO t VALUES (2)")
    writer.execute("COMMIT")
    assert rows_without_the_log(database) == [1]
    writer.close()


def test_a_full_disk_costs_one_time_only(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer, emptied = written(database), threading.Event()
    beside = emptier(database, emptied, full=True)
    writer.execute("INSERT INTO t VALUES (1)")
    with caplog.at_level(logging.WARNING, "bascule.store"):
        beside.committed()
        assert emptied.wait(10)
        emptied.clear()
        beside.committed()
        assert emptied.wait(10)
        beside.close()
    assert "disk I/O error" in caplog.text
    assert rows_without_the_log(database) == [1]
    writer.close()


def test_nothing_is_emptied_before_something_was_written_and_closing_twice_is_once(database: Path) -> None:
    writer, emptied = written(database), threading.Event()
    beside = emptier(database, emptied)
    beside.close()
    beside.close()
    assert not emptied.is_set()
    writer.close()
