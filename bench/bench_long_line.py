"""P5: one very long line, and then the end of the turn."""

from __future__ import annotations

from typing import Any, Final

from bench import lines
from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians, subjects

MB: Final = 1024 * 1024
SIZES_MB: Final = ((1.1, ""), (20, ""), (200, ""), (20, "\U0001f389"))
"""How long, and what stands at the end of its text: one character that is no ASCII makes Python's text wide."""
OF_A_LINE: Final = 3
"""How many times its size a line may take."""


def measure(lab: Lab) -> list[Figure]:
    """The time of a long line for each MB of it, which must not grow, and the memory it takes, in times its length."""
    empty = medians(_taken(lab, []), lambda sample: sample["peak_mb"])
    return [
        figure
        for size_mb, sign in (SIZES_MB[:1] if lab.short else SIZES_MB)
        for figure in _figures(lab, size_mb, sign, empty)
    ]


def _figures(lab: Lab, size_mb: float, sign: str, empty: dict[str, Any]) -> list[Figure]:
    line = lines.long_line(round(size_mb * MB), sign)
    taken = _taken(lab, [line])
    what = f"line of {size_mb:g} MB{', not all ASCII' if sign else ''}"

    def times_its_size(sample: Any, who: Subject) -> float:
        return float(sample["peak_mb"] - empty[who]) / size_mb

    return [
        Figure(
            number="P5",
            what=f"{what}, CPU",
            unit="ms/MB",
            remark=_deaths(lab, line),
            **medians(taken, lambda sample: sample["cpu_s"] * 1000 / size_mb),
        ),
        Figure(
            number="P5",
            what=f"{what}, memory",
            unit="× line",
            must=(Limit(plus=OF_A_LINE),),
            **medians({who: [times_its_size(one, who) for one in samples] for who, samples in taken.items()}, float),
        ),
    ]


def _taken(lab: Lab, printed: list[str]) -> dict[Subject, list[Any]]:
    env = {"BENCH_LINES": str(lab.lines([*printed, lines.the_end()]))}

    def sample(subject: Subject) -> Any:
        lifted = {"any_line": True} if subject == "sdk" else {}
        return lab.sample(subject, "stream", env=env, **lifted)

    return in_turn(lab.rounds(3), subjects(), sample)


def _deaths(lab: Lab, line: str) -> str:
    """What the SDK makes of the line without being told to take it."""
    if "sdk" not in subjects():
        return ""
    env = {"BENCH_LINES": str(lab.lines([line, lines.the_end()]))}
    died = lab.sample("sdk", "stream", env=env).get("died")
    return f"the SDK's session dies of it ({died}), unless its limit is lifted, as here" if died else ""
