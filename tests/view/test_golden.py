"""Golden views of recordings, read by eye; the browser's fold runs on the same files."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from bascule.events import AnyEvent
from tests.view.told import GOLDEN, golden, told, written

FILES = sorted(GOLDEN.glob("*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_events_give_their_golden_view(path: Path) -> None:
    assert written(golden(told(path.parent.name, path.stem))) == path.read_bytes()


def test_the_golden_files_hold_every_event() -> None:
    """So that the twin, which has no other tests of what an event shows, is tested with each; but for what shows
    nothing."""
    held = {event["type"] for path in FILES for event in msgspec.json.decode(path.read_bytes())["events"]}
    assert held == {kind.__struct_config__.tag for kind in get_args(AnyEvent)} - {"queue_changed"}


def test_the_golden_files_hold_every_status() -> None:
    held = {word for path in FILES for word in msgspec.json.decode(path.read_bytes())["statuses"]}
    assert held == set("starting running waiting retrying compacting limited idle asleep ended lost".split())
