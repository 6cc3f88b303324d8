"""A hub that dies in the middle of things: from that moment on nothing that it does has any effect."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from bascule.recording import Entry, Exit
from bascule.transport.pipe import GRACE_S, Ours, RecordedPipe, Through
from tests.hub.troubled import TroubledStore

T = TypeVar("T")


class Mortal:
    """Counts what has an effect beyond the hub, and dies before or after one of them."""

    def __init__(self) -> None:
        self._left: int | None = None
        self.died = asyncio.Event()

    def lives_for(self, effects: int | None) -> None:
        """A new life; None: a long one."""
        self._left = effects
        self.died = asyncio.Event()

    def is_dead(self) -> bool:
        """Whether this moment is beyond its end; each moment comes nearer to it."""
        if self._left is not None and not self.died.is_set():
            self._left -= 1
            if self._left < 0:
                self.died.set()
        return self.died.is_set()

    async def live(self) -> None:
        """Comes back if it lives."""
        if self.is_dead():
            await asyncio.Event().wait()


class MortalStore(TroubledStore):
    """A store on a disk that outlives its hubs; each write is done, or not, and its hub dies before it knows."""

    def __init__(self, mortal: Mortal) -> None:
        super().__init__()
        self._mortal = mortal

    async def through(self, name: str, write: Callable[[], Awaitable[T]]) -> T:
        await self._mortal.live()
        done = await write()
        await self._mortal.live()
        return done


class ThroughRecorded(Through):
    """A `RecordedPipe` that hands everything on; who derives from it does something on the way."""

    def __init__(self, pipe: RecordedPipe) -> None:
        super().__init__(pipe)
        self._recorded = pipe

    @property
    def line(self) -> int:
        return self._recorded.line

    @property
    def history_until(self) -> int:
        return self._recorded.history_until

    async def read(self) -> tuple[Entry, ...]:
        return await self._recorded.read()


class MortalPipe(ThroughRecorded):
    """What a hub holds of a process that outlives it."""

    def __init__(self, pipe: RecordedPipe, mortal: Mortal) -> None:
        super().__init__(pipe)
        self._mortal = mortal

    def write(self, *entries: Ours) -> bool:
        return self._mortal.is_dead() or super().write(*entries)

    async def drain(self) -> None:
        await self._mortal.live()
        await super().drain()

    def end(self) -> None:
        if not self._mortal.is_dead():
            super().end()

    def signal(self, number: int) -> None:
        if not self._mortal.is_dead():
            super().signal(number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        await self._mortal.live()
        return await super().close(grace_s=grace_s)


async def unless_dead(mortal: Mortal, work: Any) -> Any:
    """What `work` gives; None where the hub died first."""
    task = asyncio.ensure_future(work)
    died = asyncio.ensure_future(mortal.died.wait())
    await asyncio.wait({task, died}, return_when=asyncio.FIRST_COMPLETED)
    died.cancel()
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait({task})
    return None
