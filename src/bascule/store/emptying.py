"""The thread that moves what the database's log holds into the database, so that no write waits for the disk meanwhile.

SQLite would do it in the write that fills the log, which then waits for two flushes: milliseconds, or a tenth of a
second where keepers write recordings to the same disk. Beside it, nobody waits.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final

log = logging.getLogger("bascule.store")

EVERY_S: Final = 1.0
"""What was committed waits in the log for so long."""
PAGES: Final = 16_384
"""64 MB of log: one that this thread cannot keep up with is emptied by the writer."""


class Emptier:
    """The thread. ``connect`` is called in it, and the connection closed in it."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, name: str, every_s: float = EVERY_S) -> None:
        self._every_s = every_s
        self._connect = connect
        self._filled = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def committed(self) -> None:
        """Something was committed. From any thread."""
        self._filled.set()

    def close(self) -> None:
        """Return when the thread has ended; twice is once."""
        self._closing.set()
        self._filled.set()
        self._thread.join()

    def _work(self) -> None:
        with closing(self._connect()) as connection:
            while self._filled.wait() and not self._closing.wait(self._every_s):
                self._filled.clear()
                try:
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                except sqlite3.Error as exc:  # a full disk: the log stays, and nothing is lost
                    log.warning("the log of the store stays as it is for now: %s", exc)
