"""Whatever the CLI does wrong, nobody waits in vain, and nothing is lost that was said."""

import asyncio
import json
from signal import SIGKILL, SIGTERM
from typing import Any

import pytest

from bascule.commands import AllowOnce, TooLate
from bascule.errors import ProcessLost, RequestFailed, SessionClosed
from bascule.events import (
    AnyEvent,
    Complete,
    MessageChunk,
    PermissionRequest,
    SessionEnded,
    SessionStatus,
    Unrecognised,
)
from bascule.session.hooks import UserHook
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import HookInput
from tests.session.far_end import SESSION, FarEnd
from tests.session.live import live, seen

GARBAGE = [
    "",
    "nonsense",
    "{",
    "null",
    "[1, 2]",
    '"text"',
    "\0",
    "\ufeff{}",
    '{"type": 3}',
    '{"type": "brand_new", "a": 1}',
    '{"type": "system", "subtype": "brand_new"}',
    '{"type": "assistant"}',
    '{"type": "assistant", "message": {"content": 5}}',
    '{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result"}]}}',
    '{"type": "result"}',
    '{"type": "control_request"}',
    '{"type": "control_response", "response": null}',
    '{"type": "control_response", "response": {"subtype": "success", "request_id": "nobody-1"}}',
    '{"type": "control_cancel_request", "request_id": "nobody-1"}',
    '{"type": "stream_event", "event": null}',
    "[" * 2000,
]


async def all_events(session: Any) -> list[AnyEvent]:
    return [event async for event in session.events()]


@pytest.mark.parametrize(("code", "signal"), [(0, None), (1, None), (3, None), (None, "SIGKILL"), (None, "SIGSEGV")])
@pytest.mark.parametrize("begun", [False, True])
async def test_a_cli_that_ends_without_a_result_loses_the_turn_and_says_how(
    code: int | None, signal: str | None, *, begun: bool
) -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        if begun:
            far.begins(handle.prompt_id)
        far.pipe.exits(code, signal=signal)
        with pytest.raises(ProcessLost) as lost:
            await handle
        assert (lost.value.process_exit_code, lost.value.signal) == (code, signal)
        with pytest.raises(SessionClosed):
            await session.prompt("Again")
    told = await all_events(session)
    assert [event.outcome for event in told if isinstance(event, Complete)] == ["lost"]
    assert isinstance(told[-1], SessionEnded)


async def test_F10_an_ask_ends_with_its_process() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.asks("r1", command="make")
        ask = await seen(session, PermissionRequest)
        far.pipe.exits(None, signal="SIGKILL")
        with pytest.raises(ProcessLost):
            await handle
        assert isinstance(await session.decide(ask.pending_id, AllowOnce()), TooLate)


@pytest.mark.parametrize("line", GARBAGE, ids=lambda line: line[:30] or "empty")
async def test_a_line_that_says_nothing_changes_nothing(line: str) -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.pipe.says(line)
        far.begins(handle.prompt_id)
        far.pipe.says(line)
        far.text("Hello.")
        far.result(handle.prompt_id)
        complete = await handle
        assert complete.prompt_ids == (handle.prompt_id,)
        assert (await seen(session, MessageChunk)).text == "Hello."
        again = await session.prompt("Again")
        far.turn(again.prompt_id)
        assert (await again).outcome == "success"


async def test_what_is_new_is_told() -> None:
    far = FarEnd()
    async with live(far) as session:
        far.pipe.says('{"type": "brand_new"}')
        assert (await seen(session, Unrecognised)).message_type == "brand_new"


async def test_a_request_that_comes_twice_is_answered_once() -> None:
    """A redelivered request runs its hook once; so does an ask."""
    calls = []

    async def hook(told: HookInput) -> HookOutput | None:
        calls.append(told)
        return None

    far = FarEnd()
    async with live(far, hooks=(UserHook(event="PostToolUse", function=hook),)) as session:
        for _ in range(3):
            far.calls_hook("h1", "bascule:0", "PostToolUse", tool_name="Bash", tool_input={})
            far.asks("r1", command="make")
        await far.answered("h1")
        ask = await seen(session, PermissionRequest)
        await session.decide(ask.pending_id, AllowOnce())
    assert len(calls) == 1
    assert [line["response"]["request_id"] for line in far.of("control_response")] == ["h1", "r1"]


async def test_an_answer_that_comes_too_late_or_twice_is_nobodys() -> None:
    far = FarEnd()
    far.silent_about.add("get_usage")
    async with live(far) as session:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await session.cli.usage()
        asked = next(line for line in far.of("control_request") if line["request"]["subtype"] == "get_usage")
        late = {"subtype": "success", "request_id": asked["request_id"], "response": {}}
        far.says(*[{"type": "control_response", "response": late}] * 2)
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        assert (await handle).outcome == "success"


async def test_a_request_whose_answer_is_an_odd_error_has_failed() -> None:
    far = FarEnd()
    far.silent_about.add("get_usage")
    async with live(far) as session:
        asking = asyncio.ensure_future(session.cli.usage())
        await far.asked("get_usage")
        asked = next(line for line in far.of("control_request") if line["request"]["subtype"] == "get_usage")
        odd = {"subtype": "error", "request_id": asked["request_id"]}
        far.says({"type": "control_response", "response": odd})
        with pytest.raises(RequestFailed, match="no reason"):
            await asking


async def test_S2_a_cli_that_never_reads_holds_up_the_writer_and_nobody_else() -> None:
    far = FarEnd()
    async with live(far) as session:
        far.pipe.stops_reading()
        writing = asyncio.ensure_future(session.prompt("Hi"))
        far.init()
        assert (await seen(session, SessionStatus)).cwd == "/w"
        assert not writing.done()
        far.on_interrupt = far.aborts
        await session.close()
        handle = await writing
        assert handle.done


async def test_a_cli_that_ignores_its_end_is_killed() -> None:
    far = FarEnd(ends_at_eof=False, ignores=(SIGTERM,))
    async with live(far):
        pass
    assert far.pipe.signals == [SIGTERM, SIGKILL]


async def test_S34_F39_an_id_that_changes_is_followed_and_ours_stays() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("/clear")
        far.turn(handle.prompt_id)
        await handle
        assert session.cli_session_id == SESSION
        far.says({"type": "conversation_reset", "new_conversation_id": "other"})
        again = await session.prompt("Hi")
        far.init(session_id="other")
        far.result(again.prompt_id, session_id="other")
        await again
        assert session.cli_session_id == "other"
    assert {event.session for event in await all_events(session)} == {session.id}


async def test_S1_twenty_thousand_unread_lines_do_not_hold_an_interrupt_up() -> None:
    """The SDK's interrupt waits behind the data, and times out after a minute."""
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
        line = json.dumps({"type": "stream_event", "event": delta, "parent_tool_use_id": None})
        far.pipe.says(*[line] * 20_000)
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
