"""`bascule store`: what a hub keeps, checked and copied, also while the hub runs."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from bascule.cli.exits import FAILED, SUCCESS
from bascule.cli.settings.applied import store_path
from bascule.cli.settings.command_line import given
from bascule.cli.settings.snapshot import snapshot
from bascule.store.upkeep import backup_store, check_store


def run(args: argparse.Namespace) -> int:
    """Check it or copy it."""
    path = store_path(snapshot(None, env=os.environ, given=given(args)).config, os.environ)
    if args.action == "backup":
        backup_store(path, Path(args.file))
        print(f"{path} is copied to {args.file}")
        return SUCCESS
    found = check_store(path)
    if args.json:
        print(json.dumps([{"what": problem.what, "session": problem.session} for problem in found]))
    for problem in () if args.json else found:
        print(f"{problem.what}{f' in {problem.session}' if problem.session else ''}")
    if not found and not args.json:
        print(f"{path}: nothing is wrong")
    return FAILED if found else SUCCESS
