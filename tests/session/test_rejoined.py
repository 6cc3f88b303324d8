"""What a session is that was come back to, part by part; and that leaving one says nothing to its CLI."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import pytest

from bascule.commands import AllowOnce, ApprovePlan, Deny, DenyAndStop, Refused, SetMode, Taken, TooLate
from bascule.errors import LocalProtocolError, OptionError, SessionClosed
from bascule.events import AnyEvent, Complete, GrantEnded, Notice, PermissionCancelled, PermissionRequest, SessionEnded
from bascule.ids import CommandId, GrantId, PendingId, PromptId, SessionId
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import tool
from bascule.session.hooks import UserHook
from bascule.session.journal import Journal
from bascule.session.keeping import restored
from bascule.session.opening import session_over
from bascule.session.options import Options
from bascule.session.rejoining import rejoin
from bascule.session.watch import Limits
from tests.session.far_end import FarEnd
from tests.session.live import Endless, back, hosted, live, seen

POLICY = "bascule:policy"
R1 = PendingId("r1")


async def caught_up(far: FarEnd, name: str) -> None:
    """The session has read all that was said."""
    far.requests_of(name, {"subtype": "nobody knows this"})
    await far.answered(name)


async def running(far: FarEnd, **options: Any) -> PromptId:
    """A turn runs, and its host has left."""
    async with hosted(far, **options) as session:
        handle = await session.prompt("Do it")
        far.begins(handle.prompt_id)
        await caught_up(far, "running")
    return handle.prompt_id


async def asking(far: FarEnd, **options: Any) -> PromptId:
    """An ask is open, which a person has seen, and its host has left."""
    async with hosted(far, **options) as session:
        handle = await session.prompt("Do it")
        far.begins(handle.prompt_id)
        far.asks("r1", command="make it")
        await seen(session, PermissionRequest)
    return handle.prompt_id


def prompts_of(far: FarEnd) -> list[Any]:
    return [line["message"]["content"] for line in far.of("user")]


class TestLeaving:
    async def test_nothing_is_said_to_the_cli_and_whoever_waits_is_told(self) -> None:
        far = FarEnd()
        hook = Endless()
        far.silent_about.add("set_permission_mode")
        async with hosted(far, hooks=(UserHook(event="Stop", function=hook),)) as session:
            handle = await session.prompt("Do it")
            far.begins(handle.prompt_id)
            far.asks("r1", command="make it")
            await seen(session, PermissionRequest)
            far.calls_hook("h1", "bascule:0", "Stop")
            await hook.begun.wait()
            mode = asyncio.ensure_future(session.send(SetMode(command_id=CommandId("c"), mode="plan")))
            await far.asked("set_permission_mode")
            written = list(far.pipe.heard)
            await session.detach()
            with pytest.raises(SessionClosed, match="its CLI goes on"):
                await handle
            assert isinstance(await mode, Refused)
            assert isinstance(await session.decide(R1, AllowOnce()), TooLate)
            with pytest.raises(SessionClosed):
                await session.prompt("More")
            await session.detach()
            await session.close()
        assert hook.cancelled.is_set()
        assert far.pipe.heard == written
        assert far.pipe.signals == []
        assert far.pipe.write(("in", '{"type":"keep_alive"}')), "its stdin is open"
        assert PermissionCancelled not in {type(event) async for event in session.events()}

    async def test_the_end_of_the_session_is_told_to_nobody(self) -> None:
        far = FarEnd()
        ended: list[Any] = []

        async def hook(told: Any) -> None:
            ended.append(told)

        hooks = (UserHook(event="SessionEnd", function=hook),)
        async with hosted(far, hooks=hooks):
            pass
        assert ended == []
        async with back(far, hooks=hooks) as session:
            await session.end()
        assert len(ended) == 1

    async def test_a_process_of_our_own_ends_with_its_block(self) -> None:
        far = FarEnd()
        async with live(far) as session:
            with pytest.raises(LocalProtocolError, match="no recording"):
                await session.checkpoint()

    async def test_a_session_that_was_ended_tells_all(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.end()
        assert isinstance([event async for event in session.events()][-1], SessionEnded)


class TestTheHandshake:
    async def test_it_is_made_where_it_was_not(self) -> None:
        far = FarEnd()
        async with back(far) as session:
            assert session.welcome.version == "2.1.332"
        async with back(far):
            pass
        assert len(far.requests("initialize")) == 1
        assert sum('"note":"began"' in entry.line for entry in far.pipe.recorded) == 1

    @pytest.mark.parametrize("early", [True, False], ids=["answered meanwhile", "answered later"])
    async def test_it_is_not_made_twice(self, *, early: bool) -> None:
        far = FarEnd()
        far.silent_about.add("initialize")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05), hosted(far):
                pass
        (hello,) = far.of("control_request")
        told = {"claude_code_version": "2.1.332", "hook_on_failure_supported": True}
        answer = {"subtype": "success", "request_id": hello["request_id"], "response": told}
        if early:
            far.says({"type": "control_response", "response": answer})
        coming = back(far)
        opening = asyncio.ensure_future(coming.__aenter__())
        await asyncio.wait({opening}, timeout=0)
        if not early:
            far.says({"type": "control_response", "response": answer})
        assert (await opening).welcome.version == "2.1.332"
        await coming.__aexit__(None, None, None)
        assert len(far.requests("initialize")) == 1

    async def test_requests_of_ours_have_ids_of_their_own(self) -> None:
        far = FarEnd()
        await running(far)
        async with back(far) as session:
            await session.set_mode("plan")
        ids = [line["request_id"] for line in far.of("control_request")]
        assert len(set(ids)) == len(ids)

    async def test_an_old_cli_is_known_by_what_it_told_since(self) -> None:
        far = FarEnd(speaks_197=True)
        await running(far)
        async with back(far) as session:
            assert session.welcome.version == "2.1.197"

    async def test_a_policy_that_the_cli_has_no_hook_for_is_refused(self) -> None:
        far = FarEnd()
        await running(far, policy="manual", rule_files=())
        written = list(far.pipe.heard)
        with pytest.raises(OptionError, match="governs itself"):
            async with back(far, policy="supervised", rule_files=()):
                pass
        assert far.pipe.heard == written

    async def test_it_must_be_known_whose_session_it_is(self) -> None:
        far = FarEnd()
        with pytest.raises(OptionError, match="whose session"):
            async with back(far, id=None):
                pass


class TestPrompts:
    async def test_one_on_its_way_has_a_handle_again(self) -> None:
        far = FarEnd()
        prompt_id = await running(far)
        async with back(far) as session:
            handle = session.handle(prompt_id)
            assert handle is not None
            far.result(prompt_id)
            assert (await handle).text == "done"
            assert session.handle(prompt_id) is None
            with pytest.raises(LocalProtocolError, match="sent before"):
                await session.prompt("Again", prompt_id=prompt_id)

    async def test_one_that_was_answered_meanwhile_has_none(self) -> None:
        far = FarEnd()
        prompt_id = await running(far)
        far.result(prompt_id)
        async with back(far) as session:
            assert session.handle(prompt_id) is None
            await session.idle()
            assert (await seen(session, Complete)).prompt_ids == (prompt_id,)

    async def test_one_that_is_told_as_completed_after_its_turn_has_that_end(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            first = await session.prompt("One")
            far.begins(first.prompt_id)
            second = await session.prompt("Two")
            await caught_up(far, "both")
        far.result(first.prompt_id)
        async with back(far) as session:
            handle = session.handle(second.prompt_id)
            assert handle is not None
            far.lifecycle(second.prompt_id, "completed")
            assert (await handle).prompt_ids == (first.prompt_id,)

    async def test_an_interrupt_stops_the_turn_of_another_host(self) -> None:
        far = FarEnd()
        prompt_id = await running(far)
        async with back(far) as session:
            handle = session.handle(prompt_id)
            await session.interrupt()
            assert handle is not None
            assert (await handle).outcome == "interrupted"

    async def test_a_process_that_ended_meanwhile_is_a_session_that_ends(self) -> None:
        far = FarEnd()
        prompt_id = await asking(far)
        far.pipe.exits(3)
        async with back(far) as session:
            assert (await seen(session, SessionEnded)).exit_code == 3
            assert session.handle(prompt_id) is None
            assert session.ended
            assert isinstance(await session.decide(R1, AllowOnce()), TooLate)


class TestAsks:
    async def test_one_that_is_open_can_be_answered_under_its_id(self) -> None:
        far = FarEnd()
        prompt_id = await asking(far)
        async with back(far) as session:
            assert await session.decide(R1, AllowOnce(), by="Anna") == Taken()
            far.result(prompt_id)
            await seen(session, Complete)
        async with back(far) as session:
            assert await session.decide(R1, Deny()) == TooLate(winner="allowed by Anna")
        assert len([line for line in far.of("control_response") if line["response"]["request_id"] == "r1"]) == 1

    async def test_its_time_goes_on_while_nobody_is_there(self) -> None:
        """It was asked in 1970."""
        far = FarEnd()
        await asking(far, ask_timeout_s=86_400)
        async with back(far, ask_timeout_s=86_400) as session:
            assert (await seen(session, PermissionCancelled)).cause == "expired"
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        async with back(far) as session:
            assert await session.decide(R1, AllowOnce()) == TooLate(winner="expired")

    async def test_the_rest_of_its_time_is_left_to_it(self) -> None:
        far = FarEnd()
        options = Options(id=SessionId("s"), stop_git_check=False, ask_timeout_s=86_400)
        async with session_over(far.pipe.attach(), options, began_at=time.time(), leaves=True) as session:
            far.asks("r1", command="make it")
            ends = (await seen(session, PermissionRequest)).expires_at
        async with back(far, ask_timeout_s=0.001) as session:
            assert (await seen(session, PermissionRequest)).expires_at == ends
            assert await session.decide(R1, AllowOnce()) == Taken()

    async def test_a_callback_is_asked_again(self) -> None:
        far = FarEnd()
        await asking(far)

        async def allow(ask: PermissionRequest) -> AllowOnce:
            return AllowOnce()

        async with back(far, on_ask=allow):
            assert (await far.answered("r1"))["response"]["behavior"] == "allow"

    async def test_one_that_came_meanwhile_is_judged_by_the_policy(self) -> None:
        far = FarEnd()
        await running(far, attended=False)
        far.asks("r1", command="rm -rf /")
        async with back(far, attended=False):
            assert (await far.answered("r1"))["response"]["behavior"] == "deny"

    async def test_what_a_denial_said_is_told_with_the_next_prompt(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            handle = await session.prompt("Do it")
            far.begins(handle.prompt_id)
            far.asks("r1", command="make it")
            await seen(session, PermissionRequest)
            await session.decide(R1, DenyAndStop(reason="not here"))
            far.result(handle.prompt_id, terminal_reason="aborted_tools", is_error=True)
            await seen(session, Complete)
        async with back(far) as session:
            await session.prompt("Go on", with_reason=True)
        assert "My reason: not here" in prompts_of(far)[-1]


class TestHooks:
    async def test_one_that_was_running_is_called_again(self) -> None:
        far = FarEnd()
        endless = Endless()
        async with hosted(far, hooks=(UserHook(event="Stop", function=endless),)):
            far.calls_hook("h1", "bascule:0", "Stop")
            await endless.begun.wait()

        async def at_once(told: Any) -> None:
            """Has nothing to say."""

        async with back(far, hooks=(UserHook(event="Stop", function=at_once),)):
            assert (await far.answered("h1"))["response"] == {}

    async def test_an_id_that_meant_another_event_lets_nothing_pass(self) -> None:
        far = FarEnd()
        await running(far, hooks=(UserHook(event="PreToolUse", function=Endless()),))
        far.calls_hook("h1", "bascule:0", "PreToolUse", tool_name="Bash", tool_input={})
        async with back(far, hooks=(UserHook(event="Stop", function=Endless()),)):
            answer = (await far.answered("h1"))["response"]
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"

    async def test_the_policy_decides_what_it_was_asked_while_nobody_was_there(self) -> None:
        far = FarEnd()
        await running(far, attended=False)
        far.calls_hook(
            "h1", POLICY, "PreToolUse", tool_name="Bash", tool_input={"command": "make it"}, tool_use_id="t1"
        )
        async with back(far, attended=False):
            answer = (await far.answered("h1"))["response"]
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"

    async def test_what_the_hook_wants_asked_is_asked_though_it_was_granted_since_to_others(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.allow("Bash(make *)")
            told = {"tool_name": "Bash", "tool_input": {"command": "make it"}, "tool_use_id": "t1", "cwd": "/elsewhere"}
            far.calls_hook("h1", POLICY, "PreToolUse", **told)
            answer = (await far.answered("h1"))["response"]
            assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
            await caught_up(far, "then")
        far.asks("r1", command="make it")
        async with back(far) as session:
            await seen(session, PermissionRequest)
            assert await session.decide(R1, Deny()) == Taken()

    async def test_only_a_rest_that_begins_here_is_told(self) -> None:
        far = FarEnd()
        told: list[str | None] = []

        async def hook(notification: Any) -> None:
            told.append(notification.notification_type)

        hooks = (UserHook(event="Notification", function=hook),)
        await asking(far, hooks=hooks)
        async with back(far, hooks=hooks) as session:
            await session.decide(R1, AllowOnce())
            await caught_up(far, "then")
        assert told == ["permission_prompt", "permission_prompt"]


class TestGrants:
    async def test_they_hold_with_their_ends_and_the_next_one_has_the_next_number(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.trust("Bash(make *)", minutes=5, by="Anna")
            await session.trust(minutes=5)
            await session.allow("Bash(ls *)")
            await caught_up(far, "then")
            before = session.grants
        async with back(far) as session:
            assert session.grants == before
            assert await session.revoke(GrantId("g3"))
            assert await session.allow("Bash(cat *)") == "g4"
            assert (await seen(session, GrantEnded)).grant_id == "g3"

    async def test_one_whose_time_was_over_meanwhile_ends(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.allow("Bash(ls *)", until=int(time.time() * 1000) + 1)
        async with back(far) as session:
            assert (await seen(session, GrantEnded)).cause == "expired"
            assert session.grants == ()

    async def test_a_mode_that_the_cli_left_meanwhile_ends_what_accepted_edits(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.trust(minutes=5)
            await caught_up(far, "then")
        far.says({"type": "system", "subtype": "status", "permissionMode": "default", "session_id": "x"})
        async with back(far) as session:
            assert (await seen(session, GrantEnded)).cause == "mode"
            assert session.grants == ()


class TestPlans:
    async def approved(self, far: FarEnd) -> None:
        """A plan was approved, and its host has left."""
        async with hosted(far, policy="plan") as session:
            handle = await session.prompt("Plan it")
            far.begins(handle.prompt_id)
            far.asks("r1", "ExitPlanMode", plan="1.")
            await seen(session, PermissionRequest)
            assert await session.decide(R1, ApprovePlan()) == Taken()
            await caught_up(far, "then")

    async def test_a_turn_that_ended_meanwhile_is_followed_by_plan_mode(self) -> None:
        far = FarEnd()
        await self.approved(far)
        far.result()
        async with back(far, policy="plan") as session:
            await far.asked("set_permission_mode")
            await caught_up(far, "set")
            assert far.requests("set_permission_mode") == [{"subtype": "set_permission_mode", "mode": "plan"}]
            await session.idle()
        async with back(far, policy="plan"):
            await caught_up(far, "again")
        assert len(far.requests("set_permission_mode")) == 1

    async def test_a_turn_that_goes_on_is_followed_by_plan_mode(self) -> None:
        far = FarEnd()
        await self.approved(far)
        async with back(far, policy="plan"):
            await caught_up(far, "back")
            assert far.requests("set_permission_mode") == []
            far.result()
            await far.asked("set_permission_mode")


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@tool
def drop() -> None:
    """Drop."""


class TestTools:
    async def test_a_call_that_was_running_is_made_again(self) -> None:
        far = FarEnd()
        begun = Endless()

        @tool
        async def wait() -> None:
            """Wait."""
            await begun(None)

        async with hosted(far, tool_servers=(ToolServer("calc", [wait, add]),)):
            far.says_to("calc", "m1", "tools/call", id=7, name="wait", arguments={})
            await begun.begun.wait()

        @tool(name="wait")
        def wait_no_more() -> str:
            """Wait."""
            return "waited"

        async with back(far, tool_servers=(ToolServer("calc", [wait_no_more, add]),)):
            answer = (await far.answered("m1"))["response"]["mcp_response"]
        assert answer["result"]["content"] == [{"type": "text", "text": "waited"}]

    async def test_the_cli_is_told_of_those_that_are_others_now(self) -> None:
        far = FarEnd()
        await running(far, tool_servers=(ToolServer("calc", [add]),))
        async with back(far, tool_servers=(ToolServer("calc", [add]),)):
            await caught_up(far, "same")
            assert far.requests("mcp_message") == []
        async with back(far, tool_servers=(ToolServer("calc", [add, drop]),)):
            await far.asked("mcp_message")
        (told,) = far.requests("mcp_message")
        assert told["message"]["method"] == "notifications/tools/list_changed"


class TestLimits:
    async def test_a_turn_has_its_time_from_when_it_began(self) -> None:
        """It began in 1970."""
        far = FarEnd()
        limits = Limits(turn_s=86_400)
        await running(far)
        async with back(far, limits=limits) as session:
            assert "more than 86400 s" in (await seen(session, Notice)).text
            await far.asked("interrupt")
            await seen(session, Complete)

    async def test_the_time_of_an_open_ask_does_not_count(self) -> None:
        far = FarEnd()
        await asking(far)
        async with back(far, limits=Limits(turn_s=86_400)):
            await caught_up(far, "then")
        assert far.requests("interrupt") == []


class TestANewProcess:
    async def test_the_session_goes_on_in_it_with_its_numbers_and_grants(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.allow("Bash(ls *)", by="Anna")
            await session.end()
        lines = len(far.pipe.recorded)
        async with back(far) as session:
            await seen(session, SessionEnded)
            kept = restored(await session.checkpoint())
        assert kept.line == lines
        last = kept.fold.last_seq
        journal = Journal(after=last)
        options = Options(id=SessionId("s"), stop_git_check=False)
        async with session_over(FarEnd().pipe, options, began_at=0.0, kept=kept, journal=journal) as session:
            assert [held.by for held in session.grants] == ["Anna"]
            assert await session.allow("Bash(cat *)") == "g2"
        assert [event.seq async for event in session.events()] == [last + 1, last + 2]

    async def test_edits_are_accepted_no_more_where_it_begins_in_another_mode(self) -> None:
        far = FarEnd()
        async with hosted(far) as session:
            await session.trust(minutes=15)
            await session.end()
        async with back(far) as session:
            await seen(session, SessionEnded)
            kept = restored(await session.checkpoint())
        journal = Journal(after=kept.fold.last_seq)
        options = Options(id=SessionId("s"), stop_git_check=False)
        async with session_over(FarEnd().pipe, options, began_at=0.0, kept=kept, journal=journal) as session:
            assert (await seen(session, GrantEnded)).cause == "mode"
            assert session.grants == ()


class Slow:
    """A journal that takes its time to store; it tells what was handed out before that, which is a mistake."""

    def __init__(self) -> None:
        self._told = Journal()
        self._stored = 0
        self.early: list[AnyEvent] = []

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        await asyncio.to_thread(time.monotonic)
        self._stored = max(event.seq or 0 for event in events)

    def publish(self, events: Sequence[AnyEvent], *, chars: int = 0) -> None:
        self.early += [event for event in events if (event.seq or event.after or 0) > self._stored]
        self._told.publish(events, chars=chars)

    def read(self, after: int, *, until: asyncio.Future[Any] | None = None) -> AsyncIterator[AnyEvent]:
        return self._told.read(after, until=until)

    @property
    def last(self) -> int:
        return self._told.last

    def close(self) -> None:
        self._told.close()


async def test_whoever_hears_of_an_ask_can_answer_it_at_once() -> None:
    far, journal = FarEnd(), Slow()
    options = Options(id=SessionId("s"), stop_git_check=False)
    async with session_over(far.pipe, options, began_at=0.0, journal=journal) as session:
        handle = await session.prompt("Do it")
        far.begins(handle.prompt_id)
        far.asks("r1", command="make it")
        far.text("Meanwhile.")
        far.asks("r2", command="make more", call="t2")
        async for event in session.events():
            if isinstance(event, PermissionRequest):
                assert await session.decide(event.pending_id, AllowOnce()) == Taken()
                if event.pending_id == "r2":
                    break
        far.result(handle.prompt_id)
        assert (await handle).outcome == "success"
    assert journal.early == []


async def test_who_came_back_from_a_checkpoint_reads_from_there_on() -> None:
    far = FarEnd()
    options = Options(id=SessionId("s"), stop_git_check=False)
    async with hosted(far) as session:
        far.turn()
        await seen(session, Complete)
        kept = restored(await session.checkpoint())
        last = kept.fold.last_seq
    far.turn()
    async with rejoin(far.pipe.attach(after=kept.line), options, kept=kept) as session:
        assert (await seen(session, Complete)).turn == 2
        await session.detach()
        numbers = [event.seq async for event in session.events()]
    assert numbers == [*range(last + 1, last + 1 + len(numbers))]
