"""Asks under any order of events: people who decide and change their mind, clocks, withdrawals, a dying process.

Whatever happens, an ask gets at most one answer, exactly the one that somebody was told is taken, and ends once.
"""

import asyncio
from collections import Counter
from typing import Any, Literal, NamedTuple, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from bascule.commands import AllowAlways, AllowOnce, Decision, Deny, Receipt, Refused, Taken, TooLate
from bascule.errors import OptionError
from bascule.events import AnyEvent, PermissionCancelled, PermissionRequest, PermissionResolved
from bascule.ids import PendingId
from bascule.policy.grants import Grant
from bascule.session.session import Session
from tests.session.far_end import FarEnd
from tests.session.live import live, seen

What: TypeAlias = Literal[
    "ask again", "allow", "deny", "always", "keep", "cannot keep", "cancel", "withdraw", "let expire", "die"
]
ASKS = [PendingId("r1"), PendingId("r2")]


class Move(NamedTuple):
    what: What
    ask: PendingId


def decision(move: Move) -> Decision:
    """What somebody decides; *always* is about this ask alone, or the next one would be granted."""
    match move.what:
        case "allow":
            return AllowOnce()
        case "always":
            return AllowAlways(rule=f"Bash(make {move.ask})", scope="user")
    return Deny()


MOVES = st.lists(st.builds(Move, st.sampled_from(What.__args__), st.sampled_from(ASKS)), min_size=1, max_size=20)  # type: ignore[attr-defined]
"""An ask is made when a move first means it."""


class Race:
    """A session that asks, those who answer, and what is known of it from outside."""

    def __init__(self, far: FarEnd, *, expires: bool) -> None:
        self.far = far
        self.expires = expires
        self.asked: set[PendingId] = set()
        self.withdrawn: set[PendingId] = set()
        """Withdrawn before there was an answer."""
        self.crossed: set[PendingId] = set()
        """Their time was over after they were withdrawn, and before the session had read so."""
        self.deciding: list[tuple[Move, asyncio.Task[Receipt]]] = []
        self.keeping: list[asyncio.Future[None]] = []
        self.dead = False
        self._barriers = 0

    async def keep(self, grant: Grant) -> None:
        """Takes until a move says how it went."""
        self.keeping.append(asyncio.get_running_loop().create_future())
        await self.keeping[-1]

    async def make(self, move: Move, session: Session) -> None:
        ask = move.ask
        if ask not in self.asked and not self.dead:
            self.asked.add(ask)
            self.far.asks(ask, call=f"t-{ask}", command=f"make {ask}")
            await seen(session, PermissionRequest, lambda event: event.pending_id == ask)
        match move.what:
            case "ask again" if not self.dead:
                self.far.asks(ask, call=f"t-{ask}", command=f"make {ask}")
                await self.caught_up()
            case "allow" | "deny" | "always":
                deciding = asyncio.ensure_future(session.decide(ask, decision(move)))
                self.deciding.append((move, deciding))
                await asyncio.wait({deciding}, timeout=0)
            case "keep" | "cannot keep":
                await self.kept(works=move.what == "keep")
            case "cancel" if self.deciding:
                self.deciding[-1][1].cancel()
                await asyncio.wait({self.deciding[-1][1]}, timeout=0)
            case "withdraw" if not self.dead:
                if not self.answers(ask):
                    self.withdrawn.add(ask)
                self.far.withdraws(ask)
                await self.caught_up()
                self.crossed |= {ask for ask in self.withdrawn if self.answers(ask)}
                self.withdrawn -= self.crossed
            case "let expire" if self.expires and ask in self.asked and not self.busy():
                await ending(session, ask)
            case "die" if not self.dead:
                self.dead = True
                self.far.pipe.exits(1)

    async def kept(self, *, works: bool) -> None:
        """Whoever waits longest for its grant to be kept hears how it went."""
        waiting = [future for future in self.keeping if not future.done()]
        if waiting and works:
            waiting[0].set_result(None)
        elif waiting:
            waiting[0].set_exception(OptionError("the disk is full"))

    def busy(self) -> bool:
        """Somebody holds a claim."""
        return any(not deciding.done() for _, deciding in self.deciding)

    async def caught_up(self) -> None:
        """The session has read all that was said."""
        self._barriers += 1
        barrier = f"barrier {self._barriers}"
        self.far.requests_of(barrier, {"subtype": "nobody knows this"})
        await self.far.answered(barrier)

    def answers(self, ask: PendingId) -> list[dict[str, Any]]:
        lines = [line["response"] for line in self.far.of("control_response")]
        return [line for line in lines if line["request_id"] == ask]

    async def receipts(self) -> list[tuple[Move, Receipt]]:
        """What came of every decision that nobody took back and that could be kept."""
        while self.busy():
            await self.kept(works=True)
            await asyncio.wait({deciding for _, deciding in self.deciding}, timeout=0)
        done = [(move, deciding) for move, deciding in self.deciding if not deciding.cancelled()]
        failures = [deciding.exception() for _, deciding in done]
        assert all(failure is None or isinstance(failure, OptionError) for failure in failures), failures
        return [(move, deciding.result()) for move, deciding in done if deciding.exception() is None]

    async def finish(self, session: Session) -> list[tuple[Move, Receipt]]:
        """The receipts of all, once every ask that is still open has been answered: one that hangs would not be."""
        receipts = await self.receipts()
        for ask in self.asked:
            if self.dead:
                break
            if ask in self.withdrawn:
                late = await session.decide(ask, Deny())
                assert isinstance(late, TooLate)
                assert late.winner == "withdrawn"
            elif self.expires:
                await ending(session, ask)
            elif not self.answers(ask):
                receipts.append((Move("deny", ask), await session.decide(ask, Deny())))
                assert receipts[-1][1] == Taken()
        return receipts


def endings(events: list[AnyEvent]) -> list[PermissionResolved | PermissionCancelled]:
    return [event for event in events if isinstance(event, PermissionResolved | PermissionCancelled)]


async def ending(session: Session, ask: PendingId) -> None:
    """Returns when the ask has ended."""
    async for event in session.events():
        if isinstance(event, PermissionResolved | PermissionCancelled) and event.pending_id == ask:
            return


@settings(deadline=None, max_examples=200)
@given(moves=MOVES, expires=st.booleans())
async def test_L16_L17_L19_L20_L23_an_ask_gets_at_most_one_answer_and_ends_once(
    moves: list[Move], expires: bool
) -> None:
    race = Race(FarEnd(), expires=expires)
    options: dict[str, Any] = {"keep_grant": race.keep, "ask_timeout_s": 0.001 if expires else None}
    async with live(race.far, **options) as session:
        for move in moves:
            await race.make(move, session)
        receipts = await race.finish(session)
    events = [event async for event in session.events()]
    ended = Counter(event.pending_id for event in endings(events))
    assert ended == Counter(race.asked)
    for ask in race.asked:
        taken = [move.what for move, receipt in receipts if move.ask == ask and receipt == Taken()]
        answers = race.answers(ask)
        assert len(taken) <= 1
        assert len(answers) == (1 if ask in race.crossed else len(taken) + expired(events, ask)) <= 1
        assert not (answers and ask in race.withdrawn)
        if taken:
            assert answers[0]["response"]["behavior"] == ("deny" if taken == ["deny"] else "allow")
        elif answers:
            assert answers[0]["response"]["behavior"] == "deny"
    assert all(isinstance(receipt, Taken | TooLate | Refused) for _, receipt in receipts)


def expired(events: list[AnyEvent], ask: PendingId) -> int:
    """How often its time was over before anybody answered."""
    return sum(
        isinstance(event, PermissionCancelled) and event.pending_id == ask and event.cause == "expired"
        for event in events
    )
