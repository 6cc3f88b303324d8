"""What happened in all sessions of a hub since it began, counted. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from bascule.events import AnyEvent, Complete, ModelUsage, PermissionCancelled, PermissionResolved

UNKNOWN: Final = "unknown"
"""The model of a turn that does not tell which it had."""
_TOKENS: Final = ("input", "output", "cache_read", "cache_creation")


class Counts:
    """As ``conversation.Figures`` says of each."""

    def __init__(self) -> None:
        self.events: Counter[str] = Counter()
        self.turns: Counter[str] = Counter()
        self.asks: Counter[str] = Counter()
        self.cost_usd: defaultdict[str, float] = defaultdict(float)
        self.tokens: Counter[tuple[str, str]] = Counter()

    def add(self, event: AnyEvent) -> None:
        """One lasting event, once."""
        self.events[str(type(event).__struct_config__.tag)] += 1
        match event:
            case PermissionResolved(outcome=outcome):
                self.asks[outcome] += 1
            case PermissionCancelled(cause=cause):
                self.asks[cause] += 1
            case Complete():
                self._add_turn(event)

    def _add_turn(self, complete: Complete) -> None:
        self.turns[complete.outcome] += 1
        for model, part in complete.models.items() or ((UNKNOWN, complete),):
            self.cost_usd[model] += part.cost_usd or 0.0
            self._add_tokens(model, part)

    def _add_tokens(self, model: str, part: Complete | ModelUsage) -> None:
        for kind in _TOKENS:
            self.tokens[model, kind] += getattr(part, f"{kind}_tokens") or 0
