"""Edits that run unasked for a while, at this terminal: one key turns that on and off, and the rest of it is shown."""

from __future__ import annotations

from typing import Final

from bascule.commands import AnyCommand, RevokeGrant, Trust
from bascule.events import AnyEvent, GrantEnded, GrantGiven
from bascule.ids import CommandId, GrantId
from bascule.terminal.figures import duration

KEY: Final = "shift-tab"
MINUTES: Final = 15


class EditTrust:
    """What was granted for edits and holds, as the events tell."""

    def __init__(self) -> None:
        self._until: dict[GrantId, int | None] = {}

    def happened(self, event: AnyEvent) -> None:
        """An event was told."""
        match event:
            case GrantGiven(edits=True, grant_id=grant_id, until=until):
                self._until[grant_id] = until
            case GrantEnded(grant_id=grant_id):
                self._until.pop(grant_id, None)

    def toggled(self, command_id: CommandId, surface: str) -> AnyCommand:
        """What the key wants: edits for a while, or none any more."""
        if not self._until:
            return Trust(command_id=command_id, minutes=MINUTES, surface=surface)
        return RevokeGrant(command_id=command_id, grant_id=next(iter(self._until)), surface=surface)

    def chip(self, now: int) -> str:
        """``edits run unasked, 12 m``; empty when they ask. ``now``: UTC ms."""
        if not self._until:
            return ""
        ends = [until for until in self._until.values() if until is not None]
        left = f", {duration(max(0, max(ends) - now) // 1000 * 1000)} left" if len(ends) == len(self._until) else ""
        return f"edits run unasked{left} · Shift-Tab asks again · "
