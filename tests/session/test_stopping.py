"""A turn is stopped for certain: by an interrupt, by another one, by a signal, by the end of the process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from signal import SIGINT, SIGTERM
from typing import Any

import pytest

from bascule.commands import Interrupt, Taken
from bascule.errors import ProcessLost, PromptDropped, SessionClosed
from bascule.events import Notice, PermissionCancelled, PermissionRequest, SessionEnded, SessionStatus
from bascule.ids import CommandId
from bascule.session.prompts import PromptHandle
from bascule.session.session import Session
from bascule.session.stopping import Patience
from tests.session.far_end import FarEnd
from tests.session.live import live, seen


@asynccontextmanager
async def running(far: FarEnd, **options: Any) -> AsyncIterator[tuple[Session, PromptHandle]]:
    """A session in the middle of a turn."""
    async with live(far, **options) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        await seen(session, SessionStatus)
        yield session, handle


def aborted(far: FarEnd, *uuids: str) -> None:
    far.result(
        *uuids, subtype="error_during_execution", is_error=True, terminal_reason="aborted_streaming", result=None
    )


def does_not_stop() -> None:
    """The interrupt was acknowledged, and that was all."""


async def test_S20_an_interrupted_turn_is_interrupted_and_not_failed() -> None:
    far = FarEnd()
    async with running(far) as (session, handle):
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        assert await session.send(Interrupt(command_id=CommandId("i"))) == Taken()
        assert (await handle).outcome == "interrupted"
    assert far.requests("interrupt") == [{"subtype": "interrupt"}]


async def test_what_is_still_queued_runs_next_and_is_told() -> None:
    far = FarEnd()
    async with running(far) as (session, handle):
        waiting = await session.prompt("next")
        far.still_queued = [waiting.prompt_id]
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        assert await session.interrupt() == Taken(still_queued=(waiting.prompt_id,))
        assert (await handle).outcome == "interrupted"
        far.turn(waiting.prompt_id)
        assert (await waiting).outcome == "success"
    assert len(far.requests("interrupt")) == 1


async def test_S21_an_interrupt_that_was_lost_is_made_again_once_the_turn_begins() -> None:
    """10_interrupt_race_warm: the prompt that was meant comes back as still queued, and runs."""
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.still_queued = [handle.prompt_id]
        assert await session.interrupt() == Taken()
        far.still_queued = []
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        far.begins(handle.prompt_id)
        assert (await handle).outcome == "interrupted"
    assert len(far.requests("interrupt")) == 2


async def test_a_lost_interrupt_whose_turn_ended_anyway_is_not_made_again() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.still_queued = [handle.prompt_id]
        await session.interrupt()
        far.turn(handle.prompt_id)
        assert (await handle).outcome in ("success", "interrupted")
        await session.idle()
        requests = len(far.requests("interrupt"))
    assert requests <= 2


async def test_the_queue_is_dropped_when_that_is_wanted() -> None:
    far = FarEnd()
    async with running(far) as (session, handle):
        waiting = await session.prompt("next")

        def stop() -> None:
            far.lifecycle(waiting.prompt_id, "cancelled")
            far.aborts(handle.prompt_id)

        far.on_interrupt = stop
        assert await session.interrupt(drop_queued=True) == Taken()
        with pytest.raises(PromptDropped):
            await waiting
        assert (await handle).outcome == "interrupted"
    assert far.requests("interrupt") == [{"subtype": "interrupt", "cancel_queued": True}]


async def test_on_an_older_cli_the_queue_is_dropped_one_by_one() -> None:
    """2.1.197 ignores `cancel_queued`, and acknowledges an interrupt without a body."""
    far = FarEnd(speaks_197=True)
    async with running(far) as (session, handle):
        waiting = await session.prompt("next", when="queue")
        far.on_interrupt = far.aborts
        await session.interrupt(drop_queued=True)
        with pytest.raises(PromptDropped):
            await waiting
        assert (await handle).outcome == "interrupted"
    assert far.requests("cancel_async_message") == [
        {"subtype": "cancel_async_message", "message_uuid": waiting.prompt_id}
    ]


async def test_an_interrupt_of_nothing_is_no_mistake() -> None:
    far = FarEnd()
    async with live(far) as session:
        assert await session.interrupt() == Taken()
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        assert (await handle).outcome == "success"


async def test_F19_a_stop_while_it_asks_withdraws_the_ask() -> None:
    far = FarEnd()
    async with running(far) as (session, handle):
        far.asks("r1", command="make")
        await seen(session, PermissionRequest)

        def stop() -> None:
            far.withdraws("r1")
            far.aborts(handle.prompt_id)

        far.on_interrupt = stop
        await session.interrupt()
        assert (await seen(session, PermissionCancelled)).cause in ("withdrawn", "interrupted")
        assert (await handle).outcome == "interrupted"
    assert far.answer("r1") is None


async def test_a_turn_that_does_not_stop_gets_a_signal_and_a_word_about_it() -> None:
    far = FarEnd()
    async with running(far, patience=Patience(turn_s=0.01)) as (session, handle):
        far.on_interrupt = does_not_stop
        await session.interrupt()
        with pytest.raises(ProcessLost):
            await handle
        assert far.pipe.signals == [SIGINT]
        assert (await seen(session, Notice, lambda notice: notice.level == "warning")).text
        assert (await seen(session, SessionEnded)).cause == "killed"


async def test_a_cli_that_does_not_even_acknowledge_gets_the_signal_at_once() -> None:
    far = FarEnd()
    async with running(far, patience=Patience(receipt_s=0.01)) as (session, handle):
        far.silent_about.add("interrupt")
        waiting = await session.prompt("Then this", when="queue")
        assert await session.interrupt() == Taken(acknowledged=False)
        for lost in (handle, waiting):
            with pytest.raises(ProcessLost):
                await lost
    assert SIGINT in far.pipe.signals


async def test_a_cli_that_ignores_the_signal_is_ended() -> None:
    far = FarEnd(ignores=(SIGINT,))
    async with running(far, patience=Patience(turn_s=0.01, signal_s=0.01)) as (session, handle):
        far.on_interrupt = does_not_stop
        await session.interrupt()
        with pytest.raises(ProcessLost):
            await handle
    assert far.pipe.signals[0] == SIGINT


async def test_leaving_a_session_whose_turn_does_not_stop_takes_bounded_time() -> None:
    far = FarEnd(ends_at_eof=False)
    async with running(far, patience=Patience(receipt_s=0.01, signal_s=0.01)) as (session, _):
        far.silent_about.add("interrupt")
    assert session.ended
    assert far.pipe.signals == [SIGTERM]


async def test_L48_ending_waits_for_running_work_and_takes_no_more_prompts() -> None:
    far = FarEnd()
    async with running(far) as (session, handle):
        ending = asyncio.ensure_future(session.end())
        await asyncio.wait({ending}, timeout=0)
        with pytest.raises(SessionClosed):
            await session.prompt("more")
        far.result(handle.prompt_id)
        await ending
        assert (await handle).outcome == "success"
    assert not far.requests("interrupt")


async def test_L48_ending_does_not_wait_for_an_answer_that_nobody_gives() -> None:
    far = FarEnd()
    async with running(far) as (session, handle):
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        far.asks("r1", command="make")
        await seen(session, PermissionRequest)
        await session.end()
        assert (await handle).outcome == "interrupted"


async def test_L48_L51_ending_gives_running_work_its_grace_only() -> None:
    far = FarEnd()
    async with running(far, grace_s=0.01) as (session, handle):
        far.on_interrupt = lambda: far.aborts(handle.prompt_id)
        await session.end()
        assert (await handle).outcome == "interrupted"


async def test_a_lost_interrupt_that_is_not_heard_the_second_time_is_escalated() -> None:
    far = FarEnd()
    far.on_interrupt = does_not_stop
    async with live(far, patience=Patience(receipt_s=0.05, turn_s=5.0, signal_s=0.05)) as session:
        handle = await session.prompt("Go")
        far.still_queued = [handle.prompt_id]
        await session.interrupt()
        far.silent_about.add("interrupt")
        far.begins(handle.prompt_id)
        with pytest.raises(ProcessLost):
            await handle
    assert far.pipe.signals == [SIGINT]


async def test_L48_a_session_that_dies_with_work_owed_is_not_at_rest() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        started = {"task_id": "b1", "task_type": "local_agent", "description": "x", "is_backgrounded": True}
        far.says({"type": "system", "subtype": "session_state_changed", "state": "running"})
        far.says({"type": "system", "subtype": "task_started", **started})
        far.result(handle.prompt_id)
        assert (await handle).outcome == "success"
        far.pipe.exits(137)
        with pytest.raises(ProcessLost, match="exit code 137"):
            await session.idle()
