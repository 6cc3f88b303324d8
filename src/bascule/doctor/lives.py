"""The short scenes of the probe: how a process begins, what it dies of, what outlives it, and what others it starts.

Each has processes of its own, so that one that dies takes nothing else with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bascule.demo.script import Script, call, say, turn, usage, when
from bascule.doctor.attempt import ASK, DENY, allow, attempt, deny, hooks, question, said, scripted, touch
from bascule.doctor.dialogue import Dialogue, Turn
from bascule.doctor.stage import Scene, Stage
from bascule.errors import ProcessLost
from bascule.protocol.handshake import hello
from bascule.transport.argv import Arguments
from bascule.wire.answers import Interrupted, read
from bascule.wire.control import Succeeded
from bascule.wire.messages import User
from bascule.wire.requests import Interrupt, McpStatus
from bascule.wire.result import Result
from bascule.wire.stream import StreamEvent
from bascule.wire.system import Init, SessionStateChanged

BYPASS: Final = Arguments(dangerously_skip_permissions=True)

FIRST: Final = "probe: first"
SECOND: Final = "probe: second"
LATE: Final = "probe: late hook"
HOOK_ASKS: Final = "probe: hook asks under bypass"
HOOK_DENIES: Final = "probe: hook denies under bypass"
HOOK_FAILS: Final = "probe: hook fails"
QUESTION: Final = "probe: question under bypass"
IN_PLAN: Final = "probe: launched in plan mode"
AGENT: Final = "probe: agent"
CHILD: Final = "probe: child"
RUNNING: Final = "probe: running"

SERVER_S: Final = 3.0
"""A CLI that has shaken hands begins a turn in 0.1 s; one that has not begun it by now waits for its MCP server."""
BACKGROUND_S: Final = 7.0
"""2.1.197 ends a background shell 5 s after the end of its input (15_bg_then_eof)."""
ORPHAN_S: Final = 1.0
"""A command that was killed is gone by then; one that was not waits for ten minutes."""
BIG: Final = 20_000_000
"""Characters of a prompt that 2.1.332 does not send on (probe/big)."""


async def _goes_on(stage: Stage) -> None:
    """A conversation, resumed where it was and elsewhere."""
    session_id = str(uuid.uuid4())
    async with stage.talk(Arguments(session_id=session_id)) as talk:
        first = await talk.turn(FIRST)
    elsewhere = stage.project.parent / "elsewhere"
    elsewhere.mkdir()
    stage.saw("resume.elsewhere", "works" if _went_on(await _resumed(stage, session_id, elsewhere)) else "fails")
    again = await _resumed(stage, session_id, stage.project)
    stage.saw("resume", "works" if again is not None and _went_on(again) else "fails")
    if again is not None:
        before, after = first.result.total_cost_usd or 0, again.result.total_cost_usd or 0
        stage.saw("resume.cost", "goes on" if after > before * 1.5 else "from zero")


async def _resumed(stage: Stage, session_id: str, cwd: Path) -> Turn | None:
    async with stage.talk(Arguments(resume=session_id), cwd=cwd) as talk:
        with contextlib.suppress(ProcessLost):
            return await talk.turn(SECOND)
    return None


def _went_on(resumed: Turn | None) -> bool:
    """A start that fails ends with a lone result (12_resume_stale)."""
    return resumed is not None and bool(resumed.all(Init)) and not resumed.result.is_error


def _goes_on_script(project: Path) -> Script:
    cost = usage(input=10_000, output=1000, cache_read=0, cache_creation=0)
    return Script(turn(cost, say("First."), when=said(FIRST)), turn(cost, say("Second."), when=said(SECOND)))


async def _bypasses(stage: Stage) -> None:
    """Where all is allowed, a hook still has the last word, and questions still reach a person."""
    async with stage.talk(BYPASS) as talk:
        await talk.request(hello(hooks()))
        tried = await attempt(stage, talk, HOOK_DENIES, on_ask=allow, hook=DENY)
        stage.saw("bypass.hook_deny", "runs all the same" if tried.made else "holds")
        tried = await attempt(stage, talk, HOOK_ASKS, on_ask=deny, hook=ASK)
        stage.saw("bypass.hook_ask", "asks" if tried.asks and not tried.made else "runs unasked")
        tried = await attempt(stage, talk, HOOK_FAILS, on_ask=deny, hook="The probe fails here.")
        stage.saw("hook.failure", "runs" if tried.made else "blocks")
        tried = await attempt(stage, talk, QUESTION, on_ask=deny)
        stage.saw("bypass.question", "asks" if tried.asks else "never asks")


def _bypasses_script(project: Path) -> Script:
    tries = (scripted(prompt, touch(prompt)) for prompt in (HOOK_ASKS, HOOK_DENIES, HOOK_FAILS))
    return Script(*tries, scripted(QUESTION, question()))


async def _comes_late(stage: Stage) -> None:
    """Hooks that are registered when the first turn is over."""
    async with stage.talk(BYPASS) as talk:
        await talk.turn(FIRST)
        await talk.request(hello(hooks()))
        tried = await attempt(stage, talk, LATE, hook=DENY)
        stage.saw("start.late_hooks", "ignored" if tried.made else "applied")


async def _plans(stage: Stage) -> None:
    """A command that writes, in a process that was launched in plan mode."""
    async with stage.talk(Arguments(permission_mode="plan")) as talk:
        tried = await attempt(stage, talk, IN_PLAN, on_ask=deny)
        stage.saw("plan.launched", "runs" if tried.made else "asks" if tried.asks else "refused")


def _marks_script(project: Path) -> Script:
    return Script(turn(say("First."), when=said(FIRST)), *(scripted(each, touch(each)) for each in (LATE, IN_PLAN)))


async def _hears_nonsense(stage: Stage) -> None:
    """Lines that are wrong, each to a process of its own."""
    for trait, line in (("stdin.bare_answer", '{"type":"control_response"}'), ("stdin.blanks", "   ")):
        async with stage.talk() as talk:
            await talk.request(hello())
            talk.raw(line)
            stage.saw(trait, "ignored" if await _lives(talk) else "dies")


async def _lives(talk: Dialogue) -> bool:
    try:
        await talk.request(McpStatus())
    except ProcessLost:
        return False
    return True


def _silent_script(project: Path) -> Script:
    return Script(say("Nobody asked."))


async def _delegates(stage: Stage) -> None:
    """A subagent: does the turn wait for it?"""
    async with stage.talk(BYPASS) as talk:
        await talk.request(hello())
        delegated = await talk.turn(AGENT)
        results = [line.tool_use_result for line in delegated.all(User) if isinstance(line.tool_use_result, dict)]
        launched = any(result.get("isAsync") for result in results)
        stage.saw("agent.default", "background" if launched else "foreground")
        if _busy(talk):
            await talk.until(SessionStateChanged, _is_idle, "the end of the subagent")


def _busy(talk: Dialogue) -> bool:
    states = [message.state for message in talk.log if isinstance(message, SessionStateChanged)]
    return states[-1:] != ["idle"]


def _is_idle(message: SessionStateChanged) -> bool:
    return message.state == "idle"


def _delegates_script(project: Path) -> Script:
    delegation = call("Agent", description="A probe", prompt=CHILD, subagent_type="general-purpose")
    return Script(
        turn(say("I have nothing to report."), when=when(agent=True)),
        turn(delegation, say("Delegated."), when=said(AGENT)),
        turn(say("The agent is done."), when=when(prompt="")),
    )


async def _queues(stage: Stage) -> None:
    """A prompt waits behind a turn that is interrupted, and is to be dropped with it."""
    async with stage.talk() as talk:
        await talk.request(hello())
        talk.prompt(FIRST)
        await talk.until(StreamEvent)
        talk.prompt(SECOND)
        receipt = await talk.request(Interrupt(cancel_queued=True))
        told = receipt.response if isinstance(receipt, Succeeded) else None
        await talk.until(Result)
        await talk.until(SessionStateChanged, _is_idle, "the end of the interrupted turn")
        ran = any(asked.prompt.endswith(SECOND) for asked in stage.model.asked)
        stage.saw("interrupt.drop", "dropped" if read(told, Interrupted).cancelled and not ran else "runs")


def _queues_script(project: Path) -> Script:
    slow = say("word " * 400, chunk=5, delay_s=0.05)
    return Script(turn(slow, when=said(FIRST)), turn(say("Second."), when=said(SECOND)))


async def _is_ended(stage: Stage) -> None:
    """SIGTERM, while a command runs in the foreground: does the command outlive the CLI?"""
    with _lifeline(stage.project) as line:
        async with stage.talk(BYPASS) as talk:
            talk.prompt(RUNNING)
            await _unless_ended(talk, line)
            talk.signal(signal.SIGTERM)
            await talk.ended()
            stage.saw("end.term", "kills" if await line.released(ORPHAN_S) else "orphans")


async def _closes(stage: Stage) -> None:
    """The end of the input, while a command runs in the background: does the CLI wait for it?"""
    with _lifeline(stage.project) as line:
        async with stage.talk(BYPASS) as talk:
            await talk.turn(RUNNING)
            talk.awaited = "a command to run in the background"
            await line.taken()
            talk.hang_up()
            try:
                async with asyncio.timeout(BACKGROUND_S):
                    await talk.ended()
                stage.saw("end.background", "kills")
            except TimeoutError:
                stage.saw("end.background", "waits")


class Lifeline:
    """A FIFO that a command holds open for as long as it lives."""

    def __init__(self, file: int) -> None:
        self._file = file

    async def taken(self) -> None:
        """Wait until the command has written its first word."""
        await self._readable()
        os.read(self._file, 100)

    async def released(self, within_s: float) -> bool:
        """Whether the command, and all that it started, is gone by then."""
        try:
            async with asyncio.timeout(within_s):
                await self._readable()
        except TimeoutError:
            return False
        return os.read(self._file, 100) == b""

    async def _readable(self) -> None:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._file, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._file)


@contextmanager
def _lifeline(folder: Path) -> Iterator[Lifeline]:
    path = folder / "lifeline"
    os.mkfifo(path)
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield Lifeline(file)
    finally:
        os.close(file)


async def _unless_ended(talk: Dialogue, line: Lifeline) -> None:
    """Until the command runs; the CLI is listened to meanwhile."""
    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(talk.ended(), name="bascule probe listens")
        await line.taken()
        listening.cancel()


HOLD: Final = "exec 3>lifeline; echo up >&3; sleep 600"


def _is_ended_script(project: Path) -> Script:
    return Script(turn(call("Bash", command=HOLD, description="Hold on"), say("Done."), when=said(RUNNING)))


def _closes_script(project: Path) -> Script:
    held = call("Bash", command=HOLD, description="Hold on", run_in_background=True)
    return Script(turn(held, say("Started."), when=said(RUNNING)))


SERVER: Final = """
import json, sys
open(sys.argv[1]).close()
for line in sys.stdin:
    asked = json.loads(line)
    result = {"tools": []}
    if asked["method"] == "initialize":
        result = {
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "slow", "version": "1"},
        }
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""An MCP server that says nothing until somebody opens a FIFO for writing."""


async def _waits_for_servers(stage: Stage) -> None:
    """An MCP server that is slow: does the first turn wait for it?"""
    gate = stage.project / "gate"
    os.mkfifo(gate)
    config = stage.project / "mcp.json"
    server = {"command": sys.executable, "args": ["-I", "-S", "-c", SERVER, str(gate)]}
    config.write_text(json.dumps({"mcpServers": {"slow": server}}), encoding="utf-8")
    async with stage.talk(Arguments(mcp_configs=(str(config),))) as talk:
        await talk.request(hello())
        talk.prompt(FIRST)
        try:
            async with asyncio.timeout(SERVER_S):
                begun = await talk.until(Init)
            stage.saw("mcp.slow_start", ",".join(str(server.status) for server in begun.mcp_servers))
        except TimeoutError:
            stage.saw("mcp.slow_start", "waits")
        opened = os.open(gate, os.O_RDWR | os.O_NONBLOCK)
        try:
            await talk.until(Result)
        finally:
            os.close(opened)


async def _takes_much(stage: Stage) -> None:
    """A prompt of 20 MB."""
    async with stage.talk() as talk:
        turn = await talk.turn("x" * BIG)
        stage.saw("prompt.big", "refused" if turn.result.is_error and not stage.model.asked else "sent")


LIVES: Final = (
    Scene("background", _closes_script, _closes),
    Scene("servers", _marks_script, _waits_for_servers),
    Scene("resume", _goes_on_script, _goes_on),
    Scene("bypass", _bypasses_script, _bypasses),
    Scene("late", _marks_script, _comes_late),
    Scene("plan", _marks_script, _plans),
    Scene("nonsense", _silent_script, _hears_nonsense),
    Scene("agent", _delegates_script, _delegates),
    Scene("queue", _queues_script, _queues),
    Scene("signal", _is_ended_script, _is_ended),
    Scene("big", _silent_script, _takes_much),
)
"""The scenes, those that take longest first."""
