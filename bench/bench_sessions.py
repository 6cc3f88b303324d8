"""P6: many sessions at once in one process."""

from __future__ import annotations

import statistics
from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, in_turn, medians, subjects

THIRD: Final = Limit(times=1 / 3, of="sdk")


def measure(lab: Lab) -> list[Figure]:
    """From the first start to the last end, and how long a start takes among so many."""
    sessions, messages = (3, 20) if lab.short else (50, 1_000)
    env = {"BENCH_LINES": str(lab.lines([*lines.deltas(messages - 1), lines.the_end()]))}
    taken = in_turn(lab.rounds(5), subjects(), lambda who: lab.sample(who, "many", env=env, sessions=sessions))
    of_sessions = f"{sessions} sessions of {messages:,} messages"

    def connect_ms(sample: Any) -> float:
        return float(statistics.median(sample["connects_s"])) * 1000

    return [
        Figure(number="P6", what=of_sessions, unit="s", must=(THIRD,), **medians(taken, lambda one: one["wall_s"])),
        Figure(number="P6", what=f"{of_sessions}, CPU", unit="s", **medians(taken, lambda one: one["cpu_s"])),
        Figure(number="P6", what="start of one of them", unit="ms", **medians(taken, connect_ms)),
        Figure(number="P6", what="peak memory", unit="MB", **medians(taken, lambda one: one["peak_mb"])),
    ]
