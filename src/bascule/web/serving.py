"""From an application to a server that listens: the address, TLS, the URL that lets its owner in.

Signals are the caller's: leaving ``serving`` ends the server.
"""

from __future__ import annotations

import asyncio
import errno
import getpass
import io
import logging
import os
import socket
import ssl
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import segno
import uvicorn
import uvloop
from litestar import Litestar
from msgspec.structs import replace
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from bascule.aio.beside import beside
from bascule.aio.finish import finish
from bascule.errors import OptionError
from bascule.web.address import Address
from bascule.web.auth import Door
from bascule.web.settings import Settings, checked

log = logging.getLogger("bascule.web")

T = TypeVar("T")

BACKLOG: Final = 1024
GRACE_S: Final = 5
"""How long requests that are under way may take once the server is to end."""


def listen(settings: Settings) -> tuple[socket.socket, Settings]:
    """A socket that listens, and the settings with the port it got. Raises ``OptionError`` when it cannot be had."""
    checked(settings)
    host = settings.host.strip("[]*")
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, settings.port))
        listening.listen(BACKLOG)
    except OSError as exc:
        listening.close()
        raise OptionError(_unheard(settings, exc)) from exc
    listening.setblocking(False)
    return listening, replace(settings, port=listening.getsockname()[1])


def _unheard(settings: Settings, error: OSError) -> str:
    where = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use, maybe by another bascule serve: choose another --port, or 0 for a free one"
    return f"nobody can listen at {where} ({error.strerror}): choose another --host or --port"


@asynccontextmanager
async def serving(app: Litestar, settings: Settings, listening: socket.socket) -> AsyncIterator[None]:
    """Serve ``app`` on ``listening`` while the block runs, for which it is meant: ``settings`` are those it was made
    with. Raises ``OptionError`` for a certificate that cannot be used.

    Leaving the block ends the server: readers are told that it restarts (1012), and requests that are under way have
    ``GRACE_S``.
    """
    config = _config(app, settings)
    try:
        config.load()
    except (OSError, ssl.SSLError) as exc:
        listening.close()
        raise OptionError(f"--tls-cert and --tls-key cannot be used: {exc}") from exc
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listening])
    log.info("serving at %s", settings.url)
    try:
        async with beside(server.main_loop(), name="web server"):
            yield
    finally:
        await finish(server.shutdown(sockets=[listening]))
        log.info("served at %s", settings.url)


def _config(app: Litestar, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws=_Droppable,
        ws_max_size=settings.upload_bytes,
        # A message is small, a deflated one costs more than it saves on a loopback, and each reader a window of memory.
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        access_log=False,
        # Whoever is first would name any client; who stands behind a proxy is told apart by his key.
        proxy_headers=False,
        server_header=False,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=GRACE_S,
    )


class _Droppable(WebSocketsSansIOProtocol):
    """A connection that the application can drop: a peer that takes nothing takes no close frame either."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """As before, and the application gets the means."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, "abort": self.transport.abort}


def address_of(settings: Settings, door: Door) -> Address:
    """Word for the owner's programs on this machine, with a key of their own."""
    here = replace(settings, public_url=None)
    return Address(url=here.url, token=door.own_key(owner()), pid=os.getpid(), certificate=settings.tls_cert)


def url_of(settings: Settings, door: Door) -> str:
    """What the owner opens. The token stands behind the ``#``, which no browser sends and no server logs."""
    return f"{settings.url}/#token={door.own_key(owner())}"


def owner() -> str:
    """Who serves: the name that decisions of the owner bear. Empty where the system does not tell."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def run(main: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``, on the loop that servers use."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def qr(url: str) -> str:
    """The URL as lines of half blocks, for a terminal and a phone's camera."""
    lines = io.StringIO()
    segno.make(url, error="l", micro=False).terminal(lines, compact=True, border=2)
    return lines.getvalue()
