"""What stands before everything else, known routes or not: by which name and from which page a request comes, and the
headers that every answer bears.

A page of another site can have a browser send requests here, and a name of that site's can be made to lead here (DNS
rebinding): so both the name and the page have to be on a list.
"""

from __future__ import annotations

from typing import Final

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from bascule.web.problems import MEDIA_TYPE, Problem
from bascule.web.settings import Settings, allowed_hosts, allowed_origins

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
HEADERS: Final = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(self)"),
)
CACHE: Final = (b"cache-control", b"no-store")
"""Unless the answer says otherwise."""


class Gate:
    """An ASGI application before another one."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = allowed_hosts(settings)
        self._origins = allowed_origins(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let it through, or answer in its place."""
        problem = self._problem(scope)
        if problem is None:
            await self._app(scope, receive, _with_headers(send))
        elif _is_socket(scope):
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": problem.detail})
        else:
            await _say(problem, _with_headers(send))

    def _problem(self, scope: Scope) -> Problem | None:
        hosts = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._is_known(hosts[0]):
            named = ", ".join(hosts) or "nothing"
            why = f"this server is not known as {named}: name it with --public-url or allowed_hosts"
            return Problem(kind="host", status=421, detail=why)
        return self._foreign(scope)

    def _is_known(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        return host in self._hosts or (bool(colon) and port.isdigit() and name in self._hosts)

    def _foreign(self, scope: Scope) -> Problem | None:
        """A browser names the page with every request that changes something, and with every socket."""
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        if any(origin not in self._origins for origin in origins):
            why = f"pages of {', '.join(origins)} may not speak to this server: allowed_origins would name them"
            return Problem(kind="origin", status=403, detail=why)
        bearer = any(name == b"authorization" for name, _ in scope["headers"])
        if _is_socket(scope) and not origins and not bearer:
            return Problem(
                kind="origin", status=403, detail="a socket without an Origin needs Authorization: Bearer TOKEN"
            )
        return None


def _is_socket(scope: Scope) -> bool:
    return str(scope["type"]) == "websocket"


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            named = {name.lower() for name, _ in given}
            missing = (pair for pair in (*HEADERS, CACHE) if pair[0] not in named)
            message["headers"] = [*given, *missing]
        await send(message)

    return sent


async def _say(problem: Problem, send: Send) -> None:
    headers = [(b"content-type", MEDIA_TYPE.encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": msgspec.json.encode(problem), "more_body": False})
