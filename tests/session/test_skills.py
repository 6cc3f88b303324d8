"""Shell commands in the text of skills: judged where the CLI asks about them, else switched off."""

from typing import Any

import pytest

from bascule.errors import StartFailed
from bascule.events import PolicyDecided
from bascule.policy.rules import parse
from bascule.policy.verdict import Allow, Ask, Deny
from bascule.session.skills import NOT_NOW, settled
from tests.session.far_end import FarEnd
from tests.session.live import live, seen

SKILL = "bascule:skill"
DENIES_RM = (parse("Bash(rm *)", "deny"),)


async def says(far: FarEnd, command: str) -> dict[str, Any]:
    """The answer about a command in a skill."""
    told = {"tool_name": "Bash", "tool_input": {"command": command}, "command_name": "tidy", "invoked_by": "claude"}
    far.calls_hook("h1", SKILL, "PreSkillShellCommand", tool_use_id="s1", **told)
    response: dict[str, Any] = (await far.answered("h1"))["response"]
    return response


async def test_what_a_rule_allows_runs() -> None:
    far = FarEnd()
    async with live(far, allow=("Bash(git status)",)) as session:
        assert await says(far, "git status") == {}
        assert (await seen(session, PolicyDecided)).verdict == "allow"


async def test_what_would_ask_is_denied_since_a_skill_waits_for_nobody() -> None:
    far = FarEnd()
    async with live(far) as session:
        output = (await says(far, "git status"))["hookSpecificOutput"]
        assert output["hookEventName"] == "PreSkillShellCommand"
        assert (output["permissionDecision"], output["permissionDecisionReason"]) == ("deny", NOT_NOW)
        assert (await seen(session, PolicyDecided)).verdict == "deny"


async def test_a_deny_rule_holds_where_the_cli_governs_and_the_rest_is_the_clis() -> None:
    far = FarEnd()
    async with live(far, policy="acceptEdits", rules=DENIES_RM):
        assert await says(far, "ls") == {}
    far = FarEnd()
    async with live(far, policy="acceptEdits", rules=DENIES_RM):
        assert (await says(far, "rm x"))["hookSpecificOutput"]["permissionDecision"] == "deny"


async def test_a_command_that_cannot_be_read_is_denied() -> None:
    far = FarEnd()
    async with live(far):
        far.calls_hook("h1", SKILL, "PreSkillShellCommand", tool_input={"command": "ls"})
        output = (await far.answered("h1"))["response"]["hookSpecificOutput"]
        assert output["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("speaks_197", "options", "held_back"),
    [
        (True, {}, True),
        (True, {"policy": "acceptEdits", "rules": DENIES_RM}, True),
        (True, {"policy": "acceptEdits"}, False),
        (False, {}, False),
    ],
)
async def test_they_are_switched_off_where_the_cli_asks_nobody(
    speaks_197: bool, options: dict[str, Any], held_back: bool
) -> None:
    far = FarEnd(speaks_197=speaks_197)
    async with live(far, **options):
        applied = [request["settings"] for request in far.requests("apply_flag_settings")]
    assert applied == ([{"disableSkillShellExecution": True}] if held_back else [])


async def test_a_cli_that_can_neither_ask_nor_switch_them_off_does_not_start() -> None:
    far = FarEnd(speaks_197=True)
    far.refuses["apply_flag_settings"] = "unsupported_request"
    with pytest.raises(StartFailed, match="shell commands of skills"):
        async with live(far):
            pytest.fail("the session must not open")


def test_only_an_ask_is_settled() -> None:
    allow, deny = Allow(rule="r", reason="x"), Deny(rule="r", reason="x")
    assert (settled(allow), settled(deny)) == (allow, deny)
    assert settled(Ask(reason="x", rule="r")) == Deny(rule="r", reason=NOT_NOW)
