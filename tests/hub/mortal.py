"""A hub that dies in the middle of things: from that moment on nothing that it does has any effect."""

import asyncio
from collections.abc import Sequence
from typing import Any

from bascule.commands import Decision, Prompt, Receipt
from bascule.events import AnyEvent
from bascule.ids import CommandId, PendingId, SessionId
from bascule.recording import Entry, Exit
from bascule.store.memory import MemoryStore
from bascule.store.rows import AskRow, QueuedRow, SessionRow
from bascule.transport.pipe import GRACE_S, Ours, RecordedPipe


class Mortal:
    """Counts what has an effect beyond the hub, and dies before or after one of them."""

    def __init__(self) -> None:
        self._left: int | None = None
        self.died = asyncio.Event()

    def lives_for(self, effects: int | None) -> None:
        """A new life; None: a long one."""
        self._left = effects
        self.died = asyncio.Event()

    def is_dead(self) -> bool:
        """Whether this moment is beyond its end; each moment comes nearer to it."""
        if self._left is not None and not self.died.is_set():
            self._left -= 1
            if self._left < 0:
                self.died.set()
        return self.died.is_set()

    async def live(self) -> None:
        """Comes back if it lives."""
        if self.is_dead():
            await asyncio.Event().wait()


class MortalStore(MemoryStore):
    """A store on a disk that outlives its hubs; each write is done, or not, and its hub dies before it knows."""

    def __init__(self, mortal: Mortal) -> None:
        super().__init__()
        self._mortal = mortal

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        await self._mortal.live()
        position = await super().append(session, line, events)
        await self._mortal.live()
        return position

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
        await self._mortal.live()
        row = await super().claim(session, pending_id, command_id, decision, by=by, surface=surface, at=at)
        await self._mortal.live()
        return row

    async def undo_claim(self, session: SessionId, pending_id: PendingId, command_id: CommandId, *, at: int) -> bool:
        await self._mortal.live()
        return await super().undo_claim(session, pending_id, command_id, at=at)

    async def put_receipt(self, command_id: CommandId, receipt: Receipt, *, at: int) -> None:
        await self._mortal.live()
        await super().put_receipt(command_id, receipt, at=at)
        await self._mortal.live()

    async def enqueue(self, prompt: Prompt, *, at: int, before: int | None = None) -> QueuedRow:
        await self._mortal.live()
        row = await super().enqueue(prompt, at=at, before=before)
        await self._mortal.live()
        return row

    async def take_queued(self, queued: int) -> bool:
        await self._mortal.live()
        taken = await super().take_queued(queued)
        await self._mortal.live()
        return taken

    async def put_session(self, row: SessionRow) -> None:
        await self._mortal.live()
        await super().put_session(row)


class MortalPipe:
    """What a hub holds of a process that outlives it."""

    def __init__(self, pipe: RecordedPipe, mortal: Mortal) -> None:
        self._pipe = pipe
        self._mortal = mortal

    @property
    def line(self) -> int:
        return self._pipe.line

    @property
    def history_until(self) -> int:
        return self._pipe.history_until

    async def read(self) -> tuple[Entry, ...]:
        return await self._pipe.read()

    def write(self, *entries: Ours) -> bool:
        if self._mortal.is_dead():
            return True
        return self._pipe.write(*entries)

    async def drain(self) -> None:
        await self._mortal.live()
        await self._pipe.drain()

    def end(self) -> None:
        if not self._mortal.is_dead():
            self._pipe.end()

    def signal(self, number: int) -> None:
        if not self._mortal.is_dead():
            self._pipe.signal(number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        await self._mortal.live()
        return await self._pipe.close(grace_s=grace_s)


async def unless_dead(mortal: Mortal, work: Any) -> Any:
    """What `work` gives; None where the hub died first."""
    task = asyncio.ensure_future(work)
    died = asyncio.ensure_future(mortal.died.wait())
    await asyncio.wait({task, died}, return_when=asyncio.FIRST_COMPLETED)
    died.cancel()
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait({task})
    return None
