"""In a session whose policy is plan, the next prompt is planned again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bascule.commands import ApprovePlan, Deny, Taken
from bascule.events import Complete, Error, Notice, PermissionRequest, SessionEnded
from bascule.ids import PendingId
from bascule.session.prompts import PromptHandle
from bascule.session.session import Session
from tests.session.far_end import FarEnd
from tests.session.live import live, seen

R1 = PendingId("r1")


@asynccontextmanager
async def planning(far: FarEnd, **options: Any) -> AsyncIterator[tuple[Session, PromptHandle]]:
    """A session that asks for approval of a plan."""
    async with live(far, **{"policy": "plan", **options}) as session:
        handle = await session.prompt("Plan it")
        far.begins(handle.prompt_id)
        far.on_interrupt = lambda: far.result(handle.prompt_id, is_error=True, terminal_reason="aborted_tools")
        far.asks("r1", "ExitPlanMode", plan="1.")
        await seen(session, PermissionRequest)
        yield session, handle


async def test_after_an_approved_plan_the_mode_is_plan_again_before_the_next_prompt() -> None:
    far = FarEnd()
    async with planning(far) as (session, handle):
        assert await session.decide(R1, ApprovePlan()) == Taken()
        far.result(handle.prompt_id)
        await handle
        following = await session.prompt("And now")
        written = [line["request"]["subtype"] if "request" in line else line["type"] for line in far.heard]
        assert written[-2:] == ["set_permission_mode", "user"]
        assert far.requests("set_permission_mode") == [{"subtype": "set_permission_mode", "mode": "plan"}]
        far.turn(following.prompt_id)
        await following
    assert len(far.requests("set_permission_mode")) == 1


async def test_a_plan_that_was_not_approved_changes_nothing() -> None:
    far = FarEnd()
    async with planning(far) as (session, handle):
        await session.decide(R1, Deny())
        far.result(handle.prompt_id)
        await handle
        await session.idle()
    assert not far.requests("set_permission_mode")


async def test_under_another_policy_an_approved_plan_stays_approved() -> None:
    far = FarEnd()
    async with planning(far, policy="supervised") as (session, handle):
        await session.decide(R1, ApprovePlan())
        far.result(handle.prompt_id)
        await handle
        await session.idle()
    assert not far.requests("set_permission_mode")


async def test_background_work_of_the_turn_is_let_finish_first() -> None:
    far = FarEnd()
    async with planning(far) as (session, handle):
        await session.decide(R1, ApprovePlan())
        far.says({"type": "system", "subtype": "task_started", "task_id": "b1", "task_type": "local_agent"})
        far.result(handle.prompt_id)
        await handle
        await seen(session, Notice, lambda notice: "not back in plan mode" in notice.text)
        assert not far.requests("set_permission_mode")
        far.says({"type": "system", "subtype": "task_notification", "task_id": "b1", "status": "completed"})
        await far.asked("set_permission_mode")
    assert len(far.requests("set_permission_mode")) == 1


async def test_rather_than_going_on_unplanned_the_session_ends() -> None:
    far = FarEnd()
    far.refuses["set_permission_mode"] = "busy"
    async with planning(far) as (session, handle):
        await session.decide(R1, ApprovePlan())
        far.result(handle.prompt_id)
        await handle
        assert (await seen(session, Error)).kind == "plan"
        assert (await seen(session, SessionEnded)).cause == "ended"


async def test_what_an_approval_allowed_holds_until_the_next_plan() -> None:
    far = FarEnd()

    async def judged(request_id: str) -> str:
        far.calls_hook(request_id, "bascule:policy", "PreToolUse", tool_name="Write", tool_input={"file_path": "a.py"})
        answer = await far.answered(request_id)
        return str(answer["response"]["hookSpecificOutput"]["permissionDecision"])

    async with planning(far, policy="supervised") as (session, handle):
        await session.decide(R1, ApprovePlan(then="accept_edits"))
        assert await judged("h1") == "allow"
        far.says({"type": "system", "subtype": "status", "status": None, "permissionMode": "plan"})
        assert await judged("h2") == "deny"
        far.says({"type": "system", "subtype": "status", "status": None, "permissionMode": "default"})
        assert await judged("h3") == "ask"
        far.result(handle.prompt_id)
        await handle


@pytest.mark.parametrize("decision", [ApprovePlan(), Deny()])
async def test_a_session_that_dies_meanwhile_just_ends(decision: Any) -> None:
    far = FarEnd()
    far.silent_about.add("set_permission_mode")
    async with planning(far) as (session, handle):
        await session.decide(R1, decision)
        far.result(handle.prompt_id)
        await handle
        far.pipe.exits(1)
        await seen(session, SessionEnded)
        await asyncio.wait_for(session.idle(), 1)
    assert session.ended


async def test_a_reader_that_prompts_on_complete_comes_after_the_mode() -> None:
    far = FarEnd()
    async with planning(far) as (session, handle):
        await session.decide(R1, ApprovePlan())
        far.result(handle.prompt_id)
        await seen(session, Complete)
        following = await session.prompt("And now")
        written = [line["request"]["subtype"] if "request" in line else line["type"] for line in far.heard]
        assert written[-2:] == ["set_permission_mode", "user"]
        far.turn(following.prompt_id)
        await following


@pytest.mark.parametrize("mode", ["acceptEdits", "bypassPermissions", "default"])
async def test_a_subagent_with_a_mode_of_its_own_does_not_leave_plan_mode(mode: str) -> None:
    far = FarEnd()
    async with planning(far, allow=("Edit",)) as (_, handle):
        far.says({"type": "system", "subtype": "status", "status": None, "permissionMode": "plan"})
        told = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}, "agent_id": "a1", "permission_mode": mode}
        far.calls_hook("h1", "bascule:policy", "PreToolUse", **told)
        output = (await far.answered("h1"))["response"]["hookSpecificOutput"]
        assert (output["permissionDecision"], "Plan first" in output["permissionDecisionReason"]) == ("deny", True)
        far.result(handle.prompt_id)
        await handle
