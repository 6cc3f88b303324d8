"""`bascule demo`: the real Claude Code on a scripted model, in a workspace that is gone afterwards."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from bascule.cli.exits import code_of
from bascule.cli.printing import Conversation, JsonLines, Printer
from bascule.cli.run import answers_of, go_through, watch
from bascule.demo.model import ScriptedModel
from bascule.demo.tour import PROMPTS, tour
from bascule.demo.workspace import Workspace, temporary_workspace
from bascule.errors import MissingExtra
from bascule.session.options import Options
from bascule.terminal.answers import Given, parse
from bascule.terminal.screen import is_live
from bascule.terminal.tally import Tally

ANSWERS: Final = "allow,allow,answer:1,approve,allow,allow"
"""What the tour is answered with where nobody is at the keyboard."""

GREETING: Final = (
    "This is the real Claude Code, driven by bascule, with a scripted model behind it: no account, no network, and a"
    " workspace that is gone afterwards."
)

LOOPBACK: Final = "127.0.0.1,localhost"


def run(args: argparse.Namespace) -> int:
    """Play the tour, or have a person play it; then show what it left."""
    if args.web:
        return _to_a_browser(args)
    answers = answers_of(args.answers)
    with temporary_workspace() as workspace, ScriptedModel(tour(workspace.project)) as model:
        with _recording(args.record) as record:
            options = _options(args, workspace, model.url, record)
            if answers is None and not args.json and is_live(sys.stdin, sys.stdout, os.environ):
                tally = asyncio.run(watch(options, args.prompts, suggestions=PROMPTS, greeting=GREETING))
            else:
                tally = _played(args, options, answers)
        if not args.json:
            _show_changes(workspace)
    print(f"To see it again: {_command()} replay {record}", file=sys.stderr)
    return code_of(tally, strict=False)


def _to_a_browser(args: argparse.Namespace) -> int:
    try:
        from bascule.cli import demo_web
    except ImportError as exc:
        raise MissingExtra("hub", "bascule demo --web") from exc
    return demo_web.run(args)


def _command() -> str:
    """What runs bascule here: `make demo` leaves it on no path."""
    started = sys.argv[0]
    return started if Path(started).name == "bascule" and shutil.which("bascule") is None else "bascule"


@contextmanager
def _recording(named: str | None) -> Iterator[str]:
    """The file that is recorded to; one of our own is gone again when nothing came of it."""
    if named is not None:
        yield named
        return
    file, name = tempfile.mkstemp(prefix="bascule-demo-", suffix=".jsonl")
    os.close(file)
    try:
        yield name
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _played(args: argparse.Namespace, options: Options, answers: tuple[Given, ...] | None) -> Tally:
    printer: Printer = JsonLines() if args.json else Conversation()
    given = parse(ANSWERS) if answers is None else answers
    tally = asyncio.run(go_through(options, args.prompts or PROMPTS, given, printer))
    printer.end(code_of(tally, strict=False), error=tally.problem, unanswered=tally.unanswered)
    return tally


def _options(args: argparse.Namespace, workspace: Workspace, model_url: str, record: str) -> Options:
    return msgspec.structs.replace(alone(args, workspace, model_url), cwd=workspace.project, record=record, redact=True)


def alone(args: argparse.Namespace, workspace: Workspace, model_url: str) -> Options:
    """A session that inherits nothing of the person's: no login, no settings, no proxy on the way to the model."""
    env = {**workspace.environment(model_url), "NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}
    return Options(cli=args.cli or brought(Path(sys.prefix)), env=env)


def brought(prefix: Path) -> Path | None:
    """The newest Claude Code that `make setup` has put below a Python's `prefix`, if it did."""
    found = (prefix / "cli").glob("*/claude")
    return max(found, key=lambda path: [int(part) for part in re.findall(r"\d+", path.parent.name)], default=None)


def _show_changes(workspace: Workspace) -> None:
    """What the agent changed, as git tells it."""
    git = shutil.which("git")
    if git is None:
        return
    colour = "always" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else "never"
    argv = [git, "--no-pager", "-c", f"color.ui={colour}", "diff", "--stat", "--patch"]
    changed = _output(argv, workspace.project)
    print("\nWhat the workspace holds now that it did not hold before:\n" if changed else "\nNothing was changed.")
    print(changed, end="")


def _output(argv: Sequence[str], cwd: Path) -> str:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False, errors="replace")
    return done.stdout
