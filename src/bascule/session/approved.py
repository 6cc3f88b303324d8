"""Which turn of a session is that of an approved plan, as its events tell."""

from __future__ import annotations

from bascule.events import (
    AnyEvent,
    Complete,
    ModeChanged,
    PermissionRequest,
    PermissionResolved,
    TaskEnded,
    TaskStarted,
)
from bascule.ids import PendingId


class Approved:
    """Fed with every event of a session."""

    def __init__(self) -> None:
        self.tasks: set[str] = set()
        """Background work that goes on."""
        self.over = False
        """The turn of an approved plan has ended, and the mode is still the one that it ended in."""
        self._plans: set[PendingId] = set()
        self._running = False

    def happened(self, event: AnyEvent) -> bool:
        """Whether the turn of an approved plan ended with this event."""
        match event:
            case PermissionRequest(ask="plan", pending_id=pending_id):
                self._plans.add(pending_id)
            case PermissionResolved(outcome="allowed", pending_id=pending_id) if pending_id in self._plans:
                self._running = True
            case TaskStarted(background=background, task_id=task_id) if background is not False:
                self.tasks.add(task_id)
            case TaskEnded(task_id=task_id):
                self.tasks.discard(task_id)
            case ModeChanged():
                self.over = False
            case Complete() if self._running:
                self._running, self.over = False, True
                return True
        return False
