"""Asks: one answer each, whoever is first; the others learn who; nothing is allowed by accident."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import (
    AllowAlways,
    AllowOnce,
    Answers,
    ApprovePlan,
    Decide,
    Decision,
    Deny,
    DenyAndStop,
    Refused,
    Taken,
    TooLate,
)
from bascule.errors import OptionError, SessionClosed
from bascule.events import (
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    SessionEnded,
    SessionStatus,
)
from bascule.ids import CommandId, PendingId
from bascule.policy.grants import Grant
from bascule.session.asks import EXPIRED, MISFIT, TABLE, Ask, State
from bascule.session.gate import OVER
from bascule.session.session import Session
from tests.session.far_end import FarEnd
from tests.session.live import Endless, live, seen

R1 = PendingId("r1")


@asynccontextmanager
async def asking(far: FarEnd, tool: str = "Bash", **options: Any) -> AsyncIterator[Session]:
    """A session whose running turn asks `r1`."""
    async with live(far, **options) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.on_interrupt = lambda: far.result(handle.prompt_id, terminal_reason="aborted_tools", is_error=True)
        far.asks("r1", tool, command="make")
        await seen(session, PermissionRequest)
        yield session


def behavior(far: FarEnd, request_id: str = "r1") -> dict[str, Any]:
    answer = far.answer(request_id)
    assert answer is not None
    assert answer["subtype"] == "success"
    response: dict[str, Any] = answer["response"]
    return response


def answers(far: FarEnd, request_id: str = "r1") -> int:
    return sum(line["response"]["request_id"] == request_id for line in far.of("control_response"))


async def test_L15_an_allow_is_written_with_the_input() -> None:
    far = FarEnd()
    async with asking(far) as session:
        receipt = await session.decide(R1, AllowOnce(), by="Anna", surface="web")
        assert receipt == Taken()
        assert behavior(far) == {"behavior": "allow", "updatedInput": {"command": "make"}}
        resolved = await seen(session, PermissionResolved)
        assert (resolved.outcome, resolved.by, resolved.surface) == ("allowed", "Anna", "web")


async def test_L20_of_two_quick_taps_one_wins_and_the_other_learns_who() -> None:
    far = FarEnd()
    async with asking(far) as session:
        first, second = await asyncio.gather(
            session.decide(R1, Deny(), by="Anna", surface="web"), session.decide(R1, AllowOnce(), by="Ben")
        )
    assert first == Taken()
    assert second == TooLate(winner="denied by Anna (web)")
    assert answers(far) == 1
    assert behavior(far)["behavior"] == "deny"


async def test_F3_a_late_answer_gets_the_winner() -> None:
    far = FarEnd()
    async with asking(far) as session:
        await session.decide(R1, AllowOnce(), surface="telegram")
        late = Decide(command_id=CommandId("c"), pending_id=R1, decision=Deny())
        assert await session.send(late) == TooLate(winner="allowed (telegram)")
    assert answers(far) == 1


async def test_L23_a_withdrawn_ask_takes_no_answer() -> None:
    far = FarEnd()
    async with asking(far) as session:
        far.withdraws("r1")
        assert (await seen(session, PermissionCancelled)).pending_id == R1
        assert await session.decide(R1, AllowOnce()) == TooLate(winner="withdrawn")
    assert answers(far) == 0


async def test_L17_a_dead_session_never_says_taken() -> None:
    far = FarEnd()
    async with asking(far) as session:
        far.pipe.exits(1)
        assert await session.decide(R1, AllowOnce()) == TooLate(winner="the CLI takes no answer any more")
        await seen(session, SessionEnded)
        assert await session.decide(R1, AllowOnce()) == TooLate(winner="the CLI takes no answer any more")
    assert answers(far) == 0


async def test_an_ask_that_was_never_made_is_refused() -> None:
    far = FarEnd()
    async with asking(far) as session:
        assert isinstance(await session.decide(PendingId("r9"), AllowOnce()), Refused)


async def test_nobody_allows_what_he_did_not_see() -> None:
    far = FarEnd()
    async with asking(far) as session:
        shown = (await seen(session, PermissionRequest)).input_hash
        assert isinstance(await session.decide(R1, AllowOnce(), input_hash="something else"), Refused)
        assert answers(far) == 0
        assert await session.decide(R1, AllowOnce(), input_hash=shown) == Taken()


async def test_a_verb_that_does_not_fit_leaves_the_ask_open() -> None:
    far = FarEnd()
    async with asking(far) as session:
        assert isinstance(await session.decide(R1, Answers(answers={"a": "b"})), Refused)
        assert await session.decide(R1, AllowOnce()) == Taken()


async def test_deny_and_stop_says_so_on_the_wire() -> None:
    far = FarEnd()
    async with asking(far) as session:
        await session.decide(R1, DenyAndStop(reason="enough"))
        assert behavior(far)["interrupt"] is True
        assert (await seen(session, PermissionResolved)).outcome == "denied_stop"


async def test_an_edited_input_is_marked_edited() -> None:
    far = FarEnd()
    async with asking(far) as session:
        await session.decide(R1, AllowOnce(input={"command": "make test"}))
        assert behavior(far)["updatedInput"] == {"command": "make test"}
        assert (await seen(session, PermissionResolved)).edited


@pytest.mark.parametrize(
    ("edited", "wrong"),
    [
        ({"cmd": "make test"}, "`command` is missing"),
        ({"command": "make", "file_path": "/w/a"}, "`file_path` is nothing that Bash takes"),
        ({"command": "make", "timeout": "5"}, "`timeout` is text"),
    ],
)
@pytest.mark.parametrize("verb", [AllowOnce, partial(AllowAlways, rule="Bash(make)")], ids=["once", "always"])
async def test_an_edit_that_the_tool_does_not_take_is_refused_and_the_ask_stays_open(
    verb: Any, edited: dict[str, Any], wrong: str
) -> None:
    far = FarEnd()
    async with asking(far) as session:
        refused = await session.decide(R1, verb(input=edited))
        assert isinstance(refused, Refused)
        assert wrong in refused.reason
        assert answers(far) == 0
        assert not session.grants
        assert await session.decide(R1, AllowOnce(input={"command": "make test"})) == Taken()


async def test_the_reason_of_deny_and_stop_goes_with_the_next_prompt_and_no_other() -> None:
    far = FarEnd()
    async with asking(far) as session:
        await session.decide(R1, DenyAndStop(reason="not on a Friday"))
        far.on_interrupt()
        for text in ("Go on", "And now?"):
            await session.prompt(text, with_reason=True)
        told, later = (line["message"]["content"] for line in far.of("user")[1:])
        assert told == "I denied this and stopped you: make\nMy reason: not on a Friday\n\nGo on"
        assert later == "And now?"


@pytest.mark.parametrize(("reason", "with_reason"), [("not today", False), (None, True)])
async def test_a_prompt_tells_no_reason_that_nobody_wants_told_or_gave(reason: str | None, with_reason: bool) -> None:
    far = FarEnd()
    async with asking(far) as session:
        await session.decide(R1, DenyAndStop(reason=reason))
        far.on_interrupt()
        await session.prompt("Go on", with_reason=with_reason)
        assert far.of("user")[-1]["message"]["content"] == "Go on"


async def test_parallel_asks_are_answered_in_any_order() -> None:
    far = FarEnd()
    async with asking(far) as session:
        far.asks("r2", "WebFetch", call="t2", url="https://example.org", prompt="p")
        await seen(session, PermissionRequest, lambda event: event.pending_id == "r2")
        assert await session.decide(PendingId("r2"), AllowOnce()) == Taken()
        assert await session.decide(R1, Deny()) == Taken()
    assert behavior(far, "r2")["behavior"] == "allow"
    assert behavior(far)["behavior"] == "deny"


async def test_L16_F8_an_ask_that_expires_is_denied_on_the_wire() -> None:
    far = FarEnd()
    async with asking(far, ask_timeout_s=0.01) as session:
        assert (await seen(session, PermissionCancelled)).cause == "expired"
        assert behavior(far) == {"behavior": "deny", "message": EXPIRED}
        assert await session.decide(R1, AllowOnce()) == TooLate(winner="expired")


async def test_an_ask_whose_time_ends_while_one_is_answering_expires_if_that_answer_fails() -> None:
    far, go = FarEnd(), asyncio.Event()

    async def keep(grant: Grant) -> None:
        await go.wait()
        raise OptionError("the disk is full")

    async with asking(far, keep_grant=keep, ask_timeout_s=0.01) as session:
        deciding = asyncio.ensure_future(session.decide(R1, AllowAlways(rule="Bash(make)", scope="user")))
        await asyncio.wait({deciding}, timeout=0.1)
        assert answers(far) == 0
        go.set()
        with pytest.raises(OptionError):
            await deciding
        assert (await seen(session, PermissionCancelled)).cause == "expired"
    assert behavior(far) == {"behavior": "deny", "message": EXPIRED}


async def test_without_a_timeout_an_ask_waits() -> None:
    far = FarEnd()
    async with asking(far) as session:
        assert (await seen(session, PermissionRequest)).expires_at is None
        assert answers(far) == 0


async def test_a_callback_decides_in_a_persons_place() -> None:
    far, asked = FarEnd(), []

    async def on_ask(event: PermissionRequest) -> Decision:
        asked.append(event.tool_name)
        return AllowOnce()

    async with asking(far, on_ask=on_ask) as session:
        assert (await seen(session, PermissionResolved)).outcome == "allowed"
    assert asked == ["Bash"]
    assert behavior(far)["behavior"] == "allow"


async def test_a_callback_that_leaves_it_open_leaves_it_to_others() -> None:
    far = FarEnd()

    async def on_ask(event: PermissionRequest) -> None:
        return None

    async with asking(far, on_ask=on_ask) as session:
        assert await session.decide(R1, AllowOnce()) == Taken()


async def test_a_callback_that_raises_denies_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def on_ask(event: PermissionRequest) -> Decision:
        raise ZeroDivisionError

    async with asking(far, on_ask=on_ask) as session:
        assert (await seen(session, PermissionResolved)).outcome == "denied"
    assert behavior(far)["behavior"] == "deny"
    assert "ZeroDivisionError" in caplog.text


async def test_a_callback_that_gives_back_no_decision_denies_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def on_ask(event: PermissionRequest) -> Any:
        return True

    async with asking(far, on_ask=on_ask) as session:
        assert (await seen(session, PermissionResolved)).outcome == "denied"
    assert behavior(far)["behavior"] == "deny"
    assert "it gave back True" in caplog.text


@pytest.mark.parametrize("value", [object(), {1, 2, 3}.__class__])
async def test_a_decision_that_is_no_json_is_refused_and_the_ask_stays_open(value: object) -> None:
    far = FarEnd()
    async with asking(far) as session:
        assert isinstance(await session.decide(R1, AllowOnce(input={"command": "x", "more": value})), Refused)
        assert answers(far) == 0
        assert await session.decide(R1, AllowOnce(input={"command": "a lone \ud83d surrogate"})) == Taken()


async def test_a_callback_whose_answer_does_not_fit_denies_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def on_ask(event: PermissionRequest) -> Decision:
        return Answers(answers={"a": "b"})

    async with asking(far, on_ask=on_ask) as session:
        await seen(session, PermissionResolved)
    assert behavior(far) == {"behavior": "deny", "message": MISFIT}
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


async def test_a_callback_is_cancelled_when_another_was_first() -> None:
    far, endless = FarEnd(), Endless()
    async with asking(far, on_ask=endless) as session:
        await endless.begun.wait()
        assert await session.decide(R1, AllowOnce(), by="Anna") == Taken()
        await endless.cancelled.wait()
    assert answers(far) == 1


async def test_a_callback_is_not_called_for_what_was_answered_before_it_could_begin() -> None:
    far, called = FarEnd(), []

    async def on_ask(event: PermissionRequest) -> None:
        called.append(event)

    async with live(far, on_ask=on_ask) as session:
        far.init()
        far.asks("r1", command="make")
        await seen(session, PermissionRequest)
        assert await session.decide(R1, AllowOnce()) == Taken()
        far.result()
    assert answers(far) == 1
    assert not called


async def test_a_callback_is_cancelled_when_the_cli_withdraws() -> None:
    far, endless = FarEnd(), Endless()
    async with asking(far, on_ask=endless):
        await endless.begun.wait()
        far.withdraws("r1")
        await endless.cancelled.wait()
    assert answers(far) == 0


async def test_a_callback_may_decide_by_itself() -> None:
    """It has the session at hand; what it returns after that is late."""
    far = FarEnd()
    here: asyncio.Future[Session] = asyncio.get_running_loop().create_future()

    async def on_ask(event: PermissionRequest) -> Decision:
        assert await (await here).decide(event.pending_id, Deny(reason="by hand")) == Taken()
        return AllowOnce()

    async with live(far, on_ask=on_ask) as session:
        here.set_result(session)
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.asks("r1", command="make")
        await seen(session, PermissionResolved)
        far.result(handle.prompt_id)
        await handle
    assert behavior(far)["message"] == "by hand"
    assert answers(far) == 1


async def test_always_in_this_session_is_a_grant_that_answers_the_next_call() -> None:
    far = FarEnd()
    async with asking(far) as session:
        receipt = await session.decide(R1, AllowAlways(rule="Bash(make)"))
        assert receipt == Taken()
        far.calls_hook("h1", "bascule:policy", "PreToolUse", tool_name="Bash", tool_input={"command": "make"})
        await far.answered("h1")
    output = behavior(far, "h1")["hookSpecificOutput"]
    assert output["permissionDecision"] == "allow"


@pytest.mark.parametrize(
    ("then", "name", "said"),
    [
        ("accept_edits", "a.py", "allow"),
        ("accept_edits", ".git/hooks/pre-commit", "ask"),
        ("accept_edits", ".env", "ask"),
        ("accept_edits", "../a.py", "ask"),
        ("ask", "a.py", "ask"),
    ],
)
async def test_a_plan_approved_with_its_edits_is_a_grant_for_edits(then: Any, name: str, said: str) -> None:
    """The CLI's mode is set as well, but where bascule governs it does not decide."""
    far = FarEnd()
    async with asking(far, "ExitPlanMode") as session:
        assert await session.decide(R1, ApprovePlan(then=then)) == Taken()
        far.calls_hook("h1", "bascule:policy", "PreToolUse", tool_name="Write", tool_input={"file_path": name})
        await far.answered("h1")
    assert behavior(far, "h1")["hookSpecificOutput"]["permissionDecision"] == said


async def test_always_for_longer_than_the_session_needs_somebody_who_keeps_it() -> None:
    far = FarEnd()
    async with asking(far) as session:
        command = Decide(
            command_id=CommandId("c"), pending_id=R1, decision=AllowAlways(rule="Bash(make)", scope="user")
        )
        receipt = await session.send(command)
        assert isinstance(receipt, Refused)
        assert "session" in receipt.reason
        assert answers(far) == 0
        assert await session.decide(R1, AllowOnce()) == Taken()


async def test_a_grant_is_kept_before_the_call_is_allowed() -> None:
    far = FarEnd()
    kept: list[Grant] = []

    async def keep(grant: Grant) -> None:
        assert answers(far) == 0
        kept.append(grant)

    async with asking(far, keep_grant=keep) as session:
        assert await session.decide(R1, AllowAlways(rule="Bash(make)", scope="project"), by="Anna") == Taken()
    assert [str(grant.rule) for grant in kept] == ["Bash(make)"]
    assert kept[0].scope == "project"


async def test_a_grant_that_cannot_be_kept_leaves_the_ask_open() -> None:
    far = FarEnd()

    async def keep(grant: Grant) -> None:
        raise OptionError("the rule file is read-only")

    async with asking(far, keep_grant=keep) as session:
        with pytest.raises(OptionError, match="read-only"):
            await session.decide(R1, AllowAlways(rule="Bash(make)", scope="user"))
        assert answers(far) == 0
        assert await session.decide(R1, Deny()) == Taken()


@pytest.mark.parametrize("failure", [ZeroDivisionError, TimeoutError])
async def test_a_keeper_of_grants_that_fails_leaves_the_ask_open_and_the_session_alive(
    caplog: pytest.LogCaptureFixture, failure: type[Exception]
) -> None:
    far = FarEnd()

    async def keep(grant: Grant) -> None:
        raise failure

    async with asking(far, keep_grant=keep) as session:
        always = AllowAlways(rule="Bash(make)", scope="user")
        receipt = await session.send(Decide(command_id=CommandId("c"), pending_id=R1, decision=always))
        assert isinstance(receipt, Refused)
        assert "could not be kept" in receipt.reason
        assert await session.decide(R1, AllowOnce()) == Taken()
    assert answers(far) == 1
    assert failure.__name__ in caplog.text


async def test_while_one_is_answering_nobody_else_can_and_a_cancelled_answer_reopens() -> None:
    far = FarEnd()

    async def keep(grant: Grant) -> None:
        await asyncio.Event().wait()

    async with asking(far, keep_grant=keep) as session:
        first = asyncio.ensure_future(
            session.decide(R1, AllowAlways(rule="Bash(make)", scope="user"), by="Anna", surface="web")
        )
        await asyncio.wait({first}, timeout=0)
        assert await session.decide(R1, Deny()) == TooLate(winner="allowed always by Anna (web)")
        first.cancel()
        await asyncio.wait({first})
        assert await session.decide(R1, Deny(), by="Ben") == Taken()
    assert behavior(far)["behavior"] == "deny"


async def test_an_ask_withdrawn_while_one_is_answering_takes_no_answer() -> None:
    far, go = FarEnd(), asyncio.Event()

    async def keep(grant: Grant) -> None:
        await go.wait()

    async with asking(far, keep_grant=keep) as session:
        deciding = asyncio.ensure_future(session.decide(R1, AllowAlways(rule="Bash(make)", scope="user")))
        await asyncio.wait({deciding}, timeout=0)
        far.withdraws("r1")
        await seen(session, PermissionCancelled)
        go.set()
        assert await deciding == TooLate(winner="withdrawn; Bash(make) is kept all the same")
    assert answers(far) == 0


async def test_a_rule_that_says_nothing_is_refused() -> None:
    far = FarEnd()
    async with asking(far) as session:
        assert isinstance(await session.decide(R1, AllowAlways(rule="Bash()")), Refused)
        assert answers(far) == 0


@pytest.mark.parametrize(("tool", "reason"), [("Bash", "watching"), ("AskUserQuestion", ""), ("ExitPlanMode", "")])
async def test_L43_an_unattended_session_denies_at_once(tool: str, reason: str) -> None:
    far = FarEnd()
    async with asking(far, tool, attended=False) as session:
        await seen(session, PermissionResolved)
    assert behavior(far)["behavior"] == "deny"
    assert reason in behavior(far)["message"]


async def test_a_session_left_while_it_asks_is_interrupted_and_not_just_cut_off() -> None:
    """F11: with stdin closed the ask fails, and the model goes on without anybody (09_eof_while_asking)."""
    far = FarEnd()
    async with asking(far) as session:
        await seen(session, SessionStatus)
        aborts = far.on_interrupt

        def withdraws() -> None:  # before the receipt, as both CLIs do (09_interrupt_while_asking)
            far.withdraws("r1")
            aborts()

        far.on_interrupt = withdraws
    assert far.requests("interrupt")
    assert answers(far) == 0


async def test_an_ask_that_ends_with_its_turn_is_denied_where_the_cli_does_not_withdraw_it() -> None:
    """Every surface shows that it is over: it gives nothing any more, and nothing of the CLI's waits for it."""
    far, endless = FarEnd(), Endless()
    async with asking(far, on_ask=endless) as session:
        await endless.begun.wait()
        far.result()
        assert (await far.answered("r1"))["response"] == {"behavior": "deny", "message": OVER}
        await endless.cancelled.wait()
        late = await session.decide(R1, AllowAlways(rule="Bash(make)"))
        assert isinstance(late, TooLate)
        assert not session.grants
    assert answers(far) == 1


async def test_an_ask_that_ends_with_its_turn_while_one_is_answering_is_not_allowed() -> None:
    far, go = FarEnd(), asyncio.Event()

    async def keep(grant: Grant) -> None:
        await go.wait()

    async with asking(far, keep_grant=keep) as session:
        deciding = asyncio.ensure_future(session.decide(R1, AllowAlways(rule="Bash(make)", scope="user")))
        await asyncio.wait({deciding}, timeout=0)
        far.result()
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        go.set()
        assert await deciding == TooLate(winner="over with the turn or the call; Bash(make) is kept all the same")
        assert not session.grants
    assert answers(far) == 1


async def test_whatever_error_of_ours_keeping_raises_denies_what_on_ask_allowed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It may use the session, which has errors of its own."""

    async def keep(grant: Grant) -> None:
        raise SessionClosed("no")

    async def on_ask(event: PermissionRequest) -> Decision:
        return AllowAlways(rule="Bash(make)", scope="user")

    far = FarEnd()
    async with asking(far, keep_grant=keep, on_ask=on_ask) as session:
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        assert not session.ended
    assert "it is denied" in caplog.text


def test_a_settled_ask_makes_no_move() -> None:
    assert TABLE[State.SETTLED] == {}


async def test_a_move_that_the_state_does_not_know_changes_nothing() -> None:
    far = FarEnd()
    async with asking(far) as session:
        event = await seen(session, PermissionRequest)
        ask = Ask(event, None)  # type: ignore[arg-type]
        assert not ask.move("written", "x")
        assert (ask.state, ask.winner) == (State.OPEN, "")
        assert ask.move("claimed", "x")
        assert not ask.move("claimed", "y")
        assert ask.winner == "x"


async def test_a_decision_that_came_too_late_grants_nothing() -> None:
    far = FarEnd()
    kept: list[Grant] = []

    async def keep(grant: Grant) -> None:
        kept.append(grant)
        far.withdraws("r1")
        await seen(session, PermissionCancelled)

    async with asking(far, keep_grant=keep) as session:
        receipt = await session.decide(R1, AllowAlways(rule="Bash(make)", scope="user"))
        assert isinstance(receipt, TooLate)
        assert "Bash(make) is kept all the same" in receipt.winner
        far.calls_hook("h1", "bascule:policy", "PreToolUse", tool_name="Bash", tool_input={"command": "make"})
        await far.answered("h1")
    assert len(kept) == 1
    assert behavior(far, "h1")["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.parametrize(("decision", "stops"), [(DenyAndStop(), True), (Deny(), False)])
async def test_deny_and_stop_of_an_agents_call_stops_the_whole_turn(decision: Decision, stops: bool) -> None:
    """The CLI ends the subagent alone, and the turn would go on."""
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.on_interrupt = lambda: far.result(handle.prompt_id, terminal_reason="aborted_tools", is_error=True)
        ask = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "make"}, "agent_id": "a1"}
        far.requests_of("r1", {**ask, "tool_use_id": "t1"})
        await seen(session, PermissionRequest)
        await session.decide(R1, decision)
        if not stops:
            far.result(handle.prompt_id)
        assert (await handle).outcome == ("interrupted" if stops else "success")
        assert len(far.requests("interrupt")) == stops


async def test_deny_and_stop_is_left_to_the_cli_where_the_turns_own_call_is_denied() -> None:
    far = FarEnd()
    async with asking(far) as session:
        await session.decide(R1, DenyAndStop())
        await seen(session, PermissionResolved)
        assert not far.requests("interrupt")


async def test_an_always_that_cannot_be_accepted_for_the_next_session_holds_in_this_one(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    far = FarEnd()
    async with asking(far, policy="acceptEdits", cwd=tmp_path) as session:
        assert await session.decide(R1, AllowAlways(rule="Bash(make)", scope="local")) == Taken()
        (update,) = behavior(far)["updatedPermissions"]
        assert update["destination"] == "localSettings"
    assert "could not be accepted for the workspace" in caplog.text
