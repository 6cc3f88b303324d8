"""Plan mode again after the turn of an approved plan, in a session whose policy is *plan*."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol

from bascule.errors import RequestFailed
from bascule.events import AnyEvent, Complete, PermissionRequest, PermissionResolved, TaskEnded, TaskStarted
from bascule.ids import PendingId
from bascule.recording import Asked, Failed, Noticed
from bascule.session.line import Line
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
                self._spawn(self._rearm(), name="plan again")

    async def _rearm(self) -> None:
        if self._tasks:
            self._line.note(
                Noticed(level="notice", text="not back in plan mode yet: background work is still going on")
            )
            await self._line.until(lambda: not self._tasks, within_s=BACKGROUND_S)
        try:
            await self._line.request(
                SetPermissionMode(mode=PLAN), note=lambda request_id: Asked(request_id=request_id, by="bascule")
            )
        except RequestFailed as exc:
            self._line.note(
                Failed(kind="plan", message=f"plan mode could not be set again: {exc}", hint="the session ends here")
            )
            await self._line.until(lambda: self._line.fold.idle)
            await self._close()
