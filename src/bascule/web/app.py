"""The whole server as one ASGI application: routes, the socket, the door before them, the gate before all."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import Scope

from bascule.conversation import Conversations
from bascule.web.auth import Door, guard
from bascule.web.frames import Written
from bascule.web.keys import Keys
from bascule.web.orders import Orders
from bascule.web.page import Page
from bascule.web.problems import answer, problem_of
from bascule.web.routes import door as coming_in
from bascule.web.routes import orders, sessions, spending, ui, watching, workspace
from bascule.web.security import Gate
from bascule.web.settings import Settings, checked
from bascule.web.socket import ws

log = logging.getLogger("bascule.web")

API_VERSION: Final = "1"


def now_ms() -> int:
    """UTC."""
    return time.time_ns() // 1_000_000


def app(
    conversations: Conversations,
    settings: Settings,
    keys: Keys,
    *,
    clock: Callable[[], int] = now_ms,
    page: Page | None = None,
) -> Litestar:
    """The application. ``app.state.door`` makes its owner's key (``Door.own_key``).

    ``clock`` gives UTC ms. Raises ``OptionError`` for settings that contradict each other.
    """
    door = Door(keys, checked(settings), clock=clock)
    doing = Orders(conversations, door)

    async def hub() -> Conversations:
        return conversations

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        async with doing.running():
            yield

    routes = (coming_in, sessions, orders, workspace, spending, watching)
    made = Litestar(
        [
            Router("/api", route_handlers=[handler for module in routes for handler in module.ROUTES]),
            coming_in.login,
            watching.metrics,
            ws,
            *ui.ROUTES,
        ],
        guards=[guard],
        dependencies={"hub": Provide(hub)},
        exception_handlers={Exception: answer},
        after_exception=[_log],
        lifespan=[lifespan],
        request_max_body_size=settings.upload_bytes,
        openapi_config=_description(),
        logging_config=None,
        state=State(
            {"hub": conversations, "door": door, "orders": doing, "written": Written(), "page": page or Page()}
        ),
    )
    made.asgi_handler = Gate(made.asgi_handler, settings)
    return made


def _description() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="bascule",
        version=API_VERSION,
        description="Sessions of Claude Code, and the decisions in them. Events, payloads and commands: events.md;"
        " the WebSocket: socket.md.",
        path="/api/schema",
        render_plugins=[JsonRenderPlugin()],
        use_handler_docstrings=True,
    )


async def _log(error: Exception, scope: Scope) -> None:
    if problem_of(error).kind == "bug":
        log.error("%s failed", scope["path"], exc_info=error)
