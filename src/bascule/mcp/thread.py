"""A plain function in a thread of its own, awaited. Whoever awaits it may go; the thread holds up nobody.

The threads of ``asyncio.to_thread`` are few and shared, and the end of ``asyncio.run`` waits for each of them:
one function that never comes back would hold up the end of the program, and a handful of them all other work.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[[], T], *, name: str) -> T:
    """What ``function`` gives or raises, with the context variables of the caller. ``name`` is the thread's.

    Cancelled, it comes back at once; the thread runs on, and what it gives is dropped. It ends with the program.
    Raises ``RuntimeError`` when no thread can be started.
    """
    loop, context = asyncio.get_running_loop(), copy_context()
    outcome: Future[T] = Future()
    over = asyncio.Event()

    def work() -> None:
        try:
            outcome.set_result(context.run(function))
        except BaseException as exc:  # noqa: BLE001 - it is raised where the outcome is awaited
            outcome.set_exception(exc)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(over.set)

    threading.Thread(target=work, name=name, daemon=True).start()
    await over.wait()
    return outcome.result()
