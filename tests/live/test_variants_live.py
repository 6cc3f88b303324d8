"""What the wire's reference says that a difference between versions means *for bascule*, on the real CLI of each.

`scripts/claims.toml` names the test of each such sentence; those that other files hold are not repeated here.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bascule import recording
from bascule.demo.script import call, fail, respond, say, turn, wait, when
from bascule.errors import OptionError
from bascule.events import (
    Complete,
    MessageChunk,
    ModelChanged,
    PermissionRequest,
    PolicyDecided,
    Retrying,
    SessionStatus,
    TaskEnded,
)
from bascule.session.hooks import UserHook
from bascule.session.session import Session
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import PreToolUse
from tests.live.stage import Stage, bash, said, seen, so_far

WRITES = "echo x > made"


def written(record: Path) -> list[str]:
    """The lines that bascule wrote, in order."""
    read = recording.read(record.read_bytes().splitlines(keepends=True))
    return [entry.line for entry in read if isinstance(entry, recording.Entry) and entry.dir == "in"]


def subtypes(record: Path) -> list[str]:
    """What each of them was, and of a request what it asked."""
    lines = map(json.loads, written(record))
    return [line["request"]["subtype"] if line["type"] == "control_request" else line["type"] for line in lines]


async def test_the_result_of_a_turn_is_the_last_of_it_where_subagents_are_part_of_it(stage: Stage) -> None:
    delegates = call("Agent", description="look", prompt="Look around", subagent_type="general-purpose")
    async with stage.play(
        turn(delegates, say("It is under way."), when=when(prompt="Delegate")),
        turn(wait("quiet"), say("All is quiet."), when=when(prompt="Look around", agent=True)),
        turn(say("It says so."), when=when(note="task-notification")),
    ) as (session, model):
        handle = await session.prompt("Delegate")
        if stage.newer:
            await handle
        model.gate("quiet").open()
        await handle
        await session.idle()
    kinds = [type(event) for event in await so_far(session) if isinstance(event, Complete | TaskEnded)]
    assert kinds == ([Complete, TaskEnded, Complete] if stage.newer else [TaskEnded, Complete])


async def test_whether_a_turn_stopped_shows_by_its_end_and_what_waits_is_told_by_the_newer_version(
    stage: Stage,
) -> None:
    async with stage.play(turn(say("Once"), wait("end"), say("upon a time.")), say("Next.")) as (session, _):
        first = await session.prompt("Tell me")
        await seen(session, MessageChunk)
        waiting = await session.prompt("Next?", when="queue")
        receipt = await session.interrupt()
        assert receipt.still_queued == ((waiting.prompt_id,) if stage.newer else ())
        assert (await first).outcome == "interrupted"
        assert (await waiting).text == "Next."


async def test_a_text_that_was_cut_off_is_closed_and_its_turn_says_why_it_ended(stage: Stage) -> None:
    async with stage.play(turn(say("Once upon"), wait("never"), say("a time"))) as (session, _):
        handle = await session.prompt("Tell me")
        await seen(session, MessageChunk)
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
    chunks = [event for event in await so_far(session) if isinstance(event, MessageChunk)]
    assert [(chunk.text, chunk.partial) for chunk in chunks if chunk.seq is not None] == [("Once upon", False)]


async def test_no_line_that_bascule_writes_is_one_that_a_version_dies_of(stage: Stage, tmp_path: Path) -> None:
    """Blanks, a byte order mark, and answers to everything that the CLI asks."""
    record = tmp_path / "record.jsonl"

    async def hook(told: PreToolUse) -> HookOutput | None:
        return None

    async def serve(message: dict[str, Any]) -> dict[str, Any] | None:
        if "id" not in message:
            return None
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "own", "version": "1"}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": info}

    options = {"hooks": (UserHook(event="PreToolUse", function=hook),), "sdk_servers": {"own": serve}}
    async with stage.play(
        turn(bash("true"), say("One.")), say("Two."), say("Three."), policy="supervised", allow=("Bash(true)",),
        record=record, **options,
    ) as (session, _):  # fmt: skip
        for text in ("\ufeffMark", "  Blanks\n\n  ", "Go\r\n\u2028on"):
            assert (await said(session, text)).outcome == "success"
    lines = written(record)
    assert len(lines) > 5
    assert [line for line in lines if line != line.strip(" \t\ufeff") or not line.startswith("{")] == []
    responses = [line["response"] for line in map(json.loads, lines) if line["type"] == "control_response"]
    assert responses
    assert [one for one in responses if one["subtype"] == "success" and not isinstance(one["response"], dict)] == []


async def test_the_hooks_are_registered_before_the_first_prompt_and_called(stage: Stage, tmp_path: Path) -> None:
    called: list[str] = []

    async def hook(told: PreToolUse) -> HookOutput | None:
        called.append(told.tool_name)
        return None

    record = tmp_path / "record.jsonl"
    hooks = (UserHook(event="PreToolUse", function=hook),)
    async with stage.play(turn(bash("true"), say("Done.")), hooks=hooks, record=record) as (session, _):
        await said(session, "Go")
    kinds = subtypes(record)
    assert (kinds[0], kinds.count("initialize")) == ("initialize", 1)
    assert called == ["Bash"]


async def test_the_delay_before_another_try_is_read(stage: Stage) -> None:
    async with stage.play(turn(fail(500), say("Fine."))) as (session, _):
        assert (await said(session, "Hi")).text == "Fine."
        retrying = await seen(session, Retrying)
    assert (retrying.error_status, retrying.delay_ms > 0) == (500, True)


async def test_a_mode_that_does_not_exist_is_refused_before_the_cli_is_asked(stage: Stage, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    async with stage.play(say("never said"), record=record) as (session, _):
        with pytest.raises(OptionError, match="the CLI knows"):
            await session.set_mode("yolo")
    assert "set_permission_mode" not in subtypes(record)


async def test_another_model_is_told_by_the_next_turn_and_the_older_version_ends_the_running_one_as_it_was(
    stage: Stage,
) -> None:
    async with stage.play(turn(say("Once"), bash("cat go"), wait("end"), say("One.")), say("Two.")) as (session, model):
        first = await session.prompt("Go")
        await asyncio.to_thread(model.gate("end").reached)
        await session.set_model("haiku")
        model.gate("end").open()
        await first
        await said(session, "And now?")
        told = await seen(session, ModelChanged) if stage.newer else await changed(session)
        assert "haiku" in (told.model or "")
    before, between, after = (asked.body["model"] for asked in model.asked)
    assert (between == before, after != before) == (True, True)


async def changed(session: Session) -> SessionStatus:
    """The status of a turn that is not like that of the turn before."""
    return await seen(session, SessionStatus, lambda status: status.session_status == "changed")


async def test_a_resumed_turn_costs_what_it_costs_whatever_the_cli_counts_on_from(stage: Stage) -> None:
    async with stage.play(say("One.")) as (session, _):
        first = await said(session, "Hi")
    async with stage.play(say("Two."), resume=session.cli_session_id) as (again, _):
        second = await said(again, "Again")
    assert first.cost_usd and second.cost_usd and second.total_cost_usd
    counted_on = second.total_cost_usd - second.cost_usd
    assert counted_on == pytest.approx(first.cost_usd if stage.newer else 0)


async def test_a_plan_is_in_its_ask_whether_it_was_written_to_a_file_or_not(stage: Stage) -> None:
    def write(asked: Any) -> Any:
        words, folder = str(asked.body), str(stage.config / "plans")
        start = words.index(folder)
        return call("Write", file_path=words[start : words.index(".md", start) + 3], content="1. Touch a file.")

    for steps in (
        (respond(write), respond(lambda asked: call("ExitPlanMode"))),
        (call("ExitPlanMode", plan="1. Touch a file."),),
    ):
        async with stage.play(turn(*steps, say("never said")), policy="plan") as (session, _):
            await session.prompt("Plan it")
            ask = await seen(session, PermissionRequest)
            assert (ask.ask, "1. Touch a file." in str(ask.normalized)) == ("plan", True)


@pytest.mark.parametrize("later", [False, True], ids=["launched", "entered later"])
async def test_the_plan_policy_denies_what_writes_whatever_the_cli_would_do(stage: Stage, *, later: bool) -> None:
    async with stage.play(turn(bash(WRITES), say("Not so.")), policy="plan", mode="default" if later else None) as (
        session,
        model,
    ):
        if later:
            await session.set_mode("plan")
        assert (await said(session, "Write it")).text == "Not so."
        assert (await seen(session, PolicyDecided)).verdict == "deny"
        assert model.asked[-1].results[-1].refused
    assert not stage.path("made").exists()
    assert [event for event in await so_far(session) if isinstance(event, PermissionRequest)] == []
