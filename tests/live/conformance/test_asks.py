"""Permission requests: right answers, wrong ones, and *always*."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.script import call, reply, say, turn
from tests.live.conformance.stage import MAKE, Stage, content
from tests.testing.driven import Line, shapes


def test_an_allowed_call_runs(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        ask = cli.ask()
        assert ask["request"]["tool_name"] == "Bash"
        assert ask["request"]["input"] == {"command": "touch made.txt", "description": "make"}
        assert ask["request"]["permission_suggestions"][0]["rules"][0]["toolName"] == "Bash"
        assert not stage.made()
        cli.allow(ask)
        ended = cli.tool_result()
        assert content(ended) == "(Bash completed with no output)"
        assert ended["tool_use_result"]["noOutputExpected"] is True
        assert cli.result()["permission_denials"] == []
        assert stage.made()


def test_an_edited_input_runs_in_place_of_the_first(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        cli.answer(cli.ask(), behavior="allow", updatedInput={"command": "touch other.txt"})
        cli.result()
        assert [path.name for path in stage.workspace.glob("*.txt")] == ["other.txt"]


def test_L15_an_allow_without_the_input_fails_on_the_older_version(stage: Stage, newer: bool) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        cli.answer(cli.ask(), behavior="allow")
        ended = cli.tool_result()
        assert stage.made() is newer
        assert ("ZodError" in content(ended)) is not newer
        assert cli.result()["is_error"] is False


def test_a_denial_reaches_the_model_word_for_word(stage: Stage) -> None:
    model = stage.play(turn(MAKE, say("I see.")))
    with stage.start() as cli:
        cli.prompt("make")
        cli.answer(cli.ask(), behavior="deny", message="Use the Makefile.")
        ended = cli.tool_result()
        assert content(ended) == "Use the Makefile."
        assert ended["tool_use_result"] == "Error: Use the Makefile."
        result = cli.result()
        assert (result["subtype"], result["is_error"], result["result"]) == ("success", False, "I see.")
        assert [denial["tool_name"] for denial in result["permission_denials"]] == ["Bash"]
        assert [outcome.text for outcome in model.asked[-1].results] == ["Use the Makefile."]
        assert cli.end() == 0


def test_a_denial_that_stops_ends_the_turn_and_keeps_its_words(stage: Stage) -> None:
    stage.play(turn(MAKE, say("never said")), say("Still here."))
    with stage.start() as cli:
        cli.prompt("make")
        cli.answer(cli.ask(), behavior="deny", message="Stop it.", interrupt=True)
        assert content(cli.tool_result()).startswith("The user doesn't want to proceed")
        result = cli.result()
        assert (result["subtype"], result["terminal_reason"]) == ("error_during_execution", "aborted_tools")
        assert "result" not in result
        assert "[Request interrupted by user for tool use]" in json.dumps(cli.lines)
        assert "Stop it." not in json.dumps(cli.lines)
        assert result["num_turns"] == 3
        assert cli.turn("alive?")["result"] == "Still here."
        assert cli.end() == 0


WRONG = [
    lambda ask, body: {
        "type": "control_response",
        "request_id": ask,
        "response": {"subtype": "success", "result": body},
    },
    lambda ask, body: {
        "type": "control_response",
        "request_id": ask,
        "response": {"subtype": "success", "response": body},
    },
    lambda ask, body: {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "x", "response": body},
    },
]


@pytest.mark.parametrize("envelope", WRONG, ids=["id outside, result", "id outside", "unknown id"])
def test_an_answer_in_the_wrong_envelope_is_ignored_and_the_ask_stays(stage: Stage, envelope: Any) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        ask = cli.ask()
        cli.say(**envelope(ask["request_id"], {"behavior": "allow", "updatedInput": ask["request"]["input"]}))
        assert cli.request("mcp_status")["subtype"] == "success"
        assert not stage.made()
        cli.allow(ask)
        assert cli.result()["result"] == "Done."
        assert stage.made()


@pytest.mark.parametrize(
    "response",
    [{}, {"behavior": "maybe"}, {"behavior": "deny"}, {"behavior": "allow", "updatedInput": "text"}],
    ids=["empty", "maybe", "deny without message", "input no object"],
)
def test_an_answer_that_is_none_fails_the_call_and_not_the_turn(stage: Stage, response: Line, newer: bool) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        cli.answer(cli.ask(), **response)
        failed = content(cli.tool_result())
        assert failed.startswith(
            "The canUseTool callback returned" if newer else "Tool permission request failed: ZodError"
        )
        result = cli.result()
        assert (result["result"], result["is_error"]) == ("Done.", False)
        assert not stage.made()


def test_an_error_for_an_answer_fails_the_call(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        body = {"subtype": "error", "request_id": cli.ask()["request_id"], "error": "UI crashed"}
        cli.say(type="control_response", response=body)
        assert content(cli.tool_result()) == "Tool permission request failed: Error: UI crashed"
        assert cli.result()["is_error"] is False


def test_L19_a_second_answer_is_ignored(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        ask = cli.ask()
        cli.allow(ask)
        cli.answer(ask, behavior="deny", message="no")
        assert cli.result()["permission_denials"] == []
        assert stage.made()


def test_always_holds_for_the_session_and_may_be_written_down(stage: Stage) -> None:
    stage.play(turn(reply(MAKE), reply(MAKE), say("Done.")), turn(MAKE, say("Again.")))
    with stage.start() as cli:
        cli.prompt("make")
        ask = cli.ask()
        cli.allow(ask, updatedPermissions=ask["request"]["permission_suggestions"])
        assert cli.result()["result"] == "Done."
        assert cli.turn("again")["result"] == "Again."
        assert shapes(cli.lines).count("ask/can_use_tool") == 1
    kept = json.loads((stage.workspace / ".claude" / "settings.local.json").read_text())
    assert len(kept["permissions"]["allow"]) == 1


def test_asks_of_calls_that_only_look_are_open_together_and_withdrawn_together(stage: Stage, tmp_path: Path) -> None:
    outside = [tmp_path / name for name in ("one.txt", "two.txt")]
    for path in outside:
        path.write_text("x\n")
    stage.play(turn(*(call("Read", file_path=str(path)) for path in outside), say("never said")), say("Still here."))
    with stage.start() as cli:
        cli.prompt("read")
        first, second = cli.ask(), cli.ask()
        cli.answer(first, behavior="deny", message="stop", interrupt=True)
        withdrawn = cli.next(lambda line: line["type"] == "control_cancel_request")
        assert withdrawn["request_id"] == second["request_id"]
        result = cli.result()
        assert len(result["permission_denials"]) == 2
        assert result["terminal_reason"] == "aborted_tools"
        assert cli.turn("alive?")["result"] == "Still here."


def test_calls_that_change_something_ask_one_after_the_other(stage: Stage) -> None:
    stage.play(turn(call("Bash", command="touch a"), call("Bash", command="touch b"), say("Done.")))
    with stage.start() as cli:
        cli.prompt("make")
        cli.allow(cli.ask())
        second = cli.ask()
        assert second["request"]["input"]["command"] == "touch b"
        assert (stage.workspace / "a").exists()
        cli.allow(second)
        assert cli.result()["num_turns"] == 3


def test_with_nobody_to_ask_what_would_ask_is_denied(stage: Stage) -> None:
    stage.play(turn(MAKE, say("I see.")))
    with stage.start("--permission-mode=dontAsk", mode=None) as cli:
        result = cli.turn("make")
        assert result["result"] == "I see."
        assert [denial["tool_name"] for denial in result["permission_denials"]] == ["Bash"]
        assert "ask/can_use_tool" not in shapes(cli.lines)
        assert not stage.made()


@pytest.mark.parametrize("rule", ["{path}", "{folder}/**"])
@pytest.mark.parametrize("tool", ["Read", "Edit"])
def test_a_rule_on_files_names_a_path_from_the_root_with_two_slashes(
    stage: Stage, tmp_path: Path, tool: str, rule: str
) -> None:
    """Edit stands for all that writes."""
    path = tmp_path / "outside.txt"
    path.write_text("x\n")
    made = tmp_path / "made.txt"
    step = call("Read", file_path=str(path)) if tool == "Read" else call("Write", file_path=str(made), content="x")
    stage.play(turn(step, say("1")), turn(step, say("2")))
    content = "/" + rule.format(path=step.input["file_path"], folder=tmp_path)
    rules = [{"toolName": tool, "ruleContent": content}]
    update = {"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"}
    with stage.start() as cli:
        cli.prompt("do")
        cli.allow(cli.ask(), updatedPermissions=[update])
        cli.result()
        assert cli.turn("again")["permission_denials"] == []
        assert shapes(cli.lines).count("ask/can_use_tool") == 1
