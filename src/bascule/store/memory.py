"""The store without a disk, for tests: plain values, and the same promises but for the one that anything is kept.

Nothing here awaits between reading and writing, so that each call is one piece.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from bascule.commands import Decision, Prompt, Receipt
from bascule.conversation import Placed
from bascule.errors import StoreError
from bascule.events import (
    AnyEvent,
    Complete,
    GrantEnded,
    GrantGiven,
    MessageChunk,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    ToolCall,
    TurnStarted,
)
from bascule.ids import CommandId, GrantId, PendingId, PromptId, SessionId
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


@dataclass
class _Kept:
    """What belongs to one session."""

    row: SessionRow
    line: int = 0
    events: list[AnyEvent] = field(default_factory=list)
    asks: dict[PendingId, AskRow] = field(default_factory=dict)
    steps: dict[PendingId, list[AskStep]] = field(default_factory=dict)
    prompts: dict[PromptId, PromptAccepted] = field(default_factory=dict)
    turns: dict[int, TurnRow] = field(default_factory=dict)
    grants: dict[GrantId, GrantRow] = field(default_factory=dict)
    queue: list[QueuedRow] = field(default_factory=list)
    checkpoint: Checkpoint | None = None


class MemoryStore:
    """As ``Store`` says, as long as it lives."""

    def __init__(self) -> None:
        self.epoch = secrets.token_hex(8)
        self._sessions: dict[SessionId, _Kept] = {}
        self._all: list[Placed] = []
        self._receipts: dict[CommandId, Receipt] = {}
        self._tokens: dict[str, TokenRow] = {}
        self._projects: dict[str, ProjectRow] = {}
        self._schedules: dict[str, ScheduleRow] = {}
        self._audit: list[AuditRow] = []
        self._queued = 0
        self._position = 0

    async def close(self) -> None:
        """Nothing to let go of."""

    # Sessions.

    async def put_session(self, row: SessionRow) -> None:
        kept = self._sessions.get(row.id)
        if kept is None:
            self._sessions[row.id] = _Kept(row)
        else:
            kept.row = row

    async def session(self, session: SessionId) -> SessionRow | None:
        kept = self._sessions.get(session)
        return kept.row if kept else None

    async def sessions(self, *, archived: bool = False) -> tuple[SessionRow, ...]:
        rows = (kept.row for kept in self._sessions.values() if archived or kept.row.archived_at is None)
        return tuple(sorted(rows, key=lambda row: (-row.updated_at, row.id)))

    async def forget_session(self, session: SessionId) -> None:
        self._sessions.pop(session, None)
        self._all = [placed for placed in self._all if placed.event.session != session]

    # The journal.

    async def append(self, session: SessionId, line: int, events: Sequence[AnyEvent]) -> int:
        kept = self._sessions.get(session)
        if kept is None:
            raise StoreError(f"there is no session {session}")
        for event in events:
            if event.seq is not None and event.seq > len(kept.events):
                kept.events.append(event)
                self._position += 1
                self._all.append(Placed(self._position, event))
                _follow(kept, session, event)
        kept.line = max(kept.line, line)
        return self._position

    async def events(self, session: SessionId, *, after: int = 0, limit: int = 1000) -> tuple[AnyEvent, ...]:
        kept = self._sessions.get(session)
        return tuple(kept.events[after : after + limit]) if kept else ()

    async def events_of_all(self, *, after: int = 0, limit: int = 1000) -> tuple[Placed, ...]:
        return tuple([placed for placed in self._all if (placed.position or 0) > after][:limit])

    async def last_seq(self, session: SessionId) -> int:
        kept = self._sessions.get(session)
        return len(kept.events) if kept else 0

    async def last_line(self, session: SessionId) -> int:
        kept = self._sessions.get(session)
        return kept.line if kept else 0

    async def position(self) -> int:
        return self._position

    async def search(self, words: str, *, session: SessionId | None = None, limit: int = 50) -> tuple[FoundRow, ...]:
        wanted = _words(words)
        found = [
            FoundRow(session=event.session, seq=event.seq or 0, at=event.at, kind=kind, snippet=text)
            for event in [placed.event for placed in self._all]
            if session in (None, event.session)
            for kind, text in _searched(event)
            if wanted and wanted <= _words(text)
        ]
        return tuple(sorted(found, key=lambda one: -one.at)[:limit])

    # Asks.

    async def asks(self, session: SessionId | None = None, *, waiting: bool = True) -> tuple[AskRow, ...]:
        rows = (row for kept in self._of(session) for row in kept.asks.values())
        chosen = (row for row in rows if not waiting or row.state != "settled")
        return tuple(sorted(chosen, key=lambda row: (row.opened_at, row.pending_id)))

    async def ask(self, session: SessionId, pending_id: PendingId) -> AskRow | None:
        kept = self._sessions.get(session)
        return kept.asks.get(pending_id) if kept else None

    async def ask_steps(self, session: SessionId, pending_id: PendingId) -> tuple[AskStep, ...]:
        kept = self._sessions.get(session)
        return tuple(kept.steps.get(pending_id, ())) if kept else ()

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
        row = await self.ask(session, pending_id)
        if row is None or row.state != "open":
            return row
        claimed = replace(
            row, state="claimed", command_id=command_id, decision=decision, by=by, surface=surface, claimed_at=at
        )
        kept = self._sessions[session]
        kept.asks[pending_id] = claimed
        kept.steps[pending_id].append(AskStep(at=at, step="claimed", by=by, surface=surface))
        return claimed

    async def undo_claim(self, session: SessionId, pending_id: PendingId, command_id: CommandId, *, at: int) -> bool:
        row = await self.ask(session, pending_id)
        if row is None or row.state != "claimed" or row.command_id != command_id:
            return False
        kept = self._sessions[session]
        kept.asks[pending_id] = replace(
            row, state="open", command_id=None, decision=None, by=None, surface=None, claimed_at=None
        )
        kept.steps[pending_id].append(AskStep(at=at, step="undone"))
        return True

    # Turns and grants.

    async def turns(
        self, session: SessionId | None = None, *, since: int = 0, until: int | None = None
    ) -> tuple[TurnRow, ...]:
        rows = (row for kept in self._of(session) for row in kept.turns.values())
        chosen = (row for row in rows if row.started_at >= since and (until is None or row.started_at < until))
        return tuple(sorted(chosen, key=lambda row: (row.started_at, row.session, row.turn)))

    async def grants(self, session: SessionId, *, ended: bool = False) -> tuple[GrantRow, ...]:
        rows = (row for kept in self._of(session) for row in kept.grants.values())
        return tuple(row for row in rows if ended or row.ended_at is None)

    # The queue.

    async def enqueue(self, prompt: Prompt, *, at: int, before: int | None = None) -> QueuedRow:
        queue = self._sessions[prompt.session].queue
        for row in queue:
            if row.client_id == prompt.command_id:
                return row
        self._queued += 1
        row = QueuedRow(
            id=self._queued, session=prompt.session, client_id=prompt.command_id, prompt=prompt, created_at=at
        )
        queue.insert(_place(queue, before), row)
        return row

    async def queue(self, session: SessionId) -> tuple[QueuedRow, ...]:
        return tuple(row for kept in self._of(session) for row in kept.queue)

    async def edit_queued(self, queued: int, prompt: Prompt) -> bool:
        return self._in_queue(queued, lambda queue, at: queue.__setitem__(at, replace(queue[at], prompt=prompt)))

    async def move_queued(self, queued: int, *, before: int | None) -> bool:
        def move(queue: list[QueuedRow], at: int) -> None:
            if before != queued:
                row = queue.pop(at)
                queue.insert(_place(queue, before), row)

        return self._in_queue(queued, move)

    async def take_queued(self, queued: int) -> bool:
        return self._in_queue(queued, lambda queue, at: queue.__delitem__(at))

    def _in_queue(self, queued: int, change: Callable[[list[QueuedRow], int], None]) -> bool:
        for kept in self._sessions.values():
            for at, row in enumerate(kept.queue):
                if row.id == queued:
                    change(kept.queue, at)
                    return True
        return False

    # What else a hub keeps.

    async def receipt(self, command_id: CommandId) -> Receipt | None:
        return self._receipts.get(command_id)

    async def put_receipt(self, command_id: CommandId, receipt: Receipt, *, at: int) -> None:
        self._receipts.setdefault(command_id, receipt)

    async def put_checkpoint(self, session: SessionId, checkpoint: Checkpoint) -> None:
        self._sessions[session].checkpoint = checkpoint

    async def checkpoint(self, session: SessionId) -> Checkpoint | None:
        kept = self._sessions.get(session)
        return kept.checkpoint if kept else None

    async def put_token(self, row: TokenRow) -> None:
        self._tokens[row.id] = row

    async def tokens(self) -> tuple[TokenRow, ...]:
        return tuple(sorted(self._tokens.values(), key=lambda row: (row.created_at, row.id)))

    async def token_of(self, hash: str) -> TokenRow | None:
        return next((row for row in self._tokens.values() if row.hash == hash), None)

    async def put_project(self, row: ProjectRow) -> None:
        self._projects[row.name] = row

    async def projects(self) -> tuple[ProjectRow, ...]:
        return tuple(self._projects[name] for name in sorted(self._projects))

    async def forget_project(self, name: str) -> bool:
        return self._projects.pop(name, None) is not None

    async def put_schedule(self, row: ScheduleRow) -> None:
        self._schedules[row.id] = row

    async def schedules(self) -> tuple[ScheduleRow, ...]:
        return tuple(sorted(self._schedules.values(), key=lambda row: (row.created_at, row.id)))

    async def forget_schedule(self, schedule: str) -> bool:
        return self._schedules.pop(schedule, None) is not None

    async def record(self, row: AuditRow) -> None:
        self._audit.append(row)

    async def audit(self, *, since: int = 0, limit: int = 1000) -> tuple[AuditRow, ...]:
        return tuple([row for row in reversed(self._audit) if row.at >= since][:limit])

    async def backup(self, path: Path) -> None:
        raise StoreError("a store in memory has no copy: open one on a disk")

    async def touch(self) -> None:
        """There is always room."""

    async def check(self) -> tuple[Problem, ...]:
        return ()

    def _of(self, session: SessionId | None) -> Iterable[_Kept]:
        if session is None:
            return self._sessions.values()
        kept = self._sessions.get(session)
        return (kept,) if kept else ()


def _follow(kept: _Kept, session: SessionId, event: AnyEvent) -> None:
    match event:
        case PermissionRequest(pending_id=pending_id):
            kept.asks.setdefault(
                pending_id,
                AskRow(session=session, pending_id=pending_id, state="open", request=event, opened_at=event.at),
            )
            kept.steps.setdefault(pending_id, []).append(AskStep(at=event.at, step="opened"))
        case PermissionResolved():
            step = AskStep(at=event.at, step="resolved", by=event.by, surface=event.surface)
            _settle(kept, event.pending_id, event.outcome, step)
        case PermissionCancelled():
            _settle(kept, event.pending_id, event.cause, AskStep(at=event.at, step="cancelled"))
        case PromptAccepted():
            kept.prompts.setdefault(event.prompt_id, event)
        case TurnStarted() | Complete():
            _follow_turn(kept, session, event)
        case GrantGiven() | GrantEnded():
            _follow_grant(kept, session, event)


def _settle(kept: _Kept, pending_id: PendingId, outcome: str, step: AskStep) -> None:
    if row := kept.asks.get(pending_id):
        kept.asks[pending_id] = replace(
            row, state="settled", settled_at=step.at, outcome=outcome, by=step.by, surface=step.surface
        )
        kept.steps[pending_id].append(step)


def _follow_turn(kept: _Kept, session: SessionId, event: TurnStarted | Complete) -> None:
    match event:
        case TurnStarted(prompt_ids=prompt_ids):
            said = kept.prompts.get(prompt_ids[0]) if prompt_ids else None
            row = TurnRow(
                session=session,
                turn=event.turn,
                started_at=event.at,
                cause=event.cause,
                by=said.by if said else None,
                surface=said.surface if said else None,
            )
            kept.turns.setdefault(event.turn, row)
        case Complete():
            begun = kept.turns.get(event.turn) or TurnRow(session=session, turn=event.turn, started_at=event.at)
            kept.turns[event.turn] = replace(
                begun, ended_at=event.at, outcome=event.outcome, cost_usd=event.cost_usd, complete=event
            )
            if event.last_message_uuid is not None:
                kept.row = replace(kept.row, last_uuid=event.last_message_uuid)


def _follow_grant(kept: _Kept, session: SessionId, event: GrantGiven | GrantEnded) -> None:
    match event:
        case GrantGiven():
            kept.grants.setdefault(
                event.grant_id,
                GrantRow(
                    session=session,
                    grant_id=event.grant_id,
                    rules=event.rules,
                    scope=event.scope,
                    cause=event.cause,
                    by=event.by,
                    surface=event.surface,
                    given_at=event.at,
                    until=event.until,
                ),
            )
        case GrantEnded() if row := kept.grants.get(event.grant_id):
            kept.grants[event.grant_id] = replace(row, ended_at=event.at, end=event.cause, covered=event.covered)


def _place(queue: Sequence[QueuedRow], before: int | None) -> int:
    return next((at for at, row in enumerate(queue) if row.id == before), len(queue))


def _searched(event: AnyEvent) -> Iterable[tuple[Literal["prompt", "answer", "call"], str]]:
    match event:
        case PromptAccepted(text=text):
            yield "prompt", text
        case MessageChunk(text=text, parent_tool_call_id=None):
            yield "answer", text
        case ToolCall(tool_title=text):
            yield "call", text


def _words(text: str) -> frozenset[str]:
    kept = "".join(character if character.isalnum() or character == "_" else " " for character in text)
    return frozenset(kept.casefold().split())
