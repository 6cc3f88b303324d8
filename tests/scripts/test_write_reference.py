"""The pages that are made from code are what the code says."""

from pathlib import Path

import pytest

from bascule import history, payload
from bascule.events import (
    AnyEvent,
    MessageChunk,
    Reasoning,
    Retrying,
    TaskProgress,
    ToolUpdate,
    is_passing,
)
from scripts import write_reference
from scripts.write_reference import PASSING, STORED, decisions_page, events_page, history_page, library_page

CALL = payload.Generic(name="x")
PASSED: tuple[AnyEvent, ...] = (
    MessageChunk(item="a", text="b", partial=True),
    Reasoning(item="a", reasoning_text="b", partial=True),
    ToolUpdate(tool_call_id="t", tool_status="running", normalized=CALL),
    Retrying(attempt=2, max_retries=10, delay_ms=1, error="overloaded"),
    TaskProgress(task_id="k", kind="local_bash", title="make"),
)


def test_every_made_page_is_current() -> None:
    stale = [str(path.relative_to(write_reference.ROOT)) for path in write_reference.stale()]
    assert stale == [], "stale; write them anew with: python -m scripts.write_reference"


def test_what_is_told_as_passing_is() -> None:
    assert {event.__struct_config__.tag for event in PASSED if is_passing(event)} == set(PASSING)


def test_the_events_page_tells_each_event_and_field() -> None:
    page = events_page()
    assert "### message_chunk" in page
    assert "| [`retrying`](#retrying) | passing from the second attempt on |" in page
    assert "| `item` | `str` | must be given | Which text: the same for all deltas" in page
    assert "| `as` (in Python `sent_as`) | `block` · `file` | must be given |" in page
    assert "`Notice`. Something worth a line." in page


def test_the_library_page_tells_how_a_method_is_called() -> None:
    page = library_page()
    assert "async with open_session(options: Options) as session: Session" in page
    assert "await interrupt(*, drop_queued: bool = False) -> Taken" in page
    assert "| `ResumeFailed` | `StartFailed` | 4 |" in page


def test_the_page_of_session_files_tells_every_name() -> None:
    told = {name for names in STORED.values() for name in names}
    assert told == set(history.__all__) - {"AnyItem"}
    page = history_page()
    assert "sessions(" in page
    assert "| `damaged` | `bool` | must be given |" in page
    assert "| `branches` |" in page


def test_a_record_is_listed_with_its_date_and_title(tmp_path: Path) -> None:
    record = tmp_path / "2026-11-30-one-thing.md"
    record.write_text("# One thing and no other\n\n2026-11-30 · accepted\n")
    assert "| 2026-11-30 | [One thing and no other](2026-11-30-one-thing.md) |" in decisions_page([record])


def test_a_stale_page_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_reference.told([write_reference.DOCS / "reference" / "events.md"]) == 1
    assert "docs/reference/events.md is stale" in capsys.readouterr().out
    assert write_reference.told([]) == 0
