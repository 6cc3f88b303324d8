"""The command line of `bascule config`."""

from __future__ import annotations

import argparse
from typing import Final

from bascule.cli.policy_arguments import JSON, Commands

TRUST: Final = "whether the workspace's own file may do more than tighten: if it was accepted (known), always, or never"


def config(command: argparse.ArgumentParser, add: Commands) -> None:
    """What can be done with a configuration."""
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(command))
    show = add(actions, "show", "what holds here, and where each value comes from")
    show.add_argument("--json", action="store_true", help=JSON)
    check = add(actions, "check", "whether files and variables can be read: each mistake with its place; exit 2")
    for action in (show, check):
        action.add_argument("--cwd", default=".", metavar="DIR", help="the workspace (default: here)")
        action.add_argument("--trust", choices=("known", "all", "none"), default="known", help=TRUST)
