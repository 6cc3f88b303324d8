"""Each request of the host: what is written to the CLI, and what is made of its answer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from bascule.errors import LocalProtocolError, ProcessLost, RequestFailed, SessionClosed, UnsupportedRequest
from bascule.session.requests import Cli
from bascule.wire import answers
from bascule.wire.system import SlashCommand
from tests.session.far_end import FarEnd
from tests.session.live import live

Asking: TypeAlias = Callable[[Cli], Awaitable[Any]]

READS: list[tuple[Asking, dict[str, Any], dict[str, Any], Any]] = [
    (
        lambda cli: cli.context_usage(detail="full"),
        {"subtype": "get_context_usage", "detail": "full"},
        {"totalTokens": 5, "maxTokens": 200, "percentage": 2.5},
        answers.ContextUsage(total_tokens=5, max_tokens=200, percentage=2.5),
    ),
    (
        lambda cli: cli.usage(),
        {"subtype": "get_usage", "skip_behaviors": True},
        {"session": {"total_cost_usd": 0.5}, "rate_limits_available": False},
        answers.UsageReport(session=answers.SessionUsage(total_cost_usd=0.5), rate_limits_available=False),
    ),
    (lambda cli: cli.session_cost(), {"subtype": "get_session_cost"}, {"text": "Cost: $1"}, "Cost: $1"),
    (
        lambda cli: cli.settings(),
        {"subtype": "get_settings"},
        {"effective": {"a": 1}, "sources": [{"source": "userSettings", "settings": {"a": 1}}], "applied": {"b": 2}},
        answers.Settings(
            effective={"a": 1},
            sources=(answers.SettingsSource(source="userSettings", settings={"a": 1}),),
            applied={"b": 2},
        ),
    ),
    (
        lambda cli: cli.models(),
        {"subtype": "list_models"},
        {"models": [{"value": "haiku", "displayName": "Haiku"}]},
        (answers.ModelInfo(value="haiku", display_name="Haiku"),),
    ),
    (
        lambda cli: cli.mcp_status(),
        {"subtype": "mcp_status"},
        {"mcpServers": [{"name": "toy", "status": "connected"}]},
        (answers.ServerStatus(name="toy", status="connected"),),
    ),
    (
        lambda cli: cli.set_mcp_servers({"toy": {"command": "toy"}}),
        {"subtype": "mcp_set_servers", "servers": {"toy": {"command": "toy"}}},
        {"added": ["toy"], "removed": [], "errors": {}},
        answers.ServersSet(added=("toy",)),
    ),
    (
        lambda cli: cli.call_mcp("mcp__toy__add", {"a": 1}),
        {"subtype": "mcp_call", "tool": "mcp__toy__add", "arguments": {"a": 1}},
        {"content": [{"type": "text", "text": "5"}]},
        {"content": [{"type": "text", "text": "5"}]},
    ),
    (
        lambda cli: cli.call_mcp("mcp__toy__add", timeout_s=1.5, error_is_result=True),
        {"subtype": "mcp_call", "tool": "mcp__toy__add", "timeout_ms": 1500, "soft_error_result": True},
        {"content": [], "isError": True, "staging": {"ok": True}},
        {"content": [], "isError": True, "staging": {"ok": True}},
    ),
    (
        lambda cli: cli.set_mcp_mode("toy", "default"),
        {"subtype": "set_mcp_permission_mode_override", "serverName": "toy", "mode": "default"},
        {"warning": "not yet"},
        answers.ModeOverridden(warning="not yet"),
    ),
    (
        lambda cli: cli.set_mcp_mode("toy", None),
        {"subtype": "set_mcp_permission_mode_override", "serverName": "toy", "mode": None},
        {},
        answers.ModeOverridden(),
    ),
    (
        lambda cli: cli.memory(),
        {"subtype": "get_memory_dialog"},
        {"files": [{"kind": "project", "path": "/w/CLAUDE.md", "exists": True}]},
        answers.Memory(files=(answers.MemoryPlace(kind="project", path="/w/CLAUDE.md", exists=True),)),
    ),
    (
        lambda cli: cli.skills(),
        {"subtype": "get_skills_dialog"},
        {"skills": [{"name": "mend", "source": "project", "tokens": 4, "state": "on"}]},
        (answers.SkillState(name="mend", source="project", tokens=4, state="on"),),
    ),
    (
        lambda cli: cli.sandbox(),
        {"subtype": "get_sandbox_dialog"},
        {"supported": True, "mode": "disabled"},
        answers.SandboxState(supported=True, mode="disabled"),
    ),
    (
        lambda cli: cli.read_mcp_resource("toy", "ui://x"),
        {"subtype": "mcp_read_resource", "serverName": "toy", "uri": "ui://x"},
        {"contents": [{"uri": "ui://x", "text": "hi"}]},
        (answers.Resource(uri="ui://x", text="hi"),),
    ),
    (
        lambda cli: cli.permission_rules(),
        {"subtype": "list_permission_rules"},
        {"state": {"rules": [{"behavior": "allow", "rule": "Bash"}], "originalCwd": "/w"}},
        answers.RulesState(rules=(answers.RuleEntry(behavior="allow", rule="Bash"),), original_cwd="/w"),
    ),
    (
        lambda cli: cli.hooks_listing(),
        {"subtype": "get_hooks_listing"},
        {"eventCatalog": [{"name": "Stop"}]},
        answers.HooksListing(event_catalog=(answers.HookEvent(name="Stop"),)),
    ),
    (
        lambda cli: cli.plan(),
        {"subtype": "get_plan"},
        {"exists": True, "content": "1. Look."},
        answers.Plan(exists=True, content="1. Look."),
    ),
    (
        lambda cli: cli.status(),
        {"subtype": "get_status"},
        {"sections": [{"title": "Session", "rows": [{"label": "cwd", "value": "/w"}]}]},
        (answers.StatusSection(title="Session", rows=(answers.StatusRow(label="cwd", value="/w"),)),),
    ),
    (
        lambda cli: cli.binary_version(),
        {"subtype": "get_binary_version"},
        {"version": "2.1.332"},
        answers.BinaryVersion(version="2.1.332"),
    ),
    (
        lambda cli: cli.read_file("a", max_bytes=9, encoding="base64"),
        {"subtype": "read_file", "path": "a", "max_bytes": 9, "encoding": "base64"},
        {"contents": "aGk=", "absPath": "/w/a"},
        answers.FileContents(contents="aGk=", abs_path="/w/a"),
    ),
    (
        lambda cli: cli.file_suggestions("hel"),
        {"subtype": "file_suggestions", "query": "hel"},
        {"suggestions": [{"path": "hello", "score": 0.5}]},
        (answers.FileSuggestion(path="hello", score=0.5),),
    ),
    (
        lambda cli: cli.set_cwd("sub"),
        {"subtype": "set_cwd", "path": "sub"},
        {"status": "needs_trust", "directory": "/w/sub"},
        answers.CwdSet(status="needs_trust", directory="/w/sub"),
    ),
    (
        lambda cli: cli.set_cwd("sub", trusted="/w/sub"),
        {"subtype": "set_cwd", "path": "sub", "trust_accepted": True, "trusted_directory": "/w/sub"},
        {"status": "ok", "cwd": "/w/sub", "changed": True},
        answers.CwdSet(status="ok", cwd="/w/sub", changed=True),
    ),
    (
        lambda cli: cli.generate_title("mend it", persist=True),
        {"subtype": "generate_session_title", "description": "mend it", "persist": True},
        {"title": "Mending"},
        "Mending",
    ),
    (
        lambda cli: cli.side_question("why?"),
        {"subtype": "side_question", "question": "why?"},
        {"response": "so", "synthetic": False},
        answers.SideAnswer(response="so", synthetic=False),
    ),
    (
        lambda cli: cli.export_conversation(),
        {"subtype": "export_conversation"},
        {"text": "hi", "default_filename": "a.txt"},
        answers.Exported(text="hi", default_filename="a.txt"),
    ),
    (
        lambda cli: cli.task_output("t1"),
        {"subtype": "get_task_output", "task_id": "t1"},
        {"output": "out", "total_bytes": 3, "truncated": False},
        answers.TaskOutput(output="out", total_bytes=3, truncated=False),
    ),
    (
        lambda cli: cli.reload_plugins(),
        {"subtype": "reload_plugins"},
        {"error_count": 1},
        answers.Reloaded(error_count=1),
    ),
    (
        lambda cli: cli.reload_plugins(add=["/p"], refuse_if_busy=True, hold_on_cache_impact=True),
        {
            "subtype": "reload_plugins",
            "add_plugins": [{"type": "local", "path": "/p"}],
            "refuse_if_busy": True,
            "hold_on_cache_impact": True,
        },
        {"held": True, "cache_impact": {"mcp_servers_added": ["x"]}},
        answers.Reloaded(held=True, cache_impact={"mcp_servers_added": ["x"]}),
    ),
    (
        lambda cli: cli.reload_skills(),
        {"subtype": "reload_skills"},
        {"skills": [{"name": "verify"}]},
        (SlashCommand(name="verify"),),
    ),
    (
        lambda cli: cli.reload_output_styles(),
        {"subtype": "reload_output_styles"},
        {"available_output_styles": ["default"]},
        ("default",),
    ),
    (lambda cli: cli.request("get_novelty", deep=True), {"subtype": "get_novelty", "deep": True}, {}, {}),
]

ACKNOWLEDGED: list[tuple[Asking, dict[str, Any]]] = [
    (
        lambda cli: cli.update_settings("userSettings", effortLevel="low"),
        {"subtype": "update_settings", "source": "userSettings", "settings": {"effortLevel": "low"}},
    ),
    (
        lambda cli: cli.apply_settings(model="haiku"),
        {"subtype": "apply_flag_settings", "settings": {"model": "haiku"}},
    ),
    (
        lambda cli: cli.set_thinking(None, display="omitted"),
        {"subtype": "set_max_thinking_tokens", "max_thinking_tokens": None, "thinking_display": "omitted"},
    ),
    (lambda cli: cli.reconnect_mcp("toy"), {"subtype": "mcp_reconnect", "serverName": "toy"}),
    (
        lambda cli: cli.toggle_mcp("toy", enabled=False),
        {"subtype": "mcp_toggle", "serverName": "toy", "enabled": False},
    ),
    (
        lambda cli: cli.seed_read_state("a", mtime=1.5),
        {"subtype": "seed_read_state", "path": "a", "mtime": 1.5},
    ),
    (
        lambda cli: cli.register_repo_root("/w/sub"),
        {"subtype": "register_repo_root", "directory": "/w/sub"},
    ),
    (
        lambda cli: cli.register_repo_root("/w/sub", claude_md=True, plugins=True, skills=True),
        {
            "subtype": "register_repo_root",
            "directory": "/w/sub",
            "reload_claude_md": True,
            "reload_plugins": True,
            "reload_skills": True,
        },
    ),
    (
        lambda cli: cli.pause_suggestions(paused=True),
        {"subtype": "set_prompt_suggestions_paused", "paused": True},
    ),
    (lambda cli: cli.rename("Mending"), {"subtype": "rename_session", "title": "Mending"}),
    (lambda cli: cli.stop_task("t1"), {"subtype": "stop_task", "task_id": "t1"}),
    (lambda cli: cli.background_tasks(), {"subtype": "background_tasks"}),
    (lambda cli: cli.background_tasks("c1"), {"subtype": "background_tasks", "tool_use_id": "c1"}),
]


def name_of(row: Any) -> str:
    return str(row["subtype"]) if isinstance(row, dict) and "subtype" in row else ""


@pytest.mark.parametrize(("asking", "written", "answer", "given"), READS, ids=name_of)
async def test_an_answer_is_read(asking: Asking, written: dict[str, Any], answer: dict[str, Any], given: Any) -> None:
    far = FarEnd()
    far.answers[written["subtype"]] = answer
    async with live(far) as session:
        assert await asking(session.cli) == given
    assert far.requests(written["subtype"]) == [written]


@pytest.mark.parametrize(("asking", "written"), ACKNOWLEDGED, ids=name_of)
async def test_an_acknowledgement_is_awaited(asking: Asking, written: dict[str, Any]) -> None:
    far = FarEnd()
    async with live(far) as session:
        assert await asking(session.cli) is None
    assert far.requests(written["subtype"]) == [written]


async def test_L78_nothing_is_asked_of_the_cli_by_itself_however_much_it_does() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        for number in range(50):
            call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
            done = {"type": "tool_result", "tool_use_id": f"t{number}", "content": ""}
            far.says({"type": "assistant", "message": {"id": f"m{number}", "role": "assistant", "content": [call]}})
            far.says({"type": "user", "message": {"role": "user", "content": [done]}})
        far.result(handle.prompt_id)
        await handle
    assert [line["request"]["subtype"] for line in far.of("control_request")] == ["initialize"]


async def test_an_answer_without_a_body_is_an_answer_that_says_nothing() -> None:
    far = FarEnd()
    async with live(far) as session:
        assert await session.cli.context_usage() == answers.ContextUsage()
        assert await session.cli.session_cost() == ""
        assert await session.cli.generate_title("mend it") is None
        assert await session.cli.models() == ()


@pytest.mark.parametrize("speaks_197", [False, True])
async def test_a_request_that_this_cli_does_not_know_is_unsupported(*, speaks_197: bool) -> None:
    """2.1.197 says so in words, without a code."""
    far = FarEnd(speaks_197=speaks_197)
    far.refuses["get_plan"] = far.refuses["make_coffee"] = "unsupported_request"
    async with live(far) as session:
        with pytest.raises(UnsupportedRequest, match="get_plan"):
            await session.cli.plan()
        with pytest.raises(UnsupportedRequest) as refused:
            await session.cli.request("make_coffee")
        assert refused.value.subtype == "make_coffee"


async def test_a_request_that_is_refused_says_why() -> None:
    far = FarEnd()
    far.refuses["mcp_toggle"] = "no_such_server"
    async with live(far) as session:
        with pytest.raises(RequestFailed, match="no_such_server") as refused:
            await session.cli.toggle_mcp("nope", enabled=True)
        assert not isinstance(refused.value, UnsupportedRequest)


@pytest.mark.parametrize("version", ["2.1.197", "unknown", None])
async def test_a_call_that_is_to_be_asked_about_is_not_made_where_nobody_would_be_asked(version: str | None) -> None:
    far = FarEnd()
    far.answers["get_binary_version"] = {"version": version}
    async with live(far) as session:
        with pytest.raises(UnsupportedRequest, match="without asking"):
            await session.cli.call_mcp("mcp__toy__add", check_permissions=True)
    assert far.requests("mcp_call") == []


async def test_a_call_that_is_to_be_asked_about_says_so() -> None:
    far = FarEnd()
    far.answers["get_binary_version"] = {"version": "2.1.332"}
    async with live(far) as session:
        await session.cli.call_mcp("mcp__toy__add", check_permissions=True)
    assert [asked["check_permissions"] for asked in far.requests("mcp_call")] == [True]


async def test_a_call_that_took_too_long_has_failed() -> None:
    far = FarEnd()
    far.answers["mcp_call"] = {"staging": {"ok": False, "error_code": "timeout", "detail": "exceeded 1000ms"}}
    async with live(far) as session:
        with pytest.raises(RequestFailed, match="exceeded") as failed:
            await session.cli.call_mcp("mcp__toy__add", timeout_s=1)
    assert failed.value.code == "timeout"


async def test_a_second_handshake_is_refused() -> None:
    """21_init_twice: it is answered with success, and on 2.1.197 the hooks are gone."""
    far = FarEnd()
    async with live(far) as session:
        with pytest.raises(LocalProtocolError, match="handshake"):
            await session.cli.request("initialize")
    assert len(far.requests("initialize")) == 1


async def test_who_gives_up_waiting_withdraws_the_request() -> None:
    far = FarEnd()
    far.silent_about.add("side_question")
    async with live(far) as session:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await session.cli.side_question("why?")
        (asked,) = [line for line in far.of("control_request") if line["request"]["subtype"] == "side_question"]
        assert far.of("control_cancel_request") == [
            {"type": "control_cancel_request", "request_id": asked["request_id"]}
        ]


async def test_servers_of_this_program_stay_when_others_are_set() -> None:
    """The CLI takes away whatever is not in the set, its host's own servers too."""

    async def serve(message: dict[str, Any]) -> dict[str, Any] | None:
        return None

    far = FarEnd()
    async with live(far, sdk_servers={"calc": serve}) as session:
        await session.cli.set_mcp_servers({"toy": {"command": "toy"}})
    assert far.requests("mcp_set_servers")[0]["servers"] == {
        "toy": {"command": "toy"},
        "calc": {"type": "sdk", "name": "calc"},
    }


async def test_a_process_that_ends_first_fails_the_request() -> None:
    far = FarEnd()
    far.silent_about.add("get_usage")
    async with live(far) as session:
        asking = asyncio.ensure_future(session.cli.usage())
        await far.asked("get_usage")
        far.pipe.exits(1)
        with pytest.raises(ProcessLost):
            await asking


async def test_a_session_that_has_ended_asks_nothing_more() -> None:
    far = FarEnd()
    async with live(far) as session:
        pass
    with pytest.raises(SessionClosed):
        await session.cli.usage()


async def test_what_the_cli_said_of_itself_at_the_start_is_kept() -> None:
    far = FarEnd()
    far.answers["initialize"] = {
        "commands": [{"name": "compact"}],
        "agents": [{"name": "Explore"}],
        "models": [{"value": "haiku"}],
        "account": {"apiKeySource": "ANTHROPIC_API_KEY"},
        "output_style": "default",
        "available_output_styles": ["default", "Learning"],
        "capabilities": ["x"],
        "claude_code_version": "2.1.332",
    }
    async with live(far) as session:
        told = session.welcome
    assert told.commands == (SlashCommand(name="compact"),)
    assert told.agents == (answers.AgentInfo(name="Explore"),)
    assert told.models == (answers.ModelInfo(value="haiku"),)
    assert told.account.api_key_source == "ANTHROPIC_API_KEY"
    assert (told.output_style, told.output_styles) == ("default", ("default", "Learning"))
    assert (told.capabilities, told.version) == (frozenset(("x",)), "2.1.332")
