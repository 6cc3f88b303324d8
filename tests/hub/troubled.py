"""A store on a disk with troubles: something happens before or after each write."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bascule.commands import Decision, Prompt, Receipt
from bascule.errors import StoreError
from bascule.events import AnyEvent
from bascule.ids import CommandId, PendingId, SessionId
from bascule.store.memory import MemoryStore
from bascule.store.rows import AskRow, Checkpoint, QueuedRow, SessionRow

T = TypeVar("T")


class TroubledStore(MemoryStore):
    """As `MemoryStore`; who derives from it says what a write goes through."""

    async def through(self, name: str, write: Callable[[], Awaitable[T]]) -> T:
        """`write` is the method of that name."""
        return await write()

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        write = super().append
        return await self.through("append", lambda: write(session, line, events))

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
        write = super().claim
        return await self.through(
            "claim", lambda: write(session, pending_id, command_id, decision, by=by, surface=surface, at=at)
        )

    async def undo_claim(self, session: SessionId, pending_id: PendingId, command_id: CommandId, *, at: int) -> bool:
        write = super().undo_claim
        return await self.through("undo_claim", lambda: write(session, pending_id, command_id, at=at))

    async def put_receipt(self, command_id: CommandId, receipt: Receipt, *, at: int) -> None:
        write = super().put_receipt
        await self.through("put_receipt", lambda: write(command_id, receipt, at=at))

    async def enqueue(self, prompt: Prompt, *, at: int, before: int | None = None) -> QueuedRow:
        write = super().enqueue
        return await self.through("enqueue", lambda: write(prompt, at=at, before=before))

    async def take_queued(self, queued: int) -> bool:
        write = super().take_queued
        return await self.through("take_queued", lambda: write(queued))

    async def put_session(self, row: SessionRow) -> None:
        write = super().put_session
        await self.through("put_session", lambda: write(row))

    async def put_checkpoint(self, session: SessionId, checkpoint: Checkpoint) -> None:
        write = super().put_checkpoint
        await self.through("put_checkpoint", lambda: write(session, checkpoint))


class FullStore(TroubledStore):
    """On a disk that is full for some writes, as long as the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.full_for: set[str] = set()
        """Names of writes."""
        self.refused: list[str] = []
        """Those that found no room."""

    async def through(self, name: str, write: Callable[[], Awaitable[T]]) -> T:
        if name in self.full_for:
            self.refused.append(name)
            raise StoreError("the store cannot be written: database or disk is full")
        return await write()
