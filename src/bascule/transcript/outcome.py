"""How a turn ended, from its result, and what to tell a person when it failed.

``is_error`` is the only sound sign of failure (18_*): an API error comes as ``subtype: success``. What is not for
people (``[ede_diagnostic]``) is left out.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from bascule.events import Error
from bascule.transcript import failures
from bascule.wire.messages import Assistant
from bascule.wire.result import Result

Outcome: TypeAlias = Literal["success", "error", "interrupted", "max_turns", "budget", "refused", "lost"]

_BY_SUBTYPE: Final[dict[str, Outcome]] = {"error_max_turns": "max_turns", "error_max_budget_usd": "budget"}


def of(result: Result, *, interrupting: bool, refused: bool) -> Outcome:
    """The outcome that ``result`` tells. A lost interrupt leaves a success (10_interrupt_race_warm, 2.1.332)."""
    aborted = (result.terminal_reason or "").startswith("aborted")
    if aborted or (interrupting and result.is_error and result.terminal_reason is None):
        return "interrupted"
    if not result.is_error:
        return "success"
    if refused or result.stop_reason == "refusal":
        return "refused"
    return _BY_SUBTYPE.get(result.subtype or "", "error")


def failure(result: Result, outcome: Outcome, said: Assistant | None) -> Error | None:
    """What to tell before the turn's ``complete``; None for a turn that did not fail.

    ``said`` is the turn's last assistant line that carried an error, which names its kind.
    """
    if outcome in ("success", "interrupted"):
        return None
    kind = failures.kind_of(result, said) if outcome == "error" else outcome
    hint = failures.HINTS.get(kind, "")
    return Error(kind=kind, message=text(result) or _plain(outcome), hint=hint, detail=_detail(result))


def text(result: Result) -> str:
    """What the result says to people: its errors, else its text."""
    told = [e for e in result.errors if not e.startswith("[ede_diagnostic]")]
    return "\n".join(told) or result.result or ""


def _plain(outcome: Outcome) -> str:
    return {
        "max_turns": "the limit of turns is reached",
        "budget": "the budget is spent",
        "refused": "the model refused to go on",
    }.get(outcome, "the turn failed")


def _detail(result: Result) -> str | None:
    return f"HTTP {result.api_error_status}" if result.api_error_status else None
