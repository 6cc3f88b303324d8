"""A server in this process, spoken to over ASGI or over a real socket on the loopback."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from litestar import Litestar
from websockets.asyncio.client import ClientConnection, connect

from bascule.web.app import app
from bascule.web.auth import Door
from bascule.web.keys import Role
from bascule.web.page import Page
from bascule.web.serving import listen, serving
from bascule.web.settings import Pace, Settings
from tests.web.double import Hub, MemoryKeys, decoded

START_MS = 1_790_000_000_000


@dataclass
class Clock:
    """UTC ms, as far as a test lets it go."""

    now: int = START_MS

    def __call__(self) -> int:
        return self.now


@dataclass
class Server:
    """A server and what stands behind it."""

    application: Litestar
    settings: Settings
    hub: Hub
    keys: MemoryKeys
    clock: Clock

    @property
    def door(self) -> Door:
        door: Door = self.application.state.door
        return door

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"

    async def token(self, role: Role = "owner", label: str = "Anna") -> str:
        """A key's secret."""
        _, secret = await self.door.make_key(role, label, expires_at=None)
        return secret

    @asynccontextmanager
    async def client(self, token: str | None = None) -> AsyncIterator[httpx.AsyncClient]:
        """Speaks to the application directly, with a key in the header."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        transport = httpx.ASGITransport(app=cast("Any", self.application))
        async with httpx.AsyncClient(transport=transport, base_url=self.origin, headers=headers) as client:
            yield client

    @asynccontextmanager
    async def browser(self, role: Role = "owner") -> AsyncIterator[httpx.AsyncClient]:
        """Logged in: it has the cookie, and sends Origin and the CSRF header as the page does."""
        async with self.client() as client:
            answer = await client.post(
                "/login", json={"token": await self.token(role)}, headers={"Origin": self.origin}
            )
            client.headers.update({"Origin": self.origin, "X-Bascule-CSRF": answer.json()["csrf"]})
            yield client

    @asynccontextmanager
    async def socket(self, token: str, **options: Any) -> AsyncIterator["Wire"]:
        """A real WebSocket; the server has to be served."""
        url = f"ws://127.0.0.1:{self.settings.port}/ws"
        headers = {"Authorization": f"Bearer {token}", **options.pop("headers", {})}
        async with connect(url, additional_headers=headers, proxy=None, **options) as connection:
            yield Wire(connection)


@dataclass
class Wire:
    """A socket that speaks JSON."""

    connection: ClientConnection

    async def say(self, **frame: Any) -> None:
        await self.connection.send(json.dumps(frame))

    async def hear(self, *kinds: str) -> Any:
        """The next frame of one of these kinds; beats are passed over, any other is a mistake."""
        while True:
            frame = decoded(await self.connection.recv())
            if frame["type"] != "beat" or "beat" in kinds:
                assert frame["type"] in kinds, frame
                return frame

    async def hello(self, session: str = "s1", **more: Any) -> Any:
        await self.say(type="hello", session=session, **more)
        return await self.hear("welcome")

    async def events(self, count: int) -> list[Any]:
        """So many events."""
        found: list[Any] = []
        while len(found) < count:
            frame = await self.hear("events", "placed")
            found += frame.get("events") or frame["placed"]
        assert len(found) == count, found
        return found


Make = Callable[..., Server]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """With a file, a folder, and a link that leads out."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("<script>alert(1)</script>")
    (folder / "src" / "b.py").write_text("print(1)\n")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.fixture
def make(workspace: Path) -> Make:
    """A server that nobody serves yet."""

    def made(settings: Settings | None = None, *, page: Page | None = None) -> Server:
        given = settings or Settings()
        hub, keys, clock = Hub(workspace), MemoryKeys(), Clock()
        return Server(
            app(hub, given, keys, clock=clock, page=page or Page(workspace / "none")), given, hub, keys, clock
        )

    return made


@pytest.fixture
def server(make: Make) -> Server:
    """One at the default address, spoken to over ASGI only."""
    return make()


Served = Callable[..., Any]


@pytest.fixture
def served(workspace: Path, make: Make) -> Served:
    """One that listens: `async with served(pace=…) as server`."""

    @asynccontextmanager
    async def run(pace: Pace | None = None, **options: Any) -> AsyncIterator[Server]:
        listening, settings = listen(Settings(port=0, pace=pace or Pace(), **options))
        server = make(settings)
        async with serving(server.application, settings, listening):
            yield server

    return run


@pytest.fixture
def certificate() -> tuple[Path, Path]:
    """For 127.0.0.1, and its key."""
    folder = Path(__file__).with_name("tls")
    return folder / "cert.pem", folder / "key.pem"


async def until(true: Callable[[], bool]) -> None:
    """Give others their turn until it is so; a test that waits in vain is ended by its time limit."""
    while not true():
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)
