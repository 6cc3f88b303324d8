"""One tool call as a policy sees it: who it is, what it touches, and the ground it touches it on."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose paths were resolved (symlinks, ``..``, ``~``): the session does that, since a policy cannot look."""

    tool: str
    facts: Any
    """``tools.facts.facts(tool, input)`` with its paths made absolute."""
    input: Any = None
    """As the model wrote it; for rules that match a rendered input."""
    ask: Literal["tool", "plan", "question"] = "tool"
    """``tools.ask_kind(tool)``: a plan and a question are for a person whatever the rules say."""
    workspace: str
    """Absolute and resolved. Empty: nothing is inside it."""
    plans: str | None = None
    """The CLI's own plans folder, absolute and resolved; null: no writing passes in plan mode."""
