"""What is past its limits taken away: when a hub begins, and once an hour. ``retention.py`` decides what that is.

A removal is on record before it is made. What is being used by then stays, and is looked at again an hour later.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from bascule.errors import BasculeError, LocalProtocolError, StoreError
from bascule.hub.live import Live, now_ms
from bascule.hub.retention import MB, Limits, Removal, Standing, removals
from bascule.store.rows import AuditRow

if TYPE_CHECKING:
    from bascule.hub.hub import Hub

log = logging.getLogger("bascule.hub")

EVERY_S: Final = 3600.0


async def keep_within(hub: Hub, limits: Limits) -> None:
    """Prune now and then, for ever."""
    while True:
        try:
            await prune(hub, limits, now=now_ms())
        except (BasculeError, OSError) as exc:
            log.warning("nothing is removed that is past its limits: %s", exc)
        await asyncio.sleep(EVERY_S)


async def prune(hub: Hub, limits: Limits, *, now: int) -> tuple[Removal, ...]:
    """Take away what is past ``limits``; what was taken. What cannot be removed is said in the log."""
    wanted = removals(await standing(hub), limits, now=now)
    return tuple([one for one in wanted if await _is_removed(hub, one, now)])


async def standing(hub: Hub) -> list[Standing]:
    """All sessions, those that are archived too."""
    asked = {row.session for row in await hub.store.asks()}
    recorded = await hub.processes.recorded()
    return [
        Standing(
            session=facts.id,
            title=facts.title,
            changed_at=facts.updated_at,
            recorded=recorded.get(facts.id, 0),
            in_use=facts.id in asked or hub.is_busy(facts.id),
        )
        for facts in await hub.sessions(archived=True)
    ]


async def _is_removed(hub: Hub, removal: Removal, now: int) -> bool:
    try:
        await hub.store.record(_told(removal, f"{removal.what}_removed", removal.why, now))
        await _remove(hub, removal)
    except (BasculeError, OSError) as exc:
        log.warning("the %s %s stays for now: %s", removal.what, removal.session, exc)
        with suppress(StoreError):
            await hub.store.record(_told(removal, f"{removal.what}_stays", str(exc), now))
        return False
    log.warning("the %s %s is removed, %.1f MB: %s", removal.what, removal.session, removal.recorded / MB, removal.why)
    return True


async def _remove(hub: Hub, removal: Removal) -> None:
    if hub.is_busy(removal.session):
        raise LocalProtocolError("it is used again")
    await _lose_recording(hub, hub.live(removal.session))
    if removal.what == "session":
        await hub.forget(removal.session)


async def _lose_recording(hub: Hub, live: Live) -> None:
    """Nobody can speak to it from now on; what happened can still be read."""
    try:
        await live.change(recording_gone=True)
        await hub.processes.discard(live.id)
    except (BasculeError, OSError):
        with suppress(StoreError):  # its owner tries again
            await live.change(recording_gone=False)
        raise


def _told(removal: Removal, what: str, why: str, now: int) -> AuditRow:
    return AuditRow(at=now, what=what, surface="hub", session=removal.session, detail=f"{removal.title}: {why}")
