"""Whether a session that says nothing has a reason, and when a person is to be told that it has none.

Warned and offered, never killed: a stop is a person's, or a cap's that was set. Waiting for a person, for the API, for
a limit, for the conversation to be summarised and for a long tool are states and no stalls (F49, L74); each is counted
and bounded, so that none hides a real hang (L75).
"""

from __future__ import annotations

from typing import Final

import msgspec

from bascule.conversation import Status
from bascule.hub.sketch import Sketch

SILENCE_S: Final = 300.0
"""Quiet for longer without a reason, a turn is worth a word (L77: shorter aborts long thinking)."""
REASONS_S: Final[dict[Status, float]] = {
    "retrying": 900.0,
    "compacting": 600.0,
    "limited": 6 * 3600.0,
}
"""How long each reason holds beyond its own end; a person may take for ever."""
TOOL_S: Final = 1800.0
"""How long one call may run and say nothing."""


class Stall(msgspec.Struct, frozen=True):
    """A turn that goes on and says nothing."""

    quiet_s: float
    why: str
    """What it was doing, in words for people."""


class Watch:
    """Over one process: each stall is worth one word."""

    def __init__(self, *, silence_s: float) -> None:
        self._silence_s = silence_s
        self._told = False

    def begin(self) -> None:
        """There is another process."""
        self._told = False

    def word(self, sketch: Sketch, *, now: int, heard_at: int) -> str | None:
        """What people are to be told, the first time that it is so; as ``stalled``."""
        stall = stalled(sketch, now=now, heard_at=heard_at, in_tool=bool(sketch.calls), silence_s=self._silence_s)
        told, self._told = self._told, stall is not None
        if stall is None or told:
            return None
        return f"Nothing was heard for {stall.quiet_s / 60:.0f} min, and {stall.why}: let it go on, or interrupt it."


def stalled(sketch: Sketch, *, now: int, heard_at: int, in_tool: bool, silence_s: float = SILENCE_S) -> Stall | None:
    """Whether nobody knows why the session is quiet; ``now`` and ``heard_at``: UTC ms."""
    quiet_s = (now - heard_at) / 1000
    if not sketch.running or sketch.asks:
        return None
    status = sketch.status
    if (allowed_s := REASONS_S.get(status)) is not None:
        overdue_s = (now - (sketch.until or heard_at)) / 1000
        return Stall(quiet_s, f"it was {status}, and that should be over") if overdue_s > allowed_s else None
    if in_tool:
        return Stall(quiet_s, "a tool runs and says nothing") if quiet_s > TOOL_S else None
    return Stall(quiet_s, "nothing explains it") if quiet_s > silence_s else None
