"""Tokens and money: counted once, by difference, and never guessed.

The CLI's cost and per-model figures are cumulative (28_usage_split); a turn's are the difference to the last result of
the process. 2.1.332 goes on counting over a resume and starts anew at ``/clear``; 2.1.197 the other way round.
Per-message usage is repeated on every line of the message, so it counts once per message id.
"""

from __future__ import annotations

from typing import NamedTuple

from bascule.events import ContextWindow, ModelUsage
from bascule.wire import result as wire
from bascule.wire.blocks import Usage
from bascule.wire.messages import Assistant
from bascule.wire.prose import is_synthetic


class TurnCost(NamedTuple):
    """What a turn cost."""

    cost_usd: float | None
    models: dict[str, ModelUsage]


class Costs:
    """The cumulative figures of one process, differenced."""

    def __init__(self) -> None:
        self._total: float = 0.0
        self._models: dict[str, wire.ModelUsage] = {}
        self._carried_over = False

    def process_began(self, *, resumed: bool) -> None:
        """``resumed``: the first figures may hold what earlier processes spent."""
        self._total = 0.0
        self._models = {}
        self._carried_over = resumed

    def conversation_reset(self) -> None:
        """``/clear`` on 2.1.332: the figures start again."""
        self.process_began(resumed=False)

    def turn(self, result: wire.Result) -> TurnCost:
        """What the turn of ``result`` cost. A figure that went down started again: it is the turn's own."""
        since_last = result.model_usage_since_last_result
        if self._carried_over and since_last is not None:
            cost_usd: float | None = sum(float(usage.cost_usd or 0) for usage in since_last.values())
            models = {name: _difference(usage, None) for name, usage in since_last.items()}
        else:
            cost_usd = self._since_last(result.total_cost_usd)
            models = self._since_last_by_model(result.model_usage)
        self._keep(result)
        return TurnCost(None if cost_usd is None else round(cost_usd, 10), models)

    def _since_last(self, total: float | None) -> float | None:
        if total is None:
            return None
        return total - self._total if total >= self._total else total

    def _since_last_by_model(self, now: dict[str, wire.ModelUsage]) -> dict[str, ModelUsage]:
        pairs = ((name, usage, self._models.get(name)) for name, usage in now.items())
        return {name: _difference(usage, before) for name, usage, before in pairs if usage != before}

    def _keep(self, result: wire.Result) -> None:
        self._carried_over = False
        if result.total_cost_usd is not None:
            self._total = result.total_cost_usd
        self._models = dict(result.model_usage)


def _difference(now: wire.ModelUsage, before: wire.ModelUsage | None) -> ModelUsage:
    """``now`` less ``before``; ``now`` itself where the count began anew."""
    if before is None or (now.input_tokens or 0) < (before.input_tokens or 0):
        before = wire.ModelUsage()
    return ModelUsage(
        input_tokens=(now.input_tokens or 0) - (before.input_tokens or 0),
        output_tokens=(now.output_tokens or 0) - (before.output_tokens or 0),
        cache_read_tokens=(now.cache_read_input_tokens or 0) - (before.cache_read_input_tokens or 0),
        cache_creation_tokens=(now.cache_creation_input_tokens or 0) - (before.cache_creation_input_tokens or 0),
        cost_usd=round(max(0.0, float(now.cost_usd or 0) - float(before.cost_usd or 0)), 10),
        context_window=now.context_window,
    )


class Context:
    """How full the main thread's context is."""

    def __init__(self) -> None:
        self._size: int | None = None
        self._used: int | None = None
        self._model: str | None = None
        self._message: str | None = None
        self._told: tuple[int, int | None] | None = None

    def model_is(self, model: str | None) -> None:
        """The model of the session; another one has another window."""
        if model != self._model:
            self._size = None
        self._model = model

    def spoke(self, message: Assistant) -> ContextWindow | None:
        """A line of the main thread: its first line tells what the message was made from."""
        usage, message_id = message.message.usage, message.message.id
        if message.parent_tool_use_id is not None or usage is None or message_id == self._message:
            return None
        used = _filled(usage)
        if not used or is_synthetic(message):
            return None
        self._message = message_id
        self._used = used
        return self._news()

    def ended(self, result: wire.Result) -> ContextWindow | None:
        """The result names the window's size, by model."""
        size = self._window(result.model_usage)
        if size is not None:
            self._size = size
        return self._news()

    def compacted(self, post_tokens: int | None) -> ContextWindow | None:
        """The conversation was summarised; what is left is known where the CLI tells it."""
        if post_tokens is None:
            return None
        self._used = post_tokens
        return self._news()

    def _window(self, usage: dict[str, wire.ModelUsage]) -> int | None:
        """The size of the main model's window: by its name, by the name without its suffix, or as the only one."""
        if self._model in usage:
            return usage[self._model].context_window
        bare = (self._model or "").partition("[")[0]
        for name, of_model in usage.items():
            if bare and bare in (name.partition("[")[0], of_model.canonical_model):
                return of_model.context_window
        return next(iter(usage.values())).context_window if len(usage) == 1 else None

    def _news(self) -> ContextWindow | None:
        size = self._size or None
        if self._used is None or (self._used, size) == self._told:
            return None
        self._told = self._used, size
        return ContextWindow(
            context_window_size=size,
            context_window_used=self._used,
            context_window_remaining=None if size is None else max(0, size - self._used),
            context_efficiency=None if size is None else round(100 * self._used / size, 2),
        )


def _filled(usage: Usage) -> int:
    return (
        (usage.input_tokens or 0)
        + (usage.cache_creation_input_tokens or 0)
        + (usage.cache_read_input_tokens or 0)
        + (usage.output_tokens or 0)
    )
