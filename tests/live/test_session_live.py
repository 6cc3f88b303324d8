"""A session with the CLI and a scripted model: what was decided is shown by what lies in the file system.

The fake CLI plays the same, so that a mistake of ours is found among the fast tests already.
"""

import asyncio
import base64
import os
import subprocess
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGKILL
from typing import Any, TypeVar

import pytest

from bascule import recording
from bascule.commands import (
    AllowAlways,
    AllowOnce,
    Answers,
    ApprovePlan,
    AttachmentData,
    Decision,
    Deny,
    DenyAndStop,
    DiscussPlan,
    Taken,
    TooLate,
)
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, fail, reply, respond, say, turn, wait
from bascule.errors import ProcessLost, ResumeFailed, SessionInUse, StartFailed
from bascule.events import (
    AnyEvent,
    Complete,
    MessageChunk,
    ModeChanged,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PolicyDecided,
    SessionEnded,
    SessionStatus,
    ToolUpdate,
)
from bascule.policy.rules import parse
from bascule.session.hooks import UserHook
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.session import Session
from bascule.transcript.fold import Fold
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import HookInput

E = TypeVar("E", bound=AnyEvent)


class Stage:
    """A CLI, a workspace for it, and what the model will say."""

    def __init__(self, cli: Path, env: dict[str, str], workspace: Path) -> None:
        self.cli = cli
        self.env = env
        self.workspace = workspace

    @asynccontextmanager
    async def session(self, model: ScriptedModel, **options: Any) -> AsyncIterator[Session]:
        given = {
            "cwd": self.workspace,
            "cli": self.cli,
            "env": {**self.env, "ANTHROPIC_BASE_URL": model.url},
            **options,
        }
        async with open_session(Options(**given)) as session:
            yield session

    @asynccontextmanager
    async def play(self, *turns: Any, **options: Any) -> AsyncIterator[tuple[Session, ScriptedModel]]:
        """A session whose model says `turns`."""
        async with ScriptedModel(Script(*turns)) as model, self.session(model, **options) as session:
            yield session, model

    def path(self, name: str) -> Path:
        return self.workspace / name


@pytest.fixture
def stage(cli: Path, clean_env: dict[str, str], tmp_path: Path) -> Stage:
    workspace = tmp_path / "work"
    workspace.mkdir()
    return Stage(cli, clean_env, workspace)


async def seen(session: Session, kind: type[E], where: Callable[[E], bool] = lambda event: True) -> E:
    async for event in session.events():
        if isinstance(event, kind) and where(event):
            return event
    raise AssertionError(f"the session ended and there was no {kind.__name__}")


async def so_far(session: Session) -> list[AnyEvent]:
    """All events of a session that has ended."""
    return [event async for event in session.events()]


async def answered(session: Session, text: str, *decisions: Decision) -> Complete:
    """The end of a prompt's turn, its asks answered one after the other."""
    handle = await session.prompt(text)
    done: set[str] = set()
    for decision in decisions:
        ask = await seen(session, PermissionRequest, lambda event: event.pending_id not in done)
        done.add(ask.pending_id)
        receipt = await session.decide(ask.pending_id, decision, input_hash=ask.input_hash)
        assert receipt == Taken()
    return await handle


def bash(command: str) -> Any:
    return call("Bash", command=command, description="a test")


@pytest.mark.smoke
async def test_a_text_turn_is_told_and_its_session_ends_clean(stage: Stage) -> None:
    async with stage.play(say("Hello."), say("Again.")) as (session, model):
        first = await answered(session, "Hi")
        assert (first.outcome, first.text) == ("success", "Hello.")
        assert (await answered(session, "Hi again")).text == "Again."
        await session.idle()
        assert [asked.prompt for asked in model.asked] == ["Hi", "Hi again"]
        assert str(session.cli_session_id) == str(session.id)
    events = await so_far(session)
    assert [event.text for event in events if isinstance(event, MessageChunk)] == ["Hello.", "Again."]
    ended = events[-1]
    assert isinstance(ended, SessionEnded)
    assert (ended.exit_code, ended.cause) == (0, "ended")


@pytest.mark.smoke
async def test_L15_a_call_that_was_allowed_runs(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("Done."))) as (session, _):
        assert (await answered(session, "Make it", AllowOnce())).outcome == "success"
        assert stage.path("made").exists()
        resolved = await seen(session, PermissionResolved)
        assert resolved.outcome == "allowed"


async def test_an_edited_input_is_what_runs(stage: Stage) -> None:
    async with stage.play(turn(bash("touch asked"), say("Done."))) as (session, _):
        edited = AllowOnce(input={"command": "touch edited", "description": "another"})
        await answered(session, "Make it", edited)
        assert (await seen(session, PermissionResolved)).edited
    assert sorted(path.name for path in stage.workspace.iterdir()) == ["edited"]


@pytest.mark.smoke
async def test_a_call_that_was_denied_does_not_run_and_the_model_reads_why(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("As you like."))) as (session, model):
        complete = await answered(session, "Make it", Deny(reason="not on my disk"))
        assert complete.outcome == "success"
        assert len(complete.permission_denials) == 1
        assert "not on my disk" in model.asked[-1].results[0].text
        assert (await seen(session, ToolUpdate)).tool_status == "denied"
    assert not stage.path("made").exists()


async def test_deny_and_stop_ends_the_turn_and_the_session_goes_on(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("never said")), say("Still here.")) as (session, _):
        assert (await answered(session, "Make it", DenyAndStop(reason="enough"))).outcome == "interrupted"
        assert (await answered(session, "And now?")).text == "Still here."
    assert not stage.path("made").exists()


async def test_always_in_this_session_answers_the_next_call_by_itself(stage: Stage) -> None:
    turns = (turn(bash("touch one"), say("1")), turn(bash("touch one"), say("2")))
    async with stage.play(*turns) as (session, _):
        await answered(session, "First", AllowAlways(rule="Bash(touch *)"))
        stage.path("one").unlink()
        assert (await answered(session, "Second")).outcome == "success"
        assert stage.path("one").exists()
        assert (await seen(session, PolicyDecided, lambda event: event.verdict == "allow")).rule
    assert not stage.path(".claude").exists()


async def test_where_the_cli_governs_always_is_a_rule_of_its_own(stage: Stage) -> None:
    turns = (turn(bash("touch one"), say("1")), turn(bash("touch one"), say("2")))
    async with stage.play(*turns, policy="acceptEdits", mode="default") as (
        session,
        _,
    ):
        await answered(session, "First", AllowAlways(rule="Bash(touch one)", scope="session"))
        stage.path("one").unlink()
        assert (await answered(session, "Second")).outcome == "success"
    assert stage.path("one").exists()


@pytest.mark.parametrize("given", [{"policy": "manual"}, {"policy": "acceptEdits", "mode": "manual"}])
async def test_every_version_starts_in_manual_mode(stage: Stage, given: dict[str, str]) -> None:
    async with stage.play(turn(bash("touch made"), say("As you like.")), **given) as (session, _):
        assert (await answered(session, "Make it", Deny(reason="no"))).outcome == "success"
        assert (await seen(session, SessionStatus)).permission_mode == "default"
    assert not stage.path("made").exists()


async def test_parallel_asks_are_each_answered(stage: Stage) -> None:
    (stage.workspace.parent / "secret").write_text("s")
    reads = [call("Read", file_path=str(stage.workspace.parent / "secret")), bash("cat ../secret")]
    async with stage.play(turn(*reads, say("Done."))) as (session, model):
        complete = await answered(session, "Look", Deny(reason="no"), Deny(reason="no"))
        assert len(complete.permission_denials) == 2
        assert all("no" in result.text for result in model.asked[-1].results)


async def test_reading_in_the_workspace_asks_nobody(stage: Stage) -> None:
    stage.path("notes").write_text("buy milk")
    async with stage.play(turn(call("Read", file_path=str(stage.path("notes"))), say("Read."))) as (session, model):
        assert (await answered(session, "Read it")).outcome == "success"
        assert "buy milk" in model.asked[-1].results[0].text
        assert (await seen(session, PolicyDecided)).verdict == "allow"


async def test_L43_an_unattended_run_denies_and_ends(stage: Stage) -> None:
    question = call("AskUserQuestion", questions=[QUESTION])
    async with stage.play(turn(bash("touch made"), question, say("Then not.")), attended=False) as (session, _):
        complete = await answered(session, "Make it")
        assert complete.outcome == "success"
        assert len(complete.permission_denials) == 2
    assert not stage.path("made").exists()


async def test_an_ask_that_expires_is_denied(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("Then not.")), ask_timeout_s=0.2) as (session, _):
        assert (await answered(session, "Make it")).outcome == "success"
        assert (await seen(session, PermissionCancelled)).cause == "expired"
    assert not stage.path("made").exists()


QUESTION = {
    "question": "Which one?",
    "header": "Which",
    "multiSelect": True,
    "options": [{"label": label, "description": label} for label in ("A", "B", "C")],
}


async def test_questions_are_answered_with_labels_and_notes(stage: Stage) -> None:
    async with stage.play(turn(call("AskUserQuestion", questions=[QUESTION]), say("Good."))) as (session, model):
        await answered(session, "Ask me", Answers(answers={"Which one?": ["A", "C"]}, notes={"Which one?": "soon"}))
        assert (await seen(session, PermissionRequest)).ask == "question"
        told = model.asked[-1].results[0].text
        assert "A, C" in told
        assert "soon" in told
        assert (await seen(session, PermissionResolved)).outcome == "answered"


def plan_turn(stage: Stage, *after: Any) -> Any:
    """The model writes its plan where the CLI keeps plans, then asks for approval."""

    def write(asked: Any) -> Any:
        folder = Path(stage.env["CLAUDE_CONFIG_DIR"]) / "plans"
        words = str(asked.body)
        start = words.index(str(folder))
        return call("Write", file_path=words[start : words.index(".md", start) + 3], content="1. Touch a file.")

    return turn(respond(write), call("ExitPlanMode", plan="1. Touch a file."), *after)


async def test_a_plan_is_approved_and_the_mode_goes_on_as_chosen(stage: Stage) -> None:
    async with stage.play(plan_turn(stage, say("On it.")), policy="plan") as (session, model):
        assert (await answered(session, "Plan it", ApprovePlan(then="ask"))).outcome == "success"
        assert (await seen(session, PermissionRequest)).ask == "plan"
        assert "approved" in model.asked[-1].results[-1].text
        modes = [event.mode for event in await until_end(session) if isinstance(event, ModeChanged)]
    assert "default" in modes


async def test_a_plan_that_is_to_be_discussed_stays_a_plan(stage: Stage) -> None:
    async with stage.play(plan_turn(stage, say("Let us talk.")), policy="plan") as (session, model):
        await answered(session, "Plan it", DiscussPlan())
        assert "talk about the plan" in model.asked[-1].results[-1].text
        assert (await seen(session, SessionStatus)).permission_mode == "plan"


async def until_end(session: Session) -> list[AnyEvent]:
    await session.end()
    return await so_far(session)


@pytest.mark.smoke
async def test_an_interrupt_while_it_writes_ends_the_turn_and_the_session_goes_on(stage: Stage) -> None:
    turns = (turn(say("Once upon"), wait("never"), say("a time")), say("Back."))
    async with stage.play(*turns) as (session, _):
        handle = await session.prompt("Tell me")
        await seen(session, MessageChunk)
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        assert (await answered(session, "And?")).text == "Back."


async def test_an_interrupt_in_a_tool_stops_it(stage: Stage) -> None:
    command = "echo begun > begun; sleep 60; touch ended"
    async with stage.play(turn(bash(command), say("never said")), allow=(f"Bash({command})",)) as (session, _):
        handle = await session.prompt("Run it")
        ask = asyncio.ensure_future(seen(session, PermissionRequest))
        await asyncio.wait(
            {ask, asyncio.ensure_future(exists(stage.path("begun")))}, return_when=asyncio.FIRST_COMPLETED
        )
        if ask.done():
            await session.decide((await ask).pending_id, AllowOnce())
            await exists(stage.path("begun"))
        ask.cancel()
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        assert (
            await seen(session, ToolUpdate, lambda event: event.tool_status != "running")
        ).tool_status == "cancelled"
    assert not stage.path("ended").exists()


async def exists(path: Path) -> None:
    """Returns when the file is there."""
    while not await asyncio.to_thread(path.exists):
        pass


async def test_F19_an_interrupt_while_it_asks_withdraws_the_ask(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("never said"))) as (session, _):
        handle = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        await session.interrupt()
        assert (await handle).outcome == "interrupted"
        assert (await seen(session, PermissionCancelled)).pending_id == ask.pending_id
        late = await session.decide(ask.pending_id, AllowOnce())
        assert isinstance(late, TooLate)
    assert not stage.path("made").exists()


async def test_S21_an_interrupt_right_after_the_prompt_is_not_lost(stage: Stage) -> None:
    """10_interrupt_race_warm: in a warm CLI 2.1.332 it crosses with the prompt, and the turn would run to its end."""
    async with stage.play(say("warm"), turn(say("Once"), wait("never"), say("upon")), say("Back.")) as (session, _):
        await answered(session, "Warm up")
        handle = await session.prompt("Tell me")
        await session.interrupt()
        assert (await handle).outcome == "interrupted"


async def test_three_prompts_at_once_are_each_settled_once(stage: Stage) -> None:
    """11_burst: two results answer three prompts or more."""
    async with stage.play(say("one"), say("two"), say("three")) as (session, _):
        handles = [await session.prompt(text) for text in ("1", "2", "3")]
        completes = [await handle for handle in handles]
        await session.idle()
        assert {complete.outcome for complete in completes} == {"success"}
    ends = [event for event in await so_far(session) if isinstance(event, Complete)]
    settled = [prompt_id for complete in ends for prompt_id in complete.prompt_ids]
    assert sorted(settled) == sorted(handle.prompt_id for handle in handles)


async def test_a_prompt_into_a_running_tool_joins_its_turn(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("Both."))) as (session, model):
        first = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        second = await session.prompt("And be quick")
        await session.decide(ask.pending_id, AllowOnce())
        assert await first == await second
        assert "be quick" in str(model.asked[-1].body)


async def test_resume_goes_on_where_the_conversation_was(stage: Stage) -> None:
    async with ScriptedModel(Script(say("one"), say("two"))) as model:
        async with stage.session(model) as first:
            await answered(first, "Remember 42")
            conversation = first.cli_session_id
        async with stage.session(model, resume=conversation) as second:
            await answered(second, "What was it?")
            assert second.cli_session_id == conversation
            assert (await seen(second, SessionStatus)).session_status == "resumed"
        assert "Remember 42" in str(model.asked[-1].body)


@pytest.mark.smoke
async def test_F38_L62_a_stale_resume_raises_and_never_becomes_an_empty_session(stage: Stage) -> None:
    nobody = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(ResumeFailed, match="No conversation found") as failed:
        async with stage.play(say("never said"), resume=nobody):
            pytest.fail("the session must not open")
    assert failed.value.process_exit_code == 1


async def test_L57_F36_a_conversation_has_one_owner(stage: Stage) -> None:
    async with stage.play(say("one")) as (session, model):
        await answered(session, "Hi")
        with pytest.raises(SessionInUse, match="open in another session"):
            async with stage.session(model, resume=session.cli_session_id):
                pytest.fail("the session must not open")


async def test_an_api_error_is_a_failed_turn_and_the_session_goes_on(stage: Stage) -> None:
    """18_401: its subtype is `success`."""
    async with stage.play(turn(fail(400, message="no such thing")), say("Better.")) as (session, _):
        assert (await answered(session, "Hi")).outcome == "error"
        assert (await answered(session, "Again")).text == "Better."


async def test_a_cli_killed_in_a_turn_fails_its_prompt_and_says_how(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("never said"))) as (session, _):
        handle = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        os.kill(cli_pid(session), SIGKILL)
        with pytest.raises(ProcessLost) as lost:
            await handle
        assert lost.value.signal == "SIGKILL"
        late = await session.decide(ask.pending_id, AllowOnce())
        assert isinstance(late, TooLate)
    assert not stage.path("made").exists()


def cli_pid(session: Session) -> int:
    """The process of the session: the one whose command line names it."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and session.id.encode() in (folder / "cmdline").read_bytes():
            return int(folder.name)
    raise AssertionError("there is no such process")


async def test_a_bad_flag_fails_the_start_with_the_clis_own_words(stage: Stage) -> None:
    with pytest.raises(StartFailed) as failed:
        async with stage.play(say("never said"), extra_args=("--no-such-flag=1",)):
            pytest.fail("the session must not open")
    assert "no-such-flag" in failed.value.stderr_tail


async def test_root_without_a_sandbox_is_told_before_anything_starts(stage: Stage) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root is refused")
    del stage.env["IS_SANDBOX"]
    with pytest.raises(Exception, match="as root"):
        async with stage.play(say("never said"), policy="autonomous"):
            pytest.fail("the session must not open")


async def test_an_autonomous_session_asks_nobody(stage: Stage) -> None:
    async with stage.play(turn(bash("touch made"), say("Done.")), policy="autonomous") as (session, _):
        assert (await answered(session, "Make it")).outcome == "success"
    assert stage.path("made").exists()
    assert not [event for event in await so_far(session) if isinstance(event, PermissionRequest)]


async def test_after_an_approved_plan_the_next_prompt_is_planned_again(stage: Stage) -> None:
    async with stage.play(plan_turn(stage, say("On it.")), say("Planning."), policy="plan") as (session, _):
        await answered(session, "Plan it", ApprovePlan())
        await answered(session, "And the next?")
        modes = [event.mode for event in await until_end(session) if isinstance(event, ModeChanged)]
    assert modes == ["default", "plan"]


async def test_a_plan_approved_with_its_edits_writes_without_asking_again(stage: Stage) -> None:
    write = call("Write", file_path=str(stage.path("a.py")), content="x = 1")
    async with stage.play(plan_turn(stage, write, say("Done.")), policy="plan") as (session, _):
        await answered(session, "Plan it", ApprovePlan(then="accept_edits"))
    assert stage.path("a.py").read_text() == "x = 1"


async def test_a_rule_of_the_users_settings_does_not_go_past_the_person(stage: Stage) -> None:
    """Where bascule governs its hook says *ask*, and the CLI then asks whatever its own rules allow."""
    config = Path(stage.env["CLAUDE_CONFIG_DIR"])
    config.joinpath("settings.json").write_text('{"permissions": {"allow": ["Bash(touch *)"]}}')
    async with stage.play(turn(bash("touch made"), say("Then not."))) as (session, _):
        complete = await answered(session, "Make it", Deny(reason="no"))
        assert len(complete.permission_denials) == 1
    assert not stage.path("made").exists()


async def test_a_deny_rule_holds_in_an_autonomous_session(stage: Stage) -> None:
    rules = (parse("Bash(touch *)", "deny"),)
    async with stage.play(turn(bash("touch made"), say("Then not.")), policy="autonomous", rules=rules) as (session, _):
        complete = await answered(session, "Make it")
        assert complete.outcome == "success"
        assert (await seen(session, PolicyDecided)).verdict == "deny"
    assert not stage.path("made").exists()


async def test_a_users_hook_that_raises_stops_the_call(stage: Stage) -> None:
    """07_hook_result_key: an error would let the tool run."""

    async def hook(told: HookInput) -> HookOutput:
        raise ZeroDivisionError

    hooks = (UserHook(event="PreToolUse", function=hook),)
    async with stage.play(turn(bash("touch made"), say("Then not.")), policy="autonomous", hooks=hooks) as (session, _):
        assert (await answered(session, "Make it")).outcome == "success"
    assert not stage.path("made").exists()


async def test_uncommitted_work_is_held_up_to_the_agent_once(stage: Stage) -> None:
    make_repository(stage.workspace)
    stage.path("before").touch()
    turns = turn(bash("touch made"), reply(say("I am done.")), reply(say("It stays as it is.")))
    async with stage.play(turns, allow=("Bash(touch made)",)) as (session, model):
        complete = await answered(session, "Make it")
        assert complete.text == "It stays as it is."
        reasons = str(model.asked[-1].body)
        assert "uncommitted work" in reasons
        assert "- made" in reasons
        assert "before you began" in reasons
        assert "- before" in reasons


def make_repository(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)


@pytest.mark.parametrize("cli", [pytest.param("real", marks=pytest.mark.live)], indirect=True)
async def test_a_server_of_this_program_serves_its_tools(stage: Stage) -> None:
    async def calc(message: dict[str, Any]) -> dict[str, Any] | None:
        match message["method"]:
            case "initialize":
                result = {
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "calc", "version": "1"},
                }
            case "tools/list":
                result = {"tools": [{"name": "add", "description": "Adds", "inputSchema": {"type": "object"}}]}
            case "tools/call":
                numbers = message["params"]["arguments"]
                result = {"content": [{"type": "text", "text": f"sum {numbers['a'] + numbers['b']}"}]}
            case _:
                return None
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    turns = turn(call("mcp__calc__add", a=2, b=3), say("Five."))
    async with stage.play(turns, sdk_servers={"calc": calc}) as (session, model):
        await answered(session, "Add", AllowOnce())
        assert "sum 5" in model.asked[-1].results[0].text


async def test_L112_the_cli_sees_no_variable_of_ours_by_chance(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    monkeypatch.setenv("PASSED", "on purpose")
    async with stage.play(turn(bash("env > seen"), say("Done.")), pass_env=("PASSED",)) as (session, _):
        await answered(session, "Look", AllowOnce())
    seen_by_tools = stage.path("seen").read_text()
    assert "secret" not in seen_by_tools
    assert "PASSED=on purpose" in seen_by_tools


def png(width: int) -> bytes:
    """A black square."""
    rows = (b"\0" + b"\0\0\0" * width) * width

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = width.to_bytes(4, "big")
    head = chunk(b"IHDR", size + size + b"\x08\x02\0\0\0")
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


async def test_an_image_reaches_the_model_and_a_file_lies_in_the_workspace(stage: Stage) -> None:
    image = AttachmentData(name="square.png", data=png(8))
    file = AttachmentData(name="notes.txt", data=b"buy milk", sent_as="file")
    async with stage.play(say("Seen.")) as (session, model):
        handle = await session.prompt("Look", attachments=[image, file])
        await handle
        body = str(model.asked[-1].body)
        assert base64.b64encode(image.data).decode() in body
        (kept,) = stage.workspace.glob(".bascule/attachments/*/notes.txt")
        assert str(kept.relative_to(stage.workspace)) in body
        assert kept.read_bytes() == b"buy milk"


async def test_a_recording_tells_the_same_events_again(stage: Stage, tmp_path: Path) -> None:
    record = tmp_path / "session.jsonl"
    async with stage.play(turn(bash("touch made"), say("Done.")), record=record) as (session, _):
        await answered(session, "Make it", AllowOnce())
    lived = await so_far(session)
    fold = Fold(session.id)
    entries = recording.read(record.read_bytes().splitlines(keepends=True))
    told = [event for entry in entries if isinstance(entry, recording.Entry) for event in fold.feed(entry)]
    assert [event for event in (*told, *fold.end()) if event.seq is not None] == lived
    assert record.stat().st_mode & 0o777 == 0o600
