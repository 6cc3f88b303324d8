"""What `bascule run` ends with, and why: the table of docs/reference/exit-codes.md, as code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bascule.terminal.tally import Tally

SUCCESS: Final = 0
FAILED: Final = 1
USAGE: Final = 2
NO_CLI: Final = 3
NOT_STARTED: Final = 4
UNANSWERED: Final = 5
LIMIT: Final = 6
LOST: Final = 7
INTERRUPTED: Final = 130

MEANINGS: Final[Mapping[int, str]] = {
    SUCCESS: "success",
    FAILED: "the turn failed",
    USAGE: "wrong usage or configuration; a file that is no recording",
    NO_CLI: "Claude Code is missing, of a refused version, or not proven to ask",
    NOT_STARTED: "Claude Code did not start, or the session to resume is not there",
    UNANSWERED: "finished, but calls were denied since nobody could answer (with --strict; else 0)",
    LIMIT: "a limit was reached: rounds, money or time",
    LOST: "Claude Code ended in the middle of its work",
    INTERRUPTED: "interrupted: Ctrl-C, SIGTERM, or nobody read the output any more",
}

_OUTCOMES: Final[Mapping[str, int]] = {
    "success": SUCCESS,
    "error": FAILED,
    "refused": FAILED,
    "interrupted": INTERRUPTED,
    "max_turns": LIMIT,
    "budget": LIMIT,
    "lost": LOST,
}
_CAUSES: Final[Mapping[str, int]] = {"start_failed": NOT_STARTED, "resume_failed": NOT_STARTED, "crashed": LOST}


def code_of(tally: Tally, *, strict: bool) -> int:
    """The exit code of a run: of its last turn, unless the run itself was cut short."""
    if tally.out_of_time:
        return LIMIT
    if tally.interrupted or tally.unread:
        return INTERRUPTED
    if tally.ended is not None and tally.ended.cause in _CAUSES:
        return _CAUSES[tally.ended.cause]
    if tally.timed_out:
        return LIMIT
    code = SUCCESS if tally.complete is None else _OUTCOMES[tally.complete.outcome]
    if code == SUCCESS and tally.problem is not None:
        return FAILED
    return UNANSWERED if code == SUCCESS and strict and tally.unanswered else code
