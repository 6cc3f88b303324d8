"""Limits of time on the real CLI: what hangs is stopped, what has a reason to wait is not, and what is left over."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bascule.commands import AllowOnce
from bascule.demo.script import fail, pause, say, turn, wait
from bascule.errors import ProcessLost, TurnTimedOut
from bascule.events import Complete, Error, MessageChunk, Notice, PermissionRequest, Retrying, SessionEnded
from bascule.session.stopping import Patience
from bascule.session.watch import Limits
from tests.live.stage import Stage, bash, said, seen, so_far


async def test_L54_S16_S27_a_model_that_falls_silent_is_stopped_and_the_session_goes_on(stage: Stage) -> None:
    turns = (turn(say("Once"), wait("never"), say("upon a time")), say("Back."))
    async with stage.play(*turns, limits=Limits(silence_s=1.5)) as (session, _):
        with pytest.raises(TurnTimedOut, match="nothing was heard") as late:
            await said(session, "Tell me")
        assert late.value.complete.outcome == "interrupted"
        assert late.value.argv[1] == "-p"
        assert (await said(session, "And?")).text == "Back."
    told = [event for event in await so_far(session) if isinstance(event, Notice | Error | Complete)]
    assert [type(event) for event in told[:3]] == [Notice, Error, Complete]


async def test_an_api_that_never_answers_is_given_up(stage: Stage) -> None:
    turns = (turn(wait("never"), say("never said")), say("Back."))
    async with stage.play(*turns, limits=Limits(first_byte_s=1.5)) as (session, _):
        with pytest.raises(TurnTimedOut) as late:
            await said(session, "Tell me")
        assert late.value.limit == "first_byte"
        assert (await said(session, "And?")).text == "Back."


async def test_a_turn_that_never_ends_is_stopped_with_its_tool(stage: Stage) -> None:
    command = "echo begun > begun; sleep 60; touch ended"
    async with stage.play(turn(bash(command), say("never said")), limits=Limits(turn_s=3)) as (session, _):
        with pytest.raises(TurnTimedOut) as late:
            await said(session, "Run it")
        assert late.value.limit == "turn"
        assert stage.path("begun").exists()
    assert not stage.path("ended").exists()


async def test_a_session_whose_time_is_over_is_ended(stage: Stage) -> None:
    async with stage.play(turn(say("Once"), wait("never")), limits=Limits(total_s=3)) as (session, _):
        with pytest.raises(TurnTimedOut) as late:
            await said(session, "Tell me")
        assert late.value.limit == "total"
        assert (await seen(session, SessionEnded)).cause == "ended"
        assert (await seen(session, Error)).kind == "timeout"


async def test_L74_a_tool_at_work_is_no_silence(stage: Stage) -> None:
    async with stage.play(turn(bash("sleep 3; touch made"), say("Done.")), limits=Limits(silence_s=1)) as (session, _):
        assert (await said(session, "Make it")).text == "Done."
    assert stage.path("made").exists()


async def test_L49_a_person_who_thinks_is_no_silence(stage: Stage) -> None:
    limits = Limits(silence_s=1, turn_s=2, first_byte_s=2)
    async with stage.play(turn(bash("touch made"), say("Done.")), policy="supervised", limits=limits) as (session, _):
        handle = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        await asyncio.wait({asyncio.ensure_future(seen(session, Error))}, timeout=3)
        await session.decide(ask.pending_id, AllowOnce())
        assert (await handle).text == "Done."


async def test_L74_a_wait_before_the_api_is_asked_again_is_no_silence(stage: Stage) -> None:
    overloaded = fail(529, headers={"retry-after": "3"})
    async with stage.play(turn(overloaded, say("Done.")), limits=Limits(silence_s=2, first_byte_s=2)) as (session, _):
        assert (await said(session, "Hi")).text == "Done."
        assert (await seen(session, Retrying)).delay_ms >= 3000


async def test_a_slow_answer_that_keeps_coming_is_no_silence(stage: Stage) -> None:
    slow = turn(*(step for word in "abcdef" for step in (say(word), pause(0.5))))
    async with stage.play(slow, limits=Limits(silence_s=2)) as (session, _):
        assert (await said(session, "Slowly")).outcome == "success"
        assert (await seen(session, MessageChunk)).text


async def test_L55_what_does_not_stop_is_stopped_for_certain(stage: Stage) -> None:
    """The CLI is frozen: it acknowledges nothing, and no signal but the last reaches it."""
    patience = Patience(receipt_s=0.5, turn_s=0.5, signal_s=0.5)
    limits = Limits(silence_s=1.5)
    async with stage.play(turn(say("Once"), wait("never")), limits=limits, patience=patience, grace_s=0) as (
        session,
        _,
    ):
        handle = await session.prompt("Tell me")
        await seen(session, MessageChunk)
        os.kill(process_of(str(session.id)), signal.SIGSTOP)
        with pytest.raises(TurnTimedOut) as late:
            await handle
        assert late.value.complete is None
        assert (await seen(session, SessionEnded)).signal == "SIGKILL"


async def test_S5_S8_a_process_that_is_killed_says_how_and_what_it_was(stage: Stage) -> None:
    async with stage.play(turn(say("Once"), wait("never"))) as (session, _):
        handle = await session.prompt("Tell me")
        await seen(session, MessageChunk)
        os.kill(process_of(str(session.id)), signal.SIGKILL)
        with pytest.raises(ProcessLost, match="resume") as lost:
            await handle
        assert lost.value.signal == "SIGKILL"
        assert any(word.startswith("--session-id=") for word in lost.value.argv)
        assert lost.value.argv[0] == str(stage.cli)


def process_of(session: str) -> int:
    """The process whose command line names the session."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and session.encode() in (folder / "cmdline").read_bytes():
            return int(folder.name)
    raise AssertionError("there is no such process")
