"""`bascule ps`: the sessions of a server."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence

import msgspec

from bascule.cli.api import Api, address_of
from bascule.cli.exits import SUCCESS
from bascule.cli.table import rows
from bascule.conversation import SessionFacts
from bascule.terminal.clean import one_line
from bascule.terminal.figures import clock, counted, duration, money


def run(args: argparse.Namespace) -> int:
    """List them, the newest change first."""
    found = Api(address_of(args)).get("/api/sessions", tuple[SessionFacts, ...], archived=str(args.all).lower())
    if args.json:
        print(json.dumps({"sessions": msgspec.to_builtins(found)}, ensure_ascii=False))
    else:
        print(*_lines(found, time.time_ns() // 1_000_000), sep="\n")
    return SUCCESS


def _lines(found: Sequence[SessionFacts], now: int) -> Iterator[str]:
    if not found:
        yield "no session: open the server's page, or POST /api/sessions"
    yield from rows([(one.id, _status(one, now), _spent(one), one_line(one.title), one.cwd) for one in found])


def _status(one: SessionFacts, now: int) -> str:
    """`running 12 s`, `waiting (tool, plan) 3 m`, `limited until 14:05`."""
    what = f" ({', '.join(one.waits_for)})" if one.waits_for else ""
    when = f"until {clock(one.until)}" if one.until is not None else duration(max(0, now - one.since))
    return f"{one.status}{what} {when}"


def _spent(one: SessionFacts) -> str:
    cost = "" if one.cost_usd is None else f", {money(one.cost_usd)}"
    return counted(one.turns, "turn") + cost + (f", {one.queued} queued" if one.queued else "")
