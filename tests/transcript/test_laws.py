"""What holds for every recording, whoever made it: the promises that readers of events rely on."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule import events
from bascule.events import AnyEvent, Complete, is_passing
from bascule.ids import SessionId
from bascule.recording import Dir, Entry
from bascule.transcript import Fold
from tests.transcript.told import RECORDINGS, entries, folded

FILES = sorted(RECORDINGS.glob("*/*.jsonl"))
LATER = (
    events.TaskStarted,
    events.TaskProgress,
    events.TaskEnded,
    events.ToolCall,
    events.ToolUpdate,
    events.MessageChunk,
    events.PermissionRequest,
    events.PermissionResolved,
    events.PermissionCancelled,
)
"""What a background agent may still tell of a turn that is complete."""

each_recording = pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")


def unclosed(told: list[AnyEvent]) -> dict[tuple[str, object], tuple[int, int]]:
    """What did not open once and close once, with how often it did."""
    opened = Counter[tuple[str, object]]()
    closed = Counter[tuple[str, object]]()
    for event in told:
        match event:
            case events.TurnStarted():
                opened["turn", event.turn] += 1
            case Complete():
                closed["turn", event.turn] += 1
            case events.ToolCall():
                opened["call", event.tool_call_id] += 1
            case events.ToolUpdate() if not is_passing(event):
                closed["call", event.tool_call_id] += 1
            case events.PermissionRequest():
                opened["ask", event.pending_id] += 1
            case events.PermissionResolved() | events.PermissionCancelled():
                closed["ask", event.pending_id] += 1
            case events.TaskStarted():
                opened["task", event.task_id] += 1
            case events.TaskEnded():
                closed["task", event.task_id] += 1
    counts = {thing: (opened[thing], closed[thing]) for thing in opened | closed}
    return {thing: count for thing, count in counts.items() if count != (1, 1)}


@each_recording
def test_everything_that_opens_closes_once(path: Path) -> None:
    assert unclosed(folded(entries(path))) == {}


@each_recording
def test_everything_closes_wherever_the_recording_is_cut(path: Path) -> None:
    whole = entries(path)
    for cut in range(0, len(whole), max(1, len(whole) // 7)):
        assert unclosed(folded(whole[:cut])) == {}


@each_recording
def test_numbers_have_no_gap_and_passing_events_follow(path: Path) -> None:
    last = 0
    for event in folded(entries(path)):
        if is_passing(event):
            assert (event.seq, event.after) == (None, last)
        else:
            last += 1
            assert (event.seq, event.after) == (last, None)


@each_recording
def test_nothing_of_a_turn_comes_after_its_complete_but_background_work(path: Path) -> None:
    complete: set[int] = set()
    for event in folded(entries(path)):
        assert event.turn not in complete or isinstance(event, LATER)
        if isinstance(event, Complete):
            complete.add(event.turn)


@each_recording
def test_each_accepted_prompt_is_settled_at_most_once(path: Path) -> None:
    told = folded(entries(path))
    accepted = Counter(e.prompt_id for e in told if isinstance(e, events.PromptAccepted))
    settled = Counter(prompt for e in told if isinstance(e, Complete) for prompt in e.prompt_ids)
    assert set(accepted.values()) <= {1}
    assert set(settled.values()) <= {1}
    assert settled.keys() <= accepted.keys()


@each_recording
def test_a_failed_turn_has_an_error_just_before_its_complete(path: Path) -> None:
    told = [event for event in folded(entries(path)) if not isinstance(event, events.ContextWindow)]
    for before, event in pairwise(told):
        if isinstance(event, Complete) and event.outcome not in ("success", "interrupted"):
            assert isinstance(before, events.Error)
            assert before.turn == event.turn


@each_recording
def test_every_text_is_clean(path: Path) -> None:
    for event in folded(entries(path)):
        assert events.from_json(events.to_json(event)) == event


LINES = [entry for path in FILES for entry in entries(path) if len(entry.line) < 20_000]


@given(st.lists(st.sampled_from(LINES), max_size=60))
def test_lines_in_any_order_never_raise_and_still_close(shuffled: list[Entry]) -> None:
    assert unclosed(folded(shuffled)) == {}


DIRS: list[Dir] = ["in", "out", "err", "note", "exit", "argv", "env"]


@given(st.lists(st.tuples(st.sampled_from(DIRS), st.text(max_size=80))))
def test_any_text_is_read_without_raising(lines: list[tuple[Dir, str]]) -> None:
    found = [Entry(float(number), direction, line) for number, (direction, line) in enumerate(lines)]
    assert unclosed(folded(found)) == {}


def test_the_end_comes_once() -> None:
    fold = Fold(SessionId("s"))
    fold.feed(Entry(0.0, "exit", "rc=0"))
    assert fold.end() == []
    assert fold.feed(Entry(0.0, "exit", "rc=0")) == []
