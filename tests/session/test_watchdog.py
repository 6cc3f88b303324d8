"""A limit that is over: what is told, how the turn is stopped, what is raised. When it is over: test_watch.py."""

import asyncio
from signal import SIGINT
from typing import Any

import pytest

from bascule.commands import AllowOnce
from bascule.errors import ProcessLost, SessionClosed, TurnTimedOut
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    Notice,
    PermissionRequest,
    PermissionResolved,
    SessionEnded,
    SessionStatus,
    TurnStarted,
)
from bascule.session.hooks import UserHook
from bascule.session.stopping import Patience
from bascule.session.watch import Limits
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import HookInput
from tests.session.far_end import FarEnd
from tests.session.live import live, seen

SOON = 0.02
LATER = 60.0


async def events_of(session: Any) -> list[AnyEvent]:
    return [event async for event in session.events()]


async def test_L54_S16_a_turn_that_falls_silent_is_told_stopped_and_raised() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        with pytest.raises(TurnTimedOut, match=r"nothing was heard for 0\.02 s") as late:
            await handle
        assert late.value.limit == "silence"
        assert late.value.complete.outcome == "interrupted"
        assert (late.value.exit_code, late.value.process_exit_code) == (6, None)
        assert late.value.argv == ("claude", "--replay-user-messages")
        again = await session.prompt("And now?")
        far.turn(again.prompt_id)
        assert (await again).outcome == "success"
    told = [event for event in await events_of(session) if isinstance(event, Notice | Error | Complete)]
    assert [type(event) for event in told[:3]] == [Notice, Error, Complete]
    assert isinstance(told[1], Error)
    assert told[1].kind == "timeout"
    assert len(far.requests("interrupt")) == 1


async def test_a_model_that_never_says_a_word_is_stopped() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(first_byte_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        with pytest.raises(TurnTimedOut) as late:
            await handle
        assert late.value.limit == "first_byte"


async def test_a_turn_that_takes_too_long_is_stopped_however_much_it_says() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(turn_s=SOON, silence_s=LATER)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.text("I am at work.")
        with pytest.raises(TurnTimedOut) as late:
            await handle
        assert late.value.limit == "turn"


async def test_a_session_that_takes_too_long_is_ended() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(total_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        with pytest.raises(TurnTimedOut) as late:
            await handle
        assert late.value.limit == "total"
        assert (await seen(session, SessionEnded)).cause == "ended"
        with pytest.raises(SessionClosed):
            await session.prompt("more")


async def test_a_session_at_rest_is_ended_without_an_interrupt_when_its_time_is_over() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(total_s=SOON)) as session:
        assert (await seen(session, SessionEnded)).cause == "ended"
        assert (await seen(session, Error)).kind == "timeout"
    assert not far.requests("interrupt")


async def test_L55_a_turn_that_does_not_stop_is_stopped_by_ever_stronger_means() -> None:
    far = FarEnd(ignores=(SIGINT,), ends_at_eof=False)
    patience = Patience(turn_s=0.01, signal_s=0.01)
    async with live(far, limits=Limits(silence_s=SOON), patience=patience) as session:
        far.on_interrupt = lambda: None
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.pipe.complains("the API hangs")
        with pytest.raises(TurnTimedOut, match="the API hangs") as late:
            await handle
        assert late.value.complete is None
        assert late.value.process_exit_code == 143
        assert late.value.stderr_tail == "the API hangs"
    assert far.pipe.signals[0] == SIGINT


async def test_a_cli_that_does_not_acknowledge_the_interrupt_is_stopped_by_a_signal() -> None:
    far = FarEnd()
    far.silent_about.add("interrupt")
    async with live(far, limits=Limits(silence_s=SOON), patience=Patience(receipt_s=0.01)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        with pytest.raises(TurnTimedOut):
            await handle
    assert far.pipe.signals == [SIGINT]


async def test_L65_a_process_that_dies_by_itself_is_lost_and_no_limit_is_to_blame() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=LATER)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.pipe.exits(1)
        with pytest.raises(ProcessLost) as lost:
            await handle
        assert not isinstance(lost.value, TurnTimedOut)
        assert lost.value.argv == ("claude", "--replay-user-messages")


async def test_L68_a_turn_that_ends_well_while_it_is_being_stopped_has_ended_well() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.on_interrupt = lambda: far.result(handle.prompt_id)
        assert (await handle).outcome == "success"


async def test_L44_L49_a_person_may_take_as_long_as_he_likes() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=SOON, turn_s=SOON, first_byte_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.asks("r1", command="make")
        ask = await seen(session, PermissionRequest)
        await asyncio.wait({asyncio.ensure_future(seen(session, Error))}, timeout=3 * SOON)
        assert not far.requests("interrupt")
        await session.decide(ask.pending_id, AllowOnce())
        await seen(session, PermissionResolved)
        far.result(handle.prompt_id)
        assert (await handle).outcome == "success"


async def test_a_hook_of_this_program_may_take_its_time() -> None:
    opened = asyncio.Event()

    async def slow(told: HookInput) -> HookOutput | None:
        await opened.wait()
        return None

    far = FarEnd()
    hooks = (UserHook(event="UserPromptSubmit", function=slow),)
    async with live(far, hooks=hooks, limits=Limits(silence_s=SOON, first_byte_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.calls_hook("h1", "bascule:0", "UserPromptSubmit", prompt="Hi")
        await asyncio.wait({asyncio.ensure_future(seen(session, Error))}, timeout=3 * SOON)
        assert not far.requests("interrupt")
        opened.set()
        await far.answered("h1")
        far.result(handle.prompt_id)
        assert (await handle).outcome == "success"


async def test_L9_answers_to_questions_of_ours_are_no_sign_of_life() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=LATER)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        await seen(session, SessionStatus)
        quiet_s = session.quiet_s
        await session.cli.usage()
        assert session.quiet_s > quiet_s
        quiet_s = session.quiet_s
        far.result(handle.prompt_id)
        await handle
        assert session.quiet_s < quiet_s


async def test_a_self_started_turn_is_watched_as_well() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=SOON)) as session:
        far.init()
        await seen(session, TurnStarted)
        assert (await seen(session, Complete)).outcome == "interrupted"
        assert (await seen(session, Error)).kind == "timeout"


async def test_a_limit_of_an_earlier_turn_is_not_to_blame_for_a_later_loss() -> None:
    far = FarEnd()
    async with live(far, limits=Limits(silence_s=SOON)) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        with pytest.raises(TurnTimedOut):
            await handle
        later = await session.prompt("And now?")
        far.pipe.exits(137)
        with pytest.raises(ProcessLost) as lost:
            await later
        assert not isinstance(lost.value, TurnTimedOut)
