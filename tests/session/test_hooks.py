"""Functions of the user's: typed in and out, what their failure means, and those that bascule calls itself."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

import pytest

from bascule.errors import OptionError, StartFailed
from bascule.events import Notice, PermissionRequest, PromptAccepted
from bascule.ids import SessionId
from bascule.policy.grants import granted
from bascule.session.emulated import Emulated, Facts
from bascule.session.hooks import UserHook, call_hook, keep
from bascule.session.line import Line
from bascule.testing.memory import MemoryPipe
from bascule.transcript.fold import Fold
from bascule.wire import hooks
from bascule.wire.hook_outputs import HookOutput, PostToolUseOutput, PreToolUseOutput, SessionStartOutput, StopOutput
from bascule.wire.hooks import decode_hook_input
from tests.session.far_end import SESSION, FarEnd
from tests.session.live import Endless, live, seen


class Spy:
    """A hook that keeps what it was told."""

    def __init__(self, answer: HookOutput | None = None) -> None:
        self.told: list[Any] = []
        self.answer = answer
        self.called = asyncio.Event()

    async def __call__(self, told: Any) -> HookOutput | None:
        self.told.append(told)
        self.called.set()
        return self.answer

    def on(self, event: str, **options: Any) -> UserHook:
        return UserHook(event=event, function=self, **options)


async def fails(told: Any) -> HookOutput:
    raise ZeroDivisionError


async def test_a_hook_may_be_written_for_its_own_event() -> None:
    """Its function takes what that event tells, and a type checker knows it."""
    commands: list[Any] = []

    async def hook(call: hooks.PreToolUse) -> HookOutput | None:
        commands.append(call.tool_input)
        return None

    far = FarEnd()
    async with live(far, hooks=(UserHook(event="PreToolUse", function=hook),), policy="autonomous"):
        far.calls_hook("h1", "bascule:0", "PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
        await far.answered("h1")
    assert commands == [{"command": "ls"}]


@pytest.mark.parametrize("event", hooks.EVENTS)
async def test_every_event_reaches_its_hook_as_itself(event: str) -> None:
    spy = Spy()
    told = {"hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {}}
    assert await call_hook(spy.on(event), decode_hook_input(event, told)) == HookOutput()
    assert [type(kept).__struct_config__.tag for kept in spy.told] == [event]


@pytest.mark.parametrize(
    ("event", "on_failure", "answer"),
    [
        ("PreToolUse", None, "deny"),
        ("PreToolUse", "block", "deny"),
        ("PreToolUse", "continue", None),
        ("UserPromptSubmit", None, None),
        ("UserPromptSubmit", "block", "block"),
        ("UserPromptExpansion", "block", "block"),
        ("PreCompact", "block", "block"),
        ("PostToolUse", None, None),
        ("Stop", "continue", None),
    ],
)
@pytest.mark.usefixtures("quiet")
async def test_what_a_failed_hook_means_is_said_and_holds_for_it_alone(
    event: str, on_failure: Any, answer: str | None
) -> None:
    told = decode_hook_input(event, {"hook_event_name": event, "tool_name": "Bash"})
    said = await call_hook(UserHook(event=event, function=fails, on_failure=on_failure), told)
    specific = said.specific
    assert answer == (specific.permission_decision if isinstance(specific, PreToolUseOutput) else said.decision)


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """What is logged is what the test is about."""
    caplog.set_level(logging.CRITICAL, "bascule.session")


@pytest.mark.usefixtures("quiet")
async def test_an_answer_to_another_event_is_no_answer() -> None:
    """07_hook_wrong_event: the CLI would not read it."""
    spy = Spy(HookOutput(specific=PostToolUseOutput(additional_context="x")))
    said = await call_hook(spy.on("PreToolUse"), decode_hook_input("PreToolUse", {"tool_name": "Bash"}))
    assert isinstance(said.specific, PreToolUseOutput)
    assert said.specific.permission_decision == "deny"
    assert await call_hook(spy.on("Stop"), decode_hook_input("Stop", {})) == HookOutput()
    right = Spy(HookOutput(specific=StopOutput(additional_context="x")))
    assert await call_hook(right.on("Stop"), decode_hook_input("Stop", {})) == right.answer


@pytest.mark.usefixtures("quiet")
async def test_a_hook_is_not_asked_about_what_bascule_could_not_read() -> None:
    spy = Spy()
    said = await call_hook(spy.on("PreToolUse"), decode_hook_input("PreToolUse", {"tool_name": 3}))
    assert isinstance(said.specific, PreToolUseOutput)
    assert said.specific.permission_decision == "deny"
    assert spy.told == []


async def test_what_a_failed_hook_means_is_told_to_the_cli_as_well() -> None:
    far = FarEnd()
    registered = (Spy().on("PreToolUse", on_failure="continue"), Spy().on("UserPromptSubmit", on_failure="block"))
    async with live(far, policy="autonomous", rule_files=(), hooks=registered):
        pass
    (hello,) = far.requests("initialize")
    assert hello["hooks"]["PreToolUse"][0]["onFailure"] == "continue"
    assert hello["hooks"]["UserPromptSubmit"][0]["onFailure"] == "block"


async def test_S18_a_session_start_is_told_before_the_handshake_and_its_context_goes_to_the_model() -> None:
    order = []
    far = FarEnd()
    wanted = SessionStartOutput(additional_context="Be brief.", session_title="Mending", initial_user_message="Look.")

    async def hook(told: hooks.SessionStart) -> HookOutput:
        order.append((told.source, told.model, told.session_id, bool(far.heard)))
        return HookOutput(specific=wanted, system_message="hello")

    options: dict[str, Any] = {"session_id": SESSION, "model": "opus", "append_system_prompt": "Be kind."}
    async with live(far, hooks=(UserHook(event="SessionStart", function=hook),), **options) as session:
        assert (await seen(session, PromptAccepted)).surface == "hook"
        assert (await seen(session, Notice)).text == "hello"
        far.turn()
    assert order == [("startup", "opus", SESSION, False)]
    (hello,) = far.requests("initialize")
    assert hello["appendSystemPrompt"] == "Be kind.\n\nBe brief."
    assert hello["title"] == "Mending"
    assert far.of("user")[0]["message"]["content"] == "Look."


async def test_without_a_context_the_handshake_leaves_the_system_prompt_alone() -> None:
    far = FarEnd()
    async with live(far, append_system_prompt="Be kind.", hooks=(Spy().on("SessionStart"),)):
        pass
    assert "appendSystemPrompt" not in far.requests("initialize")[0]


@pytest.mark.parametrize(
    ("options", "source"),
    [
        ({}, "startup"),
        ({"resume": SESSION}, "resume"),
        ({"continue_last": True}, "resume"),
        ({"resume": SESSION, "fork": True}, "fork"),
    ],
)
async def test_a_session_start_says_how_the_session_begins(options: dict[str, Any], source: str) -> None:
    spy = Spy()
    async with live(FarEnd(), hooks=(spy.on("SessionStart"),), **options):
        pass
    assert [told.source for told in spy.told] == [source]


async def test_a_matcher_chooses_among_the_starts() -> None:
    resumed, any_start, both = Spy(), Spy(), Spy()
    registered = (
        resumed.on("SessionStart", matcher="resume"),
        any_start.on("SessionStart", matcher="*"),
        both.on("SessionStart", matcher="startup|resume"),
    )
    async with live(FarEnd(), hooks=registered):
        pass
    assert (len(resumed.told), len(any_start.told), len(both.told)) == (0, 1, 1)


async def test_a_session_start_in_between_comes_from_the_cli() -> None:
    """The CLI calls it back at `/clear` and `/compact`; one that did so at the start as well is not told twice."""
    spy = Spy()
    far = FarEnd()
    async with live(far, hooks=(spy.on("SessionStart"),), policy="autonomous"):
        far.calls_hook("h1", "bascule:0", "SessionStart", source="startup")
        await far.answered("h1")
        far.calls_hook("h2", "bascule:0", "SessionStart", source="clear")
        await far.answered("h2")
    assert [told.source for told in spy.told] == ["startup", "clear"]


async def test_a_session_end_is_told_when_the_process_is_gone() -> None:
    far = FarEnd()
    ended = []

    async def hook(told: hooks.SessionEnd) -> None:
        ended.append((told.reason, session.ended, told.session_id))

    async with live(far, hooks=(UserHook(event="SessionEnd", function=hook),)) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        await handle
        assert not ended
    assert ended == [("other", True, SESSION)]


async def test_a_session_end_follows_a_start_that_failed() -> None:
    far = FarEnd()
    far.refuses["initialize"] = "busy"
    start, end = Spy(), Spy()
    with pytest.raises(StartFailed):
        async with live(far, hooks=(start.on("SessionStart"), end.on("SessionEnd"))):
            pytest.fail("the session must not open")
    assert (len(start.told), len(end.told)) == (1, 1)


@pytest.mark.usefixtures("quiet")
async def test_a_session_end_hook_that_hangs_or_raises_holds_nobody_up_for_long() -> None:
    async def hangs(told: Any) -> None:
        await asyncio.Event().wait()

    spy = Spy()
    slow = UserHook(event="SessionEnd", function=hangs, timeout_s=0.01)
    bad = UserHook(event="SessionEnd", function=fails)
    async with live(FarEnd(), hooks=(slow, bad, spy.on("SessionEnd"))) as session:
        pass
    assert session.ended
    assert len(spy.told) == 1


async def test_setup_is_told_where_the_process_was_started_for_it() -> None:
    setup, start = Spy(), Spy()
    registered = (setup.on("Setup"), start.on("SessionStart"))
    async with live(FarEnd(), hooks=registered, extra_args=("--maintenance",)):
        pass
    async with live(FarEnd(), hooks=registered):
        pass
    assert [told.trigger for told in setup.told] == ["maintenance"]
    assert len(start.told) == 2


async def test_what_the_cli_never_calls_is_not_registered_with_it() -> None:
    far = FarEnd()
    events = ("Setup", "Notification", "SessionStart", "SessionEnd")
    hooks = tuple(Spy().on(event) for event in events)
    async with live(far, policy="autonomous", rule_files=(), hooks=hooks):
        pass
    assert far.requests("initialize")[0]["hooks"].keys() == {"SessionStart", "SessionEnd"}


async def test_a_person_who_is_asked_is_notified() -> None:
    far = FarEnd()
    spy, other = Spy(), Spy()
    registered = (spy.on("Notification"), other.on("Notification", matcher="idle_prompt"))
    async with live(far, hooks=registered) as session:
        await session.prompt("Hi")
        far.begins()
        far.asks("r1", command="make")
        await spy.called.wait()
        spy.called.clear()
        far.requests_of("r2", {"subtype": "elicitation", "mcp_server_name": "toy", "message": "Who?"})
        await spy.called.wait()
        far.on_interrupt = far.aborts
    assert [told.notification_type for told in spy.told] == ["permission_prompt", "elicitation_dialog"]
    assert spy.told[0].message == "Claude needs your permission to use Bash"
    assert other.told == []


async def test_what_is_denied_at_once_notifies_nobody() -> None:
    far = FarEnd()
    spy = Spy()
    async with live(far, hooks=(spy.on("Notification"),), attended=False) as session:
        await session.prompt("Hi")
        far.begins()
        far.asks("r1", command="make")
        await seen(session, PermissionRequest)
        await far.answered("r1")
        far.on_interrupt = far.aborts
    assert spy.told == []


def emulated(line: Line, *hooks: UserHook, **waits: float) -> Emulated:
    return Emulated(hooks, Facts(SESSION, "/w", "default", None, None, "startup", None), line, **waits)


@pytest.mark.usefixtures("quiet")
async def test_all_the_hooks_of_an_end_together_have_one_bound() -> None:
    async def hangs(told: Any) -> None:
        await asyncio.Event().wait()

    line = Line(MemoryPipe(), Fold(SessionId("s")), SessionId("s"))
    spy = Spy()
    watched = emulated(line, UserHook(event="SessionEnd", function=hangs), spy.on("SessionEnd"), end_s=0.01)
    await watched.begin()
    await watched.end()
    await watched.end()
    assert spy.told == []


@pytest.mark.parametrize("then", ["nothing", "a turn", "an agent", "the end"])
async def test_a_session_that_rests_for_long_notifies_its_person(then: str) -> None:
    far = FarEnd()
    spy = Spy()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.turn(handle.prompt_id)
        complete = await handle
        watched = emulated(session._line, spy.on("Notification"), rest_s=0.01)
        async with asyncio.TaskGroup() as tasks:

            def spawn(work: Coroutine[Any, Any, None], *, name: str) -> None:
                tasks.create_task(work, name=name)

            watched.happened(complete, spawn)
            if then == "a turn":
                far.init()
            elif then == "an agent":
                far.says({"type": "system", "subtype": "session_state_changed", "state": "running"})
            elif then == "the end":
                far.pipe.exits(0)
    assert [told.notification_type for told in spy.told] == (["idle_prompt"] if then == "nothing" else [])


async def test_what_never_began_has_no_end() -> None:
    line = Line(MemoryPipe(), Fold(SessionId("s")), SessionId("s"))
    spy = Spy()
    await emulated(line, spy.on("SessionEnd"), rest_s=1).end()
    assert spy.told == []


async def test_a_keeper_of_grants_that_hangs_is_one_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    endless = Endless()
    with pytest.raises(
        OptionError, match=r"Bash\(make\) could not be kept \(it took longer than 0.01 s; it may yet be"
    ):
        await keep(endless, granted("Bash(make)", scope="user"), within_s=0.01)
    assert endless.cancelled.is_set()
    assert "keep_grant failed" in caplog.text


async def test_a_decision_that_is_cancelled_is_no_failure_of_who_keeps() -> None:
    endless = Endless()
    keeping = asyncio.ensure_future(keep(endless, granted("Bash(make)", scope="user")))
    await endless.begun.wait()
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping
