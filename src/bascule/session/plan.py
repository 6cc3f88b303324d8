"""Plan mode again after the turn of an approved plan, in a session whose policy is *plan*."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol

from bascule.errors import RequestFailed
from bascule.events import AnyEvent
from bascule.recording import Asked, Failed, Noticed
from bascule.session.approved import Approved
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
        self._approved = Approved()

    def happened(self, event: AnyEvent) -> None:
        """An event was published."""
        if self._approved.happened(event):
            self._rearm()

    def goes_on(self, approved: Approved) -> None:
        """With what another host saw, which may have left before it set the mode back."""
        self._approved = copy.deepcopy(approved)
        if approved.over and self._line.fold.mode != PLAN:
            self._rearm()

    def _rearm(self) -> None:
        if self._approved.tasks:
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
        await self._line.until(lambda: not self._approved.tasks, within_s=BACKGROUND_S)
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
