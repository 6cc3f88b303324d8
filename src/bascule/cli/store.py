"""`bascule store`: what a hub keeps, checked, copied, looked through for what is too old; also while the hub runs."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from bascule.cli.exits import FAILED, SUCCESS
from bascule.cli.settings.applied import limits, store_path
from bascule.cli.settings.command_line import given
from bascule.cli.settings.snapshot import snapshot
from bascule.hub.recorded import sizes
from bascule.hub.retention import MB, Limits, Removal, Standing, removals
from bascule.hub.sketch import Sketch
from bascule.hub.spec import spec_of
from bascule.store.upkeep import Left, backup_store, check_store, sessions_in
from bascule.terminal.clean import plain
from bascule.transport.folders import state_folder


def run(args: argparse.Namespace) -> int:
    """Check it, copy it, or tell what is too old."""
    config = snapshot(None, env=os.environ, given=given(args)).config
    path = store_path(config, os.environ)
    match args.action:
        case "backup":
            backup_store(path, Path(args.file))
            print(f"{path} is copied to {args.file}")
            return SUCCESS
        case "old":
            return _tell_old(path, limits(config), as_json=args.json)
        case _:
            return _check(path, args)


def _tell_old(path: Path, past: Limits, *, as_json: bool) -> int:
    recorded = sizes(state_folder(os.environ) / "sessions")
    found = removals(map(partial(_standing, recorded), sessions_in(path)), past, now=int(time.time() * 1000))
    if as_json:
        print(json.dumps(msgspec.to_builtins(found)))
    else:
        print(*_lines(found), sep="\n")
    return SUCCESS


def _standing(recorded: Mapping[str, int], left: Left) -> Standing:
    kept = spec_of(left.row).sketch
    sketch = Sketch() if kept is None else msgspec.convert(kept, Sketch)
    return Standing(
        session=left.row.id,
        title=left.row.title or sketch.title,
        changed_at=max(left.row.updated_at, sketch.at),
        recorded=recorded.get(left.row.id, 0),
        in_use=left.waits or left.row.keeper is not None,
    )


def _lines(found: Sequence[Removal]) -> Iterator[str]:
    if not found:
        yield "nothing is past keep_days and keep_recordings_mb"
    for one in found:
        what = f"{one.what}, {one.recorded / MB:.1f} MB"
        yield plain(f"{one.session}  {what:<20}  {one.title or '(nothing said)'}: {one.why}")


def _check(path: Path, args: argparse.Namespace) -> int:
    found = check_store(path)
    if args.json:
        print(json.dumps([{"what": problem.what, "session": problem.session} for problem in found]))
    for problem in () if args.json else found:
        print(f"{problem.what}{f' in {problem.session}' if problem.session else ''}")
    if not found and not args.json:
        print(f"{path}: nothing is wrong")
    return FAILED if found else SUCCESS
