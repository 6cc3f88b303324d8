"""One tool call as a policy sees it: what it touches, and the ground it touches it on."""

from __future__ import annotations

from typing import Literal

import msgspec

from bascule.policy.places import Ground
from bascule.tools.describe import ask_kind
from bascule.tools.facts import Facts


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose paths were resolved (symlinks, ``..``, ``~``): the session does that, since a policy cannot look."""

    facts: Facts
    """With its paths absolute (``tools.facts.with_paths``)."""
    ground: Ground
    cwd: str
    """Where a command would run, absolute and resolved."""
    files: frozenset[str] = frozenset()
    """Those of its paths that are known to be one file, and no folder."""
    plans: str | None = None
    """The CLI's own plans folder, absolute and resolved; null: no writing passes in plan mode."""
    protected: tuple[str, ...] = ()
    """Folders of bascule's own (configuration, state, sockets) that no rule can open."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the call is known to touch."""
        return (*self.facts.reads, *self.written)

    @property
    def written(self) -> tuple[str, ...]:
        """Every path that the call is known to change, or to change something below."""
        return (*self.facts.writes, *self.facts.deletes, *self.facts.fills)

    @property
    def asks_for(self) -> Literal["tool", "plan", "question"]:
        """A plan and a question are for a person, whatever the rules say."""
        return ask_kind(self.facts.tool)

    @property
    def runs(self) -> bool:
        """It runs a command."""
        return self.facts.command is not None
