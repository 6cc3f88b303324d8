"""One thread that owns the database's only writing connection, and commits for many at once.

Whoever writes waits until that is on the disk as far as the database promises it. Jobs that came meanwhile go into one
transaction. If one of them fails, that is taken back, and each is done in a transaction of its own.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

log = logging.getLogger("bascule.store")

T = TypeVar("T")

Job: TypeAlias = Callable[[sqlite3.Connection], T]
"""Work on the connection, and on nothing else, since it may be done again; what it gives goes to who asked, what it
raises too."""

_Result: TypeAlias = tuple[Any, Exception | None]

_AT_ONCE: Final = 512
"""Jobs of one transaction at most, so that nobody waits for very many others."""


class _Asked(NamedTuple):
    job: Job[Any]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]


class Writer:
    """The thread. ``connect`` is called in it, and the connection closed in it."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], *, name: str, committed: Callable[[], None] = lambda: None
    ) -> None:
        """``committed`` is called in the thread, after each transaction."""
        self._jobs: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._connect = connect
        self._committed = committed
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def run(self, job: Job[T]) -> T:
        """Do ``job`` in a transaction; what it gave, once it is committed. Raises what it raised, or why nothing could
        be written. Cancelled, it is done all the same."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._jobs.put(_Asked(job, loop, answer))
        return await answer

    async def close(self) -> None:
        """Do what was asked for before, then close the connection. Twice is once."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        connection = self._connect()
        try:
            while batch := self._batch():
                _do(connection, batch)
                self._committed()
        finally:
            connection.close()

    def _batch(self) -> list[_Asked]:
        """The next job, once there is one, and what waits behind it; none at the end."""
        batch: list[_Asked] = []
        while len(batch) < _AT_ONCE:
            try:
                asked = self._jobs.get(block=not batch)
            except queue.Empty:
                break
            if asked is None:
                self._jobs.put(None)  # for the next look, which comes when these are done
                break
            batch.append(asked)
        return batch


def _do(connection: sqlite3.Connection, batch: list[_Asked]) -> None:
    results = _committed(connection, batch)
    if len(batch) > 1 and any(_is_its_own(error) for _, error in results):
        results = [result for asked in batch for result in _committed(connection, [asked])]
    for asked, (value, error) in zip(batch, results, strict=True):
        _answer(asked, value, error)


def _is_its_own(error: Exception | None) -> bool:
    """Whether the others would have gone well: not with a full disk, or a lock that never ends."""
    return error is not None and not isinstance(error, sqlite3.OperationalError)


def _committed(connection: sqlite3.Connection, batch: list[_Asked]) -> list[_Result]:
    """What each gave; where one raised something, nothing of any is there."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        results = [_done(connection, asked.job) for asked in batch]
        connection.execute("ROLLBACK" if any(error for _, error in results) else "COMMIT")
    except sqlite3.Error as exc:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return [(None, exc)] * len(batch)
    return results


def _done(connection: sqlite3.Connection, job: Job[Any]) -> _Result:
    try:
        return job(connection), None
    except sqlite3.OperationalError:
        raise  # the whole transaction is in doubt
    except sqlite3.Error as exc:
        return None, exc
    except Exception as exc:
        log.exception("a job of the store failed, and changed nothing")
        return None, exc


def _answer(asked: _Asked, value: Any, error: Exception | None) -> None:
    def give() -> None:
        if asked.answer.done():
            return
        if error is not None:
            asked.answer.set_exception(error)
        else:
            asked.answer.set_result(value)

    if not asked.loop.is_closed():
        asked.loop.call_soon_threadsafe(give)
