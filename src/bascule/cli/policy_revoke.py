"""`bascule policy revoke`: takes a grant back; running sessions ask again from their next call on."""

from __future__ import annotations

import argparse
import os

from bascule.cli.exits import SUCCESS
from bascule.store.grants import Grants
from bascule.terminal.clean import plain
from bascule.transport.folders import state_folder


def run(args: argparse.Namespace) -> int:
    """Take each of the grants back. Raises `OptionError` for an id that is none, with the nearest."""
    grants = Grants(state_folder(os.environ))
    for grant_id in args.ids:
        taken = grants.revoke(grant_id)
        print(plain(f"taken back: {taken.rule} ({taken.scope}, {taken.id})"))
    return SUCCESS
