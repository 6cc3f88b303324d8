"""`bascule doctor`: whether the installed Claude Code is fit for bascule, and what differs in it."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
from functools import partial
from typing import Final

import msgspec

from bascule.cli.settings.applied import session_options
from bascule.cli.settings.command_line import given
from bascule.cli.settings.snapshot import snapshot
from bascule.doctor.examination import Report, examine
from bascule.doctor.probe import SCENES, Played, probe
from bascule.doctor.telling import lines
from bascule.terminal.paint import rows
from bascule.terminal.screen import ink_for

WIDEST: Final = 80


def run(args: argparse.Namespace) -> int:
    """Examine, and say what was found."""
    look = partial(probe, seen=_Progress() if sys.stderr.isatty() else _silent)
    cli = session_options(snapshot(None, env=os.environ, given=given(args)).config)["cli"]
    report = asyncio.run(examine(cli, look=None if args.quick else look))
    if args.json:
        print(_json(report))
    else:
        width = min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)
        print(*rows(lines(report), width, ink_for(sys.stdout, os.environ)), sep="\n")
    return report.code


def _json(report: Report) -> str:
    told = {"code": report.code, **msgspec.to_builtins(report)}
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode()


class _Progress:
    """A line that counts the scenes, for whoever waits."""

    def __init__(self) -> None:
        self._played = 0

    def __call__(self, played: Played) -> None:
        self._played += 1
        done = self._played == len(SCENES)
        text = "" if done else f"talking to it: {self._played} of {len(SCENES)} conversations"
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _silent(played: Played) -> None:
    return None
