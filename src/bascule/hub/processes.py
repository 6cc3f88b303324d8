"""The port through which a hub has processes: begun, come back to, and closed where one died.

``keepers.py`` implements it with keepers; tests with pipes of their own.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from bascule.hub.journal import HubJournal
from bascule.ids import SessionId
from bascule.recording import Entry, Note
from bascule.session.session import Session
from bascule.store.rows import SessionRow


class Processes(Protocol):
    """The CLI processes of all sessions, each recorded in one file for the whole of its session."""

    async def living(self) -> frozenset[SessionId]:
        """Sessions whose process goes on since a hub before this one."""
        ...

    def open(self, row: SessionRow, journal: HubJournal) -> AbstractAsyncContextManager[Session]:
        """The session: its process is come back to where it lives, else begun with all of ``row``'s options.

        Leaving the block leaves the process; who wants it ended ends the session. What is new of the past comes into
        ``journal`` first. Raises as ``open_session`` does, and then nothing goes on.
        """
        ...

    async def keep(self, session: Session) -> None:
        """Keep what lets a hub that comes back begin from here instead of from the beginning."""
        ...

    async def settle(self, row: SessionRow, journal: HubJournal) -> None:
        """Of a session without a process: what a dead one left behind is ended, what it left open is told as lost."""
        ...

    async def note(self, row: SessionRow, journal: HubJournal, *notes: Note) -> None:
        """Record, and tell, what there is to be said of a session without a process."""
        ...

    async def record(self, session: SessionId, entries: Generator[Entry, None, None]) -> None:
        """Begin the recording of a new session with ``entries``, all or none. They are made in a thread; what they
        raise is passed on. Raises ``OSError`` as well."""
        ...

    async def recorded(self) -> Mapping[SessionId, int]:
        """Bytes of what each session's processes left on the disk."""
        ...

    async def discard(self, session: SessionId) -> None:
        """Remove that of a session without a process. Raises ``StartFailed`` when it has one after all, ``OSError``."""
        ...

    async def room(self) -> int:
        """Bytes that are free where they are recorded."""
        ...

    def recording(self, session: SessionId) -> Path:
        """Where it is, or will be."""
        ...
