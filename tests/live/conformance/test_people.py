"""Plans and questions, which are for a person in every mode."""

import json
from pathlib import Path

import pytest

from bascule.demo.asked import Asked
from bascule.demo.script import Step, call, reply, respond, say, turn
from tests.live.conformance.stage import QUESTION, Stage, content
from tests.testing.driven import shapes


def test_a_plan_asks_in_plan_mode_and_its_approval_changes_the_mode_first(stage: Stage, newer: bool) -> None:
    stage.play(turn(call("ExitPlanMode", plan="1. do it"), say("Go.")))
    with stage.start(mode="plan") as cli:
        cli.prompt("plan")
        ask = cli.ask()
        assert ask["request"]["input"] == ({} if newer else {"plan": "1. do it"})
        cli.allow(ask, updatedPermissions=[{"type": "setMode", "mode": "acceptEdits", "destination": "session"}])
        cli.result()
        changes = [line for line in cli.lines if line.get("permissionMode") == "acceptEdits"]
        assert shapes(changes) == ["system/status"]
        words = shapes(cli.lines)
        assert words.index("system/status") < words.index("user/tool_result")


def test_a_plan_outside_of_plan_mode_asks_nobody(stage: Stage) -> None:
    stage.play(turn(call("ExitPlanMode", plan="1. do it"), say("Well.")))
    with stage.start(mode="bypassPermissions") as cli:
        assert cli.turn("plan")["result"] == "Well."
        assert "ask/can_use_tool" not in shapes(cli.lines)
        assert "You are not in plan mode" in json.dumps(cli.lines)


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_a_question_asks_in_every_mode_and_is_answered_in_its_input(stage: Stage, mode: str) -> None:
    stage.play(turn(call("AskUserQuestion", questions=[QUESTION]), say("Thanks.")))
    with stage.start(mode=mode) as cli:
        cli.prompt("ask me")
        ask = cli.ask()
        cli.answer(ask, behavior="allow", updatedInput={**ask["request"]["input"], "answers": {"Which one?": "B"}})
        ended = cli.tool_result()
        assert content(ended).startswith('Your questions have been answered: "Which one?"="B"')
        assert ended["tool_use_result"]["answers"] == {"Which one?": "B"}
        assert cli.result()["result"] == "Thanks."


def test_S32_a_question_allowed_without_answers_was_not_answered(stage: Stage) -> None:
    stage.play(turn(call("AskUserQuestion", questions=[QUESTION]), say("Thanks.")))
    with stage.start() as cli:
        cli.prompt("ask me")
        cli.allow(cli.ask())
        assert content(cli.tool_result()) == "The user did not answer the questions."


def test_the_plan_is_written_where_the_model_is_told(stage: Stage) -> None:
    def write(asked: Asked) -> Step:
        words = json.dumps(asked.body)
        start = words.index(str(Path(stage.env["CLAUDE_CONFIG_DIR"]) / "plans"))
        return call("Write", file_path=words[start : words.index(".md", start) + 3], content="1. Do it.")

    model = stage.play(turn(respond(write), reply(call("ExitPlanMode")), say("Go.")))
    with stage.start(mode="plan") as cli:
        cli.prompt("plan")
        ask = cli.ask()
        assert ask["request"]["tool_name"] == "ExitPlanMode"
        assert ask["request"]["input"]["plan"] == "1. Do it."
        edited = {**ask["request"]["input"], "plan": "1. Do it well."}
        cli.answer(ask, behavior="allow", updatedInput=edited)
        cli.result()
        assert "1. Do it well." in model.asked[-1].results[-1].text
        [ended] = [line for line in cli.lines if "planWasEdited" in json.dumps(line)]
        assert ended["tool_use_result"]["planWasEdited"] is True


def test_plan_mode_is_entered_without_asking_and_left_for_the_mode_before(stage: Stage) -> None:
    stage.play(turn(call("EnterPlanMode"), call("ExitPlanMode"), say("Go.")))
    with stage.start(mode="acceptEdits") as cli:
        cli.prompt("plan")
        cli.allow(cli.ask())
        cli.result()
        changes = [line["permissionMode"] for line in cli.lines if shapes([line]) == ["system/status"]]
        assert changes == ["plan", "acceptEdits"]


def test_an_answer_in_own_words_and_its_note_reach_the_model(stage: Stage, newer: bool) -> None:
    stage.play(turn(call("AskUserQuestion", questions=[QUESTION]), say("Thanks.")))
    with stage.start() as cli:
        cli.prompt("ask me")
        ask = cli.ask()
        given = {"answers": {"Which one?": "Neither"}, "annotations": {"Which one?": {"notes": "too slow"}}}
        cli.answer(ask, behavior="allow", updatedInput={**ask["request"]["input"], **given})
        told = content(cli.tool_result())
        assert '"Which one?"="Neither" notes: too slow' in told
        assert told.startswith("The user answered: " if newer else "Your questions have been answered: ")


def test_a_question_is_denied_where_nobody_is_to_be_asked(stage: Stage) -> None:
    stage.play(turn(call("AskUserQuestion", questions=[QUESTION]), say("Well.")))
    with stage.start(mode="dontAsk") as cli:
        result = cli.turn("ask me")
        assert [denial["tool_name"] for denial in result["permission_denials"]] == ["AskUserQuestion"]
        assert "ask/can_use_tool" not in shapes(cli.lines)
