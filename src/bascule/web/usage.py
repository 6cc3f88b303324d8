"""Sums over turns and calls: what was spent, by whom or what; which tools ran, for how long. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.conversation import Spent
from bascule.events import AnyEvent, Complete, ModelUsage, ToolCall, ToolUpdate

By: TypeAlias = Literal["turn", "session", "day", "model"]


class Usage(msgspec.Struct, kw_only=True):
    """What one turn, session, day or model used."""

    key: str
    """``SESSION/TURN``, a session's id, a day in UTC (``2026-11-30``), a model's name."""
    title: str = ""
    """Of a turn or a session: the session's."""
    turns: int = 0
    cost_usd: float = 0.0
    """As the CLI reports it; turns of unknown cost count nothing."""
    unknown_costs: int = 0
    input_tokens: int = 0
    """This and the three below: all threads where the CLI tells, else the main one."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    duration_ms: int = 0
    """Of turns; 0 for a model."""


class ToolUsage(msgspec.Struct, kw_only=True):
    """What one tool did in a session."""

    tool_name: str
    calls: int = 0
    total_ms: int = 0
    """From the call to its end, the wait for a person included."""
    longest_ms: int = 0
    errors: int = 0
    denied: int = 0


_TOKENS: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")


def usage(spent: Iterable[Spent], by: By) -> tuple[Usage, ...]:
    """The sums, in the order in which their keys first occur."""
    sums: dict[str, Usage] = {}
    for turn in spent:
        if by == "model":
            _add_models(sums, turn.complete)
        else:
            row = sums.setdefault(key := _KEYS[by](turn), Usage(key=key, title="" if by == "day" else turn.title))
            _add_turn(row, turn)
    return tuple(sums.values())


_KEYS: Final[dict[str, Callable[[Spent], str]]] = {
    "turn": lambda turn: f"{turn.session}/{turn.turn}",
    "session": lambda turn: turn.session,
    "day": lambda turn: datetime.fromtimestamp(turn.started_at / 1000, UTC).date().isoformat(),
}


def _add_turn(row: Usage, turn: Spent) -> None:
    row.turns += 1
    complete = turn.complete
    if complete is None or complete.cost_usd is None:
        row.unknown_costs += 1
    if complete is None:
        return
    row.cost_usd += complete.cost_usd or 0.0
    row.duration_ms += complete.duration_ms or 0
    for part in complete.models.values() or (complete,):
        _add_tokens(row, part)


def _add_models(sums: dict[str, Usage], complete: Complete | None) -> None:
    for name, part in complete.models.items() if complete else ():
        row = sums.setdefault(name, Usage(key=name))
        row.turns += 1
        row.cost_usd += part.cost_usd
        _add_tokens(row, part)


def _add_tokens(row: Usage, part: Complete | ModelUsage) -> None:
    for name in _TOKENS:
        setattr(row, name, getattr(row, name) + (getattr(part, name) or 0))


class Calls:
    """The calls of a session, added up event by event."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolUsage] = {}
        self._open: dict[str, ToolCall] = {}

    def feed(self, event: AnyEvent) -> None:
        """One lasting event."""
        match event:
            case ToolCall(tool_name=name, tool_call_id=call):
                self._open[call] = event
                self._tools.setdefault(name, ToolUsage(tool_name=name)).calls += 1
            case ToolUpdate(tool_call_id=call) if event.tool_status != "running" and call in self._open:
                self._end(self._open.pop(call), event)

    def _end(self, call: ToolCall, update: ToolUpdate) -> None:
        row, took_ms = self._tools[call.tool_name], update.at - call.at
        row.total_ms += took_ms
        row.longest_ms = max(row.longest_ms, took_ms)
        row.errors += update.tool_status == "error"
        row.denied += update.tool_status == "denied"

    def tools(self) -> tuple[ToolUsage, ...]:
        """The tools, the one that took longest first."""
        return tuple(sorted(self._tools.values(), key=lambda row: (-row.total_ms, row.tool_name)))
