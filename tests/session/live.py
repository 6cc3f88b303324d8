"""A session over the far end of a MemoryPipe, and how a test waits for what happens."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from bascule.events import AnyEvent
from bascule.session.opening import session_over
from bascule.session.options import Options
from bascule.session.rejoining import rejoin
from bascule.session.session import Session
from tests.session.far_end import FarEnd

E = TypeVar("E", bound=AnyEvent)


@asynccontextmanager
async def live(far: FarEnd, **options: Any) -> AsyncIterator[Session]:
    """A session that is ready for its first prompt; git is asked only where a test is about that."""
    options = {"stop_git_check": False, **options}
    async with session_over(far.pipe, Options(**options), began_at=0.0) as session:
        yield session


@asynccontextmanager
async def hosted(far: FarEnd, **options: Any) -> AsyncIterator[Session]:
    """The same with a keeper at the far end: when the block is left, the CLI goes on."""
    given = Options(**{"stop_git_check": False, "id": "s", **options})
    async with session_over(far.pipe.attach(), given, began_at=0.0, leaves=True) as session:
        yield session


@asynccontextmanager
async def back(far: FarEnd, **options: Any) -> AsyncIterator[Session]:
    """The session of a host that comes back, and leaves again."""
    given = Options(**{"stop_git_check": False, "id": "s", **options})
    async with rejoin(far.pipe.attach(), given) as session:
        yield session


async def seen(session: Session, kind: type[E], where: Callable[[E], bool] = lambda event: True) -> E:
    """The first event of this kind, past or to come; fails when the session ends without one."""
    async for event in session.events():
        if isinstance(event, kind) and where(event):
            return event
    raise AssertionError(f"the session ended and there was no {kind.__name__}")


class Endless:
    """A function of this program that never comes to its end; it tells when it was called, and when cancelled."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def __call__(self, told: Any) -> Any:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
