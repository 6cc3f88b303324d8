"""Figures, what they must be, and the table and the JSON that tell of them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

Beside: TypeAlias = Literal["sdk", "floor"]

HEAD: Final = ("", "what", "unit", "ours", "SDK", "floor", "ours/SDK", "ours/floor", "must be", "held")
SHOWN: Final[dict[Beside, str]] = {"sdk": "SDK", "floor": "floor"}


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """Ours must be at most ``times`` the other's figure and ``plus`` more; ``plus`` alone where no other is named."""

    times: float = 1
    of: Beside | None = None
    plus: float = 0

    def holds(self, figure: Figure) -> bool | None:
        """Whether it is so; None where there is nothing to compare."""
        other = 0.0 if self.of is None else getattr(figure, self.of)
        if figure.ours is None or other is None:
            return None
        return bool(figure.ours <= self.times * other + self.plus)

    def __str__(self) -> str:
        times = f"{self.times:.3g} × " if self.times != 1 else ""
        terms = [f"{times}{SHOWN[self.of]}"] if self.of else []
        return "≤ " + " + ".join([*terms, *([f"{self.plus:g}"] if self.plus or not terms else [])])


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One row: medians of the samples, all of them in one unit, less is better."""

    number: str
    """As in the list of what must be shown: P1, P2, …"""
    what: str
    unit: str
    ours: float | None
    sdk: float | None = None
    floor: float | None = None
    must: tuple[Limit, ...] = ()
    remark: str = ""
    """What the numbers alone do not tell, such as that a session died."""
    samples: dict[str, list[float | None]] = {}
    """None: it did not happen in the time that it was given."""
    counts: bool = False
    """No time but a number of what went wrong: however busy the machine is, there is no excuse for it."""

    @property
    def held(self) -> bool | None:
        """Whether every limit holds; None where none could be looked at."""
        known = [held for limit in self.must if (held := limit.holds(self)) is not None]
        return all(known) if known else None

    @property
    def is_wrong(self) -> bool:
        """Whether it counts what went wrong, and something did."""
        return self.counts and self.held is False


def machine() -> dict[str, Any]:
    """What the figures were measured on, and with."""
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "msgspec": _version("msgspec"),
        "claude-agent-sdk": _version("claude-agent-sdk"),
        "bascule": _commit(),
        "at": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
    }


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.stdout.strip() or None


def table(figures: Iterable[Figure]) -> str:
    """The figures as text, a line each, with a remark below where there is one."""
    listed = list(figures)
    rows = [HEAD, *map(_cells, listed)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    told = [f"{figure.number}  {figure.what}: {figure.remark}" for figure in listed if figure.remark]
    return "\n".join([*lines, *([""] if told else []), *told])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    left = {0, 1, 2, 8, 9}
    cells = (
        f"{cell:<{width}}" if column in left else f"{cell:>{width}}"
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()


def _cells(figure: Figure) -> tuple[str, ...]:
    held = {True: "yes", False: "NO", None: "–"}[figure.held]
    return (
        figure.number,
        figure.what,
        figure.unit,
        *(_cell(figure, who) for who in ("ours", "sdk", "floor")),
        _ratio(figure.ours, figure.sdk),
        _ratio(figure.ours, figure.floor),
        ", ".join(map(str, figure.must)),
        held if figure.must else "",
    )


def _cell(figure: Figure, who: str) -> str:
    value = getattr(figure, who)
    if value is None:
        return "never" if figure.samples.get(who) else "–"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _ratio(ours: float | None, other: float | None) -> str:
    return "–" if ours is None or not other else f"{ours / other:.2f}"


def as_json(figures: Iterable[Figure], about: dict[str, Any]) -> str:
    """The figures with every sample, and the machine."""
    told = [
        {**msgspec.to_builtins(figure), "must": [*map(str, figure.must)], "held": figure.held} for figure in figures
    ]
    return json.dumps({"machine": about, "figures": told}, indent=1, ensure_ascii=False) + "\n"
