"""The open asks of a session: who may answer one, who did, and the wait for it.

An ask is answered by compare-and-set: of two people, a callback, a clock and the CLI itself exactly one wins, and the
others learn who. What an answer is made of stands in ``verbs.py``; that an ask is open at all is said by the CLI's
lines, never by a surface that shows it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any, Final, Literal, Protocol, TypeAlias

from bascule.commands import AllowAlways, ApprovePlan, Decision, Deny, Receipt, Refused, Taken, TooLate
from bascule.errors import BasculeError, OptionError
from bascule.events import PermissionCancelled, PermissionRequest, PermissionResolved
from bascule.ids import PendingId
from bascule.policy.grants import Grant, granted
from bascule.recording import Decided, Expired, Noticed
from bascule.session.held import edits_accepted
from bascule.session.hooks import Keep, OnAsk, consult
from bascule.session.line import Line
from bascule.session.outline import NARROWED, Choice, Outline, narrowed
from bascule.session.past import Past
from bascule.session.verbs import Question, Reply, reply_to
from bascule.wire.control import CanUseTool
from bascule.wire.permissions import Allow, PermissionUpdate

log = logging.getLogger("bascule.session")

EXPIRED: Final = "Nobody answered in time, so this counts as refused. Do not wait for an answer; go on without it."
MISFIT: Final = "the program that answers for the user gave no answer that fits, so nobody allowed this"


Accept: TypeAlias = Callable[[tuple[PermissionUpdate, ...]], Awaitable[None]]


class Give(Protocol):
    """Has calls judged with ``grants`` from now on, which ``decision`` gave."""

    def __call__(
        self, grants: tuple[Grant, ...], decision: Decision, *, by: str | None, surface: str | None
    ) -> None: ...


class Vet(Protocol):
    """Judges the call that would run in place of the one that ``question`` asks about: why it may not; None: it may."""

    def __call__(self, question: CanUseTool, given: Mapping[str, Any]) -> Refused | None: ...


class State(Enum):
    """Where an ask is."""

    OPEN = "open"
    CLAIMED = "claimed"
    """Somebody is answering; nobody else may."""
    SETTLED = "settled"


Move: TypeAlias = Literal["claimed", "written", "undone", "withdrawn", "lost"]

TABLE: Final[dict[State, dict[Move, State]]] = {
    State.OPEN: {"claimed": State.CLAIMED, "withdrawn": State.SETTLED, "lost": State.SETTLED},
    State.CLAIMED: {
        "written": State.SETTLED,
        "undone": State.OPEN,
        "withdrawn": State.SETTLED,
        "lost": State.SETTLED,
    },
    State.SETTLED: {},
}
"""Expiry is no move of its own: the clock claims, writes a denial, and has then won like anybody else."""


class Ask:
    """One question to a person, from the CLI's request to its end."""

    def __init__(self, event: PermissionRequest, question: Question) -> None:
        self.event = event
        self.question = question
        self.state = State.OPEN
        self.winner = ""
        """Who is answering or has answered, in words for people; what ended it, if nobody did."""
        self.settled = asyncio.Event()
        self.waiter: asyncio.Task[object] | None = None
        """Who waits for the answer; stopped when somebody else gave it."""
        self.left_s: float | None = None
        """How long it waits from when it was opened here; None: as long as any ask, since it is new."""
        self.overdue = False
        """Its time is over; if it is open all the same, it is to be denied at once."""

    def move(self, move: Move, winner: str | None = None) -> bool:
        """Make a move; False, and nothing changes, when the state does not know it."""
        state = TABLE[self.state].get(move)
        if state is None:
            return False
        self.state = state
        self.winner = self.winner if winner is None else winner
        if state is State.SETTLED:
            self._settle()
        return True

    def _settle(self) -> None:
        self.settled.set()
        if self.waiter is not None and self.waiter is not asyncio.current_task():
            self.waiter.cancel()


class Asks:
    """All asks of a session. Settled ones stay, since whoever is late is told who won."""

    def __init__(
        self,
        line: Line,
        *,
        governs: bool,
        on_ask: OnAsk | None,
        timeout_s: float | None,
        keep: Keep,
        grant: Give,
        outline: Outline,
        accept: Accept,
        vet: Vet,
        stood: Callable[[Question], str],
    ) -> None:
        """``governs``: *always* is a grant of ours, else it is a rule of the CLI's. ``outline`` knows the plans that
        were denied before they were opened here.

        ``keep`` is given a grant before the answer, and may raise; ``grant`` after it, and from then on it holds.
        ``accept`` is told before the answer what the CLI is to remember. ``vet`` judges a call that a person edited;
        ``stood`` tells the folder that a grant for a call is held to.
        """
        self._line = line
        self._governs = governs
        self._on_ask = on_ask
        self._timeout_s = timeout_s
        self._keep = keep
        self._grant = grant
        self._outline = outline
        self._accept = accept
        self._vet = vet
        self._stood = stood
        self._all: dict[PendingId, Ask] = {}
        self._settled: Mapping[PendingId, PermissionResolved | PermissionCancelled] = {}
        """Those of another host."""
        self._waited_for: frozenset[PendingId] = frozenset()
        """Those that were open when it left; their time goes on."""
        self.untold: str | None = None
        """What was denied and why, where the turn was stopped with it and no prompt has been written since."""

    def open(self, event: PermissionRequest, question: Question) -> Ask:
        """The CLI asks. Somebody must ``wait`` for the answer."""
        ask = self._all[event.pending_id] = Ask(event, question)
        if event.pending_id in self._waited_for and event.expires_at is not None:
            ask.left_s = event.expires_at / 1000 - time.time()
        return ask

    def goes_on(self, past: Past) -> None:
        """After another host: who settled which ask, and what was denied why when that stopped the turn."""
        self._settled = dict(past.settled)
        self._waited_for = frozenset(self._line.fold.open_asks)
        self.untold = None if past.stopped is None else _stopped(*past.stopped)

    def withdraw(self, pending_id: PendingId) -> None:
        """The CLI needs no answer any more."""
        if ask := self._all.get(pending_id):
            ask.move("withdrawn", "withdrawn")

    def drop(self, pending_id: PendingId) -> Question | None:
        """It is over without a word of the CLI's; what was asked, where somebody could still answer it."""
        ask = self._all.get(pending_id)
        return ask.question if ask is not None and ask.move("withdrawn", "over with the turn or the call") else None

    def lose(self) -> None:
        """The process is gone."""
        for ask in self._all.values():
            ask.move("lost", "lost with the process")

    async def wait(self, ask: Ask) -> None:
        """Ask the callback, if there is one, and watch the clock, until somebody has answered. In a task of its own."""
        ask.waiter = asyncio.current_task()
        left_s = self._timeout_s if ask.left_s is None else ask.left_s
        if left_s is not None and left_s <= 0:
            return self._expire(ask)
        try:
            async with asyncio.timeout(left_s):
                if self._on_ask is not None and not ask.settled.is_set():
                    await self._consult(ask, self._on_ask)
                await ask.settled.wait()
        except TimeoutError:
            self._expire(ask)

    async def decide(
        self,
        pending_id: PendingId,
        decision: Decision,
        *,
        input_hash: str | None = None,
        by: str | None = None,
        surface: str | None = None,
    ) -> Receipt:
        """Answer an ask. The first decision wins; a later one is ``TooLate`` and names the winner.

        ``input_hash``: what was shown; ``Refused`` when it was something else. Taken means written to the CLI, never
        less. Cancelled or failed before that, the ask is open again.
        """
        ask = self._all.get(pending_id)
        if ask is None:
            return self._early(pending_id, Choice(decision, by, surface)) or self._of_another_host(pending_id)
        if input_hash not in (None, ask.event.input_hash):
            return Refused(reason="this is not the call that was shown: look at it again")
        reply = self._reply(ask, decision)
        if isinstance(reply, Refused):
            return reply
        grants = self._grants(decision, ask, by)
        if isinstance(grants, Refused):
            return grants
        if not ask.move("claimed", _winner(reply.outcome, by, surface)):
            return TooLate(winner=ask.winner)
        try:
            await self._remember(reply, grants)
            receipt = self._write(ask, reply, by, surface)
        except BaseException:
            if ask.move("undone", "") and ask.overdue:
                self._expire(ask)
            raise
        if isinstance(receipt, Taken) and grants:
            self._grant(grants, decision, by=by, surface=surface)
        return self._too_late(receipt, grants)

    def _early(self, pending_id: PendingId, choice: Choice) -> Receipt | None:
        """A decision on a plan that was sent back unasked."""
        receipt = self._outline.choose(pending_id, choice)
        if isinstance(receipt, Taken) and narrowed(choice.decision) != choice.decision:
            self._line.note(Noticed(level="notice", text=NARROWED))
        return receipt

    def _reply(self, ask: Ask, decision: Decision) -> Reply | Refused:
        """The answer, unless it would have another call run than the one asked about, and that one may not."""
        reply = reply_to(ask.event, ask.question, decision, governs=self._governs)
        match ask.question, reply:
            case CanUseTool() as question, Reply(answer=Allow(updated_input=given), edited=True):
                return self._vet(question, given) or reply
        return reply

    async def _remember(self, reply: Reply, grants: tuple[Grant, ...]) -> None:
        """Have kept what goes beyond the call. Raises what ``keep`` raises, and then nothing may be allowed."""
        for grant in grants:
            await self._keep(grant)
        if isinstance(reply.answer, Allow) and reply.answer.updated_permissions:
            await self._accept(reply.answer.updated_permissions)

    def _of_another_host(self, pending_id: PendingId) -> Receipt:
        match self._settled.get(pending_id):
            case PermissionResolved(outcome=outcome, by=by, surface=surface):
                return TooLate(winner=_winner(outcome, by, surface))
            case PermissionCancelled(cause=cause):
                return TooLate(winner="lost with the process" if cause == "lost" else cause)
        return Refused(reason=f"there is no ask {pending_id}")

    def _too_late(self, receipt: Receipt, grants: tuple[Grant, ...]) -> Receipt:
        """A decision that came too late grants nothing in this session; what outlives it was kept by then."""
        if isinstance(receipt, TooLate) and (kept := [str(g.rule) for g in grants if g.scope != "session"]):
            return TooLate(winner=f"{receipt.winner}; {', '.join(kept)} is kept all the same")
        return receipt

    def _grants(self, decision: Decision, ask: Ask, by: str | None) -> tuple[Grant, ...] | Refused:
        """What the decision allows beyond this call, as grants; none where the CLI keeps that by itself."""
        match decision:
            case AllowAlways(until=until) if until is not None and not self._governs:
                return Refused(reason="a rule of Claude Code's has no end: leave the end out, or use trust")
            case AllowAlways(rule=rule, scope=scope, until=until) if self._governs and ask.event.ask == "tool":
                try:
                    return (granted(rule, scope=scope, by=by, until=until, folder=self._stood(ask.question)),)
                except OptionError as exc:
                    return Refused(reason=str(exc))
            case ApprovePlan(then="accept_edits") if self._governs:
                return edits_accepted()
        return ()

    def _write(self, ask: Ask, reply: Reply, by: str | None, surface: str | None) -> Receipt:
        if ask.state is State.SETTLED:
            return TooLate(winner=ask.winner)
        note = Decided(
            pending_id=ask.event.pending_id,
            outcome=reply.outcome,
            by=by,
            surface=surface,
            reason=reply.reason,
            rule=reply.rule,
            scope=reply.scope,
            edited=reply.edited,
            outlines=reply.outlines,
        )
        if not self._line.answer(ask.event.pending_id, reply.answer, note):
            ask.move("lost", "the CLI takes no answer any more")
            return TooLate(winner=ask.winner)
        ask.move("written")
        if reply.outcome == "denied_stop" and reply.reason:
            self.untold = _stopped(ask.event.title, reply.reason)
        return Taken()

    def of_agent(self, pending_id: PendingId) -> bool:
        """Whether a subagent's call is asked about."""
        ask = self._all.get(pending_id)
        return ask is not None and ask.event.agent_id is not None

    def with_reason(self, text: str) -> str:
        """A prompt that begins with what the CLI kept from the model."""
        return text if self.untold is None else f"{self.untold}\n\n{text}"

    async def _consult(self, ask: Ask, on_ask: OnAsk) -> None:
        decision = await consult(on_ask, ask.event)
        if decision is None:
            return
        try:
            receipt = await self.decide(ask.event.pending_id, decision, surface="api")
        except BasculeError as exc:  # what it grants cannot be kept
            receipt = Refused(reason=str(exc))
        if isinstance(receipt, Refused):
            log.error("on_ask about %s: %s; it is denied", ask.event.tool_name, receipt.reason)
            await self.decide(ask.event.pending_id, Deny(reason=MISFIT), surface="api")

    def _expire(self, ask: Ask) -> None:
        ask.overdue = True
        reply = reply_to(ask.event, ask.question, Deny(reason=EXPIRED), governs=self._governs)
        if isinstance(reply, Reply) and ask.move("claimed", "expired"):
            written = self._line.answer(ask.event.pending_id, reply.answer, Expired(pending_id=ask.event.pending_id))
            ask.move("written" if written else "lost")


def _stopped(what: str, why: str) -> str:
    return f"I denied this and stopped you: {what}\nMy reason: {why}"


def _winner(outcome: str, by: str | None, surface: str | None) -> str:
    """``allowed by Anna (web)``."""
    words = (outcome.replace("_", " "), f"by {by}" if by else "", f"({surface})" if surface else "")
    return " ".join(filter(None, words))
