"""`bascule past`: the conversations that Claude Code keeps on a server's machine, whoever began them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import msgspec

from bascule.cli.api import Api, address_of
from bascule.cli.exits import SUCCESS
from bascule.cli.table import rows
from bascule.conversation import PastConversation, PastPage
from bascule.terminal.figures import counted, moment


def run(args: argparse.Namespace) -> int:
    """List them, the newest change first."""
    words = " ".join(args.words) or None
    found = Api(address_of(args)).get("/api/past", PastPage, words=words, after=args.after, limit=args.limit)
    if args.json:
        print(json.dumps(msgspec.to_builtins(found), ensure_ascii=False))
    else:
        print(*_lines(found), sep="\n")
    return SUCCESS


def _lines(page: PastPage) -> Iterator[str]:
    if not page.conversations:
        yield "no conversation here" if page.after is None else "none of the newest"
    yield from rows([(one.id, _when(one), _state(one), _name(one), one.cwd or "?") for one in page.conversations])
    if page.after is not None:
        yield f"there may be more: --after {page.after}"


def _when(one: PastConversation) -> str:
    """`2026-11-30 14:05, 12 messages`."""
    size = "" if one.messages is None else f", {counted(one.messages, 'message')}"
    return f"{moment(one.changed_at)}{size}"


def _state(one: PastConversation) -> str:
    """`session 4f2a`, `open in process 12, damaged`."""
    owner = "" if one.pid is None else f"open in process {one.pid}"
    here = owner if one.session is None else f"session {one.session}"
    return ", ".join(filter(None, (here, "damaged" if one.damaged else ""))) or "-"


def _name(one: PastConversation) -> str:
    name = " ".join((one.title or one.first_prompt or "").split())
    return name if len(name) <= 60 else f"{name[:59]}…"
