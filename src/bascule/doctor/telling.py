"""A report as lines for people: first what was checked, then what differs, the gravest first. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bascule.doctor.checks import Check, Verdict
from bascule.doctor.compare import Difference
from bascule.doctor.examination import Report
from bascule.doctor.traits import Weight
from bascule.terminal.clean import plain
from bascule.terminal.lines import BAD, EMPTY, GOOD, QUIET, STRONG, YOU, Line, Part, line

SIGNS: Final[dict[Verdict, Part]] = {"good": ("✓", GOOD), "doubtful": ("!", YOU), "bad": ("✗", BAD)}
WEIGHTS: Final[dict[Weight, Part]] = {"breaking": ("✗", BAD), "worth knowing": ("!", YOU), "harmless": ("·", QUIET)}
PLURALS: Final = {"capability": "capabilities"}
COLUMN: Final = 9
"""Where the words of a check begin, behind its name."""
FEW: Final = 6
"""Names of one difference that are told; the rest is counted."""


def lines(report: Report) -> Iterator[Line]:
    """The whole report."""
    yield line(("Claude Code", STRONG), f" {report.version or ''}".rstrip())
    yield EMPTY
    for check in report.checks:
        yield from _check(check)
    yield EMPTY
    yield from _differences(report)
    yield line(_sum(report))


def _check(check: Check) -> Iterator[Line]:
    hang = COLUMN + 2
    yield line(SIGNS[check.verdict], f" {check.name:<{COLUMN}}", plain(check.says).strip(), hang=hang)
    if check.advice:
        yield line(" " * hang, ("→ ", YOU), plain(check.advice), hang=hang + 2)


def _differences(report: Report) -> Iterator[Line]:
    if report.differences is None:
        return
    if not report.differences:
        yield line(f"It says and does what {report.against} does, the newest tested version.")
    else:
        yield line(f"What differs from {report.against}, the newest tested version:")
    for difference in report.differences:
        yield from _difference(difference, report.version)
    yield EMPTY


def _difference(difference: Difference, version: str | None) -> Iterator[Line]:
    others = ", ".join(each for each in difference.like if each != version)
    like = f" (as in {others})" if others else ""
    yield line(WEIGHTS[difference.weight], " ", _said(difference), (like, QUIET), hang=2)
    if difference.means:
        yield line("  ", (difference.means, QUIET), hang=2)


def _said(difference: Difference) -> str:
    if difference.says:
        return plain(difference.says)
    names = difference.names[:FEW]
    rest = len(difference.names) - len(names)
    more = f" and {rest} more (--json names them)" if rest else ""
    what = difference.about if len(difference.names) == 1 else PLURALS.get(difference.about, f"{difference.about}s")
    return plain(f"{difference.change} {what}: {', '.join(names)}{more}")


def _sum(report: Report) -> str:
    if report.code:
        return "Something is broken: see the lines with ✗."
    doubtful = any(check.verdict == "doubtful" for check in report.checks)
    return "Fit for use; see the lines with !." if doubtful else "Fit for use."
