"""Who comes in: a key in a header, or in the cookie that a login gave; with which role, until when.

A token is passed once: the page takes it from the URL's fragment, which no server and no log sees, and hands it in for
a cookie with a secret of its own. What a browser sends by itself is no proof of will: a request that changes something
needs the CSRF header as well, unless it bears its key in a header.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final, NamedTuple

from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.handlers import BaseRouteHandler
from msgspec.structs import replace

from bascule.ids import SessionId
from bascule.web.failures import Failures
from bascule.web.keys import Deed, Key, Keys, Role, csrf_of, hash_of, new_id, new_secret
from bascule.web.pairing import Pairing, Pairings
from bascule.web.problems import Refusal
from bascule.web.rights import may
from bascule.web.settings import Settings

log = logging.getLogger("bascule.web")

CSRF_HEADER: Final = "X-Bascule-CSRF"
LOGIN_MS: Final = 30 * 24 * 3_600_000
"""How long a browser stays logged in."""
TOUCH_MS: Final = 60_000
"""How exactly it is kept when a key was last used."""
LABEL_CHARS: Final = 80
OPEN: Final = "open"
"""The role of a route that needs no key."""
_READS: Final = frozenset(("GET", "HEAD", "OPTIONS"))


class Visitor(NamedTuple):
    """Somebody with a key that opens."""

    key: Key
    secret: str
    by_cookie: bool

    @property
    def surface(self) -> str:
        """Where a person with a cookie sits."""
        return "web" if self.by_cookie else "api"


class Login(NamedTuple):
    """A browser that came in."""

    visitor: Visitor
    cookie: Cookie


class _Came(NamedTuple):
    """With what somebody came in."""

    parent: Key | None
    role: Role
    label: str


class Door:
    """The keys of one server, and who is in."""

    def __init__(self, keys: Keys, settings: Settings, *, clock: Callable[[], int]) -> None:
        """``clock`` gives UTC ms."""
        self.keys = keys
        self.settings = settings
        self.clock = clock
        self._own: dict[str, Key] = {}
        """Keys that live as long as the process, by hash: the one that is printed at its start."""
        self._failures = Failures()
        self._pairings = Pairings()
        self._present: dict[asyncio.Event, Key] = {}
        self._writing = asyncio.Lock()
        """For a key that is read, changed and put back: a use must not undo a revocation."""

    @property
    def cookie_name(self) -> str:
        """Cookies know no ports, so the name does; with TLS the prefix binds it to this very host."""
        name = f"bascule-{self.settings.port}"
        return f"__Host-{name}" if self.settings.is_secure else name

    def own_key(self, label: str) -> str:
        """The secret of an owner's key that ends with this process."""
        secret = new_secret()
        key = Key(id=new_id(), hash=hash_of(secret), role="owner", label=label, created_at=self.clock())
        self._own[key.hash] = key
        return secret

    # Coming in.

    async def visitor(self, connection: ASGIConnection[Any, Any, Any, Any]) -> Visitor:
        """Who sends this. Raises ``Refusal`` (401; 429 for one who keeps guessing)."""
        secret, by_cookie = self._secret_of(connection)
        if secret is None:
            raise Refusal(401, "unauthenticated", "a key is needed: log in, or send Authorization: Bearer TOKEN")
        key = await self._found(secret)
        if key is None:
            await self._wrong(connection, "a key that opens nothing")
            raise Refusal(401, "unauthenticated", "this key opens nothing, or not any more: log in again")
        await self._touch(key)
        return Visitor(key, secret, by_cookie)

    def _secret_of(self, connection: ASGIConnection[Any, Any, Any, Any]) -> tuple[str | None, bool]:
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return token.strip(), False
        try:
            cookies = SimpleCookie(connection.headers.get("cookie", ""))
        except CookieError:
            return None, True
        found = cookies.get(self.cookie_name)
        return (found.value if found else None), True

    async def _found(self, secret: str) -> Key | None:
        hashed = hash_of(secret)
        key = self._own.get(hashed) or await self.keys.find(hashed)
        return key if key is not None and key.holds(self.clock()) else None

    async def login(
        self, connection: ASGIConnection[Any, Any, Any, Any], *, token: str | None, code: str | None, label: str
    ) -> Login:
        """A cookie for a token, or for the code of a pairing. Raises ``Refusal``: 401, or 429 after too many wrong
        ones, and then for a right one too."""
        self._refuse_guesser(connection)
        came = self._paired(code) if code is not None else await self._brought(token or "")
        if came is None:
            await self._wrong(connection, "a wrong code" if code is not None else "a wrong token")
            raise Refusal(401, "unauthenticated", "that is not right, or not any more: ask for a new one")
        self._failures.forgive(_address(connection))
        return await self._admitted(came, label.strip()[:LABEL_CHARS] or came.label)

    def _paired(self, code: str) -> _Came | None:
        pairing = self._pairings.take(code, self.clock())
        return None if pairing is None else _Came(None, pairing.role, pairing.label)

    async def _brought(self, token: str) -> _Came | None:
        key = await self._found(token)
        return None if key is None else _Came(key, key.role, key.label)

    async def _admitted(self, came: _Came, label: str) -> Login:
        """A key of its own for the browser: it goes with the one it came from, and shows by itself in the list."""
        now, secret, parent = self.clock(), new_secret(), came.parent
        expires_at = now + LOGIN_MS
        if parent is not None and parent.expires_at is not None:
            expires_at = min(expires_at, parent.expires_at)
        key = Key(
            id=f"{parent.id}.{new_id()}" if parent else new_id(),
            hash=hash_of(secret),
            role=came.role,
            label=label,
            created_at=now,
            expires_at=expires_at,
            used_at=now,
        )
        await self.keys.put(key)
        log.info("%s came in as %s", key.id, key.role)
        await self.record("login", key.holder, "web", detail=f"{key.role}, key {key.id}")
        return Login(Visitor(key, secret, by_cookie=True), self._cookie(secret, (expires_at - now) // 1000))

    def _cookie(self, secret: str, max_age_s: int) -> Cookie:
        secure = self.settings.is_secure
        return Cookie(
            self.cookie_name, value=secret, path="/", max_age=max_age_s, httponly=True, secure=secure, samesite="strict"
        )

    @property
    def no_cookie(self) -> Cookie:
        """Takes the cookie back."""
        return self._cookie("", 0)

    def pair(self, role: Role, label: str) -> Pairing:
        """A code for somebody's phone."""
        return self._pairings.make(role, label, self.clock())

    # Guesses.

    def _refuse_guesser(self, connection: ASGIConnection[Any, Any, Any, Any]) -> None:
        if wait_ms := self._failures.wait_ms(_address(connection), self.clock()):
            wait_s = -(-wait_ms // 1000)
            raise Refusal(
                429, "too_many", f"too many wrong ones: try again in {wait_s} s", headers={"Retry-After": str(wait_s)}
            )

    async def _wrong(self, connection: ASGIConnection[Any, Any, Any, Any], what: str) -> None:
        """Count it. One who keeps being wrong is told to wait, and the audit is not filled with him."""
        self._refuse_guesser(connection)
        self._failures.count(_address(connection), self.clock())
        await self.record("login_failed", None, None, detail=f"{what} from {_address(connection)}")

    # Keys.

    async def make_key(self, role: Role, label: str, *, expires_at: int | None) -> tuple[Key, str]:
        """A key that lasts, and its secret, which nobody can tell again."""
        secret, now = new_secret(), self.clock()
        key = Key(
            id=new_id(),
            hash=hash_of(secret),
            role=role,
            label=label[:LABEL_CHARS],
            created_at=now,
            expires_at=expires_at,
        )
        await self.keys.put(key)
        return key, secret

    async def revoke(self, key_id: str) -> bool:
        """It opens nothing any more, nor does what was made from it, and who came in with one of them is sent out;
        False: there is none of that id."""
        now = self.clock()
        own = [hashed for hashed, key in self._own.items() if key.comes_from(key_id)]
        for hashed in own:
            del self._own[hashed]
        async with self._writing:
            kept = [key for key in await self.keys.list() if key.comes_from(key_id) and key.revoked_at is None]
            for key in kept:
                await self.keys.revoke(key.id, now)
        for out, key in self._present.items():
            if key.comes_from(key_id):
                out.set()
        return bool(own or kept)

    async def _touch(self, key: Key) -> None:
        now = self.clock()
        if key.hash in self._own or (key.used_at is not None and now - key.used_at < TOUCH_MS):
            return
        async with self._writing:
            current = await self.keys.find(key.hash)
            if current is not None and current.revoked_at is None:
                await self.keys.put(replace(current, used_at=now))

    @contextmanager
    def present(self, key: Key) -> Iterator[asyncio.Event]:
        """While somebody is in with ``key``: set when he is to leave, since it was revoked."""
        out = asyncio.Event()
        self._present[out] = key
        try:
            yield out
        finally:
            del self._present[out]

    async def record(
        self,
        what: str,
        who: str | None,
        surface: str | None,
        *,
        session: SessionId | None = None,
        detail: str | None = None,
    ) -> None:
        """Write it into the audit."""
        deed = Deed(at=self.clock(), what=what, who=who, surface=surface, session=session or None, detail=detail)
        await self.keys.record(deed)


def _address(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    return connection.client.host if connection.client else "?"


def door_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Door:
    """The door of the server that got this."""
    door: Door = connection.app.state.door
    return door


def visitor_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Visitor:
    """Whom ``guard`` let in."""
    visitor: Visitor = connection.scope["state"]["visitor"]
    return visitor


async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Stands before every route, so that a new one is closed until it says for whom it is (``role=…``)."""
    least = handler.opt.get("role", "viewer")
    if least == OPEN:
        return
    visitor = await door_of(connection).visitor(connection)
    if visitor.by_cookie and connection.scope.get("method", "GET") not in _READS:
        check_csrf(connection, visitor)
    require(visitor, least)
    connection.scope["state"]["visitor"] = visitor


def check_csrf(connection: ASGIConnection[Any, Any, Any, Any], visitor: Visitor) -> None:
    """Raises ``Refusal`` (403) for a request that a page of another site may have made."""
    if not hmac.compare_digest(connection.headers.get(CSRF_HEADER, "").encode(), csrf_of(visitor.secret).encode()):
        raise Refusal(403, "csrf", f"with a cookie the header {CSRF_HEADER} is needed: GET /api/me tells its value")


def require(visitor: Visitor, least: Role) -> None:
    """Raises ``Refusal`` (403) for a role that is too low."""
    if not may(visitor.key.role, least):
        raise Refusal(403, "forbidden", f"this takes the role {least}, and yours is {visitor.key.role}")
