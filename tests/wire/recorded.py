"""The lines of all recordings, for the tests of this folder."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

RECORDINGS = Path(__file__).parents[1] / "recordings"
VERSIONS = ("2.1.332", "2.1.197")


class Recorded(NamedTuple):
    """One line of one recording."""

    place: str
    """``VERSION/scenario.jsonl:number``, to find it by."""
    dir: str
    line: str


@cache
def lines(*dirs: str) -> tuple[Recorded, ...]:
    """Every line of those directions, in both versions."""
    return tuple(
        Recorded(f"{path.parent.name}/{path.name}:{number}", entry["dir"], entry["line"])
        for version in VERSIONS
        for path in sorted((RECORDINGS / version).glob("*.jsonl"))
        for number, entry in enumerate(map(json.loads, path.read_text("utf-8").split("\n")[:-1]), 1)
        if entry["dir"] in dirs
    )


def scenario(name: str, *dirs: str) -> list[str]:
    """The lines of one recording, named ``VERSION/scenario``."""
    return [recorded.line for recorded in lines(*dirs) if recorded.place.startswith(f"{name}.jsonl:")]
