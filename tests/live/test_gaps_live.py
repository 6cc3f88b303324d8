"""What the CLI does besides asking: its own rules and hooks, and the shell lines of skills, against the person.

Where it goes past the person all the same, the test says so, and `docs/explanation/decisions-who-decides.md` too.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import Deny, TooLate
from bascule.demo.script import call, say, turn
from bascule.events import PermissionCancelled, PermissionRequest, PolicyDecided
from bascule.policy.rules import parse
from tests.live.stage import Stage, bash, said, seen, so_far

TOUCH = bash("touch made")
ALLOWS = {
    "PreToolUse": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "fine"},
    "PermissionRequest": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}},
}
SKILL = """---
name: tidy
description: Tidies up
allowed-tools: Bash(touch:*)
---
First: !`touch made`
Then say hello.
"""


def settings(stage: Stage, **given: Any) -> None:
    """The user's own settings."""
    stage.config.joinpath("settings.json").write_text(json.dumps(given))


def command_hook(event: str) -> dict[str, Any]:
    """A hook that allows whatever it is told of."""
    command = f"echo '{json.dumps({'hookSpecificOutput': ALLOWS[event]})}'"
    return {"hooks": {event: [{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]}}


def skill(stage: Stage, folder: str = "skills/tidy", name: str = "SKILL.md") -> None:
    """A skill of the user's, or a slash command, that brings a command and its own leave to run it."""
    path = stage.config / folder
    path.mkdir(parents=True)
    path.joinpath(name).write_text(SKILL)


@pytest.mark.parametrize(
    "given",
    [
        {"permissions": {"defaultMode": "bypassPermissions"}},
        command_hook("PreToolUse"),
    ],
    ids=["bypass mode", "PreToolUse hook"],
)
async def test_what_the_users_settings_allow_does_not_go_past_the_person(stage: Stage, given: dict[str, Any]) -> None:
    settings(stage, **given)
    async with stage.play(turn(TOUCH, say("Then not.")), policy="supervised") as (session, _):
        handle = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        await session.decide(ask.pending_id, Deny(reason="no"))
        assert len((await handle).permission_denials) == 1
    assert not stage.path("made").exists()


@pytest.mark.parametrize("policy", ["supervised", "manual"])
async def test_S19_a_PermissionRequest_hook_of_the_users_answers_in_their_place(stage: Stage, policy: str) -> None:
    """In parallel with the person, and the first answer wins: the ask is withdrawn, and who comes then is too late."""
    settings(stage, **command_hook("PermissionRequest"))
    async with stage.play(turn(TOUCH, say("Done.")), policy=policy) as (session, _):
        handle = await session.prompt("Make it")
        gone = await seen(session, PermissionCancelled)
        assert gone.cause == "withdrawn"
        assert isinstance(await session.decide(gone.pending_id, Deny()), TooLate)
        assert (await handle).text == "Done."
    assert stage.path("made").exists()


async def test_a_deny_rule_stands_above_a_PermissionRequest_hook(stage: Stage) -> None:
    settings(stage, **command_hook("PermissionRequest"))
    rules = (parse("Bash(touch *)", "deny"),)
    async with stage.play(turn(TOUCH, say("Then not.")), policy="supervised", rules=rules) as (session, _):
        await said(session, "Make it")
    assert not stage.path("made").exists()


async def test_hooks_of_the_users_can_be_switched_off_and_ours_stay(stage: Stage) -> None:
    settings(stage, **command_hook("PermissionRequest"), disableAllHooks=True)
    async with stage.play(turn(TOUCH, say("Then not.")), policy="supervised", attended=False) as (session, _):
        assert len((await said(session, "Make it")).permission_denials) == 1
        assert (await seen(session, PolicyDecided)).verdict == "deny"
    assert not stage.path("made").exists()


@pytest.mark.parametrize(
    ("prompt", "steps"),
    [("/tidy", [say("Hello.")]), ("Tidy up", [call("Skill", skill="tidy"), say("Hello.")])],
    ids=["typed", "called"],
)
@pytest.mark.parametrize("kind", [("skills/tidy", "SKILL.md"), ("commands", "tidy.md")], ids=["skill", "command"])
async def test_a_command_in_a_skill_does_not_run_where_bascule_governs(
    stage: Stage, kind: tuple[str, str], prompt: str, steps: list[Any]
) -> None:
    """Nobody would be asked: it is no call. That the skill itself was allowed says nothing of it."""
    skill(stage, *kind)
    async with stage.play(turn(*steps), policy="supervised", allow=("Skill",)) as (session, _):
        await said(session, prompt)
    assert not stage.path("made").exists()
    events = await so_far(session)
    judged = [event for event in events if isinstance(event, PolicyDecided) and event.verdict == "deny"]
    assert len(judged) == (1 if stage.newer else 0)


async def test_a_rule_lets_a_command_in_a_skill_run_where_the_cli_asks_about_it(stage: Stage) -> None:
    """2.1.197 asks nobody, so there they are switched off."""
    skill(stage)
    async with stage.play(say("Hello."), policy="supervised", allow=("Bash(touch made)",)) as (session, _):
        await said(session, "/tidy")
    assert stage.path("made").exists() is stage.newer


@pytest.mark.parametrize("rules", [(), (parse("Bash(touch *)", "deny"),)], ids=["no rule", "deny rule"])
async def test_where_the_cli_governs_a_command_in_a_skill_runs_unless_a_rule_denies_it(
    stage: Stage, rules: Any
) -> None:
    skill(stage)
    async with stage.play(say("Hello."), policy="autonomous", rules=rules) as (session, _):
        await said(session, "/tidy")
    assert stage.path("made").exists() is not bool(rules)


async def test_a_deny_rule_that_is_written_while_a_session_runs_is_for_commands_in_skills_too(
    stage: Stage, tmp_path: Path
) -> None:
    """In 2.1.197 they are switched off before the next prompt."""
    skill(stage)
    rules = tmp_path / "rules.toml"
    async with stage.play(say("Hello."), say("Hello."), policy="autonomous", rule_files=(rules,)) as (session, _):
        await said(session, "/tidy")
        assert stage.path("made").exists()
        stage.path("made").unlink()
        rules.write_text('[[rule]]\naction = "deny"\ntool = "Bash"\nmatch = "touch *"\n')
        await said(session, "/tidy")
    assert not stage.path("made").exists()
