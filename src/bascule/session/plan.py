"""Plan mode again after the turn of an approved plan, in a session whose policy is *plan*."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol

from bascule.errors import RequestFailed
from bascule.events import AnyEvent, Complete, PermissionRequest, PermissionResolved, TaskEnded, TaskStarted
from bascule.ids import PendingId
from bascule.recording import Asked, Failed, Noticed
from bascule.session.line import Asking, Line
from bascule.wire.requests import SetPermissionMode

PLAN: Final = "plan"
BACKGROUND_S: Final = 1800.0
"""How long background work that the turn began may go on in the approved mode."""


class Spawn(Protocol):
    """Runs something beside the reader."""

    def __call__(self, work: Coroutine[Any, Any, object], *, name: str) -> None:
        """``name``: of its task."""
        ...


class Rearm:
    """Watches a session's events and sets the mode back to plan, before whoever awaits the turn can go on."""

    def __init__(self, line: Line, spawn: Spawn, close: Callable[[], Awaitable[None]]) -> None:
        """``close`` ends the session: rather that than to go on unplanned."""
        self._line = line
        self._spawn = spawn
        self._close = close
        self._plans: set[PendingId] = set()
        self._approved = False
        self._tasks: set[str] = set()

    def happened(self, event: AnyEvent) -> None:
        """An event was published."""
        match event:
            case PermissionRequest(ask="plan", pending_id=pending_id):
                self._plans.add(pending_id)
            case PermissionResolved(outcome="allowed", pending_id=pending_id) if pending_id in self._plans:
                self._approved = True
            case TaskStarted(background=background, task_id=task_id) if background is not False:
                self._tasks.add(task_id)
            case TaskEnded(task_id=task_id):
                self._tasks.discard(task_id)
            case Complete() if self._approved:
                self._approved = False
                self._rearm()

    def _rearm(self) -> None:
        if self._tasks:
            self._line.note(
                Noticed(level="notice", text="not back in plan mode yet: background work is still going on")
            )
            self._spawn(self._rearm_later(), name="plan again, later")
        elif not self._line.over:
            self._spawn(self._see_to(self._ask()), name="plan again")

    def _ask(self) -> Asking:
        """Written at once: a prompt of whoever hears that the turn is complete comes after it."""
        return self._line.asks(
            SetPermissionMode(mode=PLAN), note=lambda request_id: Asked(request_id=request_id, by="bascule")
        )

    async def _rearm_later(self) -> None:
        await self._line.until(lambda: not self._tasks, within_s=BACKGROUND_S)
        await self._see_to(self._ask())

    async def _see_to(self, asking: Asking) -> None:
        try:
            await self._line.answer_to(asking)
        except (RequestFailed, TimeoutError) as exc:
            self._line.note(
                Failed(kind="plan", message=f"plan mode could not be set again: {exc}", hint="the session ends here")
            )
            await self._line.until(lambda: self._line.fold.idle)
            await self._close()
