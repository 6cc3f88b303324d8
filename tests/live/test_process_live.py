"""The process pipe with the real CLI at its far end: it starts with our flags, speaks, and leaves nothing behind."""

import asyncio
import json
import os
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import Workspace, make_workspace
from bascule.recording import Exit, exit_of
from bascule.transport.argv import Arguments, argv
from bascule.transport.census import MARK
from bascule.transport.ends import Limits
from bascule.transport.environment import environment
from bascule.transport.launch import Launch
from bascule.transport.process import ProcessPipe, open_process
from bascule.transport.version import Version, ask, judged
from tests.transport.programs import alive, lines, open_files, read_all, read_until, running_with

Start: TypeAlias = Callable[..., AbstractAsyncContextManager[ProcessPipe]]


class Fifo:
    """What a tool's command writes to, so that the test knows that it runs."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._file = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    async def number(self) -> int:
        """The number that a command wrote, such as its own."""
        loop = asyncio.get_running_loop()
        written = asyncio.Event()
        loop.add_reader(self._file, written.set)
        try:
            await written.wait()
        finally:
            loop.remove_reader(self._file)
        return int(os.read(self._file, 100))

    def close(self) -> None:
        """No command writes any more."""
        os.close(self._file)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


@pytest.fixture
def fifo(workspace: Workspace) -> Iterator[Fifo]:
    fifo = Fifo(workspace.project / "fifo")
    yield fifo
    fifo.close()


@pytest.fixture
def start(claude_cli: Path, workspace: Workspace) -> Start:
    """Starts the CLI on a model with typed arguments: `async with start(model, Arguments()) as pipe`."""

    def process(
        model: ScriptedModel, arguments: Arguments, *, limits: Limits | None = None
    ) -> AbstractAsyncContextManager[ProcessPipe]:
        env = environment({}, given=workspace.environment(model.url))
        return open_process(Launch((str(claude_cli), *argv(arguments)), env, str(workspace.project)), limits=limits)

    return process


@pytest.fixture(autouse=True)
def nothing_is_left(workspace: Workspace) -> Iterator[None]:
    """No process that was started in this workspace, and no pipe to one."""
    before = open_files()
    yield
    assert not running_with(f"HOME={workspace.home}")
    assert not {name for name in open_files() - before if "pipe" in name}


def prompt(text: str) -> str:
    """The line of a prompt."""
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}, "uuid": str(uuid.uuid4())})


def request(subtype: str, **fields: Any) -> str:
    """The line of a control request."""
    return json.dumps({"type": "control_request", "request_id": subtype, "request": {"subtype": subtype, **fields}})


async def message(pipe: ProcessPipe, kind: str) -> dict[str, Any]:
    """The next message of that type."""
    while entries := await pipe.read():
        for line in lines(entries):
            decoded: dict[str, Any] = json.loads(line)
            if decoded["type"] == kind:
                return decoded
    raise AssertionError(f"the CLI ended without a {kind}: {pipe.stderr_tail}")


BYPASS = Arguments(dangerously_skip_permissions=True)


@pytest.mark.smoke
async def test_a_turn_and_its_end(start: Start) -> None:
    with ScriptedModel(Script(say("Hello."))) as model:
        async with start(model, Arguments(session_id=str(uuid.uuid4()))) as pipe:
            assert pipe.write(("note", "begin"), ("in", prompt("hi")))
            result = await message(pipe, "result")
            assert await pipe.close() == Exit(code=0)
            assert exit_of((await read_all(pipe))[-1].line) == Exit(code=0)
    assert result["result"] == "Hello."


async def test_an_ask_comes_with_our_environment(start: Start) -> None:
    with ScriptedModel(Script(turn(call("Bash", command="touch made"), say("As you wish.")))) as model:
        async with start(model, Arguments()) as pipe:
            pipe.write(("in", prompt("go")))
            asked = await message(pipe, "control_request")
            assert asked["request"]["subtype"] == "can_use_tool"
            denial = {"behavior": "deny", "message": "Rather not."}
            answer = {"subtype": "success", "request_id": asked["request_id"], "response": denial}
            pipe.write(("in", json.dumps({"type": "control_response", "response": answer})))
            assert (await message(pipe, "result"))["result"] == "As you wish."


async def test_our_environment_changes_nothing_that_the_model_sees(
    start: Start, claude_cli: Path, workspace: Workspace
) -> None:
    with ScriptedModel(Script(turn(say("One.")), turn(say("Two.")))) as model:
        bare = Launch((str(claude_cli), *argv(Arguments())), workspace.environment(model.url), str(workspace.project))
        sizes = []
        for opened in (open_process(bare), start(model, Arguments())):
            async with opened as pipe:
                pipe.write(("in", prompt("hi")))
                result = await message(pipe, "result")
                sizes.append((result["usage"]["input_tokens"], result["usage"]["cache_read_input_tokens"]))
    assert sizes[0] == sizes[1]


async def test_L112_the_real_environment_is_the_one_that_was_meant(start: Start, workspace: Workspace) -> None:
    with ScriptedModel(Script(say("Hello."))) as model:
        async with start(model, Arguments()) as pipe:
            pipe.write(("in", request("initialize")))
            await message(pipe, "control_response")
            seen = (Path("/proc") / str(pipe.pid) / "environ").read_text()
            meant = environment({}, given=workspace.environment(model.url))
    found = dict(pair.split("=", 1) for pair in seen.split("\0") if pair)
    assert found.pop(MARK)
    assert found == meant


async def test_every_flag_is_known_to_the_cli(start: Start, workspace: Workspace, cli_version: str) -> None:
    """An unknown flag, or one that lacks its value, ends the CLI at once with 1 (26_bad_flag)."""
    file = workspace.project / "mcp.json"
    file.write_text('{"mcpServers": {}}')
    arguments = Arguments(
        include_hook_events=True,
        await_initialize=cli_version != "2.1.197",
        permission_mode="plan",
        allow_skip_permissions=True,
        tools=("Bash", "Edit", "Read"),
        allowed_tools=("Bash(git status *)", "Read"),
        disallowed_tools=("WebFetch",),
        session_id=str(uuid.uuid4()),
        model="opus",
        fallback_models=("sonnet", "haiku"),
        effort="high",
        thinking="adaptive",
        max_thinking_tokens=2048,
        thinking_display="summarized",
        task_budget=20_000,
        persist=False,
        debug_file=str(workspace.home / "debug.log"),
        project_config_root=None if cli_version == "2.1.197" else str(workspace.project),
        betas=("context-1m-2025-08-07", "another"),
        agent="reviewer",
        agents='{"reviewer": {"description": "d", "prompt": "p"}}',
        json_schema='{"type": "object"}',
        append_system_prompt="--be brief",
        max_turns=3,
        max_budget_usd=0.5,
        mcp_configs=(str(file),),
        strict_mcp_config=True,
        settings='{"cleanupPeriodDays": 20}',
        setting_sources=("user",),
        plugin_dirs=(str(workspace.home),),
        add_dirs=(str(workspace.home),),
        debug="hooks",
        extra=("--bare", "--name", "mine"),
    )
    with ScriptedModel(Script(say("Hello."))) as model:
        async with start(model, arguments) as pipe:
            pipe.write(("in", request("initialize")))
            assert (await message(pipe, "control_response"))["response"]["subtype"] == "success"
            assert await pipe.close() == Exit(code=0)


@pytest.mark.parametrize("tail", ["resumed", "forked", "continued"])
async def test_a_conversation_goes_on(start: Start, tail: str) -> None:
    session_id, fork_id = str(uuid.uuid4()), str(uuid.uuid4())
    arguments = {
        "resumed": Arguments(resume=session_id),
        "forked": Arguments(resume=session_id, fork=True, session_id=fork_id),
        "continued": Arguments(continue_last=True),
    }[tail]
    with ScriptedModel(Script(turn(say("One.")), turn(say("Two.")))) as model:
        async with start(model, Arguments(session_id=session_id)) as pipe:
            pipe.write(("in", prompt("first")))
            assert (await message(pipe, "result"))["result"] == "One."
            assert await pipe.close() == Exit(code=0)
        async with start(model, arguments) as pipe:
            pipe.write(("in", prompt("second")))
            result = await message(pipe, "result")
    assert result["result"] == "Two."
    assert result["session_id"] == (fork_id if tail == "forked" else session_id)


async def test_L56_killed_in_a_tool_it_leaves_no_orphan_after_close(start: Start, fifo: Fifo) -> None:
    script = Script(turn(call("Bash", command="echo $$ > fifo; sleep 600"), say("Done.")))
    with ScriptedModel(script) as model:
        async with start(model, BYPASS) as pipe:
            pipe.write(("in", prompt("go")))
            shell = await fifo.number()
            pipe.signal(signal.SIGKILL)
            assert exit_of((await read_all(pipe))[-1].line) == Exit(signal="SIGKILL")
            assert alive(shell)
            await pipe.close()
            assert not alive(shell)


async def test_closed_in_a_tool_it_leaves_no_orphan(start: Start, fifo: Fifo) -> None:
    """After SIGTERM 2.1.332 ends the shell by itself and 2.1.197 leaves it (25_sigterm_tool)."""
    script = Script(turn(call("Bash", command="echo $$ > fifo; sleep 600"), say("Done.")))
    with ScriptedModel(script) as model:
        async with start(model, BYPASS) as pipe:
            pipe.write(("in", prompt("go")))
            shell = await fifo.number()
            assert await pipe.close(grace_s=0.2) == Exit(code=143)
            assert not alive(shell)


async def test_a_background_shell_is_ended_too(start: Start, fifo: Fifo) -> None:
    script = Script(turn(call("Bash", command="echo $$ > fifo; sleep 600", run_in_background=True), say("Started.")))
    with ScriptedModel(script) as model:
        async with start(model, BYPASS) as pipe:
            pipe.write(("in", prompt("go")))
            shell = await fifo.number()
            await message(pipe, "result")
            await pipe.close(grace_s=0.2)
            assert not alive(shell)


async def test_a_tool_sees_the_mark_by_which_it_is_found(start: Start, fifo: Fifo) -> None:
    command = f'test -n "${MARK}" && echo $$ > fifo; sleep 600'
    with ScriptedModel(Script(turn(call("Bash", command=command), say("Done.")))) as model:
        async with start(model, BYPASS) as pipe:
            pipe.write(("in", prompt("go")))
            shell = await fifo.number()
            assert alive(shell)
            await pipe.close(grace_s=0)


async def test_a_start_that_fails_says_why_on_stderr(start: Start) -> None:
    with ScriptedModel(Script(say("Hello."))) as model:
        async with start(model, Arguments(extra=("--no-such-flag",))) as pipe:
            assert exit_of((await read_all(pipe))[-1].line) == Exit(code=1)
            assert "--no-such-flag" in pipe.stderr_tail


async def test_a_reader_that_stays_away_loses_nothing(start: Start) -> None:
    text = "".join(f"line {number:06d}\n" for number in range(20_000))
    with ScriptedModel(Script(say(text, chunk=4000))) as model:
        async with start(model, Arguments(), limits=Limits(high_water=1000)) as pipe:
            pipe.write(("in", prompt("go")))
            await read_until(pipe, "out")
            result = await message(pipe, "result")
    assert result["result"].strip() == text.strip()


async def test_the_version_is_told(claude_cli: Path, cli_version: str, workspace: Workspace) -> None:
    version = await ask(claude_cli, workspace.environment("http://127.0.0.1:9"))
    assert str(version) == cli_version
    assert isinstance(version, Version)
    assert judged(version).warning is None
