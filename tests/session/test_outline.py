"""A plan that is to be written out first."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bascule.commands import (
    AllowOnce,
    ApprovePlan,
    Decision,
    Deny,
    DiscussPlan,
    OutlinePlan,
    Refused,
    Taken,
    TooLate,
)
from bascule.events import AnyEvent, Notice, PermissionRequest, PermissionResolved
from bascule.ids import PendingId
from bascule.payload import ShowPlan
from bascule.policy.policies import OUTLINE_CHARS
from bascule.session.outline import EARLY, NARROWED, NOT_WRITTEN, RULE, WRITE_IT
from bascule.session.prompts import PromptHandle
from bascule.session.session import Session
from bascule.session.verbs import DISCUSS, OUTLINE
from tests.session.far_end import FarEnd
from tests.session.live import back, hosted, live, seen

R1, R2, R3 = PendingId("r1"), PendingId("r2"), PendingId("r3")
PLAN = "1. Read it. " * 20


@asynccontextmanager
async def outlining(far: FarEnd, **options: Any) -> AsyncIterator[tuple[Session, PromptHandle]]:
    """A session whose plan a person has just sent back to be written out."""
    async with live(far, **{"policy": "plan", **options}) as session:
        handle = await session.prompt("Plan it")
        far.begins(handle.prompt_id)
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        far.asks("r1", "ExitPlanMode")
        await seen(session, PermissionRequest)
        assert await session.decide(R1, OutlinePlan()) == Taken()
        yield session, handle


async def asked(session: Session, pending_id: PendingId) -> PermissionRequest:
    return await seen(session, PermissionRequest, lambda event: event.pending_id == pending_id)


async def resolved(session: Session, pending_id: PendingId) -> PermissionResolved:
    return await seen(session, PermissionResolved, lambda event: event.pending_id == pending_id)


async def seen_by_now(session: Session) -> list[AnyEvent]:
    """The lasting events so far."""
    last, events = session.last_seq, []
    async for event in session.events():
        events.append(event)
        if event.seq == last:
            break
    return events


def said(answer: dict[str, Any]) -> dict[str, Any]:
    """What the CLI was told, without its envelope."""
    body: dict[str, Any] = answer["response"]
    return body


async def test_L27_a_plan_that_was_written_out_waits_for_its_person() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        assert said(await far.answered("r1"))["message"] == OUTLINE
        far.text(PLAN)
        far.asks("r2", "ExitPlanMode", call="t2")
        event = await asked(session, R2)
        assert event.normalized == ShowPlan(plan=PLAN)
        assert far.answer("r2") is None
        assert await session.decide(R2, ApprovePlan()) == Taken()


async def test_a_plan_that_is_not_there_yet_is_sent_back_at_once() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.text("x" * (OUTLINE_CHARS - 1))
        far.asks("r2", "ExitPlanMode", call="t2")
        assert said(await far.answered("r2")) == {"behavior": "deny", "message": WRITE_IT}
        event = await resolved(session, R2)
        assert (event.by, event.rule, event.reason, event.choosable) == ("policy", RULE, NOT_WRITTEN, True)


async def test_how_long_an_outline_must_be_is_the_users_to_say() -> None:
    far = FarEnd()
    async with outlining(far, outline_min_chars=10) as (session, _):
        far.text("x" * 10)
        far.asks("r2", "ExitPlanMode", call="t2")
        assert (await asked(session, R2)).normalized == ShowPlan(plan="x" * 10)
        await session.decide(R2, Deny())


async def test_a_plan_in_the_request_needs_no_outline() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.asks("r2", "ExitPlanMode", call="t2", plan=PLAN)
        assert (await asked(session, R2)).normalized == ShowPlan(plan=PLAN)
        await session.decide(R2, Deny())
        assert said(await far.answered("r2"))["message"] != WRITE_IT


async def test_another_call_is_asked_about_meanwhile() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.asks("r2", "Bash", call="t2", command="make")
        await asked(session, R2)
        assert await session.decide(R2, AllowOnce()) == Taken()
        far.asks("r3", "ExitPlanMode", call="t3")
        assert said(await far.answered("r3"))["message"] == WRITE_IT


@pytest.mark.parametrize("returns", [False, True], ids=["one host", "another host"])
async def test_a_plan_that_is_not_written_is_sent_back_three_times_and_then_a_persons(returns: bool) -> None:
    far = FarEnd()
    async with hosted(far, policy="plan") as session:
        handle = await session.prompt("Plan it")
        far.begins(handle.prompt_id)
        far.asks("r1", "ExitPlanMode")
        await seen(session, PermissionRequest)
        for wanted in ("r1", "r6"):
            assert await session.decide(PendingId(wanted), OutlinePlan()) == Taken()
            first = int(wanted[1:]) + 1
            for number in range(first, first + EARLY):
                far.asks(f"r{number}", "ExitPlanMode", call=f"t{number}")
                assert said(await far.answered(f"r{number}"))["message"] == WRITE_IT
            if wanted == "r1":
                far.asks("r6", "ExitPlanMode", call="t6")
                await asked(session, PendingId("r6"))
                assert far.answer("r6") is None
        if not returns:
            await is_asked(far, session)
    if returns:
        async with back(far, policy="plan") as session:
            await is_asked(far, session)


async def is_asked(far: FarEnd, session: Session) -> None:
    """The next request waits for a person."""
    far.asks("r10", "ExitPlanMode", call="t10")
    await asked(session, PendingId("r10"))
    assert far.answer("r10") is None
    assert await session.decide(PendingId("r10"), Deny()) == Taken()


@pytest.mark.parametrize("choice", [ApprovePlan(), ApprovePlan(then="accept_edits"), DiscussPlan(), Deny(reason="no")])
async def test_a_choice_that_was_made_meanwhile_answers_the_next_request(choice: Decision) -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.asks("r2", "ExitPlanMode", call="t2")
        await far.answered("r2")
        assert await session.decide(R2, choice, by="Anna", surface="web") == Taken()
        assert await session.decide(R2, Deny()) == TooLate(winner="decided by Anna, for the next request")
        far.asks("r3", "ExitPlanMode", call="t3")
        answer = said(await far.answered("r3"))
        event = await resolved(session, R3)
        assert (event.by, event.surface, event.choosable) == ("Anna", "web", False)
        match choice:
            case ApprovePlan(then=then):
                assert answer["updatedPermissions"][0]["mode"] == "default"
                told = [event.text for event in await seen_by_now(session) if isinstance(event, Notice)]
                assert told == ([] if then == "ask" else [NARROWED])
                assert not session.grants
            case DiscussPlan():
                assert answer["message"] == DISCUSS
            case _:
                assert answer["message"] == "no"


async def test_a_choice_holds_over_one_end_of_a_turn_and_not_over_two() -> None:
    far = FarEnd()
    async with outlining(far) as (session, handle):
        far.asks("r2", "ExitPlanMode", call="t2")
        await far.answered("r2")
        assert await session.decide(R2, ApprovePlan()) == Taken()
        far.result(handle.prompt_id)
        await handle
        second = await session.prompt("Well?")
        far.turn(second.prompt_id)
        await second
        third = await session.prompt("And now?")
        far.begins(third.prompt_id)
        far.on_interrupt = lambda: far.aborts(third.prompt_id)
        far.asks("r3", "ExitPlanMode", call="t3", plan=PLAN)
        await asked(session, R3)
        assert far.answer("r3") is None
        assert await session.decide(R2, ApprovePlan()) == TooLate(winner=f"denied: {NOT_WRITTEN}")
        assert await session.decide(R3, Deny()) == Taken()


async def test_a_choice_holds_in_the_next_turn() -> None:
    far = FarEnd()
    async with outlining(far) as (session, handle):
        far.asks("r2", "ExitPlanMode", call="t2")
        await far.answered("r2")
        far.result(handle.prompt_id)
        await handle
        assert await session.decide(R2, ApprovePlan()) == Taken()
        second = await session.prompt("Well?")
        far.begins(second.prompt_id)
        far.on_interrupt = lambda: far.aborts(second.prompt_id)
        far.asks("r3", "ExitPlanMode", call="t3")
        assert said(await far.answered("r3"))["behavior"] == "allow"


async def test_what_does_not_decide_about_a_plan_is_refused() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.asks("r2", "ExitPlanMode", call="t2")
        await far.answered("r2")
        for decision in (OutlinePlan(), AllowOnce()):
            assert isinstance(await session.decide(R2, decision), Refused)
        assert await session.decide(PendingId("r9"), ApprovePlan()) == Refused(reason="there is no ask r9")


async def test_a_plan_that_is_asked_about_ends_the_waiting_for_a_choice() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.asks("r2", "ExitPlanMode", call="t2")
        await far.answered("r2")
        far.asks("r3", "ExitPlanMode", call="t3", plan=PLAN)
        await asked(session, R3)
        assert isinstance(await session.decide(R2, ApprovePlan()), TooLate)
        assert await session.decide(R3, ApprovePlan()) == Taken()


async def test_once_a_plan_was_decided_about_the_next_one_needs_no_outline() -> None:
    far = FarEnd()
    async with outlining(far) as (session, _):
        far.text(PLAN)
        far.asks("r2", "ExitPlanMode", call="t2")
        await asked(session, R2)
        await session.decide(R2, Deny(reason="shorter"))
        far.asks("r3", "ExitPlanMode", call="t3")
        assert (await asked(session, R3)).normalized == ShowPlan()
        assert await session.decide(R3, ApprovePlan()) == Taken()
