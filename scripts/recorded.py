"""What the recordings of the tests show, by version: for the reference of the wire and for what the doctor knows.

A recording is called by its scenario, `11_burst`; one of the probe `probe/SCENE`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from bascule.doctor.catalogue import TESTED, Recorded
from bascule.doctor.findings import Findings, findings
from bascule.recording import Entry, read

TESTS: Final = Path(__file__).parents[1] / "tests"
SCENARIOS: Final = TESTS / "recordings"
PROBES: Final = TESTS / "doctor" / "recordings"


class Recording(NamedTuple):
    """One recording, whole."""

    version: str
    name: str
    entries: tuple[Entry, ...]


def recordings(*versions: str) -> Iterator[Recording]:
    """Those of the tests, then those of the probe; the newest version first."""
    for version in versions or TESTED:
        for folder, prefix in ((SCENARIOS, ""), (PROBES, "probe/")):
            for path in sorted((folder / version).glob("*.jsonl")):
                yield Recording(version, f"{prefix}{path.stem}", entries(path))


def entries(path: Path) -> tuple[Entry, ...]:
    """The entries of a file, without what is damaged."""
    with path.open("rb") as file:
        return tuple(entry for entry in read(file) if isinstance(entry, Entry))


def probed(version: str) -> Findings:
    """What the recorded probe of a version found."""
    said = (entry for path in sorted((PROBES / version).glob("*.jsonl")) for entry in entries(path))
    return findings(said, usage=(PROBES / version / "usage.txt").read_text(encoding="utf-8"))


def recorded(version: str) -> Recorded:
    """What the doctor is to know of a version."""
    found, shown = probed(version), _shown(version)
    return Recorded(
        version=version,
        keys={kind: {key: shown[kind][key] for key in sorted(keys)} for kind, keys in sorted(found.keys.items())},
        unread={kind: tuple(sorted(places)) for kind, places in sorted(found.unread.items())},
        tools=tuple(sorted(found.tools)),
        models=tuple(sorted(found.models)),
        capabilities=tuple(sorted(found.capabilities)),
        hook_events=tuple(sorted(found.hook_events)),
        requests=tuple(sorted(found.requests)),
        flags=tuple(sorted(found.flags)),
        modes=tuple(sorted(found.modes)),
    )


def _shown(version: str) -> dict[str, dict[str, str]]:
    """By kind and key, the first recording that shows it."""
    shown: dict[str, dict[str, str]] = {}
    for recording in recordings(version):
        for kind, keys in findings(recording.entries).keys.items():
            for key in keys:
                shown.setdefault(kind, {}).setdefault(key, recording.name)
    return shown
