"""Interrupts: of asks, of texts, of commands, of prompts that wait."""

import json

from bascule.demo.script import say, turn, wait
from tests.live.conformance.stage import ID, MAKE, NOISE, Stage, texts
from tests.testing.driven import shapes


def test_an_interrupt_while_it_asks_withdraws_the_ask(stage: Stage, newer: bool) -> None:
    stage.play(turn(MAKE, say("never said")), say("Still here."))
    with stage.start() as cli:
        cli.prompt("make")
        ask = cli.ask()
        receipt = cli.request("interrupt")
        assert receipt["subtype"] == "success"
        assert receipt.get("response") == ({"still_queued": []} if newer else None)
        result = cli.result()
        words = shapes(cli.lines[cli.lines.index(ask) :], without=NOISE)
        assert words == [
            "ask/can_use_tool",
            "control_cancel_request",
            "control_response",
            "user/tool_result",
            "user/text",
            "result/error_during_execution",
        ]
        assert (result["terminal_reason"], result["is_error"]) == ("aborted_tools", True)
        assert result["errors"][0].startswith("[ede_diagnostic]")
        assert len(result["permission_denials"]) == 1
        cli.allow(ask)
        assert cli.turn("alive?")["result"] == "Still here."
        assert not stage.made()


def test_an_interrupt_keeps_the_text_that_was_said(stage: Stage, newer: bool) -> None:
    stage.play(turn(say("Half of it. "), wait("gate"), say("The rest.")), say("Still here."))
    with stage.start("--include-partial-messages") as cli:
        cli.prompt("talk")
        cli.next(lambda line: line.get("event", {}).get("type") == "content_block_stop")
        cli.request("interrupt")
        result = cli.result()
        assert result["terminal_reason"] == "aborted_streaming"
        assert texts(cli.lines) == ["Half of it. "]
        assert "[Request interrupted by user]" in json.dumps(cli.lines)
        assert shapes(cli.lines).count("stream/message_stop") == (1 if newer else 0)
        assert cli.end() == 1


def test_an_interrupt_in_the_middle_of_a_text_says_what_there_is(stage: Stage, newer: bool) -> None:
    stage.play(turn(say("word " * 400, chunk=10, delay_s=0.05)))
    with stage.start("--include-partial-messages") as cli:
        cli.prompt("talk")
        cli.next(lambda line: line.get("event", {}).get("type") == "content_block_delta")
        cli.request("interrupt")
        cli.result()
        [spoken] = [line for line in cli.lines if line["type"] == "assistant"]
        assert spoken["message"]["content"][0]["text"].startswith("word word")
        assert spoken.get("aborted") is (True if newer else None)


def test_an_interrupt_kills_the_command_that_runs(stage: Stage) -> None:
    stage.play(turn(stage.running("sleep 61; touch late"), say("never said")))
    with stage.start(mode="bypassPermissions") as cli:
        cli.prompt("wait")
        stage.runs()
        cli.request("interrupt")
        result = cli.result()
        assert (result["terminal_reason"], result["permission_denials"]) == ("aborted_tools", [])
        assert cli.end() == 1
        assert not (stage.workspace / "late").exists()


def test_an_interrupt_of_nothing_is_acknowledged(stage: Stage) -> None:
    stage.play(say("Hello."))
    with stage.start() as cli:
        assert cli.request("interrupt")["subtype"] == "success"
        assert cli.turn("hi")["result"] == "Hello."


def test_a_prompt_that_waits_survives_an_interrupt_unless_it_is_to_go(stage: Stage, newer: bool) -> None:
    stage.play(turn(say("One. "), wait("never")), say("Two."), say("Three."))
    with stage.start("--include-partial-messages", "--replay-user-messages") as cli:
        cli.prompt("first", ID.format(1))
        cli.next(lambda line: line.get("event", {}).get("type") == "content_block_stop")
        cli.prompt("second", ID.format(2))
        receipt = cli.request("interrupt")
        assert receipt.get("response") == ({"still_queued": [ID.format(2)]} if newer else None)
        assert cli.result()["terminal_reason"] == "aborted_streaming"
        assert cli.result()["result"] == "Two."


def test_cancel_queued_drops_what_waits_on_the_newer_version(stage: Stage, newer: bool) -> None:
    stage.play(turn(say("One. "), wait("never")), say("Two."), say("Three."))
    with stage.start("--include-partial-messages") as cli:
        cli.prompt("first", ID.format(1))
        cli.next(lambda line: line.get("event", {}).get("type") == "content_block_stop")
        cli.prompt("second", ID.format(2))
        receipt = cli.request("interrupt", cancel_queued=True)
        if newer:
            assert receipt["response"] == {"still_queued": [], "cancelled": [ID.format(2)]}
        assert cli.result()["terminal_reason"] == "aborted_streaming"
        if not newer:
            assert cli.result()["result"] == "Two."
        assert cli.turn("third")["result"] == ("Two." if newer else "Three.")
