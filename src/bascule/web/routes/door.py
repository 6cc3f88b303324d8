"""Coming in and going out, and the keys."""

from __future__ import annotations

from typing import Final

import msgspec
from litestar import Response, delete, get, post
from litestar.params import FromPath, JSONBody

from bascule.web.auth import OPEN, door_of, visitor_of
from bascule.web.keys import Key, KeyFacts, MadeKey, NewKey, NewPairing, PairingCode, Role, csrf_of, facts_of
from bascule.web.pairing import shown
from bascule.web.problems import PROBLEMS, Refusal, not_found
from bascule.web.routes.parameters import LARGEST, Asked, Hub

SMALL: Final = 64 * 1024
"""Bytes of a request of somebody who is not in yet."""


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """A token, or the code of a pairing: one of them."""

    token: str | None = None
    code: str | None = None
    label: str = ""
    """What the browser calls itself; decisions carry it. Empty: as the token is called."""


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks."""

    key_id: str
    role: Role
    label: str
    expires_at: int | None
    epoch: str
    csrf: str | None
    """What the header ``X-Bascule-CSRF`` is to say; null for a key in a header, which needs none."""


@post("/login", status_code=200, role=OPEN, request_max_body_size=SMALL, responses=PROBLEMS)
async def login(request: Asked, hub: Hub, data: JSONBody[Credentials]) -> Response[Me]:
    """A cookie for a token or a pairing's code."""
    if (data.token is None) == (data.code is None):
        raise Refusal(400, "malformed", "either a token or a code", field="token")
    visitor, cookie = await door_of(request).login(request, token=data.token, code=data.code, label=data.label)
    return Response(_me(visitor.key, hub.epoch, csrf_of(visitor.secret)), cookies=[cookie])


@post("/logout", status_code=200, responses=PROBLEMS)
async def logout(request: Asked) -> Response[dict[str, str]]:
    """Revoke the key that this request came with, if it is a browser's; its sockets are closed."""
    door, visitor = door_of(request), visitor_of(request)
    if not visitor.by_cookie:
        raise Refusal(409, "conflict", f"this key is no browser's: DELETE /api/tokens/{visitor.key.id} revokes it")
    await door.revoke(visitor.key.id)
    await door.record("logout", visitor.key.holder, visitor.surface)
    return Response({"status": "ok"}, cookies=[door.no_cookie])


@get("/me", responses=PROBLEMS)
async def me(request: Asked, hub: Hub) -> Me:
    """Who I am here, and the CSRF header's value."""
    visitor = visitor_of(request)
    return _me(visitor.key, hub.epoch, csrf_of(visitor.secret) if visitor.by_cookie else None)


@get("/tokens", role="owner", responses=PROBLEMS)
async def tokens(request: Asked) -> tuple[KeyFacts, ...]:
    """All keys, those of browsers and those that were revoked too, in the order they were made."""
    return tuple(map(facts_of, await door_of(request).keys.list()))


@post("/tokens", status_code=201, role="owner", responses=PROBLEMS)
async def make_token(request: Asked, data: JSONBody[NewKey]) -> MadeKey:
    """A key for a program or a person."""
    door, visitor = door_of(request), visitor_of(request)
    if data.expires_at is not None and not door.clock() < data.expires_at <= LARGEST:
        raise Refusal(422, "refused", "that time is over: name one to come, in UTC ms", field="expires_at")
    key, secret = await door.make_key(data.role, data.label, expires_at=data.expires_at)
    await door.record("key_made", visitor.key.holder, visitor.surface, detail=f"{key.id}, {key.role}, {key.label}")
    return MadeKey(key=facts_of(key), token=secret)


@delete("/tokens/{key_id:str}", status_code=204, role="owner", responses=PROBLEMS)
async def revoke_token(request: Asked, key_id: FromPath[str]) -> None:
    """Revoke a key and what was made from it: nothing opens with it any more, and its sockets are closed."""
    door, visitor = door_of(request), visitor_of(request)
    if not await door.revoke(key_id):
        raise not_found(f"there is no key {key_id} that opens anything")
    await door.record("key_revoked", visitor.key.holder, visitor.surface, detail=key_id)


@post("/pairing", status_code=201, role="owner", responses=PROBLEMS)
async def pair(request: Asked, data: JSONBody[NewPairing]) -> PairingCode:
    """A code that brings a phone in, once, within two minutes."""
    door, visitor = door_of(request), visitor_of(request)
    pairing = door.pair(data.role, data.label)
    await door.record("pairing", visitor.key.holder, visitor.surface, detail=f"{data.role}, {data.label}")
    url = f"{door.settings.url}/#code={pairing.code}"
    return PairingCode(code=shown(pairing.code), url=url, expires_at=pairing.expires_at)


def _me(key: Key, epoch: str, csrf: str | None) -> Me:
    return Me(key_id=key.id, role=key.role, label=key.label, expires_at=key.expires_at, epoch=epoch, csrf=csrf)


ROUTES: Final = (logout, me, tokens, make_token, revoke_token, pair)
"""Below ``/api``; ``login`` stands at the top."""
