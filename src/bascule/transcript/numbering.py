"""Numbers: the last thing that happens to an event before anybody sees it.

Lasting events get ``seq`` from 1 without a gap, passing ones the ``seq`` they follow. Nothing else numbers events.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from bascule.events import Event, is_passing
from bascule.ids import SessionId

E = TypeVar("E", bound=Event)


class Numbering:
    """The numbers of one session's events. ``last`` is the ``seq`` of the newest lasting one, 0 before the first."""

    def __init__(self, session: SessionId, began_at: int) -> None:
        self.session = session
        self.began_at = began_at
        self.last = 0

    def begin(self, session: SessionId, began_at: int) -> None:
        """The recording names its session and its start."""
        self.session = session
        self.began_at = began_at

    def at(self, t: float) -> int:
        """UTC ms of ``t`` seconds into the recording."""
        return self.began_at + round(t * 1000)

    def stamp(self, event: E, *, t: float, turn: int, line: int) -> E:
        """``event`` with its place: ``t`` in seconds since the recording began."""
        at = self.at(t)
        if is_passing(event):
            return replace(event, session=self.session, after=self.last, at=at, turn=turn, line=line)
        self.last += 1
        return replace(event, session=self.session, seq=self.last, at=at, turn=turn, line=line)
