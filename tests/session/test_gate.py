"""What else the CLI asks: hooks, forms, dialogs, what nobody knows. One answer each, and none that opens a gate."""

import asyncio
import sys
from typing import Any

import pytest

from bascule.commands import AllowAlways, Answers, ApprovePlan, Deny, Taken
from bascule.errors import StartFailed
from bascule.events import GrantGiven, PermissionCancelled, PermissionRequest, PermissionResolved, PolicyDecided
from bascule.ids import PendingId
from bascule.policy.rules import parse
from bascule.session.hooks import FAILED, UserHook
from bascule.session.session import Session
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import HookInput, PreToolUse
from tests.session.far_end import FarEnd
from tests.session.live import Endless, back, hosted, live, seen

POLICY = "bascule:policy"


def decision(answer: dict[str, Any]) -> tuple[str, str]:
    assert answer["subtype"] == "success"
    output = answer["response"]["hookSpecificOutput"]
    assert output["hookEventName"] == "PreToolUse"
    return output["permissionDecision"], output["permissionDecisionReason"]


async def policy_says(far: FarEnd, tool: str, tool_input: Any, **told: Any) -> tuple[str, str]:
    far.calls_hook("h1", POLICY, "PreToolUse", tool_name=tool, tool_input=tool_input, tool_use_id="t1", **told)
    return decision(await far.answered("h1"))


async def test_the_policy_is_registered_for_every_call_before_the_first_prompt() -> None:
    far = FarEnd()
    async with live(far) as session:
        await session.prompt("Hi")
        first, second = far.heard[:2]
        assert first["request"]["hooks"]["PreToolUse"] == [
            {"hookCallbackIds": [POLICY], "timeout": 86400, "onFailure": "block"}
        ]
        assert second["type"] == "user"
        far.turn()


async def test_where_the_cli_governs_no_policy_is_registered_unless_rules_may_come() -> None:
    for rule_files, registered in ((), []), (("rules.toml",), [POLICY]), (None, [POLICY]):
        far = FarEnd()
        async with live(far, policy="acceptEdits", rule_files=rule_files):
            pass
        found = far.heard[0]["request"].get("hooks", {}).get("PreToolUse", [])
        assert [callback for matcher in found for callback in matcher["hookCallbackIds"]] == registered


async def test_a_deny_rule_holds_where_the_cli_governs_too() -> None:
    far = FarEnd()
    async with live(far, policy="acceptEdits", rules=(parse("Bash(rm *)", "deny"),)):
        said, reason = await policy_says(far, "Bash", {"command": "rm x"})
        assert said == "deny"
        assert reason


async def test_a_call_that_no_rule_covers_asks(tmp_path: Any) -> None:
    far = FarEnd()
    async with live(far, cwd=tmp_path):
        assert (await policy_says(far, "Bash", {"command": "make"}))[0] == "ask"


async def test_reading_in_the_workspace_passes_and_outside_asks(tmp_path: Any) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "link").symlink_to(tmp_path)
    far = FarEnd()
    async with live(far, cwd=tmp_path / "work", env={"HOME": str(tmp_path)}) as session:
        inside = str(tmp_path / "work" / "a.py")
        assert (await policy_says(far, "Read", {"file_path": inside}))[0] == "allow"
        decided = await seen(session, PolicyDecided)
        assert (decided.verdict, decided.tool_call_id) == ("allow", "t1")
        for number, path in enumerate(
            (str(tmp_path / "work" / "link" / "b.py"), "../b.py", "~/b.py", str(tmp_path / "b"))
        ):
            far.calls_hook(f"o{number}", POLICY, "PreToolUse", tool_name="Read", tool_input={"file_path": path})
            assert decision(await far.answered(f"o{number}"))[0] == "ask", path


async def test_an_allowed_rule_of_the_options_passes(tmp_path: Any) -> None:
    far = FarEnd()
    async with live(far, cwd=tmp_path, allow=("Bash(make)",)):
        assert (await policy_says(far, "Bash", {"command": "make"}))[0] == "allow"


async def test_an_unattended_session_denies_what_would_ask(tmp_path: Any) -> None:
    far = FarEnd()
    async with live(far, cwd=tmp_path, attended=False) as session:
        said, reason = await policy_says(far, "Bash", {"command": "make"})
        assert said == "deny"
        assert "watching" in reason
        assert (await seen(session, PolicyDecided)).verdict == "deny"


@pytest.mark.parametrize("told", [{}, {"tool_name": 3}, {"hook_event_name": "Stop", "tool_name": "Bash"}])
async def test_a_call_that_cannot_be_read_is_denied(told: dict[str, Any]) -> None:
    far = FarEnd()
    async with live(far):
        far.calls_hook("h1", POLICY, "PreToolUse", **told)
        assert decision(await far.answered("h1"))[0] == "deny"


async def test_a_policy_that_fails_denies(caplog: pytest.LogCaptureFixture, tmp_path: Any) -> None:
    """A link that leads to itself is fine; a working directory that is no text is a fault, and no way through."""
    far = FarEnd()
    async with live(far, cwd=tmp_path):
        far.calls_hook("h1", POLICY, "PreToolUse", tool_name="Read", tool_input={"file_path": "a"}, cwd="\0")
        said, reason = decision(await far.answered("h1"))
    assert (said, reason) == ("deny", FAILED)
    assert "the policy raised" in caplog.text


async def test_a_callback_that_nobody_registered_is_denied_and_not_an_error() -> None:
    """07_hook_result_key: an error, or an answer in a wrong form, lets the tool run."""
    far = FarEnd()
    async with live(far):
        far.calls_hook("h1", "somebody:else", "PreToolUse", tool_name="Bash", tool_input={})
        assert decision(await far.answered("h1")) == ("deny", FAILED)


async def test_a_users_hook_is_told_and_its_output_goes_back() -> None:
    far, told = FarEnd(), []

    async def hook(said: HookInput) -> HookOutput:
        told.append(said)
        return HookOutput(decision="block", reason="tests fail")

    async with live(far, hooks=(UserHook(event="Stop", function=hook),)):
        assert far.heard[0]["request"]["hooks"]["Stop"] == [{"hookCallbackIds": ["bascule:0"], "timeout": 86400}]
        far.calls_hook("h1", "bascule:0", "Stop", stop_hook_active=False)
        assert (await far.answered("h1"))["response"] == {"decision": "block", "reason": "tests fail"}
    assert [type(said).__name__ for said in told] == ["Stop"]


async def test_a_users_hook_without_an_opinion_has_none() -> None:
    far = FarEnd()

    async def hook(said: HookInput) -> None:
        assert isinstance(said, PreToolUse)

    async with live(far, hooks=(UserHook(event="PreToolUse", function=hook, matcher="Ba.*"),)):
        assert far.heard[0]["request"]["hooks"]["PreToolUse"][1]["matcher"] == "Ba.*"
        far.calls_hook("h1", "bascule:0", "PreToolUse", tool_name="Bash", tool_input={})
        assert (await far.answered("h1"))["response"] == {}


@pytest.mark.parametrize("event", ["PreToolUse", "PreSkillShellCommand", "PreModelSwitch"])
async def test_a_gate_hook_that_raises_denies_and_is_logged(event: str, caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def hook(said: HookInput) -> HookOutput:
        raise ZeroDivisionError

    async with live(far, hooks=(UserHook(event=event, function=hook),)):
        far.calls_hook("h1", "bascule:0", event, tool_name="Bash", tool_input={})
        output = (await far.answered("h1"))["response"]["hookSpecificOutput"]
    assert (output["hookEventName"], output["permissionDecision"]) == (event, "deny")
    assert "ZeroDivisionError" in caplog.text


async def test_a_gate_hook_that_exits_denies_and_the_session_lives(caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def hook(said: HookInput) -> HookOutput:
        sys.exit(2)

    async with live(far, hooks=(UserHook(event="PreToolUse", function=hook),)):
        for request in ("h1", "h2"):
            far.calls_hook(request, "bascule:0", "PreToolUse", tool_name="Bash", tool_input={})
            assert decision(await far.answered(request))[0] == "deny"
    assert "SystemExit: 2" in caplog.text


async def test_a_gate_hook_that_gives_back_something_else_denies(caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def hook(said: HookInput) -> Any:
        return {"decision": "approve"}

    async with live(far, hooks=(UserHook(event="PreToolUse", function=hook),)):
        far.calls_hook("h1", "bascule:0", "PreToolUse", tool_name="Bash", tool_input={})
        assert decision(await far.answered("h1"))[0] == "deny"
    assert "it gave back" in caplog.text


async def test_a_call_that_asks_and_is_covered_by_a_grant_needs_nobody(tmp_path: Any) -> None:
    """Of two parallel calls alike the first answer is for both, once it is a grant."""
    far = FarEnd()
    async with live(far, cwd=tmp_path) as session:
        far.init()
        far.asks("r1", "Bash", command="make")
        await seen(session, PermissionRequest)
        assert await session.decide(PendingId("r1"), AllowAlways(rule="Bash(make)")) == Taken()
        far.asks("r2", "Bash", call="t2", command="make")
        answer = await far.answered("r2")
        far.result()
    assert answer["response"] == {"behavior": "allow", "updatedInput": {"command": "make"}}


async def test_a_permission_request_hook_that_raises_denies() -> None:
    far = FarEnd()

    async def hook(said: HookInput) -> HookOutput:
        raise ZeroDivisionError

    async with live(far, hooks=(UserHook(event="PermissionRequest", function=hook),)):
        far.calls_hook("h1", "bascule:0", "PermissionRequest", tool_name="Bash", tool_input={})
        output = (await far.answered("h1"))["response"]["hookSpecificOutput"]
    assert output["decision"]["behavior"] == "deny"


async def test_any_other_hook_that_raises_is_skipped() -> None:
    far = FarEnd()

    async def hook(said: HookInput) -> HookOutput:
        raise ZeroDivisionError

    async with live(far, hooks=(UserHook(event="Stop", function=hook),)):
        far.calls_hook("h1", "bascule:0", "Stop")
        assert (await far.answered("h1"))["response"] == {}


async def test_a_hook_that_the_cli_gave_up_is_cancelled() -> None:
    far, endless = FarEnd(), Endless()
    async with live(far, hooks=(UserHook(event="Stop", function=endless),)):
        far.calls_hook("h1", "bascule:0", "Stop")
        await endless.begun.wait()
        far.withdraws("h1")
        await endless.cancelled.wait()
    assert far.answer("h1") is None


async def test_a_hook_that_runs_when_the_process_dies_is_cancelled() -> None:
    far, endless = FarEnd(), Endless()
    async with live(far, hooks=(UserHook(event="Stop", function=endless),)):
        far.calls_hook("h1", "bascule:0", "Stop")
        await endless.begun.wait()
        far.pipe.exits(1)
        await endless.cancelled.wait()
    assert endless.cancelled.is_set()


async def test_a_form_is_answered_by_a_person() -> None:
    far = FarEnd()
    async with live(far) as session:
        far.requests_of("e1", {"subtype": "elicitation", "mcp_server_name": "s", "message": "Name?", "mode": "form"})
        assert (await seen(session, PermissionRequest)).ask == "elicitation"
        assert await session.decide(PendingId("e1"), Answers(answers={"name": "x"})) == Taken()
        assert (await far.answered("e1"))["response"] == {"action": "accept", "content": {"name": "x"}}


async def test_a_form_is_declined_where_nobody_watches() -> None:
    far = FarEnd()
    async with live(far, attended=False):
        far.requests_of("e1", {"subtype": "elicitation", "mcp_server_name": "s"})
        assert (await far.answered("e1"))["response"] == {"action": "decline"}


async def test_a_form_in_the_browser_is_told_with_its_address_and_answered_without_a_form() -> None:
    far = FarEnd()
    asked = {"subtype": "elicitation", "mcp_server_name": "s", "message": "Log in", "mode": "url", "url": "https://s/"}
    async with live(far) as session:
        far.requests_of("e1", asked)
        ask = await seen(session, PermissionRequest)
        assert (ask.input["url"], ask.mcp_server, ask.says, ask.needs_person) == ("https://s/", "s", "Log in", True)
        assert await session.decide(PendingId("e1"), Answers(answers={})) == Taken()
        assert (await far.answered("e1"))["response"] == {"action": "accept"}


async def test_a_dialog_of_a_kind_that_somebody_knows_is_answered() -> None:
    far = FarEnd()
    async with live(far, dialog_kinds=("k",)) as session:
        assert far.requests("initialize")[0]["supportedDialogKinds"] == ["k"]
        far.requests_of("d1", {"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {"a": 1}})
        ask = await seen(session, PermissionRequest)
        assert (ask.ask, ask.input) == ("dialog", {"a": 1})
        assert await session.decide(PendingId("d1"), Answers(answers={"choice": "b"})) == Taken()
        assert (await far.answered("d1"))["response"] == {"behavior": "completed", "result": {"choice": "b"}}


async def test_a_dialog_is_dismissed_where_nobody_watches() -> None:
    far = FarEnd()
    async with live(far, dialog_kinds=("k",), attended=False):
        far.requests_of("d1", {"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {}})
        assert (await far.answered("d1"))["response"] == {"behavior": "cancelled"}


async def test_an_unknown_dialog_is_dismissed() -> None:
    far = FarEnd()
    async with live(far) as session:
        far.requests_of("d1", {"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {}})
        assert (await far.answered("d1"))["response"] == {"behavior": "cancelled"}
        assert (await seen(session, PermissionResolved)).by == "policy"
        assert await session.decide(PendingId("d1"), Deny()) != Taken()


@pytest.mark.parametrize("body", [{"subtype": "brand_new"}, {"subtype": "can_use_tool"}, {}])
async def test_a_request_that_nobody_knows_is_refused_at_once(body: dict[str, Any]) -> None:
    """Rule 3 for clients: nothing is left unanswered. A call without a tool's name cannot run."""
    far = FarEnd()
    async with live(far):
        far.requests_of("x1", body)
        assert (await far.answered("x1"))["subtype"] == "error"


async def test_a_request_before_the_answer_to_initialize_is_served() -> None:
    """21_sdk_mcp: MCP messages and hooks may come first."""
    far = FarEnd()
    far.silent_about.add("initialize")

    async def session() -> None:
        async with live(far):
            pass

    task = asyncio.ensure_future(session())
    await far.asked("initialize")
    far.calls_hook("h1", POLICY, "PreToolUse", tool_name="Bash", tool_input={"command": "make"})
    assert decision(await far.answered("h1"))[0] == "ask"
    far.says({"type": "control_response", "response": {"subtype": "success", "request_id": "bascule-1"}})
    await task
    assert far.pipe.heard


async def test_a_server_of_this_program_is_named_and_its_messages_are_answered() -> None:
    """21_sdk_mcp: notifications want an answer as well."""
    far, said = FarEnd(), []

    async def calc(message: dict[str, Any]) -> dict[str, Any] | None:
        said.append(message["method"])
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"sum": 5}} if "id" in message else None

    async with live(far, sdk_servers={"calc": calc}):
        assert far.heard[0]["request"]["sdkMcpServers"] == ["calc"]
        far.requests_of("m1", mcp("calc", method="tools/call", id=7))
        far.requests_of("m2", mcp("calc", method="notifications/initialized"))
        assert mcp_response(await far.answered("m1")) == {"jsonrpc": "2.0", "id": 7, "result": {"sum": 5}}
        assert mcp_response(await far.answered("m2")) == {"jsonrpc": "2.0", "id": 0, "result": {}}
    assert said == ["tools/call", "notifications/initialized"]


@pytest.mark.parametrize("raised", [ZeroDivisionError("by zero"), SystemExit("by zero")])
async def test_a_server_that_raises_tells_its_caller(raised: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()

    async def calc(message: dict[str, Any]) -> dict[str, Any]:
        raise raised

    async with live(far, sdk_servers={"calc": calc}):
        far.requests_of("m1", mcp("calc", method="tools/call", id=7))
        response = mcp_response(await far.answered("m1"))
    assert response["id"] == 7
    assert "by zero" in response["error"]["message"]
    assert type(raised).__name__ in caplog.text


async def test_a_message_for_a_server_that_is_not_here_is_refused() -> None:
    far = FarEnd()
    async with live(far):
        far.requests_of("m1", mcp("calc", method="tools/list", id=1))
        assert (await far.answered("m1"))["subtype"] == "error"


def mcp(server: str, **message: Any) -> dict[str, Any]:
    return {"subtype": "mcp_message", "server_name": server, "message": {"jsonrpc": "2.0", **message}}


def mcp_response(answer: dict[str, Any]) -> Any:
    return answer["response"]["mcp_response"]


async def test_a_grant_that_our_hook_did_not_find_enough_answers_no_ask(tmp_path: Any) -> None:
    """In another folder `make` is another program; the ask itself does not tell where the CLI stands."""
    far = FarEnd()
    async with live(far, cwd=tmp_path) as session:
        far.init()
        far.asks("r1", "Bash", command="make")
        await seen(session, PermissionRequest)
        assert await session.decide(PendingId("r1"), AllowAlways(rule="Bash(make)")) == Taken()
        told = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t2", "cwd": "/"}
        far.calls_hook("h2", POLICY, "PreToolUse", **told)
        assert decision(await far.answered("h2"))[0] == "ask"
        far.asks("r2", "Bash", call="t2", command="make")
        await seen(session, PermissionRequest, lambda event: event.pending_id == "r2")
        assert far.answer("r2") is None
        await session.decide(PendingId("r2"), Deny())
        far.result()


async def test_an_always_for_a_command_holds_in_the_folder_it_was_given_for(tmp_path: Any) -> None:
    far = FarEnd()
    (tmp_path / "web").mkdir()
    async with live(far, cwd=tmp_path) as session:
        far.init()
        told = {"tool_name": "Bash", "tool_input": {"command": "make"}}
        far.calls_hook("h1", POLICY, "PreToolUse", **told, tool_use_id="t1", cwd=str(tmp_path / "web"))
        assert decision(await far.answered("h1"))[0] == "ask"
        far.asks("r1", "Bash", call="t1", command="make")
        await seen(session, PermissionRequest)
        assert await session.decide(PendingId("r1"), AllowAlways(rule="Bash(make)")) == Taken()
        assert (await seen(session, GrantGiven)).rules == ("Bash(make) in web",)
        for call, folder, said in (("t2", tmp_path / "web", "allow"), ("t3", tmp_path, "ask")):
            far.calls_hook(call, POLICY, "PreToolUse", **told, tool_use_id=call, cwd=str(folder))
            assert decision(await far.answered(call))[0] == said
        far.result()


@pytest.mark.parametrize("policy", ["supervised", "acceptEdits"])
async def test_what_a_deny_rule_may_mean_is_put_before_a_person_whoever_governs(policy: str) -> None:
    far = FarEnd()
    async with live(far, policy=policy, rules=(parse("Bash(rm *)", "deny"),), rule_files=()) as session:
        far.init()
        told = {"tool_name": "Bash", "tool_input": {"command": "frob rm x"}, "tool_use_id": "t1", "cwd": "/w"}
        far.calls_hook("h1", POLICY, "PreToolUse", **told)
        said, reason = decision(await far.answered("h1"))
        assert said == "ask"
        assert reason == "it may do, by way of another program, what the rule Bash(rm *) denies"
        far.asks("r1", "Bash", call="t1", command="frob rm x")
        await seen(session, PermissionRequest)
        assert far.answer("r1") is None
        await session.decide(PendingId("r1"), Deny())
        far.result()


@pytest.mark.parametrize("returns", [False, True], ids=["one host", "another host"])
async def test_a_grant_between_our_ask_and_the_clis_does_not_pass_an_ask_rule(returns: bool) -> None:
    far = FarEnd()
    options: dict[str, Any] = {"rules": (parse("Bash(make)", "ask"),), "rule_files": ()}
    async with hosted(far, **options) as session:
        handle = await session.prompt("Go")
        far.begins(handle.prompt_id)
        assert (await policy_says(far, "Bash", {"command": "make"}))[0] == "ask"
        if not returns:
            await is_asked_in_spite_of_a_grant(far, session)
    if returns:
        async with back(far, rule_files=()) as session:
            await is_asked_in_spite_of_a_grant(far, session)


async def is_asked_in_spite_of_a_grant(far: FarEnd, session: Session) -> None:
    """The grant covers what is asked about next; a neighbour, which no rule wants asked, it passes."""
    await session.allow("Bash(make)")
    await session.allow("Bash(ls)")
    far.asks("r1", "Bash", command="make")
    await seen(session, PermissionRequest)
    far.asks("r2", "Bash", call="t2", command="ls")
    assert (await far.answered("r2"))["response"]["behavior"] == "allow"
    assert far.answer("r1") is None
    assert await session.decide(PendingId("r1"), Deny()) == Taken()


async def test_an_ask_that_is_made_again_is_doubted_as_at_first() -> None:
    """In another folder `make` is another program."""

    async def is_open(request_id: str) -> None:
        far.asks(request_id, "Bash", command="make")
        await seen(session, PermissionRequest, lambda event: event.pending_id == request_id)
        far.withdraws(request_id)
        await seen(session, PermissionCancelled, lambda event: event.pending_id == request_id)

    far = FarEnd()
    async with live(far) as session:
        far.init()
        await session.allow("Bash(make)")
        assert (await policy_says(far, "Bash", {"command": "make"}, cwd="/"))[0] == "ask"
        await is_open("r1")
        await is_open("r2")
        assert far.answer("r1") is far.answer("r2") is None
        far.result()


async def test_an_ask_rule_that_is_written_after_our_answer_holds_for_the_clis_ask(tmp_path: Any) -> None:
    far, rules = FarEnd(), tmp_path / "rules.toml"
    async with live(far, rule_files=(rules,)) as session:
        far.init()
        assert (await policy_says(far, "Bash", {"command": "make"}))[0] == "ask"
        rules.write_text('[[rule]]\naction = "ask"\ntool = "Bash"\nmatch = "make"\n')
        await is_asked_in_spite_of_a_grant(far, session)
        far.result()


@pytest.mark.parametrize("rules", [(), (parse("ExitPlanMode", "ask"),)], ids=["no rule", "ask rule"])
async def test_a_plan_that_a_rule_wants_asked_is_not_approved_unseen(rules: Any) -> None:
    far = FarEnd()
    async with live(far, policy="plan-auto", rules=rules) as session:
        far.init(permissionMode="plan")
        said, _ = await policy_says(far, "ExitPlanMode", {"plan": "1."}, permission_mode="plan")
        assert said == "ask"
        far.asks("r1", "ExitPlanMode", plan="1.")
        if not rules:
            assert (await far.answered("r1"))["response"]["behavior"] == "allow"
        else:
            await seen(session, PermissionRequest)
            assert await session.decide(PendingId("r1"), Deny()) == Taken()
        far.result()


async def test_a_hook_call_that_cannot_be_read_is_denied_and_not_refused() -> None:
    """On 2.1.197 an error would let the tool run (07_hook_err_block)."""
    far = FarEnd()
    async with live(far):
        far.requests_of("h9", {"subtype": "hook_callback", "input": {}})
        assert decision(await far.answered("h9")) == ("deny", FAILED)


async def test_what_a_plan_allowed_ends_with_the_mode(tmp_path: Any) -> None:
    far = FarEnd()
    async with live(far, cwd=tmp_path, policy="plan") as session:
        far.init(permissionMode="plan")
        far.asks("r1", "ExitPlanMode", plan="1.")
        await seen(session, PermissionRequest)
        await session.decide(PendingId("r1"), ApprovePlan(then="accept_edits"))
        far.says({"type": "system", "subtype": "status", "status": None, "permissionMode": "acceptEdits"})
        edit = {"file_path": str(tmp_path / "a.py")}
        assert (await policy_says(far, "Write", edit))[0] == "allow"
        far.says({"type": "system", "subtype": "status", "status": None, "permissionMode": "default"})
        far.calls_hook("h2", POLICY, "PreToolUse", tool_name="Write", tool_input=edit, tool_use_id="t2")
        assert decision(await far.answered("h2"))[0] == "ask"
        far.result()


@pytest.mark.parametrize("reason", ["a \udcff b", "plain"])
async def test_any_reason_is_written_and_the_ask_is_answered(reason: str) -> None:
    far = FarEnd()
    async with live(far) as session:
        far.init()
        far.asks("r1", "Bash", command="make")
        await seen(session, PermissionRequest)
        assert await session.decide(PendingId("r1"), Deny(reason=reason)) == Taken()
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        far.result()


async def test_an_always_of_on_ask_that_cannot_be_kept_denies(caplog: pytest.LogCaptureFixture) -> None:
    async def on_ask(event: PermissionRequest) -> AllowAlways:
        return AllowAlways(rule="Bash(make)", scope="user")

    far = FarEnd()
    async with live(far, on_ask=on_ask):
        far.init()
        far.asks("r1", "Bash", command="make")
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        far.result()
    assert "it is denied" in caplog.text


async def test_an_on_ask_that_exits_denies_and_the_session_lives(caplog: pytest.LogCaptureFixture) -> None:
    async def on_ask(event: PermissionRequest) -> AllowAlways:
        sys.exit(2)

    far = FarEnd()
    async with live(far, on_ask=on_ask):
        far.init()
        for request in ("r1", "r2"):
            far.asks(request, "Bash", command="make")
            assert (await far.answered(request))["response"]["behavior"] == "deny"
        far.result()
    assert "SystemExit: 2" in caplog.text


async def awaits_what_was_cancelled(told: Any) -> Any:
    task = asyncio.ensure_future(asyncio.Event().wait())
    task.cancel()
    await task


async def test_a_function_that_is_cancelled_from_within_has_failed_and_leaves_nobody_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A cancellation that nobody sent ends its task without a word."""
    hook = UserHook(event="PreToolUse", function=awaits_what_was_cancelled)
    servers = {"calc": awaits_what_was_cancelled}
    far = FarEnd()
    async with live(far, hooks=(hook,), on_ask=awaits_what_was_cancelled, sdk_servers=servers):
        far.init()
        far.calls_hook("h1", "bascule:0", "PreToolUse", tool_name="Bash", tool_input={})
        assert decision(await far.answered("h1"))[0] == "deny"
        far.asks("r1", "Bash", command="make")
        assert (await far.answered("r1"))["response"]["behavior"] == "deny"
        far.requests_of("m1", mcp("calc", method="tools/call", id=7))
        assert "error" in mcp_response(await far.answered("m1"))
        far.result()
    assert "it awaited something that was cancelled" in caplog.text


async def test_a_cli_that_did_not_take_the_hook_is_not_governed() -> None:
    far = FarEnd()
    far.answers["initialize"] = {"hooks_applied": False}
    with pytest.raises(StartFailed, match="did not take the hook"):
        async with live(far):
            pytest.fail("it began")


async def test_where_the_cli_governs_it_need_not_take_a_hook() -> None:
    far = FarEnd()
    far.answers["initialize"] = {"hooks_applied": False}
    async with live(far, policy="acceptEdits") as session:
        assert not session.ended
