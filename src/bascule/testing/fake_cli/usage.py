"""Tokens and money, as the CLI counts them: one message, one turn, the whole session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

_PER_MILLION_USD: Final[Mapping[str, float]] = {
    "input_tokens": 5.0,
    "output_tokens": 25.0,
    "cache_read_input_tokens": 0.5,
    "cache_creation_input_tokens": 6.25,
}
_IN_MODEL_USAGE: Final[Mapping[str, str]] = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_input_tokens": "cacheReadInputTokens",
    "cache_creation_input_tokens": "cacheCreationInputTokens",
}
CONTEXT_WINDOW: Final = 200_000


class Count(msgspec.Struct, frozen=True):
    """Tokens by kind, under the API's names."""

    tokens: Mapping[str, int] = {}

    @classmethod
    def of(cls, usage: Any) -> Count:
        """What a ``usage`` of the API says; other fields are left out."""
        given = usage if isinstance(usage, dict) else {}
        return cls({name: int(given.get(name) or 0) for name in _PER_MILLION_USD})

    def __add__(self, other: Count) -> Count:
        names = _PER_MILLION_USD
        return Count({name: self.tokens.get(name, 0) + other.tokens.get(name, 0) for name in names})

    def updated(self, usage: Any) -> Count:
        """With the final figures of ``message_delta`` in place of those of ``message_start``."""
        given = usage if isinstance(usage, dict) else {}
        return Count({**self.tokens, **{name: int(given[name]) for name in _PER_MILLION_USD if name in given}})

    @property
    def cost_usd(self) -> float:
        """At list price."""
        return sum(self.tokens.get(name, 0) * price for name, price in _PER_MILLION_USD.items()) / 1_000_000

    def as_usage(self) -> dict[str, Any]:
        """As ``result.usage`` has it."""
        return {name: self.tokens.get(name, 0) for name in _PER_MILLION_USD}

    def as_model_usage(self) -> dict[str, Any]:
        """As one entry of ``result.modelUsage`` has it."""
        counts = {shown: self.tokens.get(name, 0) for name, shown in _IN_MODEL_USAGE.items()}
        return {**counts, "webSearchRequests": 0, "costUSD": self.cost_usd, "contextWindow": CONTEXT_WINDOW}


class Ledger(msgspec.Struct):
    """What a session has used so far, by model; only grows."""

    by_model: dict[str, Count] = {}

    def add(self, model: str, count: Count) -> None:
        """One message was paid."""
        self.by_model[model] = self.by_model.get(model, Count()) + count

    @property
    def cost_usd(self) -> float:
        """All of it."""
        return sum(count.cost_usd for count in self.by_model.values())

    def model_usage(self) -> dict[str, Any]:
        """``result.modelUsage``."""
        return {model: count.as_model_usage() for model, count in self.by_model.items()}
