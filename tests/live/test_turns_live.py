"""Prompts and turns as they really are, on the real CLI: joined, merged, cut, dropped, begun by nobody; none hangs."""

import asyncio
import random
import re
import signal
from typing import Any, get_args

import pytest

from bascule.commands import AllowOnce
from bascule.demo.asked import Asked
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Say, Script, call, respond, say, turn, wait, when
from bascule.errors import LocalProtocolError, ProcessLost, PromptDropped
from bascule.events import Complete, MessageChunk, PermissionRequest, TaskEnded, TaskStarted, TurnStarted
from bascule.session.options import Options
from bascule.session.prompts import PromptHandle
from bascule.session.query import query
from bascule.session.session import Session, When
from bascule.session.stopping import Patience
from tests.live.stage import Stage, bash, said, seen, so_far

ONCE = turn(say("Once"), wait("end"), say("upon a time."))


async def outcome(handle: PromptHandle) -> str:
    """How a prompt ended, in time."""
    async with asyncio.timeout(20):
        try:
            return (await handle).outcome
        except PromptDropped:
            return "dropped"


async def writing(session: Session, text: str = "Tell me") -> PromptHandle:
    """A prompt whose answer is being written."""
    handle = await session.prompt(text)
    await seen(session, MessageChunk, lambda chunk: chunk.text.startswith("Once"))
    return handle


def ends(events: list[Any]) -> list[Complete]:
    return [event for event in events if isinstance(event, Complete)]


async def test_a_prompt_into_a_tool_joins_the_turn_and_one_that_waits_gets_its_own(stage: Stage) -> None:
    turns = (turn(bash("touch made"), say("Both.")), say("Then this."))
    async with stage.play(*turns, policy="supervised") as (session, model):
        first = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        joined = await session.prompt("And be quick", when="steer")
        later = await session.prompt("Then this", when="queue")
        await session.decide(ask.pending_id, AllowOnce())
        assert await first is await joined
        assert (await later).text == "Then this."
        assert (await later).prompt_ids == (later.prompt_id,)
        assert "be quick" in str(model.asked[1].body)
        assert "Then this" not in str(model.asked[1].body["messages"])


async def test_a_prompt_into_a_text_is_the_next_turn(stage: Stage) -> None:
    async with stage.play(ONCE, say("And then.")) as (session, model):
        first = await writing(session)
        second = await session.prompt("And then?")
        model.gate("end").open()
        assert (await first).prompt_ids == (first.prompt_id,)
        assert (await second).text == "And then."


async def test_a_prompt_that_cannot_wait_cuts_the_turn(stage: Stage) -> None:
    async with stage.play(ONCE, say("Now.")) as (session, _):
        first = await writing(session)
        second = await session.prompt("No, this", when="now")
        assert (await second).text == "Now."
        assert (await first).outcome == "interrupted"


async def test_prompts_that_wait_share_the_next_turn(stage: Stage) -> None:
    async with stage.play(ONCE, say("All three."), say("never said"), say("never said")) as (session, model):
        first = await writing(session)
        waiting = [await session.prompt(f"And {number}?", when="queue") for number in range(3)]
        model.gate("end").open()
        assert (await first).outcome == "success"
        completes = [await handle for handle in waiting]
        await session.idle()
        settled = [prompt_id for complete in set(map(id, completes)) for prompt_id in _of(completes, complete)]
        assert sorted(settled) == sorted(handle.prompt_id for handle in waiting)


def _of(completes: list[Complete], which: int) -> tuple[str, ...]:
    return next(complete.prompt_ids for complete in completes if id(complete) == which)


WAITING = [
    ([("later", "queue"), ("sooner", "steer")], [["sooner"], ["later"]]),
    ([("/cost", "queue"), ("words", "queue")], [["/cost"], ["words"]]),
    ([("words", "queue"), ("/cost", "queue")], [["words"], ["/cost"]]),
    ([("later", "queue"), ("/cost", "steer"), ("sooner", "steer")], [["/cost"], ["sooner"], ["later"]]),
    ([("told", "steer"), ("words", "steer")], [["told"], ["words"]]),
]
"""Prompts that wait together, each with when it may run; and which of them share a turn, in which order."""


@pytest.mark.parametrize(("prompts", "turns"), WAITING, ids=lambda given: "-".join(str(part[0]) for part in given))
async def test_prompts_of_several_kinds_that_wait_together_are_answered_apart(
    stage: Stage, prompts: list[tuple[str, When]], turns: list[list[str]]
) -> None:
    async with stage.play(ONCE, *(turn(respond(echo)) for _ in prompts)) as (session, model):
        first = await writing(session)
        handles = {text: await session.prompt(text, when=when_, query=text != "told") for text, when_ in prompts}
        await session.cli.mcp_status()  # and so the CLI has read them
        model.gate("end").open()
        assert (await first).prompt_ids == (first.prompt_id,)
        completes = {text: await handle for text, handle in handles.items()}
        await session.idle()
    names = {handle.prompt_id: text for text, handle in handles.items()}
    ran = ends(await so_far(session))[1:]
    assert [[names[prompt_id] for prompt_id in complete.prompt_ids] for complete in ran] == turns
    assert {text: kind(complete) for text, complete in completes.items()} == {text: text for text in handles}


def echo(asked: Asked) -> Say:
    """The model says what it was asked."""
    return say(asked.prompt)


def kind(complete: Complete) -> str:
    """Whose answer it is: the model repeats its prompt behind what it was told, and a command tells the cost."""
    if complete.num_turns == 0:
        return "/cost" if "cost" in (complete.text or "") else "told"
    return (complete.text or "").rpartition("\n")[2]


@pytest.mark.parametrize("drop", [False, True])
async def test_what_waits_survives_an_interrupt_unless_it_is_dropped(stage: Stage, *, drop: bool) -> None:
    async with stage.play(ONCE, say("Next."), say("Last.")) as (session, _):
        first = await writing(session)
        waiting = await session.prompt("Next?", when="queue")
        receipt = await session.interrupt(drop_queued=drop)
        assert (await first).outcome == "interrupted"
        assert receipt.still_queued in ((), (waiting.prompt_id,))
        assert await outcome(waiting) == ("dropped" if drop else "success")
        assert (await said(session, "Still there?")).outcome == "success"
        await session.idle()


async def test_S22_a_turn_that_nobody_asked_for_settles_nobody(stage: Stage) -> None:
    """A shell in the background ends: the CLI tells the model, in a turn of its own."""
    shell = turn(bash("sleep 1; echo done", run_in_background=True), say("It runs."))
    async with stage.play(shell, say("It is done."), say("Yes?")) as (session, _):
        first = await said(session, "Run it")
        assert first.text == "It runs."
        await seen(session, TaskEnded)
        began = await seen(session, TurnStarted, lambda event: event.cause != "prompt")
        ended = await seen(session, Complete, lambda event: event.turn == began.turn)
        assert (began.cause, began.prompt_ids, ended.prompt_ids) == ("task", (), ())
        handle = await session.prompt("Well?")
        assert (await handle).prompt_ids == (handle.prompt_id,)
        await session.idle()


async def test_a_prompt_beside_a_turn_that_nobody_asked_for_is_settled_once(stage: Stage) -> None:
    shell = turn(bash("sleep 0.3; echo done", run_in_background=True), say("It runs."))
    async with stage.play(shell, *(say(f"answer {number}") for number in range(4))) as (session, _):
        await said(session, "Run it")
        handles = [await session.prompt(f"And {number}?", when="queue") for number in range(2)]
        assert {await outcome(handle) for handle in handles} == {"success"}
        await session.idle()
    settled = [prompt_id for complete in ends(await so_far(session)) for prompt_id in complete.prompt_ids]
    assert len(settled) == len(set(settled)) == 3


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
async def test_S21_an_interrupt_that_crosses_with_its_prompt_is_never_lost(stage: Stage, *, warm: bool) -> None:
    """10_interrupt_race_warm: 2.1.332 gives the prompt back as still queued, and then runs it."""
    tales = [turn(say("Once"), wait(f"end {number}"), say("upon a time.")) for number in range(4)]
    async with stage.play(*([say("Warm.")] if warm else []), *tales, say("Back.")) as (session, _):
        if warm:
            await said(session, "Warm up")
        for number in range(4):
            handle = await session.prompt(f"Tell me {number}")
            await asyncio.wait({asyncio.ensure_future(seen(session, PermissionRequest))}, timeout=0.003 * number)
            await session.interrupt()
            assert await outcome(handle) in ("interrupted", "dropped")
        await session.idle()


async def test_an_interrupt_that_crosses_with_the_result_harms_nobody(stage: Stage) -> None:
    async with stage.play(*(say(f"answer {number}") for number in range(12))) as (session, _):
        for number in range(5):
            handle = await session.prompt(f"And {number}?")
            await seen(session, MessageChunk, lambda chunk: not chunk.partial and chunk.turn == session_turn(session))
            await session.interrupt()
            assert await outcome(handle) in ("success", "interrupted")
        assert (await said(session, "Still there?")).outcome == "success"


def session_turn(session: Session) -> int:
    """The turn that runs now, or ran last."""
    return session._line.fold.turn


@pytest.mark.parametrize("seed", [1, 2])
async def test_no_prompt_hangs_whatever_it_meets(stage: Stage, seed: int) -> None:
    """Prompts at any moment, in any of the three ways, taken back and interrupted in between: each is settled once,
    and by a turn whose model had read it."""
    chance = random.Random(seed)
    answers = [turn(bash("true"), respond(numbers)) for _ in range(40)]
    async with ScriptedModel(Script(*answers)) as model, stage.session(model) as session:
        handles: list[PromptHandle] = []
        for number in range(14):
            how: When = chance.choice(get_args(When))
            handles.append(await session.prompt(f"And #{number}?", when=how, query=chance.random() > 0.1))
            await asyncio.wait({asyncio.ensure_future(outcome(handles[-1]))}, timeout=chance.random() * 0.3)
            if chance.random() < 0.2:
                await chance.choice(handles).cancel()
            if chance.random() < 0.15:
                await session.interrupt(drop_queued=chance.random() < 0.5)
        outcomes = [await outcome(handle) for handle in handles]
        assert set(outcomes) <= {"success", "interrupted", "dropped"}
        said_so = {n: str((await handles[n]).text) for n, how in enumerate(outcomes) if how == "success"}
        read = {
            n: text for n, text in said_so.items() if text.startswith("#")
        }  # others: told, or of a script cut short
        assert read
        assert [n for n, text in read.items() if f"#{n} " not in text] == []
        await session.idle()
        events = await so_far_until_now(session)
    settled = [prompt_id for complete in ends(events) for prompt_id in complete.prompt_ids]
    assert len(settled) == len(set(settled))
    assert len([event for event in events if isinstance(event, TurnStarted)]) == len(ends(events))


async def so_far_until_now(session: Session) -> list[Any]:
    """What has happened in a session that is at rest."""
    await session.end()
    return await so_far(session)


def numbers(asked: Asked) -> Say:
    """The model says the numbers of all prompts that it has read."""
    return say("".join(f"{found} " for found in dict.fromkeys(re.findall(r"#\d+", str(asked.messages)))))


def agent(seconds: float) -> tuple[Any, ...]:
    """A subagent in the background, which works for so long, and what the model says of its end."""
    made = call("Agent", subagent_type="general-purpose", description="work", prompt="work", run_in_background=True)
    return (
        turn(made, say("It is under way."), when=when(prompt="Have it done")),
        turn(bash(f"sleep {seconds}; touch inner"), say("Worked."), when=when(agent=True)),
        turn(say("It is done."), when=when(note="<task-notification>")),
    )


async def test_a_session_is_not_idle_while_a_subagent_is_at_work(stage: Stage) -> None:
    """2.1.197 says that it is."""
    async with stage.play(*agent(2), grace_s=0.3, checkpoints=True) as (session, _):
        handle = await session.prompt("Have it done")
        assert (await handle).text == "It is under way."
        with pytest.raises(LocalProtocolError):
            await session.rewind(handle.prompt_id, dry_run=True)
        await session.idle()
        assert stage.path("inner").exists()
    assert [event.outcome for event in await so_far(session) if isinstance(event, TaskEnded)][-1] == "completed"
    assert ends(await so_far(session))[-1].text == "It is done."


async def test_a_run_waits_for_a_subagent_that_takes_longer_than_the_grace(stage: Stage) -> None:
    async with ScriptedModel(Script(*agent(2))) as model:
        run = query("Have it done", options(stage, model, grace_s=0.3))
        outcomes = [
            event.outcome async for event in run if isinstance(event, TaskEnded) and event.kind == "local_agent"
        ]
    assert (outcomes, run.complete.text) == (["completed"], "It is done.")
    assert stage.path("inner").exists()


def options(stage: Stage, model: ScriptedModel, **more: Any) -> Options:
    """As those of ``stage.session``."""
    env = {**stage.env, "ANTHROPIC_BASE_URL": model.url}
    return Options(cwd=stage.workspace, cli=stage.cli, policy="autonomous", trust="all", rule_files=(), env=env, **more)


def shell(seconds: float) -> tuple[Any, ...]:
    """A command in the background, and what the model says of its end."""
    made = bash(f"sleep {seconds}; touch inner", run_in_background=True)
    return (
        turn(made, say("It runs."), when=when(prompt="Run it")),
        turn(say("It is over."), when=when(note="<task-notification>")),
    )


async def test_the_result_of_a_run_is_of_what_had_ended_before_its_shells_were_stopped(stage: Stage) -> None:
    async with ScriptedModel(Script(*shell(60))) as model:
        run = query("Run it", options(stage, model, grace_s=7.0))
        started = [event async for event in run if isinstance(event, TaskStarted)]
    assert (len(started), run.complete.text) == (1, "It runs.")
    assert not stage.path("inner").exists()


async def test_who_wants_to_waits_for_shells_too(stage: Stage) -> None:
    async with stage.play(*shell(1.5), grace_s=0.3) as (session, _):
        assert (await said(session, "Run it")).text == "It runs."
        await session.idle()
        assert not stage.path("inner").exists()
        await session.idle(shells=True)
        assert stage.path("inner").exists()
    assert ends(await so_far(session))[-1].text == "It is over."


async def test_a_cli_that_hangs_is_stopped_and_the_receipt_says_that_it_did_not_answer(stage: Stage) -> None:
    patience = Patience(receipt_s=0.5, turn_s=0.5, signal_s=0.5)
    async with stage.play(ONCE, patience=patience, grace_s=0) as (session, _):
        handle = await writing(session)
        session._line.signal(signal.SIGSTOP)
        receipt = await session.interrupt()
        assert not receipt.acknowledged
        with pytest.raises(ProcessLost):
            await handle
