"""A rule and what it matches."""

from __future__ import annotations

from typing import Literal

import msgspec


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of a policy: allow, ask or deny these calls there."""

    action: Literal["allow", "ask", "deny"]
    tool: str
    """A glob over tool names: ``mcp__git__*``."""
    match: str | None = None
    """For shell commands a pattern of words per simple command, else one over path, host or rendered input."""
    where: str
    """``workspace``, ``anywhere`` or a glob over paths."""
    reason: str = ""
    until: int | None = None
    """UTC ms after which it no longer holds."""
    source: str = ""
    """Where it stands: file and line, or the grant."""
