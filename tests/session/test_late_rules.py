"""A deny rule that is written while the CLI governs, in a session that began without one."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from bascule.events import Notice, ToolCall
from bascule.ids import SessionId
from bascule.session.late_rules import NO_HOOK, SKILLS_RUN, LateRules
from bascule.session.line import Line
from bascule.session.session import Session
from bascule.testing.memory import MemoryPipe
from bascule.transcript.fold import Fold
from tests.session.far_end import SESSION, FarEnd
from tests.session.live import back, hosted, live, seen

DENIES = '[[rule]]\naction = "deny"\ntool = "Bash"\nmatch = "make"\n'


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A rule file that is watched, and is not there yet."""
    return tmp_path / "rules.toml"


def writes(rules: Path, text: str = DENIES) -> None:
    """Somebody writes the rules."""
    rules.write_text(text)


async def says(far: FarEnd, call: str, command: str = "make") -> Any:
    """What our hook answers about a command: its decision, or None for no opinion."""
    told = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call}
    far.calls_hook(f"h{call}", "bascule:policy", "PreToolUse", **told)
    answer = (await far.answered(f"h{call}"))["response"]
    return answer and answer["hookSpecificOutput"]["permissionDecision"]


def calls(far: FarEnd, call: str) -> None:
    """The model calls a shell command."""
    block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "make"}}
    message = {"id": f"m{call}", "role": "assistant", "content": [block]}
    far.says({"type": "assistant", "uuid": f"a{call}", "session_id": SESSION, "message": message})


async def told(session: Session) -> list[str]:
    """The warnings of a session that has ended."""
    return [event.text async for event in session.events() if isinstance(event, Notice) and event.level == "warning"]


@pytest.mark.parametrize("policy", ["autonomous", "acceptEdits", "manual"])
async def test_a_deny_rule_holds_from_the_next_call_on(rules: Path, policy: str) -> None:
    far = FarEnd()
    async with live(far, policy=policy, rule_files=(rules,), env={"IS_SANDBOX": "1"}) as session:
        assert await says(far, "1") == {}
        writes(rules)
        assert await says(far, "2") == "deny"
        assert await says(far, "3", "ls") == {}
        writes(rules, "")
        assert await says(far, "4") == {}
    assert await told(session) == []


async def test_a_cli_that_took_no_hook_is_as_good_until_a_rule_denies(rules: Path) -> None:
    far = FarEnd()
    far.answers["initialize"] = {"hooks_applied": False, "claude_code_version": "2.1.332"}
    async with live(far, policy="manual", rule_files=(rules,)) as session:
        far.init()
        writes(rules)
        calls(far, "1")
        assert (await seen(session, Notice)).text.startswith(str(rules))
        assert (await seen(session, Notice, lambda event: event.level == "warning")).text == NO_HOOK
        far.result()


async def test_a_deny_rule_that_no_hook_can_hold_is_told_of_once(rules: Path) -> None:
    """Somebody comes back to a process that was started without the hook, and watches rules now."""
    far = FarEnd()
    async with hosted(far, policy="manual", rule_files=()) as session:
        handle = await session.prompt("Go")
        far.begins(handle.prompt_id)
    async with back(far, policy="manual", rule_files=(rules,)) as session:
        writes(rules)
        for call in "12":
            calls(far, call)
        await seen(session, ToolCall, lambda event: event.tool_call_id == "2")
        far.asks("r1", command="make", call="2")
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        far.result(handle.prompt_id)
        await session.end()
    assert await told(session) == [NO_HOOK]


async def test_shell_lines_of_skills_are_off_before_the_next_prompt_where_no_hook_judges_them(rules: Path) -> None:
    far = FarEnd(speaks_197=True)
    async with live(far, policy="manual", rule_files=(rules,)) as session:
        await session.prompt("One")
        assert not far.requests("apply_flag_settings")
        writes(rules)
        await session.prompt("/skill")
        await session.prompt("/skill")
        assert [request["settings"] for request in far.requests("apply_flag_settings")] == [
            {"disableSkillShellExecution": True}
        ]
        order = [line.get("request", line)["subtype" if "request" in line else "type"] for line in far.heard]
        assert order == ["initialize", "user", "apply_flag_settings", "user", "user"]
    assert await told(session) == []


async def test_skills_that_cannot_be_held_back_are_told_of(rules: Path) -> None:
    far = FarEnd(speaks_197=True)
    far.refuses["apply_flag_settings"] = "broken"
    async with live(far, policy="manual", rule_files=(rules,)) as session:
        writes(rules)
        far.init()
        warning = await seen(session, Notice, lambda event: event.level == "warning")
        assert warning.text.startswith(SKILLS_RUN)
        far.result()


async def test_where_a_deny_rule_stood_from_the_start_nothing_is_late(rules: Path) -> None:
    writes(rules)
    far = FarEnd(speaks_197=True)
    async with live(far, policy="manual", rule_files=(rules,)) as session:
        await session.prompt("Go")
        await session.prompt("Go")
        assert len(far.requests("apply_flag_settings")) == 1
    assert await told(session) == []


async def test_a_session_that_is_over_looks_no_more(rules: Path) -> None:
    far = FarEnd()
    async with live(far, policy="manual", rule_files=(rules,)) as session:
        await session.end()
        writes(rules)
    assert not [event async for event in session.events() if isinstance(event, Notice)]


async def test_rules_that_cannot_be_looked_at_may_deny(caplog: pytest.LogCaptureFixture) -> None:
    def denies() -> bool:
        raise PermissionError("the folder is closed")

    def spawns(work: Coroutine[Any, Any, None], *, name: str) -> None:
        pytest.fail("there is no hook to help")

    pipe = MemoryPipe()
    rules = LateRules(Line(pipe, Fold(SessionId("s")), SessionId("s")), spawns, denies)
    rules.may_come(hooked=False, version="2.1.332")
    rules.look()
    rules.look()
    notes = [entry.line for entry in await pipe.read() if entry.dir == "note"]
    assert len(notes) == 1
    assert "asks no hook" in notes[0]
    assert "the folder is closed" in caplog.text
