"""A conversation as a double: it plays turns, waits for answers, and ends, as a session does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import msgspec

from bascule.commands import AnyCommand, Decide, End, Interrupt, Prompt, Receipt, Refused, Taken, TooLate
from bascule.events import (
    AnyEvent,
    Complete,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    SessionEnded,
    TurnStarted,
    is_passing,
)
from bascule.ids import PendingId, PromptId

OUTCOMES = {"allow_once": "allowed", "allow_always": "allowed_always", "deny": "denied", "deny_and_stop": "denied_stop"}


class Rehearsal:
    """Each prompt plays the next turn; an ask in it holds the turn until it is answered."""

    def __init__(self, *turns: Sequence[AnyEvent], refuses: str = "") -> None:
        self.commands: list[AnyCommand] = []
        self._turns = [list(turn) for turn in turns]
        self._refuses = refuses
        self._events: list[AnyEvent] = []
        self._rest: list[AnyEvent] = []
        self._open: set[PendingId] = set()
        self._running = False
        self._ended = False
        self._news = asyncio.Condition()

    async def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        at = after
        while True:
            while at < len(self._events):
                yield self._events[at]
                at += 1
            if self._ended:
                return
            async with self._news:
                await self._news.wait_for(lambda at=at: at < len(self._events) or self._ended)  # type: ignore[misc]

    async def send(self, command: AnyCommand) -> Receipt:
        self.commands.append(command)
        match command:
            case Prompt():
                return await self._prompted(command)
            case Decide(pending_id=pending_id) if pending_id not in self._open:
                return TooLate(winner="withdrawn")
            case Decide():
                await self._decided(command)
            case Interrupt():
                await self.stop("interrupted")
            case End():
                await self.end()
        return Taken()

    async def tell(self, *events: AnyEvent) -> None:
        """Something happens."""
        for event in events:
            numbered = event if is_passing(event) else msgspec.structs.replace(event, seq=len(self._events) + 1)
            self._events.append(numbered)
        async with self._news:
            self._news.notify_all()

    async def end(self, ending: SessionEnded | None = None) -> None:
        """The session is over."""
        if not self._ended:
            self._ended = True
            await self.tell(ending or SessionEnded(cause="ended", exit_code=0))

    async def _prompted(self, prompt: Prompt) -> Receipt:
        if self._refuses:
            return Refused(reason=self._refuses)
        prompt_id = PromptId(f"p{len(self.commands)}")
        if self._running:
            await self.tell(PromptAccepted(prompt_id=prompt_id, text=prompt.text, disposition="steered"))
            return Taken(prompt_id=prompt_id)
        self._running = True
        self._rest = self._turns.pop(0) if self._turns else [Complete(outcome="success")]
        await self.tell(PromptAccepted(prompt_id=prompt_id, text=prompt.text), TurnStarted(cause="prompt"))
        await self._go_on()
        return Taken(prompt_id=prompt_id)

    async def _go_on(self) -> None:
        while self._rest and not self._open:
            event = self._rest.pop(0)
            if isinstance(event, PermissionRequest):
                self._open.add(event.pending_id)
            if isinstance(event, Complete):
                self._running = False
            await self.tell(event)

    async def _decided(self, command: Decide) -> None:
        self._open.discard(command.pending_id)
        verb = command.decision.__struct_config__.tag
        outcome = OUTCOMES.get(str(verb), "answered")
        reason = getattr(command.decision, "reason", None)
        resolved = {"pending_id": command.pending_id, "outcome": outcome, "reason": reason, "waited_ms": 0}
        await self.tell(msgspec.convert(resolved, PermissionResolved))
        if outcome == "denied_stop":
            await self.stop("interrupted")
        else:
            await self._go_on()

    async def stop(self, outcome: str) -> None:
        """The running turn ends with `outcome`."""
        gone = [PermissionCancelled(pending_id=pending_id, cause="interrupted") for pending_id in self._open]
        self._open.clear()
        self._rest.clear()
        if self._running:
            self._running = False
            await self.tell(*gone, msgspec.convert({"outcome": outcome}, Complete))
