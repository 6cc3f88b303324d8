"""The command line that typed arguments become."""

import json

import pytest

from bascule.errors import OptionError
from bascule.transport.argv import Arguments, argv, masked

SESSION = "6b1f0b4e-1f0e-4c53-9d3c-0d7f1f0c7a11"
BEGINNING = [
    "-p",
    "--output-format=stream-json",
    "--input-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
]


def test_the_default_says_all_that_must_be_said() -> None:
    assert argv(Arguments(session_id=SESSION)) == [
        *BEGINNING,
        "--permission-mode=default",
        "--replay-user-messages",
        "--include-partial-messages",
        f"--session-id={SESSION}",
    ]


def test_control_mode_is_the_same_without_p() -> None:
    assert argv(Arguments(print_mode=False)) == argv(Arguments())[1:]


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        (Arguments(permission_mode="plan"), ["--permission-mode=plan"]),
        (Arguments(dangerously_skip_permissions=True), ["--dangerously-skip-permissions"]),
        (
            Arguments(dangerously_skip_permissions=True, permission_mode="bypassPermissions"),
            ["--dangerously-skip-permissions"],
        ),
        (
            Arguments(allow_skip_permissions=True),
            ["--permission-mode=default", "--allow-dangerously-skip-permissions"],
        ),
        (Arguments(tools=()), ["--tools="]),
        (Arguments(tools=("Bash", "Edit")), ["--tools=Bash,Edit"]),
        (Arguments(allowed_tools=("Bash(git status *)", "Edit")), ["--allowedTools=Bash(git status *),Edit"]),
        (Arguments(disallowed_tools=("WebFetch",)), ["--disallowedTools=WebFetch"]),
        (Arguments(partial_messages=False), ["--permission-mode=default", "--replay-user-messages"]),
        (Arguments(include_hook_events=True), ["--include-hook-events"]),
        (Arguments(await_initialize=True), ["--await-initialize"]),
        (Arguments(debug=""), ["--debug"]),
        (Arguments(debug="hooks,mcp"), ["--debug=hooks,mcp"]),
        (Arguments(resume="some-id"), ["--resume=some-id"]),
        (Arguments(resume="some-id", resume_at="uuid"), ["--resume=some-id", "--resume-session-at=uuid"]),
        (Arguments(continue_last=True), ["--continue"]),
        (
            Arguments(resume="some-id", fork=True, session_id=SESSION),
            [f"--session-id={SESSION}", "--resume=some-id", "--fork-session"],
        ),
        (Arguments(continue_last=True, fork=True), ["--continue", "--fork-session"]),
        (Arguments(model="opus"), ["--model=opus"]),
        (Arguments(fallback_models=("sonnet", "haiku")), ["--fallback-model=sonnet,haiku"]),
        (
            Arguments(effort="high", betas=("b1", "b2"), agent="reviewer"),
            ["--effort=high", "--betas=b1", "--betas=b2", "--agent=reviewer"],
        ),
        (Arguments(agents="{}", json_schema="{}"), ["--agents={}", "--json-schema={}"]),
        (Arguments(system_prompt=""), ["--system-prompt="]),
        (Arguments(thinking="adaptive"), ["--thinking=adaptive"]),
        (
            Arguments(max_thinking_tokens=2048, thinking_display="omitted"),
            ["--max-thinking-tokens=2048", "--thinking-display=omitted"],
        ),
        (Arguments(task_budget=20_000), ["--task-budget=20000"]),
        (Arguments(system_prompt_file="/p.md"), ["--system-prompt-file=/p.md"]),
        (Arguments(persist=False), ["--no-session-persistence"]),
        (Arguments(project_config_root="/root"), ["--project-config-root=/root"]),
        (Arguments(debug_file="/d.log"), ["--debug-file=/d.log"]),
        (Arguments(append_system_prompt="--be brief"), ["--append-system-prompt=--be brief"]),
        (Arguments(max_turns=3, max_budget_usd=0.5), ["--max-turns=3", "--max-budget-usd=0.5"]),
        (
            Arguments(mcp_configs=("/a.json", "/b.json"), strict_mcp_config=True),
            ["--mcp-config=/a.json", "--mcp-config=/b.json", "--strict-mcp-config"],
        ),
        (Arguments(settings="/s.json", setting_sources=()), ["--settings=/s.json", "--setting-sources="]),
        (Arguments(setting_sources=("user", "project")), ["--setting-sources=user,project"]),
        (Arguments(plugin_dirs=("/p", "/q")), ["--plugin-dir=/p", "--plugin-dir=/q"]),
        (Arguments(add_dirs=("/a b",)), ["--add-dir=/a b"]),
        (Arguments(extra=("--bare", "--name", "mine")), ["--bare", "--name", "mine"]),
    ],
)
def test_each_argument_becomes_its_flags(arguments: Arguments, flags: list[str]) -> None:
    without_defaults = [flag for flag in argv(arguments) if flag in flags or flag not in argv(Arguments())]
    assert without_defaults == flags


def test_L114_a_foreign_value_is_never_a_flag_of_its_own() -> None:
    hostile = "--dangerously-skip-permissions"
    arguments = Arguments(
        model=hostile,
        resume=hostile,
        resume_at=hostile,
        append_system_prompt=hostile,
        system_prompt=hostile,
        allowed_tools=(hostile,),
        mcp_configs=(hostile,),
        settings=hostile,
        add_dirs=(hostile,),
        plugin_dirs=(hostile,),
        debug=hostile,
        agents=hostile,
        permission_mode=hostile,
    )
    assert hostile not in argv(arguments)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (Arguments(resume="x", continue_last=True), "continue_last"),
        (Arguments(fork=True), "fork"),
        (Arguments(system_prompt="", system_prompt_file="/p.md"), "system_prompt_file"),
        (Arguments(max_thinking_tokens=0), "max_thinking_tokens"),
        (Arguments(task_budget=0), "task_budget"),
        (Arguments(continue_last=True, resume_at="x"), "resume_at"),
        (Arguments(resume="x", session_id=SESSION), "session_id"),
        (Arguments(session_id="not-a-uuid"), "session_id"),
        (Arguments(dangerously_skip_permissions=True, permission_mode="plan"), "permission_mode"),
        (Arguments(permission_mode=""), "permission_mode"),
        (Arguments(resume=" "), "resume"),
        (Arguments(model=""), "model"),
        (Arguments(allowed_tools=("Bash", "")), "allowed_tools"),
        (Arguments(max_turns=0), "max_turns"),
        (Arguments(max_budget_usd=float("nan")), "max_budget_usd"),
        (Arguments(max_budget_usd=float("inf")), "max_budget_usd"),
        (Arguments(mcp_configs=('{"mcpServers": {}}',)), "mcp_configs"),
        (Arguments(append_system_prompt="a\0b"), "--append-system-prompt"),
        (Arguments(extra=("--permission-mode=auto",)), "--permission-mode"),
    ],
)
def test_what_cannot_be_or_contradicts_itself_is_named(arguments: Arguments, named: str) -> None:
    with pytest.raises(OptionError, match=named):
        argv(arguments)


def test_a_secret_in_a_mistake_is_not_repeated() -> None:
    with pytest.raises(OptionError) as caught:
        argv(Arguments(mcp_configs=('{"env": {"KEY": "hunter2"}}',)))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["claude", "-p", "--model=opus"], ["claude", "-p", "--model=opus"]),
        (['--settings={"env": {}}', '--mcp-config= {"a": 1}'], ["--settings=…", "--mcp-config=…"]),
        (["--settings=/s.json", "--mcp-config=/m.json"], ["--settings=/s.json", "--mcp-config=/m.json"]),
        (['--agents={"a": 1}', '--json-schema={"a": 1}'], ["--agents=…", '--json-schema={"a": 1}']),
        (["--api-key=k", "--authToken=t", "--x-password=p"], ["--api-key=…", "--authToken=…", "--x-password=…"]),
        (["--token", "t", "next"], ["--token", "…", "next"]),
        (["--token", "--bare"], ["--token", "--bare"]),
    ],
)
def test_a_recording_shows_no_secret_of_the_command_line(given: list[str], shown: list[str]) -> None:
    assert list(masked(given)) == shown


def test_what_is_recorded_is_json() -> None:
    assert json.loads(json.dumps(masked(argv(Arguments())))) == argv(Arguments())
