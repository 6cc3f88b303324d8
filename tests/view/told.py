"""Golden views: the events of a recording beside the view that they give, which vitest reads as well.

``python -m tests.view.told VERSION NAME`` prints one; without a name all are written anew, to be read in a diff.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from bascule.events import AnyEvent
from bascule.view.fold import fold
from bascule.view.model import View, status
from tests.transcript.told import RECORDINGS, entries, folded
from tests.view.made import MADE

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "view"


class Golden(msgspec.Struct, frozen=True):
    """One file."""

    events: tuple[AnyEvent, ...]
    statuses: tuple[str, ...]
    """Each word that it had, in order."""
    view: View


def golden(events: Sequence[AnyEvent]) -> Golden:
    """What these events give."""
    view, statuses = View(), ["starting"]
    for event in events:
        view = fold(view, event)
        if status(view) != statuses[-1]:
            statuses.append(status(view))
    return Golden(tuple(events), tuple(statuses), view)


def told(version: str, name: str) -> Sequence[AnyEvent]:
    """The events of a recording, or those that were made up."""
    return MADE[name] if version == "made" else folded(entries(RECORDINGS / version / f"{name}.jsonl"))


def written(found: Golden) -> bytes:
    """As JSON that a person can read, and a diff too."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.stdout.buffer.write(written(golden(told(sys.argv[1], sys.argv[2]))))
    for path in GOLDEN.glob("*/*.json") if len(sys.argv) == 1 else ():
        path.write_bytes(written(golden(told(path.parent.name, path.stem))))
