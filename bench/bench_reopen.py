"""P9: a long session is opened again: its last window, and all of it."""

from __future__ import annotations

import json
import statistics
from typing import Any, Final

from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn

SEEN: Final = Limit(plus=150)
OURS: Final[tuple[Subject, ...]] = ("ours",)
LINEAR: Final = Limit(times=1.5, of="floor")
SHORTER: Final = "the floor is a session of a tenth of its length"


def measure(lab: Lab) -> list[Figure]:
    """The view over HTTP, with a connection of its own each time; and what an event costs when all are read again."""
    events = 1_000 if lab.short else 100_000

    def sample(_: Subject) -> Any:
        arguments = {"folder": str(lab.fresh("hub")), "cli": str(lab.fake), "events": events, "times": 9}
        return lab.run("-m", "bench.subjects.reopen", "reopen", json.dumps(arguments))

    taken = in_turn(lab.rounds(3), OURS, sample)["ours"]
    what = f"a session of {events:,} events"
    return [
        _beside(f"{what}, first look", "ms", taken, lambda one, name: one["views_s"][name][0] * 1e3, (SEEN,)),
        _beside(
            f"{what}, each next look",
            "ms",
            taken,
            lambda one, name: statistics.median(one["views_s"][name][1:]) * 1e3,
            (SEEN, LINEAR),
        ),
        _beside(f"{what}, each made of its line", "µs", taken, lambda one, name: one["made_us"][name], (LINEAR,)),
        _beside(f"{what}, each in the whole view", "µs", taken, lambda one, name: one["viewed_us"][name], (LINEAR,)),
    ]


def _beside(what: str, unit: str, taken: list[Any], value: Any, must: tuple[Limit, ...]) -> Figure:
    """The long one beside the shorter one."""
    samples = {"ours": [value(one, "long") for one in taken], "floor": [value(one, "tenth") for one in taken]}
    return Figure(
        number="P9",
        what=what,
        unit=unit,
        must=must,
        remark=SHORTER,
        ours=statistics.median(samples["ours"]),
        floor=statistics.median(samples["floor"]),
        samples=samples,
    )
