"""The command lines of `bascule policy` and `bascule trust`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, Final

Commands = Callable[[Any, str, str], argparse.ArgumentParser]
"""Adds a command with its description to those that there are."""

RULES: Final = "a rule file to judge by, in place of the user's and the workspace's"
RECORDINGS: Final = "recordings, folders of them, or patterns"
JSON: Final = "for programs: one JSON object"


def trust(command: argparse.ArgumentParser) -> None:
    """What a workspace brings."""
    command.add_argument("workspace", nargs="?", default=".", metavar="DIR", help="the workspace (default: here)")
    what = command.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list it and ask nothing, as where there is no terminal")
    what.add_argument("--accept", action="store_true", help="accept all of it as it is now")
    what.add_argument("--revoke", action="store_true", help="accept nothing of it any more")
    command.add_argument("--json", action="store_true", help=JSON)
    command.epilog = "exit codes:\n    0  all that it brings is accepted\n    1  something is not"


def policy(command: argparse.ArgumentParser, add: Commands) -> None:
    """What can be done with rules."""
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(command))
    _check(add(actions, "check", "whether rule files can be read: counts, or each mistake with its line and column"))
    _explain(
        add(actions, "explain", "what would be decided over a call, by which rule, and why no other one covers it")
    )
    _replay(add(actions, "replay", "what a policy would have decided on past sessions, and which calls would change"))
    _suggest(add(actions, "suggest", "rules from what people allowed in past sessions, to be looked through"))
    _grants(add(actions, "grants", "what people allowed for longer than a session: since when, until when, last used"))
    _revoke(add(actions, "revoke", "take a grant back, in running sessions too"))


def _check(check: argparse.ArgumentParser) -> None:
    check.add_argument("files", nargs="*", metavar="FILE", help="rule files (default: the user's and the workspace's)")
    check.add_argument("--cwd", default=".", metavar="DIR", help="the workspace (default: here)")


def _explain(explain: argparse.ArgumentParser) -> None:
    explain.add_argument("line", nargs="?", metavar="COMMAND", help="a command line, as Claude would have it run")
    explain.add_argument("--tool", metavar="NAME", help="another tool than that for commands, with --input")
    explain.add_argument("--input", metavar="JSON", help="the tool's input, a JSON object")
    _judged(explain)
    explain.add_argument("--cwd", default=".", metavar="DIR", help="the workspace (default: here)")
    explain.add_argument("--json", action="store_true", help=JSON)


def _replay(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("recordings", nargs="+", metavar="RECORDING", help=RECORDINGS)
    _judged(replay)
    replay.add_argument("--json", action="store_true", help=JSON)


def _suggest(suggest: argparse.ArgumentParser) -> None:
    suggest.add_argument("recordings", nargs="+", metavar="RECORDING", help=RECORDINGS)
    suggest.add_argument(
        "--least", type=int, default=2, metavar="N", help="how often something was allowed, at least (default: 2)"
    )
    _judged(suggest)
    suggest.add_argument("--json", action="store_true", help=JSON)


def _grants(grants: argparse.ArgumentParser) -> None:
    grants.add_argument(
        "--against", nargs="+", metavar="RECORDING", help=f"what each would have covered in {RECORDINGS}"
    )
    grants.add_argument("--json", action="store_true", help=JSON)


def _revoke(revoke: argparse.ArgumentParser) -> None:
    revoke.add_argument("ids", nargs="+", metavar="ID", help="which one, as `bascule policy grants` names it")


def _judged(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rules", action="append", metavar="FILE", help=RULES)
    command.add_argument("--policy", metavar="NAME", help="the policy: plan, rules, … (default: as configured)")
