"""How a process ends: with its stdin, by signals."""

import json
import signal

import pytest

from bascule.demo.script import say, turn, wait
from tests.live.conformance.stage import MAKE, Stage


def test_the_end_of_stdin_while_it_asks_fails_the_ask_and_finishes_the_turn(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Well.")))
    with stage.start() as cli:
        cli.prompt("make")
        cli.ask()
        assert cli.end() == 0
        assert "Tool permission stream closed before response received" in json.dumps(cli.lines)
        assert cli.lines[-1]["type"] == "result" or cli.lines[-1]["type"] == "command_lifecycle"
        assert not stage.made()


def test_the_end_of_stdin_in_a_call_waits_for_the_turn(stage: Stage) -> None:
    stage.play(turn(stage.running("sleep 0.2"), say("Done.")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.prompt("work")
        stage.runs()
        assert cli.end() == 0
        assert [line["result"] for line in cli.lines if line["type"] == "result"] == ["Done."]


def test_stdin_that_is_closed_at_once_is_no_error(stage: Stage) -> None:
    with stage.start() as cli:
        assert cli.end() == 0
        assert cli.lines == []


def test_sigint_in_a_turn_cuts_it_and_ends_well(stage: Stage) -> None:
    stage.play(turn(stage.running("sleep 61"), say("never said")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.prompt("work")
        stage.runs()
        assert cli.kill(signal.SIGINT) == 0
        assert [line["subtype"] for line in cli.lines if line["type"] == "result"] == ["error_during_execution"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_other_signals_end_it_without_a_result(stage: Stage, number: signal.Signals, code: int) -> None:
    stage.play(turn(say("One. "), wait("never")))
    with stage.start("--include-partial-messages") as cli:
        cli.prompt("talk")
        cli.next(lambda line: line.get("event", {}).get("type") == "content_block_stop")
        assert cli.kill(number) == code
        assert "result" not in [line["type"] for line in cli.lines]
