"""Lines that come by a flag or at an odd time, on the real CLI: they are told or passed over, and settle no prompt."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.script import call, say, turn, when
from bascule.events import Complete, Hook, TurnStarted, Unrecognised
from tests.live.stage import Stage, bash, said, seen, so_far


def settings(stage: Stage, **hooks: str) -> None:
    """Command hooks of the user's settings."""
    rows: dict[str, Any] = {name: [{"hooks": [{"type": "command", "command": text}]}] for name, text in hooks.items()}
    stage.config.joinpath("settings.json").write_text(json.dumps({"hooks": rows}))


@pytest.mark.parametrize("asked_for", [True, False])
async def test_command_hooks_are_told_of_when_that_is_wanted(stage: Stage, *, asked_for: bool) -> None:
    settings(stage, PreToolUse="echo watched", SessionStart="true")
    async with stage.play(turn(bash("true"), say("Done.")), include_hook_events=asked_for) as (session, _):
        await said(session, "Work")
        await session.idle()
    told = {event.hook_event for event in await so_far(session) if isinstance(event, Hook)}
    assert ("PreToolUse" in told) is asked_for


async def test_what_comes_behind_the_result_harms_nobody(stage: Stage, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    options = {"extra_args": ("--prompt-suggestions", "true"), "record": kept}
    async with stage.play(*(say(f"answer {number}") for number in range(6)), **options) as (session, _):
        for number in range(2):
            assert (await said(session, f"prompt {number}")).outcome == "success"
            await session.idle()
    events = await so_far(session)
    assert sum(isinstance(event, Complete) for event in events) == 2
    assert [event for event in events if isinstance(event, Unrecognised)] == []
    assert "prompt_suggestion" in kept.read_text()


@pytest.mark.timeout(150)
async def test_a_timer_of_the_clis_begins_a_turn_that_settles_nobody(stage: Stage) -> None:
    timer = call("CronCreate", cron="* * * * *", prompt="Wake up", recurring=False)
    turns = (
        turn(timer, say("It is set."), when=when(prompt="Set")),
        turn(say("I am awake."), when=when(prompt="Wake")),
    )
    async with stage.play(*turns) as (session, _):
        await said(session, "Set a timer")
        began = await seen(session, TurnStarted, lambda event: event.cause != "prompt")
        ended = await seen(session, Complete, lambda event: event.turn == began.turn)
        assert (began.prompt_ids, ended.prompt_ids, ended.text) == ((), (), "I am awake.")
