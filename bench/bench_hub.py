"""P7: a hub with many sessions that talk, keepers and subscribers included."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians

PACE: Final = 50
"""Lines of a session in a second."""
PIECES: Final = 6
"""Of ten lines of a message that streams."""
ARRIVES: Final = Limit(plus=25)
CORE: Final = Limit(plus=1)
SESSION: Final = Limit(plus=3)
KEEPER: Final = Limit(plus=12)
NONE: Final = Limit()
OURS: Final[tuple[Subject, ...]] = ("ours",)


def measure(lab: Lab) -> list[Figure]:
    """Ever more sessions, up to more than two cores carry with their keepers and CLIs; then whole messages."""
    figures: list[Figure] = []
    for sessions in (2,) if lab.short else (20, 50, 100):
        figures += _figures(lab, sessions, PIECES, f"{sessions} sessions of {PACE} lines/s")
    return [
        *figures,
        *_figures(lab, 2 if lab.short else 20, 0, f"{2 if lab.short else 20} of whole messages", few=True),
    ]


def _figures(lab: Lab, sessions: int, pieces: int, what: str, *, few: bool = False) -> list[Figure]:
    seconds = 0.5 if lab.short else 10.0
    path = lab.lines(lines.stamped(100 if lab.short else 5_000, pieces=pieces))

    def sample(_: Subject) -> Any:
        arguments = {
            "folder": str(lab.fresh("hub")),
            "cli": str(lab.fake),
            "path": str(path),
            "sessions": sessions,
            "pace": PACE,
            "pieces": pieces,
            "measured_s": seconds,
        }
        return lab.run("-m", "bench.subjects.hub", "many", json.dumps(arguments))

    taken = in_turn(lab.rounds(3), OURS, sample)

    def figure(name: str, unit: str, value: Callable[[Any], float], *must: Limit) -> Figure:
        return Figure(number="P7", what=f"{what}, {name}", unit=unit, must=must, **medians(taken, value))

    arrival = [
        figure("from CLI to subscriber, p99", "ms", lambda one: float(one["p99_ms"]), ARRIVES),
        figure("from CLI to subscriber, median", "ms", lambda one: float(one["median_ms"])),
        figure("hub, cores", "", lambda one: float(one["hub_cores"]), CORE),
        figure("hub, CPU of a line", "µs", lambda one: float(one["line_us"])),
        figure("said of what was due", "", lambda one: float(one["said"])),
        figure("subscribers lost", "", lambda one: float(one["readers_lost"]), NONE),
    ]
    if few:
        return arrival
    return [
        *arrival,
        figure("keeper, CPU of a line", "µs", lambda one: float(one["keeper_line_us"])),
        figure("hub, memory a session", "MB", lambda one: float(one["session_mb"]), SESSION),
        figure("keeper, memory", "MB", lambda one: float(one["keeper_mb"]), KEEPER),
    ]
