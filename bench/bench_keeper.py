"""P12 and P7: what a keeper between us and the CLI costs, beside the same pipe without one."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from typing import Any, Final

from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians

START: Final = Limit(plus=60)
"""From the wish to the first entry, the CLI's own start not counted: ``cat`` has none."""
MEMORY: Final = Limit(plus=12)
ROUND_TRIP: Final = Limit(plus=25)
"""What a hub may take from the CLI's write to the socket, at the 99th percentile; the keeper is a part of it."""
BESIDE: Final = "the floor is bascule's own pipe to the process, without a keeper"
WHO: Final[tuple[Subject, ...]] = ("ours", "floor")


def measure(lab: Lab) -> list[Figure]:
    """Starts, a line and back, a CLI that pours; and the memory of the keeper, before and after that."""
    starts = _taken(lab, "start", rounds=7, times=2 if lab.short else 21)
    echoes = _taken(lab, "echo", rounds=3, times=20 if lab.short else 2_000)
    poured = _taken(lab, "pour", rounds=3, lines=1_000 if lab.short else 200_000, characters=300)
    return [
        _figure("P12", "start with a keeper", "ms", starts, lambda sample: statistics.median(sample["starts_s"]) * 1e3,
                must=(START,), remark=BESIDE),
        _figure("P7", "a line to the CLI and back, p99", "ms", echoes, _p99_ms, must=(ROUND_TRIP,)),
        _figure("P7", "a line to the CLI and back, median", "ms", echoes,
                lambda sample: statistics.median(sample["took_s"]) * 1e3),
        _figure("P7", "200,000 lines to the CLI and back", "s", poured, lambda sample: sample["wall_s"]),
        _memory("keeper, memory", starts),
        _memory("keeper, memory after 200,000 lines", poured),
    ]  # fmt: skip


def _taken(lab: Lab, scenario: str, *, rounds: int, **more: Any) -> dict[Subject, list[Any]]:
    def sample(who: Subject) -> Any:
        arguments = {"folder": str(lab.fresh("state")), "keeper": who == "ours", **more}
        return lab.run("-m", "bench.subjects.kept", scenario, json.dumps(arguments))

    return in_turn(lab.rounds(rounds), WHO, sample)


def _figure(
    number: str,
    what: str,
    unit: str,
    taken: dict[Subject, list[Any]],
    value: Callable[[Any], float],
    *,
    must: tuple[Limit, ...] = (),
    remark: str = "",
) -> Figure:
    return Figure(number=number, what=what, unit=unit, must=must, remark=remark, **medians(taken, value))


def _p99_ms(sample: Any) -> float:
    return float(sample["took_s"][len(sample["took_s"]) * 99 // 100] * 1e3)


def _memory(what: str, taken: dict[Subject, list[Any]]) -> Figure:
    ours: dict[Subject, list[Any]] = {"ours": taken["ours"]}
    return _figure("P7", what, "MB", ours, lambda sample: sample["keeper_mb"], must=(MEMORY,))
