"""The port of what a hub keeps. ``sqlite.py`` implements it on a disk, ``memory.py`` for tests.

Everything that is written is kept when the call has come back, and not before. Reads see what was written before them.
Every implementation passes ``tests/store/contract.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from bascule.commands import Decision, Prompt, Receipt
from bascule.conversation import Placed
from bascule.events import AnyEvent
from bascule.ids import CommandId, PendingId, SessionId
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


class Store(Protocol):
    """Sessions, their journals, and what stands beside them. Raises ``StoreError`` when nothing can be written."""

    @property
    def epoch(self) -> str:
        """Names this store: positions of another one mean nothing here."""
        ...

    async def close(self) -> None:
        """Write what was asked for, and let go of the files. Twice is once."""
        ...

    # Sessions.

    async def put_session(self, row: SessionRow) -> None:
        """Keep ``row`` in place of the one of its id."""
        ...

    async def session(self, session: SessionId) -> SessionRow | None:
        """The session of this id; None: there is none."""
        ...

    async def sessions(self, *, archived: bool = False) -> tuple[SessionRow, ...]:
        """All, the newest change first; those that are archived only when wanted."""
        ...

    async def forget_session(self, session: SessionId) -> None:
        """Take it away with all that belongs to it."""
        ...

    # The journal.

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        """Keep the lasting ``events``, which ``line`` of the session's recording made, and that it was read; in one
        piece with what follows from them: asks, turns, grants, words. An event that is there already is passed over.
        The position of the newest event over all sessions."""
        ...

    async def events(self, session: SessionId, *, after: int = 0, limit: int = 1000) -> tuple[AnyEvent, ...]:
        """At most ``limit`` events with ``seq > after``, in order."""
        ...

    async def events_of_all(self, *, after: int = 0, limit: int = 1000) -> tuple[Placed, ...]:
        """At most ``limit`` events of all sessions with ``position > after``, in order."""
        ...

    async def last_seq(self, session: SessionId) -> int:
        """The number of its newest event; 0: it has none."""
        ...

    async def last_line(self, session: SessionId) -> int:
        """How far the recording was read; 0: not at all."""
        ...

    async def position(self) -> int:
        """Of the newest event of all."""
        ...

    async def search(self, words: str, *, session: SessionId | None = None, limit: int = 50) -> tuple[FoundRow, ...]:
        """Where these words stand, all of them, the newest first. No text is a mistake: what is no word is left out."""
        ...

    # Asks.

    async def asks(self, session: SessionId | None = None, *, waiting: bool = True) -> tuple[AskRow, ...]:
        """Those that wait, or all, the oldest first."""
        ...

    async def ask(self, session: SessionId, pending_id: PendingId) -> AskRow | None:
        """One ask, whatever became of it."""
        ...

    async def ask_steps(self, session: SessionId, pending_id: PendingId) -> tuple[AskStep, ...]:
        """All that became of it, in order."""
        ...

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
        """Claim an open ask for a decision that is about to be written: the row as it is then. Of many who try, one
        gets its own claim; the others get the winner's row, and None means that there is no such ask."""
        ...

    async def undo_claim(self, session: SessionId, pending_id: PendingId, command_id: CommandId, *, at: int) -> bool:
        """Open the ask again; False when it is not claimed by this command any more."""
        ...

    # Turns and grants, as the events tell them.

    async def turns(
        self, session: SessionId | None = None, *, since: int = 0, until: int | None = None
    ) -> tuple[TurnRow, ...]:
        """Those that began in that time (UTC ms), in order."""
        ...

    async def grants(self, session: SessionId, *, ended: bool = False) -> tuple[GrantRow, ...]:
        """Those that hold, or all."""
        ...

    # The queue.

    async def enqueue(self, prompt: Prompt, *, at: int, before: int | None = None) -> QueuedRow:
        """Put a prompt at the end of its session's queue, or before another. Its ``command_id`` names it: one that
        waits already is given back as it is."""
        ...

    async def queue(self, session: SessionId) -> tuple[QueuedRow, ...]:
        """What waits, in order."""
        ...

    async def edit_queued(self, queued: int, prompt: Prompt) -> bool:
        """Put ``prompt`` in its place; False when it does not wait any more."""
        ...

    async def move_queued(self, queued: int, *, before: int | None) -> bool:
        """Put it before another of its session, or at the end."""
        ...

    async def take_queued(self, queued: int) -> bool:
        """Take it out; False when somebody else did."""
        ...

    # Commands that were carried out.

    async def receipt(self, command_id: CommandId) -> Receipt | None:
        """What this command was answered with; None: it was not carried out."""
        ...

    async def put_receipt(self, command_id: CommandId, receipt: Receipt, *, at: int) -> None:
        """The first one stays."""
        ...

    # What else a hub keeps.

    async def put_checkpoint(self, session: SessionId, checkpoint: Checkpoint) -> None:
        """Keep it in place of the older one."""
        ...

    async def checkpoint(self, session: SessionId) -> Checkpoint | None:
        """The newest of the session."""
        ...

    async def put_token(self, row: TokenRow) -> None:
        """Keep ``row`` in place of the one of its id."""
        ...

    async def tokens(self) -> tuple[TokenRow, ...]:
        """All, those that were revoked too, in the order they were made."""
        ...

    async def token_of(self, hash: str) -> TokenRow | None:
        """The token whose secret has this hash."""
        ...

    async def put_project(self, row: ProjectRow) -> None:
        """Keep ``row`` in place of the one of its name."""
        ...

    async def projects(self) -> tuple[ProjectRow, ...]:
        """All, by name."""
        ...

    async def forget_project(self, name: str) -> bool:
        """False: there was none of that name. Its sessions stay."""
        ...

    async def put_schedule(self, row: ScheduleRow) -> None:
        """Keep ``row`` in place of the one of its id."""
        ...

    async def schedules(self) -> tuple[ScheduleRow, ...]:
        """All, in the order they were made."""
        ...

    async def forget_schedule(self, schedule: str) -> bool:
        """False: there was none of that id."""
        ...

    async def record(self, row: AuditRow) -> None:
        """Write who did what; it is never changed."""
        ...

    async def audit(self, *, since: int = 0, limit: int = 1000) -> tuple[AuditRow, ...]:
        """The newest first."""
        ...

    async def backup(self, path: Path) -> None:
        """A whole copy, made while the hub runs; readable by its owner only. Raises ``StoreError``."""
        ...

    async def touch(self) -> None:
        """Write something that nobody reads, behind all that was written before. Raises ``StoreError`` as every write
        does."""
        ...

    async def check(self) -> tuple[Problem, ...]:
        """What is wrong with what is kept; empty when all is well."""
        ...
