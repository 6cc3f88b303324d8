"""The facts behind an exit code."""

from typing import Any

import pytest

from bascule.commands import End, Prompt, Refused, Taken
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    Notice,
    PermissionResolved,
    PolicyDecided,
    SessionEnded,
    SessionStatus,
)
from bascule.ids import CliSessionId, CommandId, PendingId
from bascule.terminal.answers import JUDGE_YOURSELF, NO_ANSWER_LEFT, NOBODY
from bascule.terminal.tally import Tally


def tally_of(*events: AnyEvent) -> Tally:
    tally = Tally()
    for event in events:
        tally.feed(event)
    return tally


def denied(**more: Any) -> PermissionResolved:
    return PermissionResolved(pending_id=PendingId("a"), waited_ms=0, **{"outcome": "denied", **more})


def test_the_last_turn_and_the_end_are_kept() -> None:
    done, ended = Complete(outcome="success"), SessionEnded(cause="ended")
    status = SessionStatus(cli_session_id=CliSessionId("c"), session_status="new", cwd="/w")
    tally = tally_of(Complete(outcome="error"), done, status, ended, Notice(level="info", text="x"))
    assert (tally.complete, tally.ended, tally.cli_session_id, tally.cwd) == (done, ended, "c", "/w")


def test_a_failure_is_forgotten_once_a_turn_went_well() -> None:
    failure = Error(kind="api", message="boom")
    assert tally_of(failure, Complete(outcome="error")).problem == "boom"
    assert tally_of(failure, Complete(outcome="success")).problem is None


@pytest.mark.parametrize(
    ("event", "count"),
    [
        (PolicyDecided(tool_call_id=None, verdict="deny", rule=NOBODY, reason=NOBODY), 1),
        (PolicyDecided(tool_call_id=None, verdict="deny", rule="mine", reason=""), 0),
        (PolicyDecided(tool_call_id=None, verdict="allow", rule=NOBODY, reason=""), 0),
        (denied(rule=NOBODY), 1),
        (denied(reason=NOBODY), 1),
        (denied(reason=NO_ANSWER_LEFT), 1),
        (denied(reason=JUDGE_YOURSELF), 1),
        (denied(reason="I do not want it"), 0),
        (denied(outcome="allowed", rule=NOBODY), 0),
    ],
)
def test_denials_for_lack_of_a_person_are_counted(event: AnyEvent, count: int) -> None:
    assert tally_of(event).unanswered == count


def test_a_prompt_that_was_refused_is_a_failure() -> None:
    tally = Tally()
    prompt = Prompt(command_id=CommandId("1"), text="x")
    tally.receipt(prompt, Taken())
    tally.receipt(End(command_id=CommandId("2")), Refused(reason="no"))
    assert tally.problem is None
    tally.receipt(prompt, Refused(reason="closed"))
    assert tally.problem == "closed"
