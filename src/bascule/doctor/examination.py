"""The whole examination of an installed CLI: checks first, then the probe and the differences."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from bascule.doctor.catalogue import TESTED
from bascule.doctor.checks import Check, hooks_check, machine_checks, probe_check, proof_check, version_check
from bascule.doctor.compare import Difference, compared
from bascule.doctor.findings import Findings
from bascule.doctor.probe import probe
from bascule.doctor.proof import proof_of
from bascule.doctor.receipts import Receipts
from bascule.errors import BasculeError, CliNotFound, CliVersionRefused, StartFailed
from bascule.transport.environment import environment
from bascule.transport.folders import state_folder
from bascule.transport.locate import find_cli, here
from bascule.transport.version import ask

Look: TypeAlias = Callable[[Path], Awaitable[Findings]]
"""Finds out what a CLI says and does."""

FINE: Final = 0
BROKEN: Final = 1


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor says."""

    cli: str | None = None
    version: str | None = None
    against: str = TESTED[0]
    """The version with which it was compared."""
    checks: tuple[Check, ...] = ()
    differences: tuple[Difference, ...] | None = None
    """None: they were not looked for."""

    @property
    def code(self) -> int:
        """The exit code: 1 when a check is bad or a difference breaks something, else 0."""
        bad = any(check.verdict == "bad" for check in self.checks)
        breaking = any(difference.weight == "breaking" for difference in self.differences or ())
        return BROKEN if bad or breaking else FINE


async def examine(named: str | None = None, *, look: Look | None = probe) -> Report:
    """Examine the CLI of that path or name, or the one that a session would take.

    ``look`` finds out what it says and does; with None it is only proven that it asks. A proof that holds is kept, so
    that the next supervised session starts at once; without one, what was kept before is taken away. What is wrong with
    the CLI is in the report and raises nothing.
    """
    around = tuple(machine_checks(os.environ, euid=os.geteuid()))
    try:
        cli = find_cli(here(), explicit=named)
    except CliNotFound as exc:
        what, _, advice = str(exc).partition(": ")
        return Report(checks=(Check("found", "bad", what, advice), *around))
    found = Check("found", "good", str(cli))
    try:
        version = await ask(cli, environment(os.environ), cwd=Path.cwd())
    except (CliVersionRefused, CliNotFound, StartFailed) as exc:
        silent = Check("version", "bad", str(exc), "install Claude Code anew")
        return Report(cli=str(cli), checks=(found, silent, *around))
    checks = [found, version_check(version)]
    if checks[-1].verdict != "bad":
        checks.append(await _proven(cli, str(version)))
    if look is None or checks[-1].verdict == "bad":
        return Report(cli=str(cli), version=str(version), checks=(*checks, *around))
    told = await look(cli)
    checks += [hooks_check(told), probe_check(told)]
    return Report(cli=str(cli), version=str(version), checks=(*checks, *around), differences=compared(told))


async def _proven(cli: Path, version: str) -> Check:
    try:
        return proof_check(await proof_of(cli, version, Receipts(state_folder(os.environ)), anew=True))
    except BasculeError as exc:
        return Check("asks", "bad", f"it does not start: {exc}", "run it by hand, or install Claude Code anew")
