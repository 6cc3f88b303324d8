"""Functions of the user's on the real CLI: which are called and when, what their answers and their failures do."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowOnce, Decision, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, fail, say, turn
from bascule.events import Notice, PermissionCancelled, PermissionRequest, PermissionResolved, ToolUpdate
from bascule.payload import ShellExec
from bascule.session.hooks import UserHook
from bascule.wire import hooks
from bascule.wire.hook_outputs import (
    HookOutput,
    NotificationOutput,
    PermissionRequestOutput,
    PostToolUseOutput,
    PreToolUseOutput,
    SessionStartOutput,
    UserPromptSubmitOutput,
)
from bascule.wire.permissions import Allow
from tests.live.stage import Stage, bash, said, seen, so_far


class Spy:
    """A hook for several events, that keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    async def __call__(self, told: Any) -> HookOutput | None:
        self.told.append(told)
        return None

    def on(self, *events: str) -> tuple[UserHook, ...]:
        return tuple(UserHook(event=event, function=self) for event in events)

    @property
    def events(self) -> list[str]:
        return [type(told).__struct_config__.tag for told in self.told]

    def of(self, kind: type[Any]) -> list[Any]:
        return [told for told in self.told if isinstance(told, kind)]


async def allow(event: PermissionRequest) -> Decision:
    return AllowOnce()


async def fails(told: Any) -> HookOutput:
    raise ZeroDivisionError


def told(model: ScriptedModel) -> str:
    """All that the model was told with its last request."""
    return json.dumps(model.asked[-1].body)


async def test_a_call_passes_its_hooks_in_order_and_each_is_told_what_it_is_for(stage: Stage) -> None:
    spy = Spy()
    events = ("UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolBatch", "Stop")
    options = {"policy": "acceptEdits", "mode": "default", "on_ask": allow, "hooks": spy.on(*events)}
    async with stage.play(turn(bash("date > made"), say("Done.")), **options) as (session, _):
        await said(session, "Make it")
    assert spy.events == list(events)
    prompt, before, request, after, batch, stop = spy.told
    assert prompt.prompt == "Make it"
    assert before.tool_input["command"] == request.tool_input["command"] == "date > made"
    assert after.tool_use_id == before.tool_use_id == batch.tool_calls[0].tool_use_id
    assert stop.last_assistant_message == "Done."


@pytest.mark.parametrize("policy", ["supervised", "acceptEdits"])
async def test_S19_a_hook_that_permits_answers_in_a_persons_place(stage: Stage, policy: str) -> None:
    """Both are asked, side by side; whoever is first answers, and a person's ask is withdrawn."""

    async def permits(told: Any) -> HookOutput:
        return HookOutput(specific=PermissionRequestOutput(decision=Allow(updated_input=told.tool_input)))

    options = {"policy": policy, "mode": "default", "hooks": (UserHook(event="PermissionRequest", function=permits),)}
    async with stage.play(turn(bash("date > made"), say("Done.")), **options) as (session, _):
        assert (await said(session, "Make it")).text == "Done."
    ends = [event for event in await so_far(session) if isinstance(event, PermissionCancelled | PermissionResolved)]
    assert [event.cause for event in ends if isinstance(event, PermissionCancelled)] == ["withdrawn"]
    assert len(ends) == 1
    assert stage.path("made").exists()


@pytest.mark.parametrize("policy", ["supervised", "acceptEdits"])
async def test_S19_a_person_who_is_quicker_than_a_hook_has_answered(stage: Stage, policy: str) -> None:
    """The CLI does not take its question to the hook back; it is done with the session at the latest."""
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def thinks(told: Any) -> HookOutput | None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return None

    options = {"policy": policy, "mode": "default", "hooks": (UserHook(event="PermissionRequest", function=thinks),)}
    async with stage.play(turn(bash("date > made"), say("Done.")), **options) as (session, _):
        handle = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        await begun.wait()
        assert await session.decide(ask.pending_id, AllowOnce()) == Taken()
        assert (await handle).text == "Done."
    await cancelled.wait()
    assert stage.path("made").exists()


async def test_a_failure_an_agent_and_an_api_error_have_hooks_of_their_own(stage: Stage) -> None:
    spy = Spy()
    watched = spy.on("PostToolUseFailure", "SubagentStart", "SubagentStop", "StopFailure")
    agent = call("Agent", description="look", prompt="Look", subagent_type="general-purpose", run_in_background=False)
    turns = (turn(bash("exit 3"), say("It failed.")), turn(agent, say("Looked.")), turn(fail(400), say("never said")))
    async with stage.play(*turns, hooks=watched) as (session, _):
        await said(session, "Fail")
        await said(session, "Look")
        assert (await said(session, "And now?")).outcome in ("success", "error")
        await session.idle()
    assert "Exit code 3" in spy.of(hooks.PostToolUseFailure)[0].error
    (started,) = spy.of(hooks.SubagentStart)
    assert started.agent_type == "general-purpose"
    assert spy.of(hooks.SubagentStop)[0].agent_id == started.agent_id


async def test_compacting_and_clearing_have_hooks_and_the_session_starts_again(stage: Stage) -> None:
    spy = Spy()
    watched = spy.on("SessionStart", "SessionEnd", "PreCompact", "PostCompact", "UserPromptExpansion")
    commands = stage.path(".claude/commands")
    commands.mkdir(parents=True)
    commands.joinpath("greet.md").write_text("Say hello to $ARGUMENTS")
    turns = (say("Hello."), say("Hello, Anna."), say("A summary."))
    async with stage.play(*turns, hooks=watched) as (session, _):
        for text in ("Hi", "/greet Anna", "/compact", "/clear"):
            await said(session, text)
            await session.idle()
    assert [(start.source) for start in spy.of(hooks.SessionStart)] == ["startup", "compact", "clear"]
    assert [end.reason for end in spy.of(hooks.SessionEnd)] == ["clear", "other"]
    assert [expansion.command_args for expansion in spy.of(hooks.UserPromptExpansion)] == ["Anna"]
    assert spy.of(hooks.PreCompact)[0].trigger == spy.of(hooks.PostCompact)[0].trigger == "manual"
    assert spy.events[0] == "SessionStart"
    assert spy.events[-1] == "SessionEnd"


@pytest.mark.smoke
async def test_S18_what_a_session_start_says_reaches_the_model(stage: Stage) -> None:
    async def hook(start: hooks.SessionStart) -> HookOutput:
        context = f"Known from the {start.source}: the shop counts in cents."
        return HookOutput(specific=SessionStartOutput(additional_context=context, initial_user_message="Look around."))

    start = UserHook(event="SessionStart", function=hook)
    options = {"hooks": (start,), "append_system_prompt": "Be brief."}
    async with stage.play(say("I looked."), say("Cents."), **options) as (session, model):
        assert (await said(session, "What does it count in?")).outcome == "success"
        await session.idle()
        system = json.dumps(model.asked[-1].body["system"])
        assert "Known from the startup: the shop counts in cents." in system
        assert "Be brief." in system
        assert model.asked[0].prompt == "Look around."


async def test_a_resumed_session_starts_as_one(stage: Stage) -> None:
    spy = Spy()
    async with ScriptedModel(Script(say("one"), say("two"))) as model:
        async with stage.session(model, hooks=spy.on("SessionStart", "SessionEnd")) as first:
            await said(first, "Hi")
            conversation = first.cli_session_id
        async with stage.session(model, resume=conversation, hooks=spy.on("SessionStart")) as second:
            await said(second, "Again")
    assert [(type(one).__name__, one.session_id) for one in spy.told] == [
        ("SessionStart", conversation),
        ("SessionEnd", conversation),
        ("SessionStart", conversation),
    ]
    assert spy.told[2].source == "resume"


async def test_a_person_is_notified_when_asked(stage: Stage) -> None:
    spy = Spy()
    options = {"policy": "supervised", "on_ask": allow, "hooks": spy.on("Notification")}
    async with stage.play(turn(bash("touch made"), say("Done.")), **options) as (session, _):
        await said(session, "Make it")
    assert [note.notification_type for note in spy.told] == ["permission_prompt"]


@pytest.mark.parametrize("on_failure", [None, "block", "continue"])
async def test_a_call_whose_hook_fails_runs_only_where_that_was_said(stage: Stage, on_failure: Any) -> None:
    failing = UserHook(event="PreToolUse", function=fails, on_failure=on_failure)
    async with stage.play(turn(bash("touch made"), say("Then not.")), hooks=(failing,)) as (session, _):
        assert (await said(session, "Make it")).outcome == "success"
    assert stage.path("made").exists() is (on_failure == "continue")


async def test_a_prompt_whose_hook_fails_is_dropped_where_that_was_said(stage: Stage) -> None:
    failing = UserHook(event="UserPromptSubmit", function=fails, on_failure="block")
    async with stage.play(say("never said"), hooks=(failing,)) as (session, model):
        complete = await said(session, "Hi")
        assert complete.num_turns == 0
        assert "the UserPromptSubmit hook failed" in (complete.text or "")
        assert not model.asked


async def test_a_failed_hook_that_only_looks_on_changes_nothing(stage: Stage) -> None:
    watched = tuple(UserHook(event=event, function=fails) for event in ("UserPromptSubmit", "PostToolUse", "Stop"))
    async with stage.play(turn(bash("touch made"), say("Done.")), hooks=watched) as (session, _):
        assert (await said(session, "Make it")).text == "Done."
    assert stage.path("made").exists()


async def test_an_answer_to_another_event_stops_the_call(stage: Stage) -> None:
    """07_hook_wrong_event."""

    async def hook(call: hooks.PreToolUse) -> HookOutput:
        return HookOutput(specific=NotificationOutput(additional_context="x"))

    async with stage.play(
        turn(bash("touch made"), say("Then not.")), hooks=(UserHook(event="PreToolUse", function=hook),)
    ) as (session, _):
        await said(session, "Make it")
    assert not stage.path("made").exists()


async def test_what_hooks_say_reaches_the_model(stage: Stage) -> None:
    async def before(call: hooks.PreToolUse) -> HookOutput:
        changed = {**call.tool_input, "command": "echo changed"}
        return HookOutput(specific=PreToolUseOutput(permission_decision="allow", reason="x", updated_input=changed))

    async def after(call: hooks.PostToolUse) -> HookOutput:
        return HookOutput(specific=PostToolUseOutput(additional_context="The output is a lie."))

    async def submitted(prompt: hooks.UserPromptSubmit) -> HookOutput:
        return HookOutput(specific=UserPromptSubmitOutput(additional_context="It is Monday."))

    mine = (
        UserHook(event="PreToolUse", function=before),
        UserHook(event="PostToolUse", function=after),
        UserHook(event="UserPromptSubmit", function=submitted),
    )
    async with stage.play(turn(bash("echo asked"), say("Done.")), hooks=mine) as (session, model):
        await said(session, "Say it")
        assert model.asked[-1].results[0].text == "changed"
        assert "The output is a lie." in told(model)
        assert "It is Monday." in told(model)
        ended = await seen(session, ToolUpdate, lambda update: update.tool_status == "complete")
        assert isinstance(ended.normalized, ShellExec)
        assert ended.normalized.command == "echo changed"


async def test_a_matcher_chooses_the_calls(stage: Stage) -> None:
    spy = Spy()
    one = UserHook(event="PreToolUse", function=spy, matcher="^(?!Bash$).*")
    stage.path("notes").write_text("milk")
    calls = turn(bash("true"), call("Read", file_path=str(stage.path("notes"))), say("Done."))
    async with stage.play(calls, hooks=(one,)) as (session, _):
        await said(session, "Look")
    assert [before.tool_name for before in spy.told] == ["Read"]


async def test_a_hook_that_takes_too_long_stops_the_call_and_is_stopped(stage: Stage) -> None:
    ended = asyncio.Event()

    async def hangs(call: hooks.PreToolUse) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    slow = UserHook(event="PreToolUse", function=hangs, timeout_s=0.5)
    async with stage.play(turn(bash("touch made"), say("Then not.")), hooks=(slow,)) as (session, _):
        await said(session, "Make it")
        await ended.wait()
    assert not stage.path("made").exists()


async def test_a_word_of_a_hook_to_the_person_is_told(stage: Stage) -> None:
    async def hook(start: hooks.SessionStart) -> HookOutput:
        return HookOutput(system_message="three rules are old")

    async with stage.play(say("Hi."), hooks=(UserHook(event="SessionStart", function=hook),)) as (session, _):
        assert (await seen(session, Notice)).text == "three rules are old"


async def test_command_hooks_and_functions_of_one_event_both_run(stage: Stage, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    command = {"hooks": [{"type": "command", "command": f"touch {ran}"}]}
    stage.config.joinpath("settings.json").write_text(json.dumps({"hooks": {"SessionStart": [command]}}))
    spy = Spy()
    async with stage.play(say("Hi."), hooks=spy.on("SessionStart")) as (session, _):
        await said(session, "Hi")
    assert ran.exists()
    assert spy.events == ["SessionStart"]
