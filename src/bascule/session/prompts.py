"""Prompts that were sent and what came of them: a handle for each, settled once, by identity.

Never by counting: a prompt may share its turn, get none, or be taken back (11_burst, 11_noquery,
10_interrupt_race_cancelq). Which turn answered which prompt is worked out by the fold; here those who wait are told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from typing import TypeAlias

from bascule.errors import BasculeError, PromptDropped, StructuredOutputMissing
from bascule.events import AnyEvent, Complete
from bascule.ids import PromptId
from bascule.session.journal import JournalPort
from bascule.transcript.prompts import State

TakeBack: TypeAlias = Callable[[PromptId], Awaitable[bool]]
"""Takes a prompt out of the CLI's queue; False when it was not there."""


class PromptHandle:
    """A prompt on its way. ``await`` it, any number of times and from any task, for the ``Complete`` of its turn.

    Raises ``ProcessLost`` when the process ended first, ``PromptDropped`` when the prompt was taken back,
    ``TurnTimedOut`` when a limit of time was over, and ``StructuredOutputMissing`` when the turn succeeded without the
    output that was asked for. A turn that failed, or was interrupted, is a ``Complete`` that says so, and no exception.
    Never hangs: a process that ends settles all.
    """

    def __init__(self, prompt_id: PromptId, journal: JournalPort, take_back: TakeBack) -> None:
        self.prompt_id = prompt_id
        self._take_back = take_back
        self._outcome: asyncio.Future[Complete] = asyncio.get_running_loop().create_future()
        self._journal = journal
        self._after = journal.last

    def __await__(self) -> Generator[object, None, Complete]:
        return asyncio.shield(self._outcome).__await__()

    @property
    def done(self) -> bool:
        """Whether it is settled: ``await`` gives or raises at once."""
        return self._outcome.done()

    def events(self) -> AsyncIterator[AnyEvent]:
        """What happens in the session from when the prompt was written until it is settled, its ``Complete`` included.

        Passing events come to who reads at once. Any number of readers.
        """
        return self._journal.read(self._after, until=self._outcome)

    async def cancel(self) -> bool:
        """Take the prompt back, if it waits; awaiting the handle then raises ``PromptDropped``.

        False: it runs, or has been answered. To stop a turn there is ``Session.interrupt``.
        """
        return not self.done and await self._take_back(self.prompt_id)

    def _give(self, complete: Complete) -> None:
        self._outcome.set_result(complete)

    def _fail(self, error: BasculeError) -> None:
        self._outcome.set_exception(error)
        self._outcome.exception()  # Marks it as seen: a handle that nobody awaits is no mistake.


class Handles:
    """The handles of a session that are not settled."""

    def __init__(self, journal: JournalPort, take_back: TakeBack, *, structured: bool) -> None:
        """``structured``: every successful turn owes structured output."""
        self._journal = journal
        self._take_back = take_back
        self._structured = structured
        self._open: dict[PromptId, PromptHandle] = {}
        self._last: Complete | None = None

    @property
    def open(self) -> tuple[PromptId, ...]:
        """Their prompts, in the order in which they were written."""
        return tuple(self._open)

    def get(self, prompt_id: PromptId) -> PromptHandle | None:
        """The handle of a prompt that is on its way."""
        return self._open.get(prompt_id)

    def goes_on(self, states: Mapping[PromptId, State], last: Complete | None) -> None:
        """After another host, which wrote them: a handle for each that is not settled. ``last``: what it heard last."""
        self._last = last
        for prompt_id, state in states.items():
            if state in (State.WAITING, State.RUNNING):
                self.add(prompt_id)

    def add(self, prompt_id: PromptId) -> PromptHandle:
        """A handle for a prompt that is about to be written."""
        handle = self._open[prompt_id] = PromptHandle(prompt_id, self._journal, self._take_back)
        return handle

    def turn_ended(
        self, complete: Complete, states: Mapping[PromptId, State], error: BasculeError | None = None
    ) -> None:
        """A turn answered prompts; ``error``: why it is no answer.

        One that was lost answered none: the end of the process will say so. A prompt that was taken back is named by
        its turn as well, if it had opened one (10_interrupt_race_cancelq).
        """
        if complete.outcome == "lost":
            return
        self._last = complete
        for prompt_id in complete.prompt_ids:
            if states.get(prompt_id) is State.DROPPED:
                self.drop(prompt_id)
            else:
                self._give(prompt_id, complete, error)

    def look(self, states: Mapping[PromptId, State]) -> None:
        """Settle those that ended without being named by a turn: dropped, or told as completed after it."""
        for prompt_id in self.open:
            state = states.get(prompt_id)
            if state is State.SETTLED and self._last is not None:
                self._give(prompt_id, self._last)
            elif state in (State.DROPPED, State.SETTLED):
                self.drop(prompt_id)

    def drop(self, prompt_id: PromptId) -> None:
        """It was taken back before it ran."""
        if handle := self._open.pop(prompt_id, None):
            handle._fail(
                PromptDropped(f"prompt {prompt_id} was taken back before it ran; send it again if it is wanted")
            )

    def _give(self, prompt_id: PromptId, complete: Complete, error: BasculeError | None = None) -> None:
        handle = self._open.pop(prompt_id, None)
        if handle is None:
            return
        if self._structured and _owes_output(complete):
            error = StructuredOutputMissing(complete)
        if error is not None:
            handle._fail(error)
        else:
            handle._give(complete)

    def lose(self, error: BasculeError) -> None:
        """The process is gone."""
        for handle in self._open.values():
            handle._fail(error)
        self._open.clear()


def _owes_output(complete: Complete) -> bool:
    """A turn without a round with the model owes none: a slash command, or a prompt that only told something."""
    return complete.outcome == "success" and complete.structured is None and complete.num_turns != 0
