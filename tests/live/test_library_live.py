"""The library's shorter ways with the real CLI and a scripted model: tools of a program, one-shot use, blocking use."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from bascule import blocking
from bascule.commands import AllowOnce, Decision, Deny
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, reply, say, turn, when
from bascule.errors import RequestFailed, StructuredOutputMissing, ToolError
from bascule.events import MessageChunk, PermissionRequest, SessionEnded, ToolCall
from bascule.ids import PromptId
from bascule.mcp.content import Image
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import tool
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.query import query, run
from bascule.session.session import Session
from tests.transport.programs import alive

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da6364f8cf50"
    "0f00038601805a347d6b0000000049454e44ae426082"
)


class Stage:
    """A CLI, a workspace for it, and what the model will say."""

    def __init__(self, cli: Path, env: dict[str, str], workspace: Path) -> None:
        self.cli = cli
        self.env = env
        self.workspace = workspace

    def options(self, model: ScriptedModel, **options: Any) -> Options:
        env = {**self.env, "ANTHROPIC_BASE_URL": model.url}
        return Options(**{"cwd": self.workspace, "cli": self.cli, "env": env, "stop_git_check": False, **options})

    @asynccontextmanager
    async def play(self, *turns: Any, **options: Any) -> AsyncIterator[tuple[Session, ScriptedModel]]:
        """A session whose model says `turns`."""
        async with ScriptedModel(Script(*turns)) as model, open_session(self.options(model, **options)) as session:
            yield session, model


@pytest.fixture
def stage(claude_cli: Path, clean_env: dict[str, str], tmp_path: Path) -> Stage:
    workspace = tmp_path / "work"
    workspace.mkdir()
    return Stage(claude_cli, clean_env, workspace)


def results(model: ScriptedModel) -> list[str]:
    """What the model was told of its calls, one by one."""
    return [result.text for asked in model.asked for result in asked.results]


class Sum(msgspec.Struct):
    total: int


@tool(read_only=True)
async def add(a: Annotated[int, "the first"], b: int = 1) -> Sum:
    """Add two numbers."""
    return Sum(a + b)


@tool
def pixel() -> list[str | Image]:
    """Draw a pixel."""
    return ["Here it is:", Image(PIXEL)]


@tool
async def find(colour: str) -> str:
    """Find something."""
    raise ToolError(f"there is no {colour}")


@tool
async def fail() -> None:
    """Fail."""
    raise ZeroDivisionError("by nothing")


@tool(timeout_s=0.2)
async def wait() -> None:
    """Wait."""
    await asyncio.Event().wait()


CALC = ToolServer("calc", [add, pixel, find, fail, wait], instructions="For sums.")
ALLOWED: dict[str, Any] = {"tool_servers": (CALC,), "allow": ("mcp__calc__*",)}


@pytest.mark.smoke
async def test_the_model_calls_functions_of_this_program(stage: Stage) -> None:
    turns = turn(call("mcp__calc__add", a=1, b=2), call("mcp__calc__add", a=5), say("3 and 6."))
    async with stage.play(turns, **ALLOWED) as (session, model):
        assert (await (await session.prompt("Add"))).text == "3 and 6."
        assert results(model) == ['{"total":3}', '{"total":6}']
        offered = {each["name"]: each for each in model.asked[0].body["tools"]}
        assert offered["mcp__calc__add"]["description"] == "Add two numbers."
        assert offered["mcp__calc__add"]["input_schema"]["properties"]["a"]["description"] == "the first"


async def test_results_and_failures_reach_the_model(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    calls = [
        call("mcp__calc__pixel"),
        call("mcp__calc__find", colour="red"),
        call("mcp__calc__fail"),
        call("mcp__calc__wait"),
        call("mcp__calc__add", a="one"),
    ]
    async with stage.play(turn(*(reply(each) for each in calls), say("Done.")), **ALLOWED) as (session, model):
        await (await session.prompt("Try"))
        drawn, *failures = [result for asked in model.asked for result in asked.results]
    assert drawn.text.startswith("Here it is:")
    assert [failure.text for failure in failures] == [
        "there is no red",
        "ZeroDivisionError: by nothing",
        "wait did not end within 0.2 s and was stopped",
        "the input does not fit: a: Expected `int`, got `str`; it takes a, b (optional)",
    ]
    assert "the tool fail failed" in caplog.text


async def test_an_interrupt_cancels_a_call_that_runs(stage: Stage) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    @tool
    async def forever() -> None:
        """Never ends."""
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    servers = (ToolServer("slow", [forever]),)
    turns = (turn(call("mcp__slow__forever"), say("never said")), say("Still here."))
    async with stage.play(*turns, tool_servers=servers, allow=("mcp__slow__*",)) as (session, _):
        handle = await session.prompt("Wait")
        await began.wait()
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        await ended.wait()
        assert (await (await session.prompt("And now?"))).text == "Still here."


async def test_tools_that_come_and_go_are_known_at_the_next_prompt(stage: Stage) -> None:
    server = ToolServer("calc", [add])

    @tool
    def double(a: int) -> int:
        """Double a number."""
        return 2 * a

    turns = [turn(call(f"mcp__calc__{name}", a=4), say("Done.")) for name in ("add", "double", "add")]
    async with stage.play(*turns, tool_servers=(server,), allow=("mcp__calc__*",)) as (session, model):
        await (await session.prompt("Add"))
        server.add(double)
        await (await session.prompt("Double"))
        server.remove("add")
        await (await session.prompt("Add again"))
        first, second, third = results(model)
    assert (first, second) == ('{"total":5}', "8")
    assert "No such tool available" in third


async def test_a_manifest_spares_the_questions_of_a_cli_that_knows_it(
    stage: Stage, cli_version: str, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.jsonl"
    async with stage.play(turn(call("mcp__calc__add", a=1), say("Done.")), **ALLOWED, record=kept) as (session, _):
        await (await session.prompt("Add"))
    asked = [line for line in kept.read_text().splitlines() if r"\"mcp_message\"" in line and '"dir":"out"' in line]
    methods = [each for line in asked for each in ("initialize", "tools/list", "tools/call") if rf"\"{each}\"" in line]
    whole = ["initialize", "tools/list", "tools/call"]
    assert methods == (whole if cli_version == "2.1.197" else ["tools/call"])


async def test_a_call_of_a_tool_of_this_program_is_asked_about_like_any_other(stage: Stage) -> None:
    turns = turn(call("mcp__calc__add", a=1), say("As you like."))
    async with stage.play(turns, tool_servers=(CALC,)) as (session, model):
        handle = await session.prompt("Add")
        async for event in session.events():
            if isinstance(event, PermissionRequest):
                assert event.tool_name == "mcp__calc__add"
                await session.decide(event.pending_id, Deny(reason="not today"))
                break
        await handle
        assert "not today" in results(model)[0]


@pytest.mark.smoke
async def test_a_query_tells_its_events_and_ends_its_process(stage: Stage) -> None:
    async with ScriptedModel(Script(say("Hello."))) as model:
        events = query("Hi", stage.options(model))
        told = [event async for event in events]
    assert [event.text for event in told if isinstance(event, MessageChunk) and not event.partial] == ["Hello."]
    assert isinstance(told[-1], SessionEnded)
    assert (told[-1].exit_code, events.complete.text) == (0, "Hello.")


async def test_a_run_waits_for_an_agent_in_the_background(stage: Stage) -> None:
    """CLI 2.1.332 ends the turn first, and begins another one when the agent is done (15_bg_agent)."""
    agent = call("Agent", description="look", prompt="Look around", subagent_type="general-purpose")
    turns = (
        turn(agent, say("It is on its way."), when=when(prompt="Delegate")),
        turn(say("All is quiet."), when=when(prompt="Look around")),
        turn(say("The agent says: all is quiet."), when=when(note="task-notification")),
    )
    async with ScriptedModel(Script(*turns)) as model:
        complete = await run("Delegate", stage.options(model, policy="autonomous"))
    assert complete.outcome == "success"
    assert "All is quiet." in str(model.asked[-1].body)


async def test_a_run_gives_structured_output_or_raises(stage: Stage) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    async with ScriptedModel(Script(turn(call("StructuredOutput", n=3)))) as model:
        assert (await run("Count", stage.options(model, json_schema=schema))).structured == {"n": 3}
    async with ScriptedModel(Script(turn(say("Three."), say("As I said: three.")))) as model:
        with pytest.raises(StructuredOutputMissing) as missing:
            await run("Count", stage.options(model, json_schema=schema))
    assert missing.value.complete.outcome == "success"


async def test_S4_a_program_answers_what_a_run_asks(stage: Stage) -> None:
    async def allow(event: PermissionRequest) -> Decision:
        return AllowOnce()

    turns = turn(call("Bash", command="touch made", description="a test"), say("Made."))
    async with ScriptedModel(Script(turns)) as model:
        assert (await run("Make it", stage.options(model, on_ask=allow))).outcome == "success"
    assert (stage.workspace / "made").exists()


async def test_a_run_that_nobody_watches_denies_and_ends(stage: Stage) -> None:
    turns = turn(call("Bash", command="touch made", description="a test"), say("As you like."))
    async with ScriptedModel(Script(turns)) as model:
        complete = await run("Make it", stage.options(model))
    assert len(complete.permission_denials) == 1
    assert not (stage.workspace / "made").exists()


async def test_a_query_that_is_left_half_way_leaves_no_process(stage: Stage) -> None:
    turns = turn(call("Bash", command="echo $PPID > pid; exec sleep 1000", description="a test"), say("never said"))
    async with (
        ScriptedModel(Script(turns)) as model,
        aclosing(query("Sleep", stage.options(model, policy="autonomous"))) as events,
    ):
        async for event in events:
            if isinstance(event, ToolCall):
                break
        await asyncio.to_thread(wait_for_text_in, stage.workspace / "pid")
    assert not alive(int((stage.workspace / "pid").read_text()))


def wait_for_text_in(path: Path) -> None:
    """Returns when there is something in the file."""
    while not (path.exists() and path.read_text().strip()):
        os.sched_yield()


async def test_files_are_put_back_as_they_were_before_a_prompt(stage: Stage) -> None:
    kept, made, shell = (stage.workspace / name for name in ("kept.txt", "made.txt", "shell.txt"))
    turns = (
        turn(call("Write", file_path=str(kept), content="one\n"), say("Written.")),
        turn(
            call("Edit", file_path=str(kept), old_string="one", new_string="two"),
            call("Write", file_path=str(made), content="new\n"),
            call("Bash", command="echo x > shell.txt", description="a test"),
            say("Changed."),
        ),
    )
    async with stage.play(*turns, policy="autonomous", checkpoints=True) as (session, _):
        await (await session.prompt("Write"))
        second = await session.prompt("Change")
        await second
        await session.idle()
        trial = await session.rewind(second.prompt_id, dry_run=True)
        assert (kept.read_text(), made.exists()) == ("two\n", True)
        done = await session.rewind(second.prompt_id)
        assert (kept.read_text(), made.exists(), shell.exists()) == ("one\n", False, True)
        assert sorted(done.files_changed) == sorted(trial.files_changed) == [str(kept), str(made)]
        assert (done.insertions, done.deletions) == (1, 2)
        with pytest.raises(RequestFailed, match="No file checkpoint"):
            await session.rewind(PromptId("11111111-1111-4111-8111-111111111112"), dry_run=True)
        resume = session.cli_session_id
    async with stage.play(policy="autonomous", checkpoints=True, resume=resume) as (session, _):
        await session.rewind(second.prompt_id, dry_run=True)


async def test_without_checkpoints_nothing_can_be_put_back(stage: Stage) -> None:
    async with stage.play(say("Hello.")) as (session, _):
        handle = await session.prompt("Hi")
        await handle
        await session.idle()
        with pytest.raises(RequestFailed, match="not enabled"):
            await session.rewind(handle.prompt_id)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_script_without_await_runs_prompts(stage: Stage) -> None:
    turns = (turn(call("mcp__calc__add", a=4), say("Five.")), say("Again."))
    with ScriptedModel(Script(*turns)) as model:
        options = stage.options(model, **ALLOWED)
        with blocking.open_session(options) as session:
            told = list(session.prompt("Add"))
            assert [event.text for event in told if isinstance(event, MessageChunk) and not event.partial] == ["Five."]
            assert session.prompt("Again").result().text == "Again."
            session.idle()
            assert session.call(lambda live: live.cli.context_usage()).total_tokens is not None
        assert results(model) == ['{"total":5}']
        assert session.ended
    with ScriptedModel(Script(say("One."), say("Two."))) as model:
        assert blocking.run("Hi", stage.options(model)).text == "One."
        query = blocking.query("Hi", stage.options(model))
        assert any(isinstance(event, SessionEnded) for event in query)
        assert query.complete.text == "Two."


# The first line is for a suite that runs in the background of a shell, which has what it starts there ignore SIGINT.
CTRL_C = """
import signal; signal.signal(signal.SIGINT, signal.default_int_handler)
import pathlib, sys
import msgspec
from bascule import Options, blocking

options = Options(**msgspec.json.decode(pathlib.Path(sys.argv[1]).read_bytes()))
with blocking.open_session(options) as session:
    for event in session.prompt("Sleep"):
        pass
"""


def test_ctrl_c_in_a_script_ends_it_and_all_that_it_started(stage: Stage, tmp_path: Path) -> None:
    command = "echo $PPID $$ > pids; exec sleep 1000"
    with ScriptedModel(Script(turn(call("Bash", command=command, description="a test"), say("never said")))) as model:
        env = {**stage.env, "ANTHROPIC_BASE_URL": model.url}
        given = {"cwd": str(stage.workspace), "cli": str(stage.cli), "env": env, "policy": "autonomous"}
        (tmp_path / "options.json").write_bytes(msgspec.json.encode(given))
        (tmp_path / "script.py").write_text(CTRL_C)
        argv = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "options.json")]
        with subprocess.Popen(argv, start_new_session=True, stderr=subprocess.PIPE, text=True) as script:
            wait_for_text_in(stage.workspace / "pids")
            os.killpg(script.pid, signal.SIGINT)
            _, said = script.communicate(timeout=30)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert not any(map(alive, map(int, (stage.workspace / "pids").read_text().split())))
