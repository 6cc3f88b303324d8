"""The prompts that wait in one session: kept, in order, each said once.

A prompt is written to the CLI under an id that its command gives it, and then taken out of the queue. A hub that dies
in between finds it in the recording, and says it no second time.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Final, assert_never

from msgspec.structs import replace

from bascule.commands import DropQueued, EditQueued, MoveQueued, Prompt, Receipt, Refused, SendQueued, Taken, TooLate
from bascule.ids import CommandId, PromptId, SessionId
from bascule.store.rows import QueuedRow
from bascule.store.store import Store

_NAMES: Final = uuid.UUID("6ba32a5c-4a1e-4c0e-9f0b-6f4b0d6a3d11")
GONE: Final = TooLate(winner="it waits no more: it was said, or somebody dropped it")


def named_by(command_id: CommandId) -> str:
    """A UUID that the command alone has, and always the same."""
    return str(uuid.uuid5(_NAMES, command_id))


def with_id(prompt: Prompt) -> Prompt:
    """``prompt`` under the id that it will be written with."""
    return replace(prompt, prompt_id=prompt.prompt_id or PromptId(named_by(prompt.command_id)))


class Queue:
    """What waits in a session."""

    def __init__(self, store: Store, session: SessionId, *, limit: int, changed: Callable[[], None]) -> None:
        self._store = store
        self._session = session
        self._limit = limit
        self._changed = changed
        self._due: set[int] = set()
        """To be said as soon as there is somebody to say it to, running turn or not."""
        self.length = 0

    async def load(self) -> None:
        """Look how many wait."""
        self.length = len(await self.rows())

    async def rows(self) -> tuple[QueuedRow, ...]:
        """As they stand."""
        return await self._store.queue(self._session)

    async def put(self, prompt: Prompt, *, at: int) -> QueuedRow | Refused:
        """Have ``prompt`` wait behind the others."""
        rows = await self.rows()
        if len(rows) >= self._limit and all(row.client_id != prompt.command_id for row in rows):
            return Refused(reason=f"{len(rows)} prompts wait, and no more may (queue_limit): drop one, or wait")
        return await self._enqueued(prompt, at=at)

    async def put_first(self, prompt: Prompt, *, at: int) -> QueuedRow:
        """Have ``prompt`` wait for nothing but a process to say it to."""
        rows = await self.rows()
        row = await self._enqueued(prompt, at=at, before=next((r.id for r in rows if r.id not in self._due), None))
        self._due.add(row.id)
        return row

    async def _enqueued(self, prompt: Prompt, *, at: int, before: int | None = None) -> QueuedRow:
        row = await self._store.enqueue(prompt, at=at, before=before)
        await self._look()
        return row

    async def next(self, *, free: bool) -> QueuedRow | None:
        """What is to be said now; ``free``: the session is at rest, and nobody holds the queue."""
        if not self.length:
            return None
        rows = await self.rows()
        due = next((row for row in rows if row.id in self._due), None)
        return due or (rows[0] if rows and free else None)

    @property
    def has_due(self) -> bool:
        """Whether something waits for nothing but a process."""
        return bool(self._due)

    def hold_back(self) -> None:
        """What was due waits as the rest does."""
        self._due.clear()

    async def said(self, row: QueuedRow) -> None:
        """It is in the recording, or will never be."""
        await self._store.take_queued(row.id)
        await self._look()

    async def change(self, command: EditQueued | MoveQueued | DropQueued | SendQueued) -> Receipt:
        """Do to one that waits what ``command`` says."""
        row = next((row for row in await self.rows() if row.id == command.queued), None)
        if row is None:
            return GONE
        done = await self._changed_row(row, command)
        await self._look()
        return Taken(queued=row.id) if done else GONE

    async def _changed_row(self, row: QueuedRow, command: EditQueued | MoveQueued | DropQueued | SendQueued) -> bool:
        match command:
            case EditQueued(text=text):
                return await self._store.edit_queued(row.id, replace(row.prompt, text=text))
            case MoveQueued(before=before):
                return await self._store.move_queued(row.id, before=before)
            case DropQueued():
                return await self._store.take_queued(row.id)
            case SendQueued():
                self._due.add(row.id)
                return True
            case _:
                assert_never(command)

    async def clear(self) -> None:
        """Drop all."""
        for row in await self.rows():
            await self._store.take_queued(row.id)
        await self._look()

    async def _look(self) -> None:
        rows = await self.rows()
        self._due &= {row.id for row in rows}
        self.length = len(rows)
        self._changed()
