"""Every end of a run has its code, and the page that lists them is current."""

from pathlib import Path
from typing import Any

import pytest

from bascule import errors
from bascule.cli.exits import MEANINGS, code_of
from bascule.events import AnyEvent, Complete, Error, PolicyDecided, SessionEnded
from bascule.terminal.answers import NOBODY
from bascule.terminal.tally import Tally

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "exit-codes.md"
DENIED = PolicyDecided(tool_call_id=None, verdict="deny", rule=NOBODY, reason=NOBODY)
DONE = Complete(outcome="success")
TIMEOUT = Error(kind="timeout", message="the turn took more than 2 s")


def tally_of(*events: AnyEvent, **facts: Any) -> Tally:
    tally = Tally()
    for event in events:
        tally.feed(event)
    for name, value in facts.items():
        setattr(tally, name, value)
    return tally


@pytest.mark.parametrize(
    ("tally", "code"),
    [
        (tally_of(), 0),
        (tally_of(DONE, SessionEnded(cause="ended")), 0),
        (tally_of(Complete(outcome="error")), 1),
        (tally_of(Complete(outcome="refused")), 1),
        (tally_of(Error(kind="api", message="x")), 1),
        (tally_of(Complete(outcome="error"), DONE), 0),
        (tally_of(SessionEnded(cause="start_failed")), 4),
        (tally_of(Complete(outcome="lost"), SessionEnded(cause="resume_failed")), 4),
        (tally_of(Complete(outcome="max_turns")), 6),
        (tally_of(Error(kind="limit", message="x"), Complete(outcome="max_turns")), 6),
        (tally_of(DONE, Error(kind="store", message="x")), 1),
        (tally_of(Complete(outcome="budget")), 6),
        (tally_of(DONE, out_of_time=True, interrupted=True), 6),
        (tally_of(TIMEOUT, Complete(outcome="interrupted")), 6),
        (tally_of(TIMEOUT, Error(kind="api", message="x"), Complete(outcome="error")), 6),
        (tally_of(TIMEOUT, SessionEnded(cause="ended")), 6),
        (tally_of(TIMEOUT, DONE), 0),
        (tally_of(TIMEOUT, Complete(outcome="interrupted"), DONE), 0),
        (tally_of(TIMEOUT, Complete(outcome="interrupted"), Complete(outcome="error")), 1),
        (tally_of(TIMEOUT, Complete(outcome="interrupted"), interrupted=True), 130),
        (tally_of(Complete(outcome="lost")), 7),
        (tally_of(SessionEnded(cause="crashed")), 7),
        (tally_of(Complete(outcome="interrupted")), 130),
        (tally_of(DONE, interrupted=True), 130),
        (tally_of(DONE, unread=True), 130),
    ],
)
def test_each_end_has_its_code(tally: Tally, code: int) -> None:
    assert code_of(tally, strict=True) == code


@pytest.mark.parametrize(("strict", "code"), [(True, 5), (False, 0)])
def test_S30_denials_for_lack_of_a_person_count_when_asked_for(strict: bool, code: int) -> None:
    assert code_of(tally_of(DENIED, DONE), strict=strict) == code


def test_a_failure_outweighs_a_denial() -> None:
    assert code_of(tally_of(DENIED, Complete(outcome="error")), strict=True) == 1


def test_every_error_of_the_library_has_a_code_of_the_table() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.BasculeError)]
    assert len(kinds) > 10
    assert all(kind.exit_code in MEANINGS for kind in kinds)


def test_the_page_lists_every_code_with_its_meaning() -> None:
    page = PAGE.read_text()
    assert all(f"| {code} | {meaning} |" in page for code, meaning in MEANINGS.items())
