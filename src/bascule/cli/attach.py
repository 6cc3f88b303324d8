"""`bascule attach`: a session of a server in this terminal."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bascule.aio.unwrapped import only_error
from bascule.cli.api import Api, address_of
from bascule.cli.exits import SUCCESS
from bascule.cli.printing import say
from bascule.conversation import SessionFacts
from bascule.errors import MissingExtra, OptionError
from bascule.terminal.desk import Desk
from bascule.terminal.inbox import new_id
from bascule.terminal.loop import attend
from bascule.terminal.screen import LiveScreen, ink_for, is_live
from bascule.terminal.tally import Tally

SCOPES: Final = ("session", "project", "user")
"""How long a grant may hold where a server governs."""

if TYPE_CHECKING:
    from bascule.cli.remote import Remote


def run(args: argparse.Namespace) -> int:
    """Show it, and take what its person wants, until he leaves or it ends."""
    try:
        from bascule.cli.remote import Remote
    except ImportError as exc:
        raise MissingExtra("hub", "bascule attach") from exc
    if not is_live(sys.stdin, sys.stdout, os.environ):
        raise OptionError("bascule attach needs a terminal: bascule asks and bascule decide do not")
    address = address_of(args)
    facts = meant(args.session, Api(address).get("/api/sessions", tuple[SessionFacts, ...]))
    after = max(0, facts.last_seq - args.past)
    with only_error():
        tally = asyncio.run(_attached(Remote(address, facts.id, after=after), facts))
    if tally.ended is None:
        say(f"left, and the session goes on: bascule attach {facts.id}")
    return SUCCESS


def meant(beginning: str | None, sessions: Sequence[SessionFacts]) -> SessionFacts:
    """The one session that is named by the beginning of its id, or that is there alone. Raises `OptionError`."""
    found = [one for one in sessions if beginning is None or one.id.startswith(beginning)]
    found = [one for one in found if one.id == beginning] or found
    if len(found) != 1:
        what = f"{len(found)} sessions" if found else "no session"
        named = "" if beginning is None else f" of an id that begins with {beginning!r}"
        raise OptionError(f"there {'are' if len(found) > 1 else 'is'} {what}{named}: name one that bascule ps lists")
    return found[0]


async def _attached(session: Remote, facts: SessionFacts) -> Tally:
    screen = LiveScreen(sys.stdout, ink_for(sys.stdout, os.environ))
    desk = Desk(new_id=new_id, greeting=f"{facts.title}  {facts.cwd}", scopes=SCOPES, leaving="leaves")
    async with session.connected() as remote:
        return await attend(remote, desk, screen=screen, keyboard_fd=sys.stdin.fileno())
