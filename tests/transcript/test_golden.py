"""Recordings of two CLI versions, and the events they must give, checked by eye against the lines.

A golden file is never written by a test. To look at what a recording gives: ``bascule replay FILE --json``.
"""

from pathlib import Path

import pytest

from tests.transcript.told import RECORDINGS, brief, entries, folded

GOLDEN = Path(__file__).parents[1] / "golden" / "events"
FILES = sorted(GOLDEN.glob("*/*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_recording_gives_its_golden_events(path: Path) -> None:
    recording = RECORDINGS / path.parent.name / f"{path.stem}.jsonl"
    assert [brief(event) for event in folded(entries(recording))] == path.read_text().splitlines()


def test_both_versions_have_golden_files() -> None:
    assert {path.parent.name for path in FILES} == {"2.1.197", "2.1.332"}
