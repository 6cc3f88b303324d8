"""Hooks: what they may say, and what happens when they say nothing that can be read."""

import json
from typing import Any

import pytest

from bascule.demo.script import call, reply, say, turn
from tests.live.conformance.stage import MAKE, QUESTION, Stage, content
from tests.testing.driven import Line, shapes


def hooked(**fields: Any) -> dict[str, Any]:
    return {"PreToolUse": [{"hookCallbackIds": ["gate"], **fields}]}


def decision(word: str, **fields: Any) -> dict[str, Any]:
    specific = {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": "so be it"}
    return {"hookSpecificOutput": {**specific, **fields}}


def test_a_hook_that_denies_is_obeyed_in_every_mode(stage: Stage, newer: bool) -> None:
    stage.play(turn(MAKE, say("I see.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked(matcher="Bash"))
        cli.prompt("make")
        told = cli.ask("hook_callback")["request"]
        assert told["input"]["tool_input"]["command"] == "touch made.txt"
        assert (told["callback_id"], told["input"]["permission_mode"]) == ("gate", "bypassPermissions")
        cli.answer(cli.lines[-1], **decision("deny"))
        assert content(cli.tool_result()) == ("PreToolUse:Bash hook error: so be it" if newer else "so be it")
        assert len(cli.result()["permission_denials"]) == 1
        assert not stage.made()


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_S31_a_hook_that_asks_raises_an_ask_in_every_mode(stage: Stage, mode: str) -> None:
    stage.play(turn(call("Read", file_path="a.txt"), say("Done.")))
    (stage.workspace / "a.txt").write_text("a\n")
    with stage.start(mode=mode) as cli:
        cli.initialize(**hooked())
        cli.prompt("read")
        cli.answer(cli.ask("hook_callback"), **decision("ask"))
        ask = cli.ask()
        assert ask["request"]["decision_reason"] == "so be it"
        assert "permission_suggestions" not in ask["request"]
        cli.allow(ask)
        assert cli.result()["result"] == "Done."


def test_a_hook_that_allows_spares_the_ask_but_not_for_a_question(stage: Stage) -> None:
    stage.play(turn(MAKE, call("AskUserQuestion", questions=[QUESTION]), say("Done.")))
    with stage.start() as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        cli.answer(cli.ask("hook_callback"), **decision("allow"))
        cli.answer(cli.ask("hook_callback"), **decision("allow"))
        ask = cli.ask()
        assert ask["request"]["tool_name"] == "AskUserQuestion"
        cli.answer(ask, behavior="deny", message="later")
        cli.result()
        assert stage.made()


def test_a_hook_may_change_the_input(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        cli.answer(cli.ask("hook_callback"), **decision("allow", updatedInput={"command": "touch other.txt"}))
        cli.result()
        assert [path.name for path in stage.workspace.glob("*.txt")] == ["other.txt"]


@pytest.mark.parametrize("how", ["error", "result key", "unknown word"])
@pytest.mark.parametrize("on_failure", [None, "block"])
def test_a_hook_that_fails_lets_the_tool_run_unless_it_was_to_block(
    stage: Stage, how: str, on_failure: str | None, newer: bool
) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked(**({} if on_failure is None else {"onFailure": on_failure})))
        cli.prompt("make")
        request_id = cli.ask("hook_callback")["request_id"]
        bodies: dict[str, Line] = {
            "error": {"subtype": "error", "error": "crash"},
            "result key": {"subtype": "success", "result": decision("deny")},
            "unknown word": {"subtype": "success", "response": decision("perhaps")},
        }
        cli.say(type="control_response", response={**bodies[how], "request_id": request_id})
        assert cli.result()["result"] == "Done."
        blocked = newer and on_failure == "block"
        assert stage.made() is not blocked
        assert ("hook_callback_failed" in json.dumps(cli.lines)) is newer


def test_a_hook_answer_for_another_event_stops_the_tool(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        cli.answer(cli.ask("hook_callback"), hookSpecificOutput={"hookEventName": "PostToolUse"})
        assert cli.result()["permission_denials"] == []
        assert not stage.made()


def test_a_hook_that_is_silent_too_long_stops_the_tool(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked(timeout=1))
        cli.prompt("make")
        asked = cli.ask("hook_callback")
        assert cli.next(lambda line: line["type"] == "control_cancel_request")["request_id"] == asked["request_id"]
        assert cli.result()["result"] == "Done."
        assert not stage.made()


def test_hooks_of_a_late_initialize_count_on_the_newer_version_only(stage: Stage, newer: bool) -> None:
    stage.play(turn(call("Bash", command="echo hi"), say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize()
        assert cli.initialize(**hooked())["subtype"] == "success"
        cli.prompt("say hi")
        if newer:
            cli.answer(cli.ask("hook_callback"))
        cli.result()
        assert ("ask/hook_callback" in shapes(cli.lines)) is newer


def test_a_stop_hook_sends_the_model_on_once(stage: Stage) -> None:
    stage.play(turn(reply(say("Done.")), say("Really done.")))
    with stage.start() as cli:
        cli.initialize(Stop=[{"hookCallbackIds": ["stop"]}])
        cli.prompt("work")
        asked = cli.ask("hook_callback")
        assert asked["request"]["input"]["stop_hook_active"] is False
        cli.answer(asked, decision="block", reason="commit first")
        again = cli.ask("hook_callback")
        assert again["request"]["input"]["stop_hook_active"] is True
        cli.answer(again)
        result = cli.result()
        assert result["result"] == "Really done."
        assert "Stop hook feedback:\\ncommit first" in json.dumps(cli.lines)


def test_continue_false_lets_the_tool_run_and_ends_the_turn(stage: Stage) -> None:
    stage.play(turn(MAKE, say("never said")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        cli.answer(cli.ask("hook_callback"), **{"continue": False, "stopReason": "enough"})
        result = cli.result()
        assert (result["subtype"], result["terminal_reason"], result["result"]) == ("success", "hook_stopped", "")
        assert stage.made()


def test_a_hook_on_prompts_may_keep_one_back(stage: Stage) -> None:
    model = stage.play(say("One."))
    with stage.start() as cli:
        cli.initialize(UserPromptSubmit=[{"hookCallbackIds": ["prompts"]}])
        cli.prompt("a secret")
        asked = cli.ask("hook_callback")
        assert asked["request"]["input"]["prompt"] == "a secret"
        cli.answer(asked, decision="block", reason="no secrets")
        result = cli.result()
        assert (result["subtype"], result["is_error"], result["num_turns"]) == ("success", False, 0)
        assert "no secrets" in json.dumps(cli.lines)
        assert not model.asked
        cli.prompt("harmless")
        cli.answer(cli.ask("hook_callback"))
        assert cli.result()["result"] == "One."


def test_a_hook_behind_the_tool_is_told_what_came_of_it(stage: Stage) -> None:
    stage.play(turn(call("Bash", command="echo hi"), say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(PostToolUse=[{"matcher": "Bash|Write", "hookCallbackIds": ["after"]}])
        cli.prompt("say hi")
        told = cli.ask("hook_callback")["request"]["input"]
        assert told["tool_response"]["stdout"] == "hi"
        cli.answer(cli.lines[-1])
        assert cli.result()["result"] == "Done."


def test_a_hook_that_does_not_match_is_not_called(stage: Stage) -> None:
    stage.play(turn(call("Bash", command="echo hi"), say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked(matcher="^(?!Bash$).*"))
        assert cli.turn("say hi")["result"] == "Done."
        assert "ask/hook_callback" not in shapes(cli.lines)


def test_a_call_that_is_deferred_ends_the_turn(stage: Stage) -> None:
    stage.play(turn(MAKE, say("never said")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        cli.answer(cli.ask("hook_callback"), **decision("defer"))
        result = cli.result()
        assert (result["subtype"], result["terminal_reason"]) == ("success", "tool_deferred")
        assert result["deferred_tool_use"]["input"]["command"] == "touch made.txt"
        assert not stage.made()


def test_a_message_of_a_hook_is_shown_by_the_newer_version(stage: Stage, newer: bool) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        cli.answer(cli.ask("hook_callback"), systemMessage="note to the user")
        cli.result()
        assert ("PreToolUse:Bash says: note to the user" in json.dumps(cli.lines)) is newer
        assert stage.made()


def test_a_question_of_a_hook_is_withdrawn_with_its_turn(stage: Stage) -> None:
    stage.play(turn(MAKE, say("never said")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.initialize(**hooked())
        cli.prompt("make")
        asked = cli.ask("hook_callback")
        cli.request("interrupt")
        assert cli.result()["terminal_reason"] == "aborted_tools"
        withdrawn = [line["request_id"] for line in cli.lines if line["type"] == "control_cancel_request"]
        assert withdrawn == [asked["request_id"]]
        assert not stage.made()
