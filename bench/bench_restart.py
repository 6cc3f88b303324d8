"""P10: a hub is killed in the middle of everything, and another one is started in its place."""

from __future__ import annotations

import json
from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians

ATTACHED: Final = Limit(plus=5)
NONE: Final = Limit()
PIECES: Final = 6
OURS: Final[tuple[Subject, ...]] = ("ours",)


def measure(lab: Lab) -> list[Figure]:
    """From the start of the second hub's interpreter until every session can be spoken to; then what became of all."""
    sessions, asks, before, after = (2, 1, 10, 5) if lab.short else (100, 20, 1_000, 50)
    first = list(lines.stamped(before, pieces=PIECES))
    then = [*lines.stamped(after, pieces=PIECES, number=1), lines.the_end()]
    plain, asking = lab.lines([*first, *then]), lab.lines([*first, lines.ask(), *then])
    burst = lines.of_stamped(before, pieces=PIECES)

    def sample(_: Subject) -> Any:
        arguments = {
            "folder": str(lab.fresh("hub")),
            "cli": str(lab.fake),
            "sessions": sessions,
            "asks": asks,
            "plain": str(plain),
            "asking": str(asking),
            "messages": before + after,
            "burst": burst,
            "told": before,
        }
        return lab.run("-m", "bench.subjects.restart", "restart", json.dumps(arguments))

    taken = in_turn(lab.rounds(3), OURS, sample)
    what = f"{sessions} sessions of {burst:,} lines"
    return [
        Figure(
            number="P10",
            what=f"{what}, all attached again",
            unit="s",
            must=(ATTACHED,),
            **medians(taken, lambda one: float(one["attached_s"])),
        ),
        _count(f"{what}, events lost", taken["ours"], "lost"),
        _count(f"{what}, events doubled", taken["ours"], "doubled"),
        _count(f"{what}, of {asks} asks not answerable", taken["ours"], "unanswered"),
    ]


def _count(what: str, taken: list[Any], key: str) -> Figure:
    """The worst of all samples counts, not that in the middle."""
    samples = [float(one[key]) for one in taken]
    return Figure(
        number="P10", what=what, unit="", ours=max(samples), must=(NONE,), counts=True, samples={"ours": list(samples)}
    )
