"""`bascule policy`: rules checked, explained, tried on what was recorded; grants listed and taken back."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bascule.cli.exits import SUCCESS, USAGE
from bascule.cli.settings.applied import session_options
from bascule.cli.settings.said import Said
from bascule.cli.settings.snapshot import snapshot
from bascule.errors import OptionError
from bascule.policy import verdict
from bascule.policy.policies import Policy
from bascule.session import options
from bascule.session.admission import rule_files
from bascule.session.options import Options
from bascule.session.rulebook import Rulebook, RuleFile, counted, users_file
from bascule.session.written import projects_file


def run(args: argparse.Namespace) -> int:
    """Do what the command line asks for."""
    if args.action == "check":
        return _check(args)
    code: int = importlib.import_module(f"bascule.cli.policy_{args.action}").run(args)
    return code


def _check(args: argparse.Namespace) -> int:
    """Read each file; what is wrong goes to standard error, one mistake a line, for an editor to jump to."""
    named = [Path(name) for name in args.files]
    code = SUCCESS
    for path in named or (users_file(os.environ), projects_file(args.cwd)):
        try:
            rules = Rulebook([RuleFile(path)]).rules
        except OptionError as exc:
            print(exc, file=sys.stderr)
            code = USAGE
            continue
        if not path.exists():
            print(f"{path}: not there", file=sys.stderr if named else sys.stdout)
            code = USAGE if named else code
            continue
        print(f"{path}: {counted(rules)}")
    return code


def policy_of(name: str | None, files: Sequence[str] | None, workspace: Path) -> Policy:
    """The policy that is named or configured, with the rules of the named files or of those that a session would read.

    Raises ``OptionError`` for a policy that is none, and for a file that is not there or has mistakes.
    """
    named = [] if name is None else [Said(("policy", "default"), name, "command line", "--policy")]
    said = session_options(snapshot(workspace, env=os.environ, given=named).config)
    return options.policy_of(Options(**said, cwd=workspace, rules=rulebook(files, workspace).rules))


def rulebook(files: Sequence[str] | None, workspace: Path) -> Rulebook:
    """The named rule files, which must be there, or those that a session in the workspace would read."""
    if files is None:
        return Rulebook(rule_files(Options(cwd=workspace)))
    for name in files:
        if not Path(name).exists():
            raise OptionError(f"--rules: {name} is not there: name a file of rules")
    return Rulebook([RuleFile(Path(name)) for name in files])


def word_of(said: verdict.Verdict) -> str:
    """The verdict in a word; ``pass``: the CLI decides."""
    match said:
        case verdict.Allow():
            return "allow"
        case verdict.Deny():
            return "deny"
        case verdict.Ask():
            return "ask"
        case verdict.Pass():
            return "pass"


def reason_of(said: verdict.Verdict) -> str:
    """Why; of an ask that no rule wanted, what the stage before the end found missing."""
    if isinstance(said, verdict.Ask) and said.rule is None and len(said.trail) > 1:
        return said.trail[-2].why
    return said.reason
