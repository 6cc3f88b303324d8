"""How many sessions may live at once on this machine (L69): by their number, and by the memory that each may need.

Every start asks here, wherever it comes from, so that no two see the same free memory. Pure but for the counting: what
is free is told by the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bascule.errors import HubFull
from bascule.ids import SessionId

RESERVE_MB: Final = 750
"""What one CLI with its tools may come to need (F48)."""
SPARE_MB: Final = 500
"""What the rest of the machine keeps."""


class Admission:
    """The sessions that live, and room for one more."""

    def __init__(
        self, *, free_mb: Callable[[], int | None], max_live: int | None = None, reserve_mb: int = RESERVE_MB
    ) -> None:
        """``free_mb``: memory that is free now; None where nobody can tell, and then only the number counts."""
        self._free_mb = free_mb
        self._max_live = max_live
        self._reserve_mb = reserve_mb
        self._live: set[SessionId] = set()
        self._starting: set[SessionId] = set()
        """Those whose memory is not yet taken, so that what is free does not show them."""

    @property
    def live(self) -> int:
        """How many hold a place."""
        return len(self._live)

    def take(self, session: SessionId) -> None:
        """A place for a session that is about to start; one that has a place keeps it.

        Raises ``HubFull`` with what to do when there is no room.
        """
        if session in self._live:
            return
        if self._max_live is not None and len(self._live) >= self._max_live:
            raise HubFull(f"{len(self._live)} sessions live, and no more may (max_live): end one, or put one to sleep")
        free = self._free_mb()
        wanted = self._reserve_mb * (len(self._starting) + 1) + SPARE_MB
        if free is not None and self._live and free < wanted:
            raise HubFull(
                f"{free} MB are free, and one more session may need {self._reserve_mb}: end one, or put one to sleep"
            )
        self._live.add(session)
        self._starting.add(session)

    def settled(self, session: SessionId) -> None:
        """It has started: what it needs is taken."""
        self._starting.discard(session)

    def leave(self, session: SessionId) -> None:
        """Its process is gone. Twice is once."""
        self._live.discard(session)
        self._starting.discard(session)


def free_mb(meminfo: str) -> int | None:
    """What ``/proc/meminfo`` says is available; None when it says nothing."""
    for line in meminfo.splitlines():
        name, _, rest = line.partition(":")
        number = rest.split()
        if name == "MemAvailable" and number and number[0].isdecimal():
            return int(number[0]) // 1024
    return None
