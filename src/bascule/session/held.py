"""A grant that holds in a session, and the same from the event that told it."""

from __future__ import annotations

import msgspec

from bascule.events import GrantGiven
from bascule.ids import GrantId
from bascule.policy.defaults import ACCEPTED_EDITS
from bascule.policy.grants import Grant, granted
from bascule.recording import GrantCause


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A grant that holds."""

    id: GrantId
    cause: GrantCause
    grants: tuple[Grant, ...]
    """What it allows; several rules where edits are accepted."""
    edits: bool = False
    """It accepts edits, and ends with the CLI's mode for that."""
    by: str | None = None
    until: int | None = None
    """UTC ms; null: the session's end."""


def held_since(event: GrantGiven) -> Held:
    """What holds since ``event``. Raises ``OptionError`` for a rule of another version that is none here."""
    if event.edits:
        grants = edits_accepted()
    else:
        grants = tuple(granted(rule, scope=event.scope, by=event.by) for rule in event.rules)
    return Held(
        id=event.grant_id,
        cause=event.cause,
        grants=tuple(ending(grant, event.until) for grant in grants),
        edits=event.edits,
        by=event.by,
        until=event.until,
    )


def ending(grant: Grant, until: int | None) -> Grant:
    """The grant with its end, and with a rule of its own, by which it is told from another that says the same."""
    ends = [end for end in (grant.rule.until, until) if end is not None]
    return msgspec.structs.replace(grant, rule=msgspec.structs.replace(grant.rule, until=min(ends, default=None)))


def edits_accepted() -> tuple[Grant, ...]:
    """What *accept edits* allows."""
    return tuple(Grant(rule=rule) for rule in ACCEPTED_EDITS)
