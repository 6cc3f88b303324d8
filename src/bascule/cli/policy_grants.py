"""`bascule policy grants`: what people allowed for longer than a session, and what each of it would have covered."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from bascule.cli.exits import SUCCESS
from bascule.cli.policy_recorded import RecordedCall, recorded
from bascule.errors import OptionError
from bascule.policy import matching
from bascule.store.grants import Grants, Kept, holding
from bascule.terminal.clean import plain
from bascule.transport.folders import state_folder


class Reach(NamedTuple):
    """What a grant would have covered."""

    whole: int
    """Calls that it covers by itself."""
    part: int
    """Commands in lines of which it covers only a part."""
    titles: tuple[str, ...]
    """Of the first few of them, each once."""


_SHOWN: Final = 3
"""Titles of calls that are shown for a grant."""


def run(args: argparse.Namespace) -> int:
    """List them, with `--against` beside recordings."""
    kept = Grants(state_folder(os.environ)).all()
    calls = recorded(args.against).calls if args.against else None
    reaches = [None if calls is None else reach(one, calls) for one in kept]
    if args.json:
        rows = [
            {**msgspec.to_builtins(one), **({} if found is None else {"would_have_covered": found._asdict()})}
            for one, found in zip(kept, reaches, strict=True)
        ]
        print(json.dumps({"grants": rows}, ensure_ascii=False))
    else:
        now = int(time.time() * 1000)
        print(*map(plain, _lines(list(zip(kept, reaches, strict=True)), now)), sep="\n")
    return SUCCESS


def reach(one: Kept, calls: Sequence[RecordedCall]) -> Reach:
    """What a grant would have covered of the calls where it holds, whatever its end."""
    try:
        rule = msgspec.structs.replace(one.grant().rule, until=None)
    except OptionError:
        return Reach(0, 0, ())
    whole = part = 0
    titles: dict[str, None] = {}
    for call in calls:
        if not holding([one], call.call.ground.workspace):
            continue
        covers = matching.coverage([rule], call.call, 0)
        covered = sum(cover.rule is not None for cover in covers)
        whole += covered == len(covers)
        part += covered if covered < len(covers) else 0
        if covered == len(covers) and len(titles) < _SHOWN:
            titles[call.title] = None
    return Reach(whole, part, tuple(titles))


def _lines(rows: Sequence[tuple[Kept, Reach | None]], now: int) -> Iterator[str]:
    if not rows:
        yield "nothing was allowed for longer than a session"
    for one, found in rows:
        where = f"in {one.workspace}" if one.scope == "project" else "everywhere"
        yield f"{one.id}  {one.rule}  {where}"
        yield "        " + ", ".join(_facts(one, now))
        if found is not None:
            titles = f": {'; '.join(found.titles)}" if found.titles else ""
            part = f", and {found.part} commands of longer lines" if found.part else ""
            yield f"        would have covered {found.whole} calls{part}{titles}"


def _facts(one: Kept, now: int) -> Iterator[str]:
    given = " ".join(filter(None, ("given", one.by and f"by {one.by}", one.surface and f"({one.surface})")))
    yield f"{given} {_day(one.at)}"
    if one.until is not None:
        yield f"{'ended' if one.until <= now else 'ends'} {_day(one.until)}"
    times = "once" if one.uses == 1 else f"{one.uses} times"
    yield "never used" if one.used_at is None else f"used {times}, last {_day(one.used_at)}"


def _day(ms: int) -> str:
    return f"{dt.datetime.fromtimestamp(ms / 1000, dt.UTC):%Y-%m-%d %H:%M} UTC"
