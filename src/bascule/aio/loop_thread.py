"""An event loop in a thread of its own, and what other threads may have of it.

A ``concurrent.futures.Future`` hands results over under a lock. A Ctrl-C can meet the thread that waits just when it
has taken that lock, which then stays taken, and the loop stands still for ever at its next result. So here a thread
that waits never holds anything that the loop needs.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any, Generic, TypeVar

from bascule.errors import LocalProtocolError, SessionClosed

T = TypeVar("T")


class Bell:
    """Rung by the loop's thread, waited for by others."""

    def __init__(self) -> None:
        self.rung = False
        """Whether it was."""
        self._waiters: list[threading.Lock] = []

    def ring(self) -> None:
        """Wake all who wait, and who come later. Twice is once."""
        if not self.rung:
            self.rung = True
            for waiter in self._waiters:
                waiter.release()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for it; False when it was not rung in time."""
        waiter = threading.Lock()
        waiter.acquire()
        self._waiters.append(waiter)  # Before the look: it is rung either here or for the waiter.
        return self.rung or waiter.acquire(timeout=-1 if timeout_s is None else max(timeout_s, 0))


class Errand(Generic[T]):
    """Work that runs on the loop for another thread. Made by ``LoopThread.start``."""

    def __init__(self, work: Coroutine[Any, Any, T], loop: LoopThread) -> None:
        self._work = work
        self._loop = loop
        self._task: asyncio.Task[T] | None = None
        self.over = Bell()
        """Rung at its end."""

    def begin(self) -> None:
        """Run it, unless the loop is ending. This and the next two are called in the loop's thread."""
        if self._loop.ending:
            self.abandon()
            return
        self._task = asyncio.create_task(self._work, name="errand")
        self._task.add_done_callback(self._ended)

    def drop(self) -> None:
        """Cancel it."""
        if self._task is not None:
            self._task.cancel()

    def _ended(self, _: object) -> None:
        self._loop.forget(self)
        self.over.ring()

    def abandon(self) -> None:
        """It was not begun, and never will be."""
        self._work.close()
        self.over.ring()

    def cancel(self) -> None:
        """Have it dropped soon, unless it is over."""
        if not self.over.rung:
            self._loop.soon(self.drop)

    def result(self, timeout_s: float | None = None) -> T:
        """What came of it, once it is over. Raises what it raised, ``SessionClosed`` when it was dropped, and
        ``TimeoutError``."""
        if not self.over.wait(timeout_s):
            raise TimeoutError
        if self._task is None or self._task.cancelled():
            raise SessionClosed("the session was closed meanwhile")
        return self._task.result()


class LoopThread:
    """An event loop that runs in a thread of its own until it is closed. Raises ``OSError`` where none can be made."""

    def __init__(self, name: str) -> None:
        self._started = Bell()
        self._failed: OSError | None = None
        self._errands: set[Errand[Any]] = set()
        # A daemon, so that a program that forgets a session can end; its CLI ends when its stdin does.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failed is not None:
            raise self._failed

    def start(self, work: Coroutine[Any, Any, T]) -> Errand[T]:
        """Run ``work`` in the thread. Raises ``LocalProtocolError`` there, ``SessionClosed`` after the end."""
        errand = Errand(work, self)
        try:
            self.check()
            self._errands.add(errand)
            self._loop.call_soon_threadsafe(errand.begin)
        except RuntimeError:  # The loop is closed.
            work.close()
            raise SessionClosed("the session was closed: open it again with resume") from None
        except (LocalProtocolError, SessionClosed):
            work.close()
            raise
        return errand

    def forget(self, errand: Errand[Any]) -> None:
        """It is over."""
        self._errands.discard(errand)

    def check(self) -> None:
        """Raises where a wait for the thread would be for ever."""
        if threading.current_thread() is self._thread:
            raise LocalProtocolError(
                "a blocking call in a callback waits for itself: use the async session in callbacks"
            )
        if sys.is_finalizing():  # Daemons stand still from now on.
            raise SessionClosed("the program is ending")

    def soon(self, function: Callable[[], object]) -> None:
        """Call ``function`` in the thread."""
        with suppress(RuntimeError):  # The loop is closed.
            self._loop.call_soon_threadsafe(function)

    def call(self, work: Coroutine[Any, Any, T], *, timeout_s: float | None = None) -> T:
        """Run ``work`` in the thread and wait for it. Who stops waiting, cancels it."""
        errand = self.start(work)
        try:
            return errand.result(timeout_s)
        finally:
            errand.cancel()

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """``items``, each of which is waited for in the thread. None is the end: it must not be one of them."""
        while (item := self.call(_next(items))) is not None:
            yield item

    @property
    def ending(self) -> bool:
        """Whether it was stopped."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Let the thread end, and before it all that runs there."""
        self.soon(self._stop.set)

    def close(self) -> None:
        """``stop`` it and wait for that. Twice is once."""
        self.stop()
        insist(self._thread.join)

    def _run(self) -> None:
        try:
            asyncio.run(self._stay())
        except OSError as exc:  # There is no loop: too many files are open.
            self._failed = exc
            self._started.ring()
        for errand in tuple(self._errands):  # Given to it in its last moment: those that were begun are over.
            errand.abandon()

    async def _stay(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._started.ring()
        await self._stop.wait()


async def _next(items: AsyncIterator[T]) -> T | None:
    return await anext(items, None)


def insist(wait: Callable[[], T]) -> T:
    """``wait()`` in spite of a Ctrl-C, which is raised after it: cleanup is bounded. A second one is obeyed at once."""
    try:
        return wait()
    except KeyboardInterrupt:
        wait()
        raise
