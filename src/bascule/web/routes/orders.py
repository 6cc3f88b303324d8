"""Commands, as any and as the two that are asked for most; asks, and what is asked about them."""

from __future__ import annotations

from typing import Final

import msgspec
from litestar import get, post
from litestar.params import FromQuery, JSONBody

from bascule.commands import Decide, Decision, HubCommand, Receipt, Start
from bascule.conversation import Explained, OpenAsk, RulePreview
from bascule.ids import CommandId, PendingId
from bascule.web.auth import visitor_of
from bascule.web.orders import Orders
from bascule.web.problems import PROBLEMS
from bascule.web.routes.parameters import Asked, Hub, Pending, Session
from bascule.web.stored import facts_of


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A decision on an ask, as ``decide`` carries it."""

    command_id: CommandId
    decision: Decision
    input_hash: str | None = None
    """As seen; a difference is refused. Null: not checked."""
    hold_ms: int = 0
    """The answer is written so much later, and ``undo`` takes it back until then."""


@post("/commands", status_code=200, role="viewer", responses=PROBLEMS)
async def command(request: Asked, data: JSONBody[HubCommand]) -> Receipt:
    """Any command. Which role it takes depends on what it does."""
    return await _orders(request).carry_out(visitor_of(request), data)


@post("/sessions", status_code=200, role="owner", responses=PROBLEMS)
async def start(request: Asked, data: JSONBody[Start]) -> Receipt:
    """Begin a session: the command ``start``."""
    return await _orders(request).carry_out(visitor_of(request), data)


@post("/sessions/{session:str}/asks/{pending:str}", status_code=200, role="approver", responses=PROBLEMS)
async def decide(request: Asked, session: Session, pending: Pending, data: JSONBody[Answer]) -> Receipt:
    """Answer an ask: the command ``decide``. One answer counts; any other is told who was first."""
    made = Decide(
        command_id=data.command_id,
        session=session,
        pending_id=pending,
        decision=data.decision,
        input_hash=data.input_hash,
        hold_ms=data.hold_ms,
    )
    return await _orders(request).carry_out(visitor_of(request), made)


@get("/asks", responses=PROBLEMS)
async def asks(hub: Hub) -> tuple[OpenAsk, ...]:
    """All asks that wait, in whichever session, the oldest first."""
    return await hub.asks()


@get("/sessions/{session:str}/asks/{pending:str}/why", responses=PROBLEMS)
async def explain(hub: Hub, session: Session, pending: Pending) -> Explained:
    """Why this is asked."""
    await facts_of(hub, session)
    return await hub.explain(session, pending)


@get("/sessions/{session:str}/preview", responses=PROBLEMS)
async def preview(
    hub: Hub, session: Session, rule: FromQuery[str], pending: FromQuery[PendingId | None] = None
) -> RulePreview:
    """What a rule would mean: what it would also have covered, and what it never covers."""
    await facts_of(hub, session)
    return await hub.preview(session, pending, rule)


def _orders(request: Asked) -> Orders:
    orders: Orders = request.app.state.orders
    return orders


ROUTES: Final = (command, start, decide, asks, explain, preview)
