"""`bascule trust`, and what `bascule run` asks before its first start in a workspace: what the workspace brings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bascule.cli.exits import FAILED, SUCCESS
from bascule.cli.printing import say
from bascule.errors import OptionError
from bascule.session.admission import acceptances, unaccepted, users_folder
from bascule.session.brought import Brought, brought
from bascule.session.options import Options, environment_of
from bascule.session.trust import counted, left_out
from bascule.terminal.clean import plain


def run(args: argparse.Namespace) -> int:
    """List, accept or take back what was accepted of a workspace."""
    workspace = Path(os.path.realpath(args.workspace))
    if not workspace.is_dir():
        raise OptionError(f"{args.workspace} is no folder: name a workspace")
    known = acceptances()
    if args.revoke:
        was = known.revoke(workspace)
        print(f"{workspace}: nothing is accepted any more" if was else f"{workspace}: nothing was accepted")
        return SUCCESS
    found = brought(workspace, config=users_folder(os.environ))
    unknown = known.unknown(workspace, found)
    asks = unknown and _is_terminal() and not (args.list or args.json)
    if args.accept or (asks and _accepted(unknown, workspace)):
        known.accept(workspace, found)
        unknown = ()
    if args.json:
        print(_json(workspace, found, unknown))
    else:
        print(*map(plain, _told(workspace, found, unknown)), sep="\n")
    return FAILED if unknown else SUCCESS


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _accepted(unknown: Sequence[Brought], workspace: Path) -> bool:
    _show(unknown, workspace)
    return _answer("Accept it? [y/N] ") in ("y", "yes")


def _json(workspace: Path, found: Sequence[Brought], unknown: Sequence[Brought]) -> str:
    rows = [{**msgspec.to_builtins(one), "accepted": one not in unknown} for one in found]
    return json.dumps({"workspace": str(workspace), "brings": rows}, ensure_ascii=False)


def _told(workspace: Path, found: Sequence[Brought], unknown: Sequence[Brought]) -> Iterator[str]:
    accepted = [one for one in found if one not in unknown]
    if not found:
        yield f"{workspace} brings nothing that runs or widens anything"
    if accepted:
        yield f"{workspace}: accepted"
        yield from _rows(accepted, workspace)
    if unknown:
        yield f"{workspace}: not accepted, so it is left out"
        yield from _rows(unknown, workspace)


def _rows(found: Sequence[Brought], workspace: Path) -> Iterator[str]:
    """Each file with what stands in it."""
    for path in dict.fromkeys(one.path for one in found):
        yield f"  {os.path.relpath(path, workspace)}"
        for one in found:
            if one.path == path:
                yield f"    {one.kind:<8} {one.what}"
                yield from (f"             {detail}" for detail in one.details)


def settled(options: Options, *, person: bool, config_counts: bool = False) -> Options:
    """The options of a run whose workspace was looked at: where a ``person`` is there, he says what becomes of it.

    Raises `KeyboardInterrupt` when he would rather not start. Without him what nobody accepted is left out, and that is
    said on standard error. ``config_counts``: something in the workspace's configuration waits for that, too.
    """
    if options.trust != "known" or not Path(options.cwd).is_dir():
        return options
    unknown = unaccepted(options, environment_of(options), config_counts=config_counts)
    if not unknown:
        return options
    if not person:
        say(plain(left_out(unknown, options.cwd)))
        return options
    return _asked(options, unknown)


def _asked(options: Options, unknown: Sequence[Brought]) -> Options:
    workspace = Path(os.path.realpath(options.cwd))
    _show(unknown, workspace)
    while True:
        answer = _answer("Accept it [a], start without it [w], or stop here [q]? ")
        if answer in ("a", "accept"):
            acceptances().add(workspace, unknown)
            return options
        if answer in ("w", "without"):
            return msgspec.structs.replace(options, trust="none")
        if answer in ("q", "quit", ""):
            raise KeyboardInterrupt


def _show(unknown: Sequence[Brought], workspace: Path) -> None:
    print(plain(f"{workspace} brings what runs, or widens what may run, before you are asked: {counted(unknown)}"))
    print(*map(plain, _rows(unknown, workspace)), sep="\n")


def _answer(question: str) -> str:
    """What is typed; nothing at the end of the input."""
    try:
        return input(question).strip().lower()
    except EOFError:
        print()
        return ""
