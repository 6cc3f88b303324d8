"""The course of a conversation without a person: which prompt comes next, how an ask is answered, when it is over.

It is over when the last prompt's turn is, nothing runs and nothing is asked. Agents in the background are waited for,
within a limit, and so is the turn that the CLI starts when one of them reports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bascule.commands import AnyCommand, Decide, End, Interrupt, Prompt, Receipt, Refused
from bascule.events import (
    AnyEvent,
    Complete,
    PermissionRequest,
    TaskEnded,
    TaskStarted,
    TurnStarted,
)
from bascule.ids import CommandId
from bascule.terminal.answers import Script

SURFACE: Final = "terminal"
AGENTS_S: Final = 1_800.0
"""How long agents in the background are waited for when everything else is done."""
WAKING_S: Final = 5.0
"""How long the CLI may take to go on by itself after a report; it takes less than one (15_bg_agent, CLI 2.1.332)."""
AGENT: Final = "agent"
"""Tasks of a kind with this in its name report back; shells and monitors may run for ever, and are not waited for."""


class Course:
    """Events in, commands out."""

    def __init__(self, prompts: Sequence[str], script: Script, *, new_id: Callable[[], CommandId]) -> None:
        self._prompts = list(prompts)
        self._script = script
        self._new_id = new_id
        self._running = False
        self._agents: dict[str, bool] = {}
        """By task id: whether the CLI says that it runs in the background."""
        self._waking = False
        self._interrupted = False
        self._ending = False

    @property
    def patience_s(self) -> float | None:
        """How long to wait for the next thing to happen before it is taken to be over; None: as long as it takes."""
        if self._running or self._ending:
            return None
        return AGENTS_S if self._agents else WAKING_S if self._waking else None

    def begin(self) -> list[AnyCommand]:
        """The first prompt."""
        return self._go_on()

    def event(self, event: AnyEvent) -> list[AnyCommand]:
        """What follows from an event."""
        match event:
            case PermissionRequest():
                return [self._decide(event)]
            case TurnStarted():
                self._running, self._waking = True, False
            case Complete():
                self._running = False
                return self._go_on()
            case TaskStarted(task_id=task_id, kind=kind, background=background) if AGENT in kind:
                self._agents |= {task_id: background is True} if background is not False else {}
            case TaskEnded(task_id=task_id) if task_id in self._agents:
                # Where the CLI does not tell (2.1.197), an agent that ends within its turn was part of it.
                self._waking = self._agents.pop(task_id) or not self._running
        return []

    def receipt(self, command: AnyCommand, receipt: Receipt) -> list[AnyCommand]:
        """What follows from a receipt: a prompt that was refused ends it, since the next one may build on it."""
        match command, receipt:
            case Prompt(), Refused():
                self._running = False
                return self.end()
            case _:
                return []

    def interrupt(self) -> list[AnyCommand]:
        """Ctrl-C: the turn and the prompts that were to come; the second time the session."""
        if self._interrupted or not self._running:
            return self.end()
        self._interrupted = True
        self._prompts.clear()
        return [Interrupt(command_id=self._new_id(), surface=SURFACE)]

    def end(self) -> list[AnyCommand]:
        """It is over; once."""
        if self._ending:
            return []
        self._ending = True
        return [End(command_id=self._new_id(), surface=SURFACE)]

    def _go_on(self) -> list[AnyCommand]:
        if self._prompts and not self._ending:
            self._running = True
            text = self._prompts.pop(0)
            return [Prompt(command_id=self._new_id(), text=text, surface=SURFACE, with_reason=True)]
        return [] if self._agents or self._waking else self.end()

    def _decide(self, ask: PermissionRequest) -> Decide:
        return Decide(
            command_id=self._new_id(),
            pending_id=ask.pending_id,
            decision=self._script.answer(ask),
            input_hash=ask.input_hash,
            surface=SURFACE,
        )
