"""The CLI's own timers: that they start work by themselves, and that under bascule they do not.

Each test that nothing happens has a session beside it in which it does.
"""

import asyncio
import json
import time
from typing import Any

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.events import PermissionRequest, PolicyDecided, TurnStarted
from bascule.session.hooks import UserHook
from bascule.session.options import NO_TIMERS
from bascule.wire import hooks
from tests.live.stage import Stage, said, seen, so_far

EVERY_MINUTE = {"cron": "* * * * *", "recurring": True}
WITH_TIMERS = {NO_TIMERS: "0"}
FIRED_S = 100.0
"""A timer of every minute has fired by then: 2.1.332 adds up to a few seconds to the full minute."""

TIMERS = [
    call("CronCreate", prompt="tick", **EVERY_MINUTE),
    call("ScheduleWakeup", prompt="tick", delaySeconds=60, reason="to look again"),
]


@pytest.mark.parametrize("timer", TIMERS, ids=lambda step: step.tool)
async def test_L83_a_timer_is_denied_with_what_to_do_instead(stage: Stage, timer: Any) -> None:
    crons: list[Any] = []

    async def stops(stop: hooks.Stop) -> None:
        crons.extend(stop.session_crons)

    given = {"policy": "supervised", "env": WITH_TIMERS, "hooks": (UserHook(event="Stop", function=stops),)}
    async with stage.play(turn(timer, say("As you like.")), **given) as (session, model):
        complete = await said(session, "Look every minute")
        assert [denial.tool_name for denial in complete.permission_denials] == [timer.tool]
        assert "say in your reply what should run later" in model.asked[-1].results[0].text
        assert (await seen(session, PolicyDecided)).verdict == "deny"
    assert not [event for event in await so_far(session) if isinstance(event, PermissionRequest)]
    assert crons == []


@pytest.mark.parametrize("policy", ["supervised", "plan", "rules"])
async def test_L83_where_bascule_governs_there_are_no_timers(stage: Stage, policy: str) -> None:
    async with stage.play(turn(TIMERS[0], call("CronList"), say("As you like.")), policy=policy) as (session, model):
        await said(session, "Look every minute")
        results = [result.text for result in model.asked[-1].results]
    assert all("No such tool available" in text for text in results)


@pytest.mark.smoke
async def test_L83_a_timer_that_lies_in_the_workspace_starts_nothing(stage: Stage) -> None:
    """A clone can bring one, and the CLI runs it before anybody has said a word, whatever the mode."""
    task = {"id": "0a0b0c0d", "prompt": "tick", "createdAt": (time.time() - 600) * 1000, **EVERY_MINUTE}
    stage.path(".claude").mkdir()
    stage.path(".claude/scheduled_tasks.json").write_text(json.dumps({"tasks": [task]}))
    async with ScriptedModel(Script(say("Hello."), say("Ticked."))) as model:
        async with stage.session(model, policy="supervised") as quiet:
            await said(quiet, "Hi")
            async with stage.session(model, policy="supervised", env=WITH_TIMERS):
                await asyncio.to_thread(model.reached, 2)
        assert [asked.prompt for asked in model.asked] == ["Hi", "tick"]
    assert len([event for event in await so_far(quiet) if isinstance(event, TurnStarted)]) == 1


@pytest.mark.timeout(2 * FIRED_S)
async def test_L83_a_timer_of_a_conversation_does_not_come_back_with_it(stage: Stage) -> None:
    turns = [turn(call("CronCreate", prompt=f"tick {name}", **EVERY_MINUTE), say("Set.")) for name in ("one", "two")]
    async with ScriptedModel(Script(*turns, say("Ticked."), say("Ticked."))) as model:
        conversations = []
        for name in ("one", "two"):
            async with stage.session(model) as session:
                await said(session, f"Look every minute at {name}")
                conversations.append(session.cli_session_id)
        one, two = conversations
        async with stage.session(model, resume=one) as quiet, stage.session(model, resume=two, env=WITH_TIMERS):
            await asyncio.to_thread(model.reached, 5, FIRED_S)
        assert {asked.prompt for asked in model.asked[4:]} == {"tick two"}
    assert not [event for event in await so_far(quiet) if isinstance(event, TurnStarted)]
