"""Subagents and work in the background, on the real CLI: whose call is whose, who asks, what is stopped, when it rests.

2.1.332 runs a subagent in the background unless the call says otherwise, 2.1.197 in the foreground (15_bg_agent).
"""

from typing import Any

import pytest

from bascule.commands import AllowOnce
from bascule.demo.script import Step, call, say, turn, wait, when
from bascule.events import (
    Complete,
    MessageChunk,
    PermissionRequest,
    TaskEnded,
    TaskStarted,
    ToolCall,
    ToolUpdate,
    TurnStarted,
)
from bascule.payload import ShellExec, SubagentTask
from bascule.policy.rules import parse
from tests.live.stage import Stage, bash, said, seen, so_far

FOREGROUND: dict[str, Any] = {"run_in_background": False}
BACKGROUND: dict[str, Any] = {"run_in_background": True}


def agent(prompt: str = "Look around", **more: Any) -> Step:
    """A call of a subagent with this task."""
    return call("Agent", description="look", prompt=prompt, subagent_type="general-purpose", **more)


def delegates(*steps: Step, **how: Any) -> tuple[Any, ...]:
    """The main thread delegates; the subagent takes these steps; a turn of the CLI's own reports."""
    return (
        turn(agent(**how), say("It is on its way."), when=when(prompt="Delegate")),
        turn(*steps, say("All is quiet."), when=when(prompt="Look around", agent=True)),
        turn(say("It says: all is quiet."), when=when(note="task-notification")),
    )


async def test_calls_of_a_subagent_stand_below_its_call(stage: Stage) -> None:
    async with stage.play(*delegates(bash("touch made"), **FOREGROUND)) as (session, model):
        assert (await said(session, "Delegate")).text == "It is on its way."
        await session.idle()
    events = await so_far(session)
    first, second = (event for event in events if isinstance(event, ToolCall))
    assert isinstance(first.normalized, SubagentTask)
    assert isinstance(second.normalized, ShellExec)
    assert (first.parent_tool_call_id, second.parent_tool_call_id) == (None, first.tool_call_id)
    ends = [event for event in events if isinstance(event, ToolUpdate) and event.tool_status != "running"]
    assert [end.tool_call_id for end in ends] == [second.tool_call_id, first.tool_call_id]
    assert "All is quiet." in str(model.asked[-1].body)
    assert sum(isinstance(event, Complete) for event in events) == 1
    assert stage.path("made").exists()


async def test_L50_a_subagent_that_says_nothing_of_it_runs_as_the_version_has_it(stage: Stage) -> None:
    async with stage.play(*delegates()) as (session, _):
        await said(session, "Delegate")
        await session.idle()
    events = await so_far(session)
    started = [event for event in events if isinstance(event, TaskStarted)]
    turns = [event.cause for event in events if isinstance(event, TurnStarted)]
    assert [task.kind for task in started] == ["local_agent"]
    assert (started[0].background is True, turns) == (stage.newer, ["prompt", "task"] if stage.newer else ["prompt"])
    (ended,) = (event for event in events if isinstance(event, TaskEnded))
    assert (ended.task_id, ended.outcome) == (started[0].task_id, "completed")


@pytest.mark.parametrize("how", [FOREGROUND, BACKGROUND], ids=["foreground", "background"])
async def test_S23_a_subagent_asks_whenever_it_wants_to(stage: Stage, how: dict[str, bool]) -> None:
    async with stage.play(*delegates(bash("touch made"), **how), policy="supervised", allow=("Agent",)) as (session, _):
        handle = await session.prompt("Delegate")
        if how is BACKGROUND:
            assert (await handle).outcome == "success"
        ask = await seen(session, PermissionRequest)
        assert ask.agent_id
        await session.decide(ask.pending_id, AllowOnce())
        await handle
        await session.idle()
    assert stage.path("made").exists()


@pytest.mark.parametrize("how", [FOREGROUND, BACKGROUND], ids=["foreground", "background"])
async def test_S39_what_is_denied_is_denied_to_subagents_too(stage: Stage, how: dict[str, bool]) -> None:
    rules = (parse("Bash(touch *)", "deny"),)
    async with stage.play(*delegates(bash("touch made"), **how), rules=rules) as (session, _):
        await said(session, "Delegate")
        await session.idle()
    ends = [event for event in await so_far(session) if isinstance(event, ToolUpdate)]
    assert [end.tool_status for end in ends if isinstance(end.normalized, ShellExec)] == ["denied"]
    assert not stage.path("made").exists()


async def test_a_subagent_of_a_subagent_is_told_by_its_task(stage: Stage) -> None:
    """Its own lines are not passed on (15_nested)."""
    turns = (
        turn(agent("Look outside", **FOREGROUND), say("Both looked."), when=when(prompt="Delegate")),
        turn(agent("Look inside", **FOREGROUND), say("We looked."), when=when(prompt="Look outside")),
        turn(bash("touch made"), say("I looked."), when=when(prompt="Look inside")),
    )
    async with stage.play(*turns) as (session, _):
        assert (await said(session, "Delegate")).text == "Both looked."
        await session.idle()
    events = await so_far(session)
    started = {event.task_id for event in events if isinstance(event, TaskStarted)}
    assert len(started) == 2
    assert {event.task_id for event in events if isinstance(event, TaskEnded)} == started
    assert stage.path("made").exists()


async def test_subagents_side_by_side_each_come_to_their_end(stage: Stage) -> None:
    turns = (
        turn(agent("Look here", **FOREGROUND), agent("Look there", **FOREGROUND), say("Both."), when=when(prompt="Go")),
        turn(bash("touch here"), say("Here."), when=when(prompt="Look here")),
        turn(bash("touch there"), say("There."), when=when(prompt="Look there")),
    )
    async with stage.play(*turns) as (session, _):
        assert (await said(session, "Go")).text == "Both."
        await session.idle()
    calls = {event.tool_call_id: event for event in await so_far(session) if isinstance(event, ToolCall)}
    agents = [each for each in calls.values() if isinstance(each.normalized, SubagentTask)]
    shells = [each for each in calls.values() if isinstance(each.normalized, ShellExec)]
    assert {shell.parent_tool_call_id for shell in shells} == {each.tool_call_id for each in agents}
    assert (len(agents), len(shells)) == (2, 2)


async def test_an_interrupt_stops_what_runs_in_the_background_too(stage: Stage) -> None:
    turns = (
        turn(agent(**BACKGROUND), say("Once"), wait("end"), say("upon a time."), when=when(prompt="Delegate")),
        turn(bash("echo a; sleep 61"), when=when(prompt="Look around")),
        turn(say("Back."), when=when(prompt="Still there?")),
    )
    async with stage.play(*turns) as (session, _):
        handle = await session.prompt("Delegate")
        await seen(session, ToolCall, lambda event: isinstance(event.normalized, ShellExec))
        await seen(session, MessageChunk, lambda chunk: chunk.text.startswith("Once"))
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        assert (await seen(session, TaskEnded)).outcome == "stopped"
        assert (await said(session, "Still there?")).text == "Back."
        await session.idle()


async def test_a_subagent_is_stopped_by_its_task(stage: Stage) -> None:
    turns = (
        turn(agent(**BACKGROUND), say("It is on its way."), when=when(prompt="Delegate")),
        turn(wait("never"), say("never said"), when=when(prompt="Look around")),
        turn(say("It was stopped."), when=when(note="task-notification")),
    )
    async with stage.play(*turns) as (session, _):
        await said(session, "Delegate")
        started = await seen(session, TaskStarted)
        await session.cli.stop_task(started.task_id)
        assert (await seen(session, TaskEnded)).outcome == "stopped"
        await session.idle()
    outcomes = [event.outcome for event in await so_far(session) if isinstance(event, Complete)]
    assert set(outcomes) == {"success"}


async def test_text_of_a_subagent_in_the_background_is_told_as_its_own(stage: Stage) -> None:
    async with stage.play(*delegates(say("I look."), bash("date"), **BACKGROUND)) as (session, _):
        await said(session, "Delegate")
        await session.idle()
    events = await so_far(session)
    (delegated,) = (
        event for event in events if isinstance(event, ToolCall) and isinstance(event.normalized, SubagentTask)
    )
    told = [event for event in events if isinstance(event, MessageChunk) and not event.partial]
    assert {event.parent_tool_call_id for event in told if "I look." in event.text} <= {delegated.tool_call_id}
    assert [event.parent_tool_call_id for event in told if event.text == "It is on its way."] == [None]
