"""Options: what cannot be is refused before anything starts, and says what to do."""

import re
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import Decision
from bascule.errors import OptionError
from bascule.events import PermissionRequest
from bascule.session import options
from bascule.session.hooks import UserHook
from bascule.session.options import NO_TIMERS, Options, arguments, environment_of, policy_of, refuse_root
from bascule.session.watch import Limits
from bascule.transport.argv import argv
from bascule.transport.extra import REFUSED
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import HookInput
from bascule.wire.initialize import Agent
from scripts.docstrings import read


async def on_ask(event: PermissionRequest) -> Decision | None:
    return None


async def hook(told: HookInput) -> HookOutput | None:
    return None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"policy": "supervisd"}, "supervised"),
        ({"mode": "yolo"}, "acceptEdits"),
        ({"allow": ("Bash()",)}, "Bash"),
        ({"attended": False, "on_ask": on_ask}, "on_ask"),
        ({"ask_timeout_s": 0}, "ask_timeout_s is 0"),
        ({"limits": Limits(silence_s=-1)}, "limits.silence_s is -1"),
        ({"limits": Limits(total_s=float("nan"))}, "limits.total_s is nan"),
        ({"grace_s": -1}, "grace_s is -1"),
        ({"outline_min_chars": -1}, "outline_min_chars is -1"),
        ({"hooks": (UserHook(event="Stop", function=hook, on_failure="block"),)}, "Stop hook can stop nothing"),
        ({"hooks": (UserHook(event="SessionStart", function=hook, matcher="(("),)}, "matcher of SessionStart"),
        ({"hooks": (UserHook(event="PreToolUs", function=hook),)}, "PreToolUse"),
        ({"hooks": (UserHook(event="Stop", function=hook, timeout_s=0),)}, "timeout_s of Stop"),
        ({"mcp_servers": {" ": {}}}, "a name"),
        ({"resume": "x", "continue_last": True}, "continue_last"),
        ({"resume_at": "x"}, "resume"),
        ({"fork": True}, "fork"),
        ({"session_id": "not-a-uuid"}, "UUID"),
        ({"max_turns": 0}, "max_turns"),
        ({"extra_args": ("--output-format=text",)}, "output-format"),
        ({"env": {"A=B": "c"}}, "A=B"),
        ({"policy": "autonomous", "model": "\0"}, "NUL"),
        ({"thinking": 1000}, "thinking is 1000: give 1024"),
        ({"thinking": "enabled"}, "'adaptive'"),
        ({"thinking_display": "all"}, "summarized"),
        ({"task_budget": 0}, "task_budget"),
        ({"betas": ("",)}, "betas"),
        ({"system_prompt": "a", "system_prompt_file": "b"}, "system_prompt_file"),
        ({"system_prompt": "", "exclude_dynamic_sections": True}, "exclude_dynamic_sections"),
        ({"extra_args": ("--thinking=disabled",)}, "use the option `thinking`"),
        ({"agents": {"a": Agent("", "p")}}, "agents: a needs a description"),
        ({"agents": {"a": Agent("d", " ")}}, "a needs a prompt"),
        ({"agents": {"a": Agent("d", "p", max_turns=0)}}, "max_turns"),
        ({"agents": {"a": Agent("d", "p", memory="sideways")}}, "memory"),
        ({"agents": {"a": Agent("d", "p", permission_mode="yolo")}}, "permission_mode"),
        ({"agents": {"a": Agent("d", "p", effort="ultra")}}, "effort"),
        ({"agents": {"a": Agent("d", "p", auto_compact_window=99_999)}}, "100000"),
    ],
)
def test_what_cannot_be_is_refused_and_says_what_to_do(given: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError) as refused:
        Options(**given)
    assert says in str(refused.value)


def test_without_options_bascule_supervises() -> None:
    line = argv(arguments(Options()))
    assert "--permission-mode=default" in line
    assert "--permission-prompt-tool=stdio" in line
    assert policy_of(Options()).governs


@pytest.mark.parametrize("policy", ["supervised", "plan", "plan-auto"])
def test_what_becomes_of_plans_is_the_policys_unless_it_is_said(policy: str) -> None:
    usual = policy_of(Options(policy=policy))
    assert (usual.approves_plans, usual.rearms_plan) == (policy == "plan-auto", policy != "supervised")
    for said in (True, False):
        made = policy_of(Options(policy=policy, auto_approve_plan=said, rearm_plan=said, outline_min_chars=7))
        assert (made.approves_plans, made.rearms_plan, made.outline_chars) == (said, said, 7)


def test_L42_allowed_tools_are_not_sent_where_bascule_governs() -> None:
    assert not any("allowedTools" in item for item in argv(arguments(Options(allowed_tools=("Bash",)))))
    governed_by_cli = argv(arguments(Options(policy="acceptEdits", allowed_tools=("Bash",))))
    assert "--allowedTools=Bash" in governed_by_cli


def test_F14_even_an_autonomous_session_passes_the_prompt_tool() -> None:
    """Without it the CLI drops the tool that asks questions."""
    assert "--permission-prompt-tool=stdio" in argv(arguments(Options(policy="autonomous")))


def test_the_mode_that_is_named_replaces_the_policys() -> None:
    assert "--permission-mode=plan" in argv(arguments(Options(mode="plan")))
    autonomous = argv(arguments(Options(policy="autonomous", mode="auto")))
    assert "--permission-mode=auto" in autonomous
    assert "--dangerously-skip-permissions" not in autonomous


@pytest.mark.parametrize("given", [{"policy": "manual"}, {"mode": "manual"}])
def test_manual_is_sent_by_the_name_that_every_version_knows(given: dict[str, Any]) -> None:
    """2.1.197 refuses to start in `manual` (26_mode_manual)."""
    assert "--permission-mode=default" in argv(arguments(Options(**given)))
    assert "--dangerously-skip-permissions" in argv(arguments(Options(policy="autonomous")))


def test_rules_of_the_options_are_rules_of_the_policy() -> None:
    (rule,) = policy_of(Options(allow=("Bash(pytest *)",))).rules
    assert (str(rule), rule.action, rule.source) == ("Bash(pytest *)", "allow", "option allow")


@pytest.mark.parametrize("given", [{"policy": "autonomous"}, {"policy": "acceptEdits", "mode": "bypassPermissions"}])
def test_root_may_not_skip_permissions_outside_of_a_sandbox(given: dict[str, Any]) -> None:
    """26_bypass_root_nosandbox: the CLI would say so on stderr, and exit."""
    asked = arguments(Options(**given))
    with pytest.raises(OptionError, match="IS_SANDBOX"):
        refuse_root(asked, {}, euid=0)
    refuse_root(asked, {"IS_SANDBOX": "1"}, euid=0)
    refuse_root(asked, {}, euid=1000)


def test_root_may_be_supervised() -> None:
    refuse_root(arguments(Options()), {}, euid=0)
    assert not arguments(Options()).dangerously_skip_permissions


def test_the_output_that_was_asked_for_needs_nobodys_yes() -> None:
    """Else a run that nobody watches would deny it, under every policy that governs."""
    (rule,) = policy_of(Options(policy="rules", json_schema={"type": "object"})).rules
    assert (rule.tool, rule.action) == ("StructuredOutput", "allow")


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ({"thinking": "disabled"}, ["--thinking=disabled"]),
        (
            {"thinking": 2048, "thinking_display": "omitted"},
            ["--max-thinking-tokens=2048", "--thinking-display=omitted"],
        ),
        ({"betas": ("one", "two")}, ["--betas=one", "--betas=two"]),
        ({"task_budget": 20_000}, ["--task-budget=20000"]),
        ({"system_prompt_file": Path("p.md")}, ["--system-prompt-file=p.md"]),
        ({"persist_session": False}, ["--no-session-persistence"]),
        ({"project_config_root": Path("/r")}, ["--project-config-root=/r"]),
        ({"debug_file": "d.log"}, ["--debug-file=d.log"]),
    ],
)
def test_what_goes_by_the_command_line(given: dict[str, Any], flags: list[str]) -> None:
    assert [item for item in argv(arguments(Options(**given))) if item not in argv(arguments(Options()))] == flags


def test_an_agent_in_order_is_taken() -> None:
    agent = Agent(
        "d", "p", max_turns=1, memory="user", permission_mode="plan", effort="max", auto_compact_window=100_000
    )
    assert Options(agents={"a": agent, "b": Agent("d", "p", effort=3)}).agents["a"] == agent


def test_a_refused_flag_names_an_option_that_there_is() -> None:
    named = {flag: found[1] for flag, why in REFUSED.items() if (found := re.search("use the option `(.*)`", why))}
    assert {flag: option for flag, option in named.items() if option not in Options.__struct_fields__} == {}
    assert named["permission-mode"] == "mode"
    assert named["dangerously-skip-permissions"] == "policy"


def test_every_option_says_what_it_is() -> None:
    fields = read(options).shapes["Options"].fields
    assert len(fields) == len(Options.__struct_fields__)
    assert [field.name for field in fields if not field.doc] == []


CONVERSATION = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("given", "timers"),
    [
        ({"policy": "supervised"}, False),
        ({"policy": "plan"}, False),
        ({"policy": "rules"}, False),
        ({"policy": "autonomous"}, True),
        ({"policy": "acceptEdits"}, True),
        ({"policy": "autonomous", "resume": CONVERSATION}, False),
        ({"policy": "autonomous", "continue_last": True}, False),
        ({"policy": "autonomous", "resume": CONVERSATION, "env": {NO_TIMERS: "0"}}, True),
        ({"policy": "supervised", "env": {NO_TIMERS: "0"}}, True),
    ],
)
def test_L83_the_clis_timers_are_off_where_bascule_governs_and_after_a_resume(
    given: dict[str, Any], timers: bool
) -> None:
    assert (environment_of(Options(**given)).get(NO_TIMERS, "0") == "0") is timers
