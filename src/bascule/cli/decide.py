"""`bascule decide`: answer an ask of a server's session."""

from __future__ import annotations

import argparse
import uuid
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from bascule.cli.api import Api, address_of
from bascule.cli.exits import FAILED, SUCCESS
from bascule.cli.printing import say
from bascule.commands import AllowAlways, Decide, Decision, Deny, Receipt, Refused, Taken, TooLate
from bascule.conversation import OpenAsk
from bascule.errors import OptionError
from bascule.events import PermissionRequest
from bascule.ids import CommandId
from bascule.terminal.answers import Given, decision
from bascule.terminal.clean import plain

_DETAILS: Final = {"deny": "reason", "stop": "reason", "always": "rule", "approve": "then", "answer": "text"}
"""Which option belongs to an answer."""


def run(args: argparse.Namespace) -> int:
    """Answer it, as it is shown now: one that changes meanwhile is refused."""
    api = Api(address_of(args))
    ask = meant(args.ask, api.get("/api/asks", tuple[OpenAsk, ...]))
    command = Decide(
        command_id=CommandId(str(uuid.uuid4())),
        session=ask.session,
        pending_id=ask.request.pending_id,
        decision=decision_of(args, ask.request),
        input_hash=ask.request.input_hash,
        surface="terminal",
    )
    return _told(api.post("/api/commands", command, Receipt))  # type: ignore[arg-type]


def meant(beginning: str, asks: Sequence[OpenAsk]) -> OpenAsk:
    """The one ask whose id begins so. Raises `OptionError` for none, and for several."""
    found = [ask for ask in asks if ask.request.pending_id == beginning]
    found = found or [ask for ask in asks if ask.request.pending_id.startswith(beginning)]
    if len(found) != 1:
        what = "no ask has an id that begins" if not found else f"{len(found)} asks have ids that begin"
        raise OptionError(f"{what} with {beginning!r}: see bascule asks")
    return found[0]


def decision_of(args: argparse.Namespace, request: PermissionRequest) -> Decision:
    """What is wanted. Raises `OptionError` for an answer that does not fit what is asked, or an option that does not
    fit the answer."""
    for word, option in _DETAILS.items():
        if getattr(args, option) and _DETAILS.get(args.answer) != option:
            raise OptionError(f"--{option} belongs to {word}, and the answer is {args.answer}")
    if args.scope and args.answer != "always":
        raise OptionError(f"--scope belongs to always, and the answer is {args.answer}")
    if args.answer == "answer" and not (args.text or "").strip():
        raise OptionError("answer needs --text: an option's number, 1+3 for several, or text of yours")
    detail = _DETAILS.get(args.answer)
    given = Given(args.answer, (getattr(args, detail) or "") if detail else "")
    made = decision(given, request)
    if isinstance(made, Deny) and args.answer != "deny":
        raise OptionError(f"{args.answer} does not answer this {request.ask}: {plain(request.title)}")
    return replace(made, scope=args.scope) if isinstance(made, AllowAlways) and args.scope else made


def _told(receipt: Receipt) -> int:
    match receipt:
        case Taken():
            return SUCCESS
        case TooLate(winner=winner):
            say(f"too late: {plain(winner)}")
        case Refused(reason=reason):
            say(f"refused: {plain(reason)}")
    return FAILED
