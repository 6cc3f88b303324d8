"""Who answers an ask: decided in the store, written to the CLI, settled by the event that tells it.

One protocol, whatever dies when (docs/decisions/2026-11-30-exactly-once.md):

    open ── claim (compare-and-set in the store) ──► claimed ── note and line, one append ──► settled (by the event)
     ▲                                                  │
     └────────── undone, or refused by the CLI ─────────┘

A hub that finds a claim which the recording does not answer writes it again. The keeper takes one answer for each
request, so that it does not matter whether the first one arrived.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from bascule.commands import Decide, Receipt, Refused, Taken, TooLate, Undo
from bascule.errors import BasculeError
from bascule.hub.insisting import insist
from bascule.hub.receipts import Receipts
from bascule.ids import CommandId
from bascule.session.session import Session
from bascule.store.rows import AskRow
from bascule.store.store import Store

HOLD_MAX_MS: Final = 30_000
"""An answer may be held back for a moment in which it can be undone, and no longer."""
LOST: Final = TooLate(winner="lost with the process")
TAKEN_BACK: Final = Refused(reason="it was taken back before it was written")

TROUBLE: Final = Refused(reason="it could not be written: look whether it is asked still, and answer again")

_DONE: Final = {
    "allowed": "allowed",
    "allowed_always": "always allowed",
    "denied": "denied",
    "denied_stop": "denied, and the turn stopped,",
    "answered": "answered",
}


class Claims:
    """The answers that are on their way, in all sessions."""

    def __init__(self, store: Store, receipts: Receipts) -> None:
        self._store = store
        self._receipts = receipts
        self._held: dict[CommandId, asyncio.Event] = {}
        self._until: dict[CommandId, int] = {}
        self._writing: dict[CommandId, asyncio.Future[Receipt]] = {}
        """The receipts of claims that somebody is taking care of."""

    def until(self, row: AskRow) -> int | None:
        """UTC ms up to which the claim of ``row`` can be undone; None: not any more."""
        return self._until.get(row.command_id) if row.command_id is not None else None

    async def decide(self, command: Decide, ready: Callable[[], Awaitable[Session | None]]) -> Receipt:
        """Answer an ask. ``ready`` gives the session once it can be spoken to; None: it has no process."""
        row = await self._store.ask(command.session, command.pending_id)
        if row is None:
            return Refused(reason=f"there is no ask {command.pending_id}")
        if command.input_hash not in (None, row.request.input_hash):
            return Refused(reason="this is not the call that was shown: look at it again")
        if row.state == "settled" and row.command_id != command.command_id:
            return await self._late(row, command, ready)
        claimed = await self._claimed(command)
        if claimed is None or claimed.command_id != command.command_id:
            return _too_late(claimed or row)
        if claimed.state == "settled":
            return Taken()
        if command.hold_ms and await self._taken_back(command):
            await self._open_again(claimed)
            return TAKEN_BACK
        if (writing := self._writing.get(command.command_id)) is not None:
            return await asyncio.shield(writing)
        return await self._written(claimed, command.command_id, ready)

    async def _claimed(self, command: Decide) -> AskRow | None:
        return await self._store.claim(
            command.session,
            command.pending_id,
            command.command_id,
            command.decision,
            by=command.by,
            surface=command.surface,
            at=_now(),
        )

    async def _late(self, row: AskRow, command: Decide, ready: Callable[[], Awaitable[Session | None]]) -> Receipt:
        """A plan that was sent back to be written out can still be decided on, for its next request."""
        session = await ready() if row.outcome == "denied" and row.request.ask == "plan" else None
        if session is None:
            return _too_late(row)
        return await session.decide(command.pending_id, command.decision, by=command.by, surface=command.surface)

    async def _taken_back(self, command: Decide) -> bool:
        """Whether somebody undoes it while it is held."""
        hold_ms = min(command.hold_ms, HOLD_MAX_MS)
        undone = self._held[command.command_id] = asyncio.Event()
        self._until[command.command_id] = _now() + hold_ms
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(hold_ms / 1000):
                    await undone.wait()
        finally:
            self._held.pop(command.command_id, None)
            self._until.pop(command.command_id, None)
        return undone.is_set()

    def undo(self, command: Undo) -> Receipt:
        """Take an answer back that is held."""
        undone = self._held.pop(command.of, None)
        if undone is None:
            return TooLate(winner="it is written, or was never held: an answer cannot be taken back then")
        undone.set()
        return Taken()

    async def _written(
        self, row: AskRow, command_id: CommandId, ready: Callable[[], Awaitable[Session | None]]
    ) -> Receipt:
        """As ``_write``. Who comes with the same command meanwhile is told the same, and not that it is too late."""
        writing = self._writing[command_id] = asyncio.get_running_loop().create_future()
        receipt: Receipt = TROUBLE
        try:
            receipt = await self._write(row, await ready())
        finally:
            del self._writing[command_id]
            writing.set_result(receipt)
        return receipt

    async def _write(self, row: AskRow, session: Session | None) -> Receipt:
        """Write the answer that ``row`` was claimed with; what cannot be written opens the ask again."""
        assert row.decision is not None
        if session is None:
            return Taken() if await self._was_ours(row) else LOST
        try:
            receipt = await session.decide(row.pending_id, row.decision, by=row.by, surface=row.surface)
        except BasculeError as exc:
            receipt = Refused(reason=str(exc))
        if isinstance(receipt, Refused):
            await self._open_again(row)
        return Taken() if isinstance(receipt, TooLate) and await self._was_ours(row) else receipt

    async def _open_again(self, row: AskRow) -> None:
        """Returns when it is: a claim that nobody takes care of would keep everybody else from the ask."""
        command_id = row.command_id
        assert command_id is not None
        await insist(
            lambda: self._store.undo_claim(row.session, row.pending_id, command_id, at=_now()),
            f"the ask {row.pending_id} of {row.session}, to be opened again,",
        )

    async def _was_ours(self, row: AskRow) -> bool:
        """Whether the answer that came first is this one, written by a hub that died before it could say so."""
        now = await self._store.ask(row.session, row.pending_id)
        return now is not None and now.outcome in _DONE and (now.by, now.surface) == (row.by, row.surface)

    async def write_again(self, session: Session) -> None:
        """Write the claims of ``session`` that no recording answers; their commands get their receipts."""

        async def session_itself() -> Session:
            return session

        for row in await self._store.asks(session.id):
            if (
                row.state == "claimed"
                and row.command_id is not None
                and row.command_id not in (*self._held, *self._writing)
            ):
                receipt = await self._written(row, row.command_id, session_itself)
                await self._receipts.keep(row.command_id, receipt)


def who(by: str | None, surface: str | None) -> str:
    """In words: ``Anna (web)``."""
    return f"{by} ({surface})" if by and surface else by or surface or "somebody"


def _too_late(row: AskRow) -> TooLate:
    if row.state == "claimed":
        return TooLate(winner=f"{who(row.by, row.surface)} is answering it")
    if (done := _DONE.get(row.outcome or "")) is not None:
        return TooLate(winner=f"{done} by {who(row.by, row.surface)}")
    return LOST if row.outcome == "lost" else TooLate(winner=row.outcome or "settled")


def _now() -> int:
    return int(time.time() * 1000)
