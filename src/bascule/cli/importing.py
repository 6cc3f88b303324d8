"""`bascule import`: have a server go on with a conversation that was begun elsewhere."""

from __future__ import annotations

import argparse
import uuid
from pathlib import Path

from bascule.cli.api import Api, address_of
from bascule.cli.exits import FAILED, SUCCESS
from bascule.cli.printing import say
from bascule.commands import Import, Receipt, Refused, Taken, TooLate
from bascule.conversation import PastPage
from bascule.errors import OptionError
from bascule.ids import CliSessionId, CommandId
from bascule.terminal.clean import plain


def run(args: argparse.Namespace) -> int:
    """Take it over; the id of the session that goes on with it is printed."""
    api = Api(address_of(args))
    command = Import(
        command_id=CommandId(str(uuid.uuid4())),
        cli_session_id=None if _is_path(args.conversation) else meant(api, args.conversation),
        path=_whole(args.conversation) if _is_path(args.conversation) else None,
        cwd=_whole(args.cwd) if args.cwd and _is_path(args.cwd) else args.cwd,
        surface="terminal",
    )
    return _told(api.post("/api/commands", command, Receipt))  # type: ignore[arg-type]


def _is_path(text: str) -> bool:
    """A name without a slash is an id, or a project's."""
    return "/" in text or text in (".", "..") or text.endswith(".jsonl")


def _whole(path: str) -> str:
    return str(Path.cwd() / path)


def meant(api: Api, beginning: str) -> CliSessionId:
    """The one conversation whose id begins so. Raises `OptionError` for none, and for several."""
    page = api.get("/api/past", PastPage, words=beginning)
    found = [one.id for one in page.conversations if one.id.startswith(beginning.lower())]
    if len(found) != 1:
        what = "no conversation has an id that begins" if not found else f"{len(found)} have ids that begin"
        raise OptionError(f"{what} with {beginning!r}: see bascule past")
    return found[0]


def _told(receipt: Receipt) -> int:
    match receipt:
        case Taken(session=session):
            print(session)
            say(f"bascule attach {session} goes on with it")
            return SUCCESS
        case TooLate(winner=why) | Refused(reason=why):
            say(f"refused: {plain(why)}")
    return FAILED
