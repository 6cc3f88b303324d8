"""P8: one session that pours, and many subscribers, of whom one takes nothing."""

from __future__ import annotations

import json
from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians

STALLED: Final = "the floor is the same without the subscriber that takes nothing"
EVENT: Final = Limit(plus=10)
"""100,000 in a second."""
NOBODY_WAITS: Final = Limit(times=1.25, of="floor")
MORE_MB: Final = 4
"""What may be held for the one that takes nothing."""
WHO: Final[tuple[Subject, ...]] = ("ours", "floor")


def measure(lab: Lab) -> list[Figure]:
    """From the word that sets the CLI off to the last event at the last subscriber who reads."""
    readers, messages = (3, 50) if lab.short else (199, 2_000)
    path = lab.lines([lines.ask(), *lines.stamped(messages, pieces=0), lines.the_end()])

    def sample(who: Subject) -> Any:
        arguments = {
            "folder": str(lab.fresh("hub")),
            "cli": str(lab.fake),
            "path": str(path),
            "messages": messages,
            "readers": readers,
            "stalled": who == "ours",
        }
        return lab.run("-m", "bench.subjects.hub", "fanout", json.dumps(arguments))

    taken = in_turn(lab.rounds(3), WHO, sample)
    held = medians(taken, lambda one: float(one["hub_mb"]))
    what = f"{messages:,} messages to {readers} subscribers"
    return [
        Figure(
            number="P8",
            what=f"{what}, each of them",
            unit="µs",
            must=(EVENT,),
            **medians(taken, lambda one: one["last_s"] / messages / readers * 1e6),
        ),
        Figure(
            number="P8",
            what=f"{what}, the last is there",
            unit="s",
            must=(NOBODY_WAITS,),
            remark=STALLED,
            **medians(taken, lambda one: float(one["last_s"])),
        ),
        Figure(
            number="P8",
            what=f"{what}, hub, memory",
            unit="MB",
            must=(Limit(of="floor", plus=MORE_MB),),
            **held,
        ),
    ]
