"""Recordings of two CLI versions, and the events they must give, checked by eye against the lines.

A golden file is never written by a test. To look at what a recording gives: ``bascule replay FILE --json``.
"""

from pathlib import Path

import pytest

from bascule.events import Complete
from tests.transcript.told import RECORDINGS, brief, entries, folded

GOLDEN = Path(__file__).parents[1] / "golden" / "events"
FILES = sorted(GOLDEN.glob("*/*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_recording_gives_its_golden_events(path: Path) -> None:
    recording = RECORDINGS / path.parent.name / f"{path.stem}.jsonl"
    assert [brief(event) for event in folded(entries(recording))] == path.read_text().splitlines()


def test_both_versions_have_golden_files() -> None:
    assert {path.parent.name for path in FILES} == {"2.1.197", "2.1.332"}


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
def test_prompts_of_several_kinds_that_wait_together_are_settled_each_by_its_turn(version: str) -> None:
    """30_prompt_kinds: behind `first` (1) wait a, /cost, b, c (2 to 5, later) and d, told, e (6 to 8, next)."""
    events = folded(entries(RECORDINGS / version / "30_prompt_kinds.jsonl"))
    told = [(event.prompt_ids, event.text) for event in events if isinstance(event, Complete)]
    numbers = ["".join(prompt_id[-1] for prompt_id in prompt_ids) for prompt_ids, _ in told]
    assert numbers == ["1", "6", "7", "8", "2", "3", "45"]
    answers = [text for _, text in told if text is None or "cost" not in text]
    assert answers == ["One.", "saw d", None, "saw told e", "saw a", "saw b c"]
