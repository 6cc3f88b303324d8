"""What a person allowed for longer than one call: *allow always*, *trust for 15 minutes*.

A grant matches as an allow rule does, and ends at its time or with its scope. Where it is kept is not decided here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from bascule.policy.rules import Rule, parse

Scope: TypeAlias = Literal["session", "project", "user", "local"]


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A remembered decision."""

    rule: Rule
    """An allow rule; its ``until`` is the grant's end, its ``source`` says whose it is."""
    scope: Scope = "session"
    by: str | None = None
    """Who gave it."""
    id: str = ""
    """What it is known by where it is kept; empty: nowhere."""


def granted(text: str, *, scope: Scope = "session", by: str | None = None, until: int | None = None) -> Grant:
    """The grant of what the person saw, and maybe edited, as ``text``; it ends at ``until`` (UTC ms).

    Raises ``OptionError`` for a text that is no rule.
    """
    rule = parse(text, "allow", source=f"granted{f' by {by}' if by else ''} ({scope})")
    return Grant(rule=msgspec.structs.replace(rule, until=until), scope=scope, by=by)
