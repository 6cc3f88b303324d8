"""What a hub lets go of by itself: the sessions and the recordings that are past its limits. Pure.

What is in use is never past a limit: a session that has a process, whose keeper lives, in which somebody is asked or
something waits to be said. ``pruning.py`` does what is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.ids import SessionId

DAY_MS: Final = 24 * 3600 * 1000
MB: Final = 1_000_000
FRESH_MS: Final = DAY_MS
"""A recording of a session that changed so lately stays, however large it is."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the past is kept."""

    keep_days: int | None = None
    """A session that rests is forgotten after so long; None: never."""
    recordings_mb: int | None = None
    """All recordings together; beyond that the oldest are removed. None: as many as there are."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A session as far as this matters."""

    session: SessionId
    title: str
    changed_at: int
    """UTC ms."""
    recorded: int
    """Bytes of its recording and what lies beside it."""
    in_use: bool


What: TypeAlias = Literal["session", "recording"]


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """What is to go, and why. ``session``: all of it; ``recording``: its events stay."""

    what: What
    session: SessionId
    title: str
    recorded: int
    why: str


def removals(standing: Iterable[Standing], limits: Limits, *, now: int) -> tuple[Removal, ...]:
    """What is past ``limits``, the oldest first: whole sessions, then recordings. ``now``: UTC ms."""
    rows = sorted(standing, key=lambda row: (row.changed_at, row.session))
    sessions = tuple(_sessions(rows, limits, now))
    gone = {removal.session for removal in sessions}
    rest = [row for row in rows if row.session not in gone]
    return (*sessions, *_recordings(rest, limits, now))


def _sessions(rows: Sequence[Standing], limits: Limits, now: int) -> Iterator[Removal]:
    if limits.keep_days is None:
        return
    for row in rows:
        if not row.in_use and now - row.changed_at > limits.keep_days * DAY_MS:
            why = (
                f"nothing happened in it for {(now - row.changed_at) // DAY_MS} days (keep_days is {limits.keep_days})"
            )
            yield _removal("session", row, why)


def _recordings(rows: Sequence[Standing], limits: Limits, now: int) -> Iterator[Removal]:
    if limits.recordings_mb is None:
        return
    total = sum(row.recorded for row in rows)
    for row in rows:
        if total <= limits.recordings_mb * MB:
            return
        if row.recorded and not row.in_use and now - row.changed_at > FRESH_MS:
            why = f"recordings take {total / MB:.0f} MB (keep_recordings_mb is {limits.recordings_mb})"
            yield _removal("recording", row, why)
            total -= row.recorded


def _removal(what: What, row: Standing, why: str) -> Removal:
    return Removal(what=what, session=row.session, title=row.title, recorded=row.recorded, why=why)
