"""`bascule token`: keys to a server."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

import msgspec

from bascule.cli.api import Api, address_of
from bascule.cli.exits import SUCCESS
from bascule.cli.printing import say
from bascule.cli.table import rows
from bascule.errors import OptionError
from bascule.web.keys import KeyFacts, MadeKey, NewKey, NewPairing, PairingCode

DAY_MS: Final = 24 * 3_600_000


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    _ACTIONS[args.action](Api(address_of(args)), args)
    return SUCCESS


def _now() -> int:
    return time.time_ns() // 1_000_000


def _add(api: Api, args: argparse.Namespace) -> None:
    """The secret alone is on standard output, to be kept in a file."""
    if args.days is not None and not args.days > 0:
        raise OptionError("--days is above 0")
    expires_at = None if args.days is None else _now() + int(args.days * DAY_MS)
    made = api.post("/api/tokens", NewKey(role=args.role, label=args.label, expires_at=expires_at), MadeKey)
    say(f"key {made.key.id}, {made.key.role}; nobody can tell its secret again:")
    print(made.token)


def _list(api: Api, args: argparse.Namespace) -> None:
    now = _now()
    found = [key for key in api.get("/api/tokens", tuple[KeyFacts, ...]) if args.all or _opens(key, now)]
    if args.json:
        print(json.dumps({"keys": msgspec.to_builtins(found)}, ensure_ascii=False))
        return
    told = [(key.id, key.role, f"made {_day(key.created_at)}", _until(key, now), key.label) for key in found]
    print(*rows(told), sep="\n")


def _opens(key: KeyFacts, now: int) -> bool:
    return key.revoked_at is None and (key.expires_at is None or now < key.expires_at)


def _until(key: KeyFacts, now: int) -> str:
    if key.revoked_at is not None:
        return f"revoked {_day(key.revoked_at)}"
    if key.expires_at is None:
        return "no end"
    return f"{'until' if now < key.expires_at else 'ended'} {_day(key.expires_at)}"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).astimezone().date().isoformat()


def _revoke(api: Api, args: argparse.Namespace) -> None:
    api.delete(f"/api/tokens/{quote(args.key, safe='')}")


def _pair(api: Api, args: argparse.Namespace) -> None:
    made = api.post("/api/pairing", NewPairing(role=args.role, label=args.label), PairingCode)
    print(picture(made.url), end="")
    print(f"{made.url}\n{made.code}, for two minutes")


def picture(url: str) -> str:
    """The URL for a phone's camera; nothing where what draws it is not installed."""
    try:
        from bascule.web.serving import qr
    except ImportError:
        return ""
    return qr(url)


_ACTIONS: Final[dict[str, Callable[[Api, argparse.Namespace], None]]] = {
    "add": _add,
    "list": _list,
    "revoke": _revoke,
    "pair": _pair,
}
