"""A session from its first prompt to its end: what is settled, what is told, what cannot hang."""

import asyncio
from typing import Any

import pytest

from bascule.commands import (
    AllowOnce,
    Compact,
    Decide,
    Deny,
    End,
    Interrupt,
    Prompt,
    Refused,
    SetMode,
    SetModel,
    StopTask,
    Taken,
    TooLate,
)
from bascule.conversation import Conversation
from bascule.errors import (
    LocalProtocolError,
    OptionError,
    ProcessLost,
    PromptDropped,
    RequestFailed,
    ResumeFailed,
    SessionClosed,
    StartFailed,
    StartTimedOut,
)
from bascule.events import (
    AnyEvent,
    Complete,
    MessageChunk,
    ModeChanged,
    PermissionRequest,
    PromptAccepted,
    SessionEnded,
    SessionStatus,
    TurnStarted,
)
from bascule.ids import CommandId, PromptId
from bascule.session.session import Session
from bascule.session.watch import Limits
from tests.session.far_end import SESSION, FarEnd
from tests.session.live import live, seen

ONE = PromptId("10000000-0000-4000-8000-000000000000")


async def all_events(session: Any) -> list[AnyEvent]:
    return [event async for event in session.events()]


async def test_a_prompt_is_answered_by_its_turn() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id, text="Hello.")
        complete = await handle
        assert (complete.outcome, complete.prompt_ids) == ("success", (handle.prompt_id,))
        assert (await seen(session, MessageChunk)).text == "Hello."
        assert session.cli_session_id == SESSION
    (line,) = far.of("user")
    assert line["message"] == {"role": "user", "content": "Hi"}
    assert line["uuid"] == handle.prompt_id


async def test_a_handle_is_awaited_any_number_of_times() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        assert await handle is await handle
        assert handle.done


async def test_L67_who_stops_waiting_does_not_settle_the_prompt() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await handle
        far.turn(handle.prompt_id)
        assert (await handle).outcome == "success"


async def test_two_prompts_that_share_a_turn_are_both_settled_by_it() -> None:
    """09_user_msg_while_asking: the second is folded in, and the one result lists both."""
    far = FarEnd()
    async with live(far) as session:
        first = await session.prompt("one")
        far.begins(first.prompt_id)
        second = await session.prompt("two")
        far.lifecycle(second.prompt_id, "started")
        far.result(first.prompt_id, second.prompt_id)
        assert await first is await second


async def test_three_prompts_and_two_results_settle_each_prompt_once() -> None:
    """11_burst: the first alone, those that waited merged."""
    far = FarEnd()
    async with live(far) as session:
        one, two, three = [await session.prompt(text) for text in ("1", "2", "3")]
        far.turn(one.prompt_id)
        far.turn(two.prompt_id, three.prompt_id)
        first, second, third = await one, await two, await three
        assert first.prompt_ids == (one.prompt_id,)
        assert second is third
        assert set(second.prompt_ids) == {two.prompt_id, three.prompt_id}


async def test_on_an_older_cli_three_prompts_and_two_results_settle_each_prompt_once() -> None:
    """2.1.197 names no prompt in a result; its echoes tell who was merged."""
    far = FarEnd(speaks_197=True)
    async with live(far) as session:
        handles = [await session.prompt(text) for text in ("1", "2", "3")]
        first, *merged = (handle.prompt_id for handle in handles)
        far.turn(first)
        far.turn(*merged)
        completes = [await handle for handle in handles]
    assert completes[1] is completes[2]
    assert completes[0] is not completes[1]


@pytest.mark.parametrize("speaks_197", [False, True])
async def test_prompts_of_two_priorities_that_wait_together_each_get_their_own_answer(*, speaks_197: bool) -> None:
    far = FarEnd(speaks_197=speaks_197)
    async with live(far) as session:
        first = await session.prompt("one")
        far.begins(first.prompt_id)
        await seen(session, SessionStatus)
        queued = await session.prompt("queued", when="queue")
        steered = await session.prompt("steered", when="steer")
        far.text("One.")
        far.result(first.prompt_id, result="One.")
        for handle, text in ((steered, "Steered."), (queued, "Queued.")):
            far.begins(handle.prompt_id)
            far.text(text)
            far.result(handle.prompt_id, result=text)
        assert [(await handle).text for handle in (first, queued, steered)] == ["One.", "Queued.", "Steered."]
        await session.idle()


async def test_a_session_is_idle_when_its_subagents_are_done_and_with_shells_when_those_are() -> None:
    """15_bg_agent, CLI 2.1.197: it says idle at once."""
    far = FarEnd(speaks_197=True)
    state = {"type": "system", "subtype": "session_state_changed"}
    async with live(far) as session:
        handle = await session.prompt("one")
        far.begins(handle.prompt_id)
        far.starts("a1", "local_agent")
        far.starts("b1", "local_bash")
        far.text("They run.")
        far.result(handle.prompt_id)
        far.says({**state, "state": "idle"})
        await handle
        idle = asyncio.ensure_future(session.idle())
        all_idle = asyncio.ensure_future(session.idle(shells=True))
        await asyncio.wait({idle, all_idle}, timeout=0)
        assert not idle.done()
        with pytest.raises(LocalProtocolError):
            await session.rewind(handle.prompt_id)
        far.ends("a1")
        await idle
        assert not all_idle.done()
        far.ends("b1")
        await all_idle


@pytest.mark.parametrize(
    ("when", "priority", "disposition"),
    [("now", "now", "steered"), ("steer", "next", "steered"), ("queue", "later", "queued")],
)
async def test_a_prompt_into_a_running_turn_says_when(when: Any, priority: str, disposition: str) -> None:
    far = FarEnd()
    async with live(far) as session:
        first = await session.prompt("one")
        far.begins(first.prompt_id)
        await seen(session, SessionStatus)
        second = await session.prompt("two", when=when)
        accepted = await seen(session, PromptAccepted, lambda event: event.prompt_id == second.prompt_id)
        assert accepted.disposition == disposition
    assert far.of("user")[1]["priority"] == priority


async def test_a_prompt_id_that_was_used_is_refused() -> None:
    """11_dup_uuid: the CLI would echo it, never run it, and never say so."""
    far = FarEnd()
    async with live(far) as session:
        await session.prompt("one", prompt_id=ONE)
        with pytest.raises(LocalProtocolError, match="sent before"):
            await session.prompt("two", prompt_id=ONE)
        receipt = await session.send(Prompt(command_id=CommandId("c"), text="two", prompt_id=ONE))
        assert isinstance(receipt, Refused)
    assert len(far.of("user")) == 1


async def test_S5_S8_a_process_that_dies_fails_its_prompts_and_says_how() -> None:
    far = FarEnd()
    async with live(far) as session:
        running = await session.prompt("one")
        far.begins(running.prompt_id)
        waiting = await session.prompt("two")
        far.pipe.complains("out of memory")
        far.pipe.exits(None, signal="SIGKILL")
        for handle in (running, waiting):
            with pytest.raises(ProcessLost, match="out of memory") as lost:
                await handle
            assert lost.value.signal == "SIGKILL"
        assert (await seen(session, Complete)).outcome == "lost"
        with pytest.raises(SessionClosed):
            await session.prompt("three")


async def test_a_handle_that_nobody_awaits_is_no_mistake() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("one")
        far.pipe.exits(1)
        await seen(session, SessionEnded)
        await session.idle()
        assert handle.done


async def test_a_prompt_that_was_taken_back_is_dropped() -> None:
    far = FarEnd()
    async with live(far) as session:
        first = await session.prompt("one")
        far.begins(first.prompt_id)
        second = await session.prompt("two")
        far.lifecycle(second.prompt_id, "cancelled")
        with pytest.raises(PromptDropped, match=second.prompt_id):
            await second
        far.result(first.prompt_id)
        assert (await first).prompt_ids == (first.prompt_id,)


@pytest.mark.parametrize("speaks_197", [False, True])
async def test_a_waiting_prompt_can_be_cancelled(*, speaks_197: bool) -> None:
    """2.1.197 tells nothing but the answer; the prompt is dropped, and the session comes to rest."""
    far = FarEnd(speaks_197=speaks_197)
    async with live(far) as session:
        first = await session.prompt("one")
        far.begins(first.prompt_id)
        await seen(session, SessionStatus)
        second = await session.prompt("two", when="queue")
        assert await second.cancel()
        with pytest.raises(PromptDropped):
            await second
        far.result(first.prompt_id)
        assert (await first).prompt_ids == (first.prompt_id,)
        await session.idle()
    assert far.requests("cancel_async_message")[0]["message_uuid"] == second.prompt_id


async def test_a_prompt_that_is_cancelled_before_anything_was_heard_of_its_turn_is_dropped() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("one")
        assert await handle.cancel()
        with pytest.raises(PromptDropped):
            await handle
        assert (await seen(session, Complete)).outcome == "interrupted"
        await session.idle()


async def test_a_prompt_that_runs_or_was_answered_cannot_be_cancelled() -> None:
    far = FarEnd()
    far.answers["cancel_async_message"] = {"cancelled": False}
    async with live(far) as session:
        handle = await session.prompt("one")
        assert not await handle.cancel()
        far.turn(handle.prompt_id)
        await handle
        assert not await handle.cancel()
    assert len(far.requests("cancel_async_message")) == 1


async def test_a_prompt_that_only_tells_something_asks_for_no_answer() -> None:
    """11_noquery: a turn with no round, at once."""
    far = FarEnd()
    async with live(far) as session:
        receipt = await session.send(Prompt(command_id=CommandId("c"), text="By the way", query=False))
        assert isinstance(receipt, Taken)
        far.begins(str(receipt.prompt_id))
        far.result(str(receipt.prompt_id), num_turns=0, result="")
        assert (await seen(session, Complete)).prompt_ids == (receipt.prompt_id,)
        await session.idle()
    assert far.of("user")[0]["shouldQuery"] is False


async def test_a_turn_without_a_round_owes_no_structured_output() -> None:
    far = FarEnd()
    async with live(far, json_schema={"type": "object"}) as session:
        handle = await session.prompt("By the way", query=False)
        far.begins(handle.prompt_id)
        far.result(handle.prompt_id, num_turns=0, result="")
        assert (await handle).num_turns == 0


async def test_a_self_started_turn_settles_nobody() -> None:
    """15_bg_agent: a result can come with no prompt at all."""
    far = FarEnd()
    async with live(far) as session:
        far.init()
        far.text("A task is done.")
        far.result(origin={"kind": "task-notification"})
        assert (await seen(session, Complete)).prompt_ids == ()
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        assert (await handle).prompt_ids == (handle.prompt_id,)


async def test_every_reader_reads_from_where_it_was() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        await handle
    whole = await all_events(session)
    assert [event.seq for event in whole] == list(range(1, len(whole) + 1))
    assert [event async for event in session.events(after=3)] == whole[3:]
    assert isinstance(whole[-1], SessionEnded)


async def test_readers_end_with_the_session() -> None:
    far = FarEnd()
    async with live(far) as session:
        reader = asyncio.ensure_future(all_events(session))
        await session.prompt("Hi")
        await seen(session, PromptAccepted)
        assert not reader.done()
    assert isinstance((await reader)[-1], SessionEnded)


async def test_a_command_sent_twice_is_done_once() -> None:
    far = FarEnd()
    async with live(far) as session:
        command = Prompt(command_id=CommandId("c1"), text="Hi")
        first, second = await session.send(command), await session.send(command)
        assert isinstance(first, Taken)
        assert first is second
        assert first.prompt_id is not None
    assert len(far.of("user")) == 1


@pytest.mark.parametrize(("instructions", "said"), [("", "/compact"), ("Keep the plan", "/compact Keep the plan")])
async def test_a_conversation_is_compacted_after_the_running_turn(instructions: str, said: str) -> None:
    far = FarEnd()
    async with live(far) as session:
        receipt = await session.send(Compact(command_id=CommandId("c"), instructions=instructions, by="Anna"))
        accepted = await seen(session, PromptAccepted)
    assert isinstance(receipt, Taken)
    assert (accepted.prompt_id, accepted.text, accepted.by) == (receipt.prompt_id, said, "Anna")
    (prompt,) = far.of("user")
    assert (prompt["message"]["content"], prompt["priority"]) == (said, "later")


async def test_a_session_whose_prompts_are_said_as_they_stand_is_not_compacted() -> None:
    far = FarEnd()
    async with live(far, verbatim_prompts=True) as session:
        assert isinstance(await session.send(Compact(command_id=CommandId("c"))), Refused)
    assert far.of("user") == []


async def test_what_runs_in_the_background_is_stopped() -> None:
    far = FarEnd()
    async with live(far) as session:
        assert await session.send(StopTask(command_id=CommandId("c"), task_id="t1")) == Taken()
    assert far.requests("stop_task") == [{"subtype": "stop_task", "task_id": "t1"}]


async def test_a_cancelled_sender_undoes_nothing() -> None:
    far = FarEnd()
    async with live(far) as session:
        command = SetMode(command_id=CommandId("c1"), mode="plan")
        far.silent_about.add("set_permission_mode")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await session.send(command)
        waiting = asyncio.ensure_future(session.send(command))
        await asyncio.wait({waiting}, timeout=0)
        far.says(
            {"type": "control_response", "response": {"subtype": "success", "request_id": "bascule-2", "response": {}}}
        )
        assert await waiting == Taken()
    assert len(far.requests("set_permission_mode")) == 1


async def test_an_id_of_a_prompt_is_a_uuid() -> None:
    far = FarEnd()
    async with live(far) as session:
        with pytest.raises(OptionError, match="prompt_id is 'mine'"):
            await session.prompt("Hi", prompt_id=PromptId("mine"))
        receipt = await session.send(Prompt(command_id=CommandId("c"), text="Hi", prompt_id=PromptId("mine")))
        assert isinstance(receipt, Refused)
        assert "UUID" in receipt.reason
        assert (await session.prompt("Hi", prompt_id=ONE)).prompt_id == ONE
        assert [line["uuid"] for line in far.of("user")] == [ONE]


async def test_a_mode_that_is_none_is_refused_before_the_cli_sees_it() -> None:
    """2.1.197 acknowledges any word."""
    far = FarEnd(speaks_197=True)
    async with live(far) as session:
        with pytest.raises(OptionError, match="bogus"):
            await session.set_mode("bogus")
    assert not far.requests("set_permission_mode")


async def test_the_mode_and_the_model_change_and_say_who_wanted_it() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        await handle
        assert await session.send(SetMode(command_id=CommandId("1"), mode="plan", by="Anna")) == Taken()
        changed = await seen(session, ModeChanged)
        assert (changed.mode, changed.by) == ("plan", "Anna")
        assert await session.send(SetModel(command_id=CommandId("2"), model=None)) == Taken()
    assert far.requests("set_model") == [{"subtype": "set_model", "model": None}]


async def test_a_request_that_the_cli_refuses_raises_and_is_a_refused_command() -> None:
    far = FarEnd()
    far.refuses["set_permission_mode"] = "bypass_not_launched"
    async with live(far) as session:
        with pytest.raises(RequestFailed, match="bypass_not_launched") as failed:
            await session.set_mode("bypassPermissions")
        assert failed.value.code == "bypass_not_launched"
        receipt = await session.send(SetMode(command_id=CommandId("c"), mode="bypassPermissions"))
        assert isinstance(receipt, Refused)


async def test_the_end_ends_readers_and_refuses_what_comes_after() -> None:
    far = FarEnd()
    async with live(far) as session:
        assert await session.send(End(command_id=CommandId("e"))) == Taken()
        ended = await seen(session, SessionEnded)
        assert ended.cause == "ended"
        assert session.ended
        assert isinstance(await session.send(Prompt(command_id=CommandId("p"), text="Hi")), Refused)
        assert isinstance(await session.send(Interrupt(command_id=CommandId("i"))), Refused)
        with pytest.raises(SessionClosed):
            await session.interrupt()


async def test_S7_ending_twice_is_ending_once() -> None:
    far = FarEnd()
    async with live(far) as session:
        await asyncio.gather(session.end(), session.end(), session.close())
    endings = [event for event in await all_events(session) if isinstance(event, SessionEnded)]
    assert len(endings) == 1


async def test_S6_a_session_is_used_from_any_task() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await asyncio.ensure_future(session.prompt("Hi"))
        far.turn(handle.prompt_id)

        async def wait() -> Complete:
            return await handle

        assert (await asyncio.ensure_future(wait())).outcome == "success"


async def test_leaving_a_session_in_a_turn_interrupts_it_first() -> None:
    """With stdin closed the model would go on, without anybody to ask (09_eof_while_asking)."""
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        await seen(session, SessionStatus)
        far.on_interrupt = lambda: far.result(handle.prompt_id, terminal_reason="aborted_streaming", is_error=True)
    assert far.requests("interrupt")


async def test_an_error_of_the_block_comes_out_as_it_is() -> None:
    far = FarEnd()
    with pytest.raises(ZeroDivisionError):
        async with live(far):
            raise ZeroDivisionError
    assert far.pipe.heard


async def test_a_cancelled_block_still_ends_the_process() -> None:
    far = FarEnd()

    async def run() -> None:
        async with live(far) as session:
            await session.prompt("Hi")
            await asyncio.Event().wait()

    task = asyncio.ensure_future(run())
    while not far.of("user"):
        await far.pipe.hear()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not far.pipe.write(("in", "{}"))


@pytest.mark.parametrize("left", ["at its end", "by an error", "by cancellation", "killed"])
async def test_L61_how_the_process_ended_is_known_however_the_session_was_left(left: str) -> None:
    """Who would go on by himself after a kill for lack of memory must learn of it first."""
    far, kept = FarEnd(), []

    async def run() -> None:
        async with live(far) as session:
            kept.append(session)
            await session.prompt("Hi")
            match left:
                case "by an error":
                    raise ZeroDivisionError
                case "by cancellation":
                    await asyncio.Event().wait()
                case "killed":
                    far.pipe.exits(None, signal="SIGKILL")

    task = asyncio.ensure_future(run())
    while not far.of("user"):
        await far.pipe.hear()
    if left == "by cancellation":
        task.cancel()
    await asyncio.wait({task})
    ends = [event for event in await all_events(kept[0]) if isinstance(event, SessionEnded)]
    known = [(end.cause, end.exit_code, end.signal) for end in ends]
    assert known == [("killed", None, "SIGKILL") if left == "killed" else ("ended", 0, None)]


async def test_L67_F28_an_answer_that_has_come_outlives_the_session() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id, text="Hello.")
        await seen(session, Complete)
        await session.interrupt()
    assert (await handle).outcome == "success"
    assert "Hello." in [event.text for event in await all_events(session) if isinstance(event, MessageChunk)]


@pytest.mark.parametrize("steps", range(1, 12))
async def test_a_cancellation_at_any_await_ends_the_process_and_leaves_no_task(steps: int) -> None:
    far = FarEnd()

    async def run() -> None:
        async with live(far) as session:
            handle = await session.prompt("Hi")
            far.begins(handle.prompt_id)
            far.asks("r1", command="make")
            ask = await seen(session, PermissionRequest)
            await session.decide(ask.pending_id, AllowOnce())
            await session.set_mode("plan")
            far.result(handle.prompt_id)
            await handle
            await session.end()

    before = asyncio.all_tasks()
    task = asyncio.ensure_future(run())
    for _ in range(steps):
        await next_turn()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled() or task.exception() is None
    assert not far.pipe.write(("in", "{}"))
    assert asyncio.all_tasks() == before


async def next_turn() -> None:
    """The other tasks run once."""
    turn = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(turn.set_result, None)
    await turn


def test_a_session_is_a_conversation() -> None:
    kind: type[Conversation] = Session
    assert callable(kind.send)


async def test_a_cli_that_ends_before_it_is_ready_fails_the_start() -> None:
    far = FarEnd()
    far.silent_about.add("initialize")
    far.pipe.complains("error: unknown option")
    far.pipe.exits(1)
    with pytest.raises(StartFailed, match="unknown option") as failed:
        async with live(far):
            pytest.fail("the session must not open")
    assert failed.value.process_exit_code == 1
    assert not isinstance(failed.value, ResumeFailed)


async def test_F38_L62_a_stale_resume_never_becomes_an_empty_session() -> None:
    """12_resume_stale: a result without an `init`, no answer to `initialize`, exit code 1."""
    far = FarEnd(f"--resume={SESSION}")
    far.silent_about.add("initialize")
    problem = f"No conversation found with session ID: {SESSION}"
    far.pipe.complains(problem)
    far.result(subtype="error_during_execution", is_error=True, errors=[problem], num_turns=0, result=None)
    far.pipe.exits(1)
    with pytest.raises(ResumeFailed, match="No conversation found"):
        async with live(far, resume=SESSION):
            pytest.fail("the session must not open")


async def test_a_cli_that_never_says_a_word_fails_the_start_in_time() -> None:
    far = FarEnd()
    far.silent_about.add("initialize")
    with pytest.raises(StartTimedOut, match=r"limits\.spawn_s") as late:
        async with live(far, limits=Limits(spawn_s=0.01)):
            pytest.fail("the session must not open")
    assert late.value.limit == "spawn"
    assert late.value.argv == ("claude", "--replay-user-messages")


@pytest.mark.parametrize("word", ["stdout", "stderr"])
async def test_a_cli_that_stops_talking_while_it_starts_fails_the_start_in_time(word: str) -> None:
    far = FarEnd()
    far.silent_about.add("initialize")
    if word == "stdout":
        far.says({"type": "system", "subtype": "hook_started", "hook_name": "SessionStart"})
    else:
        far.pipe.complains("a plugin is slow")
    with pytest.raises(StartTimedOut, match=r"limits\.initialize_s") as late:
        async with live(far, limits=Limits(spawn_s=None, initialize_s=0.01)):
            pytest.fail("the session must not open")
    assert late.value.limit == "initialize"
    assert late.value.stderr_tail == ("a plugin is slow" if word == "stderr" else "")


async def test_S26_a_cli_that_is_busy_starting_is_waited_for() -> None:
    far = FarEnd()
    far.silent_about.add("initialize")

    async def open_it() -> str:
        async with live(far, limits=Limits(initialize_s=0.2)) as session:
            return session.id

    opening = asyncio.ensure_future(open_it())
    for _ in range(8):
        await asyncio.wait({opening}, timeout=0.05)
        far.says({"type": "system", "subtype": "hook_started", "hook_name": "SessionStart"})
    assert not opening.done()
    far.says({"type": "control_response", "response": {"subtype": "success", "request_id": "bascule-1"}})
    assert await opening


async def test_a_refused_handshake_fails_the_start() -> None:
    far = FarEnd()
    far.refuses["initialize"] = "busy"
    with pytest.raises(StartFailed, match="busy"):
        async with live(far):
            pytest.fail("the session must not open")


async def test_an_ask_that_dies_with_the_process_is_lost_everywhere() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.asks("r1", command="make")
        ask = await seen(session, PermissionRequest)
        far.pipe.exits(1)
        await seen(session, SessionEnded)
        command = Decide(command_id=CommandId("d"), pending_id=ask.pending_id, decision=Deny())
        assert await session.send(command) == TooLate(winner="lost with the process")
        with pytest.raises(ProcessLost):
            await handle


async def test_a_turn_is_told_from_its_first_to_its_last_event() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi", by="Anna", surface="web")
        far.turn(handle.prompt_id)
        await handle
        await session.idle()
    kinds = [type(event) for event in await all_events(session)]
    order = [PromptAccepted, TurnStarted, SessionStatus, MessageChunk, Complete, SessionEnded]
    assert [kind for kind in kinds if kind in order] == order
    accepted = await seen(session, PromptAccepted)
    assert (accepted.by, accepted.surface, accepted.text) == ("Anna", "web", "Hi")
