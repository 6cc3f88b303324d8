"""P4: an interrupt while nobody reads what the CLI says."""

from __future__ import annotations

from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians, subjects

PRINTED_WITHIN_S: Final = 20.0
"""What a host gets to take everything from the CLI before it is interrupted."""
STUCK_WITHIN_S: Final = 1.0
"""The same for the SDK, which stops reading after 100 messages: after that nothing more would come."""
AMID_S: Final = 0.05
"""When the CLI is interrupted while it still prints."""
GIVE_UP_S: Final = 5.0
"""The SDK itself gives up after 60."""
ACKNOWLEDGED: Final = Limit(plus=50)
MORE_MB: Final = 16
"""By how much the memory may grow with the number of unread messages: what is kept of them lies in a file."""


def measure(lab: Lab) -> list[Figure]:
    """After 2,000 and 200,000 messages that nobody read, and in the middle of so many; and what they hold meanwhile."""
    figures: list[Figure] = []
    counts = (200,) if lab.short else (2_000, 200_000)
    bounded: tuple[Limit, ...] = ()
    for count in counts:
        after = _taken(lab, count, PRINTED_WITHIN_S)
        held = medians(after, lambda sample: sample["peak_mb"])
        figures += [
            Figure(
                number="P4",
                what=f"interrupt, {count:,} unread",
                unit="ms",
                must=(ACKNOWLEDGED,),
                remark=_remark(after),
                **medians(after, _acknowledged_ms),
            ),
            Figure(
                number="P4",
                what=f"peak memory, {count:,} unread",
                unit="MB",
                must=bounded,
                **held,
            ),
        ]
        bounded = (Limit(plus=held["ours"] + MORE_MB),)
    amid = _taken(lab, counts[-1], AMID_S)
    return [
        *figures,
        Figure(
            number="P4",
            what=f"interrupt amid {counts[-1]:,}",
            unit="ms",
            must=(ACKNOWLEDGED,),
            remark=_remark(amid),
            **medians(amid, _acknowledged_ms),
        ),
    ]


def _taken(lab: Lab, count: int, printed_within_s: float) -> dict[Subject, list[Any]]:
    printed = lab.lines(lines.talk(count))

    def sample(subject: Subject) -> Any:
        bell = str(lab.fresh("bell"))
        patience_s = min(printed_within_s, STUCK_WITHIN_S) if subject == "sdk" else printed_within_s
        return lab.sample(
            subject,
            "interrupt",
            env={"BENCH_LINES": str(printed), "BENCH_BELL": bell},
            bell=bell,
            printed_within_s=patience_s,
            give_up_s=GIVE_UP_S,
        )

    return in_turn(lab.rounds(5), [subject for subject in subjects() if subject != "floor"], sample)


def _acknowledged_ms(sample: Any) -> float | None:
    seconds = sample["acknowledged_s"]
    return None if seconds is None else seconds * 1000


def _remark(taken: dict[Subject, list[Any]]) -> str:
    silent = [subject for subject, samples in taken.items() if any(s["acknowledged_s"] is None for s in samples)]
    return f"{', '.join(silent)}: no answer within {GIVE_UP_S:g} s" if silent else ""
