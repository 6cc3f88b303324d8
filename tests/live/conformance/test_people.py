"""Plans and questions, which are for a person in every mode."""

import json

import pytest

from bascule.demo.script import call, say, turn
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
