"""The recorded probes of the tested versions."""

from functools import cache
from pathlib import Path
from typing import Final

from bascule.doctor.findings import Findings, findings
from bascule.recording import Entry, read

RECORDINGS: Final = Path(__file__).parent / "recordings"


def scene(version: str, name: str) -> tuple[Entry, ...]:
    """The entries of one recorded scene."""
    with (RECORDINGS / version / f"{name}.jsonl").open("rb") as file:
        return tuple(entry for entry in read(file) if isinstance(entry, Entry))


@cache
def probed(version: str) -> Findings:
    """What the whole probe of a version found."""
    names = sorted(path.stem for path in (RECORDINGS / version).glob("*.jsonl"))
    usage = (RECORDINGS / version / "usage.txt").read_text(encoding="utf-8")
    return findings((entry for name in names for entry in scene(version, name)), usage=usage)
