"""`bascule asks`: what waits for a person, in all sessions of a server."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence

import msgspec

from bascule.cli.api import Api, address_of
from bascule.cli.exits import SUCCESS
from bascule.conversation import OpenAsk
from bascule.terminal.clean import exact, plain
from bascule.terminal.figures import duration


def run(args: argparse.Namespace) -> int:
    """List them, the oldest first."""
    found = Api(address_of(args)).get("/api/asks", tuple[OpenAsk, ...])
    if args.json:
        print(json.dumps({"asks": msgspec.to_builtins(found)}, ensure_ascii=False))
    else:
        print(*_lines(found, time.time_ns() // 1_000_000), sep="\n")
    return SUCCESS


def _lines(found: Sequence[OpenAsk], now: int) -> Iterator[str]:
    if not found:
        yield "nobody waits for you"
    for one in found:
        request = one.request
        yield f"{plain(request.pending_id)}  {duration(max(0, now - request.at))}  {plain(one.title or one.session)}"
        yield f"    {request.ask}: {_as_it_is(request.title)}"
        if request.marks:
            yield f"    marks: {', '.join(dict.fromkeys(mark.mark for mark in request.marks))}"
        if request.suggestions:
            yield f"    always would be: {_as_it_is(request.suggestions[0].rule)} ({request.suggestions[0].scope})"
        if one.claimed_by:
            yield f"    {plain(one.claimed_by)} is answering it"


def _as_it_is(text: str) -> str:
    """In one line, with what would hide in it told."""
    return " ".join("".join(part for part, _ in exact(text)).split())
