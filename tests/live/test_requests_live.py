"""Each request of the host, on the real CLI: what is answered, what is not known, what changes."""

import asyncio
import base64
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowOnce, Deny
from bascule.demo.script import call, respond, say, turn, wait
from bascule.errors import PromptDropped, RequestFailed, UnsupportedRequest
from bascule.events import Complete, MessageChunk, PermissionRequest, TaskEnded, TaskStarted
from bascule.session.session import Session
from tests.live.stage import Stage, bash, said, seen, so_far

SERVER = """
import json, sys

TOOL = {"name": "add", "description": "Adds", "inputSchema": {"type": "object"}}
ANSWERS = {
    "tools/list": {"tools": [TOOL, {**TOOL, "name": "fail"}, {**TOOL, "name": "hang"}]},
    "tools/call": {"content": [{"type": "text", "text": "5"}]},
    "resources/list": {"resources": [{"uri": "ui://x", "name": "x"}]},
    "resources/read": {"contents": [{"uri": "ui://x", "text": "hi"}]},
}
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "toy", "version": "1"}
        answer = {"protocolVersion": version, "capabilities": {"tools": {}, "resources": {}}, "serverInfo": info}
    else:
        answer = ANSWERS.get(message.get("method"), {})
        if message.get("method") == "tools/call":
            if message["params"]["name"] == "hang":
                continue
            answer = {**answer, "isError": message["params"]["name"] == "fail"}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path) -> dict[str, Any]:
    """An MCP server with one tool and one resource."""
    path = tmp_path / "toy.py"
    path.write_text(SERVER)
    return {"command": sys.executable, "args": [str(path)]}


async def only_newer(stage: Stage, request: Awaitable[Any]) -> Any:
    """The answer of 2.1.332; 2.1.197 does not know the request, and says so in words alone."""
    if stage.newer:
        return await request
    with pytest.raises(UnsupportedRequest):
        await request
    return None


@asynccontextmanager
async def warm(stage: Stage, *turns: Any, **options: Any) -> AsyncIterator[Session]:
    """A session that has had a turn."""
    async with stage.play(say("Warm."), *turns, **options) as (session, _):
        await said(session, "Warm up")
        await session.idle()
        yield session


async def test_what_the_cli_says_of_itself(stage: Stage, cli_version: str) -> None:
    async with warm(stage) as session:
        assert (await session.cli.binary_version()).version == cli_version
        assert "default" in {model.value for model in session.welcome.models}
        assert "compact" in {command.name for command in session.welcome.commands}
        assert session.welcome.agents
        assert session.welcome.account.api_key_source == "ANTHROPIC_API_KEY"
        assert "default" in session.welcome.output_styles
        assert bool(session.welcome.capabilities) == stage.newer
        if (models := await only_newer(stage, session.cli.models())) is not None:
            assert {model.value for model in models} == {model.value for model in session.welcome.models}
        if (sections := await only_newer(stage, session.cli.status())) is not None:
            assert sections[0].rows
        if (styles := await only_newer(stage, session.cli.reload_output_styles())) is not None:
            assert "default" in styles


async def test_context_money_and_usage(stage: Stage) -> None:
    async with warm(stage) as session:
        usage = await session.cli.context_usage()
        assert usage.total_tokens
        assert {category.name for category in usage.categories} >= {"System prompt", "Messages", "Free space"}
        report = await session.cli.usage()
        assert report.session.total_cost_usd
        assert report.rate_limits_available is False
        assert "cost" in await session.cli.session_cost()


async def test_settings_are_read_laid_over_and_written(stage: Stage) -> None:
    async with warm(stage, say("Still here.")) as session:
        before = await session.cli.settings()
        assert before.applied["model"]
        await session.cli.apply_settings(model="haiku")
        assert (await session.cli.settings()).applied["model"] != before.applied["model"]
        await only_newer(stage, session.cli.update_settings("userSettings", effortLevel="low"))
        if stage.newer:
            assert '"effortLevel": "low"' in stage.config.joinpath("settings.json").read_text()
            with pytest.raises(RequestFailed, match="not allowed"):
                await session.cli.update_settings("userSettings", permissions={})
        await session.cli.set_thinking(2000)
        await session.cli.set_thinking(None)
        assert (await said(session, "Go on")).outcome == "success"


async def test_mcp_servers_are_told_called_switched_and_set(stage: Stage, server: dict[str, Any]) -> None:
    async def own(message: dict[str, Any]) -> dict[str, Any] | None:
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "own", "version": "1"}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": info} if "id" in message else None

    async with warm(stage, mcp_servers={"toy": server}, sdk_servers={"own": own}) as session:
        status = {one.name: one for one in await session.cli.mcp_status()}
        assert status["toy"].status == "connected"
        assert [tool.name for tool in status["toy"].tools] == ["add", "fail", "hang"]
        assert (await session.cli.call_mcp("mcp__toy__add", {"a": 2}))["content"][0]["text"] == "5"
        if (contents := await only_newer(stage, session.cli.read_mcp_resource("toy", "ui://x"))) is not None:
            assert contents[0].text == "hi"
        await session.cli.toggle_mcp("toy", enabled=False)
        with pytest.raises(RequestFailed, match="not connected"):
            await session.cli.call_mcp("mcp__toy__add")
        await session.cli.toggle_mcp("toy", enabled=True)
        await session.cli.reconnect_mcp("toy")
        with pytest.raises(RequestFailed, match="not found"):
            await session.cli.reconnect_mcp("nope")
        done = await session.cli.set_mcp_servers({"second": server})
        assert done.added == ("second",)
        assert done.removed == ()
        assert "own" in {one.name for one in await session.cli.mcp_status()}


async def test_a_call_of_ours_may_take_so_long_and_fail_as_a_result(stage: Stage, server: dict[str, Any]) -> None:
    async with warm(stage, mcp_servers={"toy": server}) as session:
        with pytest.raises(RequestFailed, match="5"):
            await session.cli.call_mcp("mcp__toy__fail")
        if stage.newer:
            assert (await session.cli.call_mcp("mcp__toy__fail", error_is_result=True))["isError"] is True
            with pytest.raises(RequestFailed, match="exceeded") as failed:
                await session.cli.call_mcp("mcp__toy__hang", timeout_s=1)
            assert failed.value.code == "timeout"


@pytest.mark.parametrize("decision", [AllowOnce(), Deny(reason="Not that.")], ids=["allowed", "denied"])
async def test_a_call_of_ours_is_asked_about_where_that_is_wanted(
    stage: Stage, server: dict[str, Any], decision: AllowOnce | Deny
) -> None:
    """2.1.197 leaves `check_permissions` aside, so that there is no such call."""
    async with warm(stage, mcp_servers={"toy": server}, policy="supervised") as session:
        calling = asyncio.ensure_future(session.cli.call_mcp("mcp__toy__add", {"a": 2}, check_permissions=True))
        if not stage.newer:
            with pytest.raises(UnsupportedRequest, match="without asking"):
                await calling
            return
        ask = await seen(session, PermissionRequest)
        assert ask.tool_name == "mcp__toy__add"
        await session.decide(ask.pending_id, decision)
        if isinstance(decision, AllowOnce):
            assert (await calling)["content"][0]["text"] == "5"
        else:
            with pytest.raises(RequestFailed, match="Not that"):
                await calling


async def test_calls_of_one_server_are_asked_about_in_a_session_that_asks_nobody(
    stage: Stage, server: dict[str, Any]
) -> None:
    calls = (turn(call("mcp__toy__add", a=number), say("Done.")) for number in (1, 2))
    async with warm(stage, *calls, mcp_servers={"toy": server}) as session:
        assert "nope" in ((await session.cli.set_mcp_mode("nope", "auto")).warning or "")
        assert (await session.cli.set_mcp_mode("toy", "default")).warning is None
        handle = await session.prompt("Add")
        ask = await seen(session, PermissionRequest)
        assert ask.tool_name == "mcp__toy__add"
        await session.decide(ask.pending_id, AllowOnce())
        await handle
        await session.cli.set_mcp_mode("toy", None)
        await said(session, "Add again")
    assert [event for event in await so_far(session) if isinstance(event, PermissionRequest)] == [ask]


async def test_memory_skills_and_the_sandbox_are_told(stage: Stage) -> None:
    stage.path("CLAUDE.md").write_text("Be kind.")
    skill = stage.path(".claude") / "skills" / "mend" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: mend\ndescription: Mends.\n---\nMend it.\n")
    async with warm(stage) as session:
        if (memory := await only_newer(stage, session.cli.memory())) is not None:
            assert {file.kind: file.exists for file in memory.files} == {"project": True, "user": False}
            assert memory.folders[0].path
        if (skills := await only_newer(stage, session.cli.skills())) is not None:
            assert [(one.name, one.source, one.state) for one in skills] == [("mend", "project", "on")]
        if (sandbox := await only_newer(stage, session.cli.sandbox())) is not None:
            assert (sandbox.enabled, sandbox.mode) == (False, "disabled")
        for paused in (True, False):
            assert await only_newer(stage, session.cli.pause_suggestions(paused=paused)) is None


async def test_a_plugin_is_added_while_the_session_runs(stage: Stage, tmp_path: Path) -> None:
    plugin = tmp_path / "mender"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "mender", "version": "1.0.0"}')
    (plugin / "commands").mkdir()
    (plugin / "commands" / "mend.md").write_text("Mend it.")
    async with warm(stage) as session:
        told = await session.cli.reload_plugins(add=[str(plugin)], refuse_if_busy=True)
        assert ("mender" in {one.name for one in told.plugins}) is stage.newer


async def test_rules_hooks_and_a_plan(stage: Stage) -> None:
    hook = {"hooks": [{"type": "command", "command": "true"}]}
    stage.config.joinpath("settings.json").write_text(
        json.dumps({"permissions": {"allow": ["Bash(ls)"]}, "hooks": {"Stop": [hook]}})
    )
    async with warm(stage) as session:
        if (rules := await only_newer(stage, session.cli.permission_rules())) is not None:
            assert [rule.rule for rule in rules.rules] == ["Bash(ls)"]
        if (listing := await only_newer(stage, session.cli.hooks_listing())) is not None:
            assert len(listing.hooks) == 1
            assert "PreToolUse" in {event.name for event in listing.event_catalog}
        if (plan := await only_newer(stage, session.cli.plan())) is not None:
            assert plan.exists is False


async def test_a_plan_that_was_written_is_read(stage: Stage) -> None:
    def write(asked: Any) -> Any:
        folder = str(stage.config / "plans")
        words = str(asked.body)
        start = words.index(folder)
        return call("Write", file_path=words[start : words.index(".md", start) + 3], content="1. Look.")

    async with stage.play(turn(respond(write), say("Written.")), policy="plan") as (session, _):
        await said(session, "Plan it")
        if (plan := await only_newer(stage, session.cli.plan())) is not None:
            assert (plan.exists, plan.content) == (True, "1. Look.")


async def test_files_are_read_and_suggested(stage: Stage) -> None:
    stage.path("hello.txt").write_text("hello\n")
    async with warm(stage) as session:
        file = await session.cli.read_file("hello.txt")
        assert (file.contents, file.abs_path) == ("hello\n", str(stage.path("hello.txt")))
        coded = await session.cli.read_file("hello.txt", encoding="base64")
        assert base64.b64decode(coded.contents or "") == b"hello\n"
        assert (await session.cli.read_file("hello.txt", max_bytes=2)).contents == "he"
        with pytest.raises(RequestFailed):
            await session.cli.read_file("/etc/hostname")
        await session.cli.seed_read_state(str(stage.path("hello.txt")), mtime=1)
        assert isinstance(await session.cli.file_suggestions("hel"), tuple)


async def test_the_folder_changes_once_it_is_trusted(stage: Stage, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with warm(stage, turn(bash("pwd > here"), say("Moved."))) as session:
        first = await only_newer(stage, session.cli.set_cwd(str(elsewhere)))
        if first is None:
            return
        assert (first.status, first.directory) == ("needs_trust", str(elsewhere))
        moved = await session.cli.set_cwd(str(elsewhere), trusted=first.directory)
        assert (moved.status, moved.cwd) == ("ok", str(elsewhere))
        await said(session, "Where are you?")
    assert (elsewhere / "here").read_text().strip() == str(elsewhere)


async def test_a_folder_below_the_workspace_becomes_a_root(stage: Stage) -> None:
    stage.path("sub").mkdir()
    async with warm(stage) as session:
        await session.cli.register_repo_root(str(stage.path("sub")), claude_md=True, plugins=True, skills=True)
        with pytest.raises(RequestFailed, match="not a subdirectory"):
            await session.cli.register_repo_root("/")


async def test_titles_questions_beside_and_the_conversation_as_text(stage: Stage) -> None:
    async with warm(stage, say("Beside."), say("Beside.")) as session:
        await session.cli.rename("Mending")
        assert await session.cli.generate_title("mend the basket")
        assert (await session.cli.side_question("why?")).response
        if (exported := await only_newer(stage, session.cli.export_conversation())) is not None:
            assert "Warm up" in (exported.text or "")
        assert (await session.cli.reload_plugins()).commands
        assert await session.cli.reload_skills()


async def test_a_background_shell_is_read_and_stopped(stage: Stage) -> None:
    turns = turn(bash("echo begun; sleep 60", run_in_background=True), say("It runs."))
    async with stage.play(turns, say("It was stopped.")) as (session, _):
        await said(session, "Run it")
        task = await seen(session, TaskStarted)
        if (output := await only_newer(stage, session.cli.task_output(task.task_id))) is not None:
            assert output.output == "begun\n"
        await session.cli.background_tasks()
        await session.cli.stop_task(task.task_id)
        assert (await seen(session, TaskEnded)).outcome == "stopped"


async def test_any_request_can_be_made_in_the_clis_own_words(stage: Stage) -> None:
    async with warm(stage) as session:
        if (dialog := await only_newer(stage, session.cli.request("get_skills_dialog"))) is not None:
            assert dialog["skills"] == []
        with pytest.raises(UnsupportedRequest, match="make_coffee") as refused:
            await session.cli.request("make_coffee", sugar=2)
        assert refused.value.subtype == "make_coffee"


async def test_a_request_is_answered_while_a_turn_runs_and_given_up_by_its_caller(stage: Stage) -> None:
    async with stage.play(turn(say("Once"), wait("end"), say("upon a time"))) as (session, model):
        handle = await session.prompt("Tell me")
        await seen(session, MessageChunk)
        assert (await session.cli.context_usage()).max_tokens
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await session.cli.usage()
        assert (await session.cli.usage()).session.total_cost_usd is not None
        model.gate("end").open()
        assert (await handle).outcome == "success"


async def test_a_waiting_prompt_is_cancelled_and_the_session_comes_to_rest(stage: Stage) -> None:
    async with stage.play(say("Warm."), turn(say("Once"), wait("end"), say("upon a time")), say("never said")) as (
        session,
        model,
    ):
        await said(session, "Warm up")
        running = await session.prompt("Tell me")
        await asyncio.to_thread(model.gate("end").reached)
        waiting = await session.prompt("And then?", when="queue")
        assert await waiting.cancel()
        assert not await running.cancel()
        with pytest.raises(PromptDropped):
            await waiting
        model.gate("end").open()
        assert (await running).prompt_ids == (running.prompt_id,)
        await session.idle()
        assert model.left == 1


async def test_what_is_only_told_is_read_with_the_next_prompt(stage: Stage) -> None:
    async with stage.play(say("Twelve.")) as (session, model):
        told = await session.prompt("By the way: twelve.", query=False)
        assert (await told).num_turns == 0
        assert not model.asked
        assert (await said(session, "What was it?")).text == "Twelve."
        assert "By the way: twelve." in str(model.asked[-1].body)
        await session.idle()
        assert (await seen(session, Complete)).prompt_ids == (told.prompt_id,)


def test_the_server_of_these_tests_answers(server: dict[str, Any]) -> None:
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    command = [server["command"], *server["args"]]
    done = subprocess.run(command, input=hello + "\n", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["result"]["tools"][0]["name"] == "add"
