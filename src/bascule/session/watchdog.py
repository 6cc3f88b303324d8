"""Sees to it that limits of time are kept: says so, stops the turn by ever stronger means, ends the session.

Which limit is over is decided in ``watch.py``; how a turn is stopped, in ``stopping.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final

from bascule.errors import BasculeError, TurnTimedOut
from bascule.events import AnyEvent, Complete
from bascule.ids import PromptId
from bascule.recording import Failed, Noticed
from bascule.session import stopping
from bascule.session.line import Line
from bascule.session.past import Past
from bascule.session.stopping import Patience
from bascule.session.watch import LIMITS, Due, Limit, Limits, Watch

_HINTS: Final[dict[Limit, str]] = {
    "first_byte": "see whether the API answers at all, or give it more time with limits.first_byte_s",
    "silence": "send the prompt again, or resume the conversation in a new session",
    "turn": "say what is left to do in another prompt, or give it more time with limits.turn_s",
    "total": "resume the conversation in a new session, or give it more time with limits.total_s",
}


class Watchdog:
    """Of one session, from its begin to its end."""

    def __init__(self, line: Line, limits: Limits, patience: Patience) -> None:
        self._line = line
        self._patience = patience
        self._limits = limits
        self._ahead_s = time.time() - asyncio.get_running_loop().time()
        """How far UTC is ahead of the loop's clock. Read once, since times here never go back."""
        self._watch = Watch(limits, now=self._now())
        self._idle = all(getattr(limits, f"{limit}_s") is None for limit in LIMITS)
        """There is nothing to watch for, which is to cost nothing."""
        self._news = asyncio.Event()
        self._due: Due | None = None
        self._turn = 0
        """The turn that was stopped for it."""

    def happened(self, event: AnyEvent) -> None:
        """An event was published."""
        if self._idle:
            return
        self._watch.happened(event, self._now())
        if event.seq is not None:
            self._news.set()

    def goes_on(self, past: Past) -> None:
        """After another host: what is limited began when it began, and not when we came."""
        self._watch = past.watch.again(self._limits)

    async def run(self, meant: Callable[[], frozenset[PromptId]], close: Callable[[], Awaitable[None]]) -> None:
        """Watch until the process has ended. ``meant``: the prompts that a stop would be of; ``close`` ends it all."""
        while not (self._idle or self._line.over):
            self._news.clear()
            self._watch.heard(self._line.heard_at + self._ahead_s)
            found = self._watch.look(self._now(), busy=self._line.fold.hook_open)
            if isinstance(found, Due):
                await self._stop(found, meant)
                if found.limit == "total":
                    await close()
            else:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(None if found is None else found - self._ahead_s):
                        await self._news.wait()

    def ended(self) -> None:
        """The process is gone."""
        self._news.set()

    def error(self, complete: Complete | None = None) -> TurnTimedOut | None:
        """Why ``complete`` is no answer, or (None) why the process is gone; None when no limit is to blame."""
        if self._due is None or not self._is_to_blame(self._due, complete):
            return None
        return TurnTimedOut(
            f"{self._due}, so it was stopped; {_HINTS[self._due.limit]}",
            limit=self._due.limit,
            complete=complete,
            **self._line.last_words(),
        )

    def _is_to_blame(self, due: Due, complete: Complete | None) -> bool:
        """A turn that came to its end in the meantime was not stopped, and no later turn was."""
        if complete is None:
            return due.limit == "total" or self._turn == self._line.fold.turn
        return complete.turn == self._turn and complete.outcome != "success"

    async def _stop(self, due: Due, meant: Callable[[], frozenset[PromptId]]) -> None:
        self._due, self._turn = due, self._line.fold.turn
        running = self._line.fold.turn_running
        what = "the turn is stopped" if due.limit != "total" else "the session is ended"
        self._line.note(
            Noticed(level="warning", text=f"{due}: {what}"),
            Failed(kind="timeout", message=str(due), hint=_HINTS[due.limit]),
        )
        if running:
            with contextlib.suppress(BasculeError):  # the process ended meanwhile, which shows elsewhere
                await stopping.stop(self._line, self._patience, meant=meant())

    def _now(self) -> float:
        return asyncio.get_running_loop().time() + self._ahead_s
