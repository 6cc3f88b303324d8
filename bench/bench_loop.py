"""P1 and P2: the whole loop, from the process's pipe to the program that reads, for each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, in_turn, medians, subjects

QUARTER: Final = Limit(times=0.25, of="sdk")


def measure(lab: Lab) -> list[Figure]:
    """A line of the recorded mix, and a small one: the wall clock, and the CPU of the reading process."""
    mixed, small = (500, 2_000) if lab.short else (40_000, 200_000)
    return [
        *_stream(lab, "P1", "a line, recorded mix", lines.mix(mixed), mixed, (QUARTER, Limit(of="floor"))),
        *_stream(lab, "P2", "a line, small", lines.deltas(small), small, (QUARTER, Limit(times=1.2, of="floor"))),
    ]


def _stream(
    lab: Lab, number: str, what: str, printed: Iterable[str], count: int, must: tuple[Limit, ...]
) -> list[Figure]:
    env = {"BENCH_LINES": str(lab.lines([*printed, lines.the_end()]))}
    taken = in_turn(lab.rounds(7), subjects(), lambda subject: lab.sample(subject, "stream", env=env))
    stages = in_turn(lab.rounds(5), ["ours"], lambda subject: lab.sample(subject, "stages", env=env))
    seen = ", ".join(f"{subject} {samples[0]['seen']:,}" for subject, samples in taken.items())

    def each_us(key: str) -> Callable[[Any], float]:
        return lambda sample: float(sample[key]) / count * 1e6

    return [
        Figure(
            number=number,
            what=f"{what}, CPU",
            unit="µs",
            must=must,
            remark=f"of {count + 1:,} lines were made: {seen}",
            **medians(taken, each_us("cpu_s")),
        ),
        Figure(number=number, what=f"{what}, wall clock", unit="µs", **medians(taken, each_us("wall_s"))),
        *(
            Figure(number=number, what=f"  of it {stage}", unit="µs", **medians(stages, each_us(f"{stage}_s")))
            for stage in ("framing", "decode", "fold")
        ),
    ]
