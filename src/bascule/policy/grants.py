"""What a person allowed for longer than one call."""

from __future__ import annotations

from typing import Literal

import msgspec

from bascule.policy.rules import Rule


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A remembered decision; matches as an allow rule does."""

    rule: Rule
    scope: Literal["session", "project", "user", "local"] = "session"
    by: str | None = None
    until: int | None = None
    """UTC ms after which it no longer holds; null: as long as its scope."""
