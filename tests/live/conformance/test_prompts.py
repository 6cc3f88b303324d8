"""Prompts beside each other: folded, merged, kept for later, taken back, echoed."""

import json
import os

from bascule.demo.script import respond, say, turn, wait
from tests.live.conformance.stage import ID, MAKE, NOISE, Stage, content
from tests.testing.driven import shapes


def test_a_prompt_during_a_call_is_folded_into_the_turn(stage: Stage, newer: bool) -> None:
    model = stage.play(turn(MAKE, say("Both done.")), say("not asked for"))
    with stage.start("--replay-user-messages") as cli:
        cli.prompt("first", ID.format(1))
        ask = cli.ask()
        cli.prompt("second", ID.format(2))
        assert cli.request("mcp_status")["subtype"] == "success"
        cli.allow(ask)
        result = cli.result()
        assert result["result"] == "Both done."
        assert result.get("user_message_uuids") == ([ID.format(1), ID.format(2)] if newer else None)
        echoed = [line["uuid"] for line in cli.lines if shapes([line]) == ["user/replay"]]
        assert echoed == [ID.format(1), ID.format(2)]
        assert model.asked[-1].prompt == "second"
        assert cli.end() == 0
        assert shapes(cli.lines).count("result/success") == 1


def test_prompts_during_a_text_are_merged_into_the_next_turn(stage: Stage, newer: bool) -> None:
    model = stage.play(turn(wait("gate"), say("One.")), say("Two and three."))
    with stage.start("--replay-user-messages") as cli:
        cli.prompt("first", ID.format(1))
        model.gate("gate").reached()
        cli.prompt("second", ID.format(2))
        cli.prompt("third", ID.format(3))
        assert cli.request("mcp_status")["subtype"] == "success"
        model.gate("gate").open()
        assert cli.result()["result"] == "One."
        merged = cli.result()
        assert merged["result"] == "Two and three."
        assert merged.get("user_message_uuids") == ([ID.format(2), ID.format(3)] if newer else None)
        echoes = [line for line in cli.lines if shapes([line]) == ["user/replay"]]
        assert [line["uuid"] for line in echoes] == [ID.format(n) for n in (1, 2, 3)]
        assert len(echoes[-1]["message"]["content"]) == 2
        assert cli.end() == 0


def test_of_prompts_that_wait_the_most_urgent_runs_first_with_those_of_its_kind(stage: Stage) -> None:
    """Each names what its turn is asked: what is told only, and what is behind it, is in no other's turn."""
    asked = turn(respond(lambda asked: say(" ".join(asked.prompt.split()))))
    model = stage.play(turn(wait("gate"), say("One.")), asked, asked, asked, asked)
    waiting = [("a", "later"), ("b", "later"), ("c", "next"), ("told", "next"), ("d", "next"), ("e", "later")]
    with stage.start("--replay-user-messages") as cli:
        cli.prompt("first", ID.format(1))
        model.gate("gate").reached()
        for number, (text, priority) in enumerate(waiting, 2):
            cli.prompt(text, ID.format(number), priority=priority, **({"shouldQuery": False} if text == "told" else {}))
        assert cli.request("mcp_status")["subtype"] == "success"
        model.gate("gate").open()
        assert [cli.result()["result"] for _ in range(5)] == ["One.", "c", "", "told d", "a b e"]
        order = [line["uuid"][-1] for line in cli.lines if shapes([line]) == ["user/replay"]]
        assert order == ["1", "4", "5", "6", "2", "3", "7"]


def test_what_is_told_during_a_call_is_folded_in_too(stage: Stage) -> None:
    model = stage.play(turn(MAKE, say("Done.")))
    with stage.start("--replay-user-messages") as cli:
        cli.prompt("first", ID.format(1))
        ask = cli.ask()
        cli.prompt("only to know", ID.format(2), shouldQuery=False)
        assert cli.request("mcp_status")["subtype"] == "success"
        cli.allow(ask)
        assert cli.result()["result"] == "Done."
        assert "only to know" in json.dumps(model.asked[-1].messages)
        assert cli.end() == 0
        assert shapes(cli.lines).count("result/success") == 1


def test_a_prompt_for_later_is_not_folded(stage: Stage) -> None:
    stage.play(turn(MAKE, say("One.")), say("Two."))
    with stage.start() as cli:
        cli.prompt("first")
        ask = cli.ask()
        cli.prompt("second", priority="later")
        assert cli.request("mcp_status")["subtype"] == "success"
        cli.allow(ask)
        assert cli.result()["result"] == "One."
        assert cli.result()["result"] == "Two."


def test_a_prompt_for_now_cuts_the_turn_behind_its_call(stage: Stage) -> None:
    stage.play(turn(stage.running("cat go"), say("Two.")))
    os.mkfifo(stage.workspace / "go")
    with stage.start(mode="bypassPermissions") as cli:
        cli.prompt("first")
        stage.runs()
        cli.prompt("second", priority="now")
        assert cli.request("mcp_status")["subtype"] == "success"
        (stage.workspace / "go").write_text("a\n")
        assert content(cli.tool_result()) == "a"
        result = cli.result()
        assert (result["subtype"], result["is_error"], result["result"]) == ("success", False, "")
        assert result["terminal_reason"] == "aborted_tools"
        assert cli.result()["result"] == "Two."


def test_the_same_uuid_again_is_echoed_and_not_run(stage: Stage) -> None:
    stage.play(say("One."), say("Two."))
    with stage.start("--replay-user-messages") as cli:
        cli.turn("first", ID.format(1))
        cli.prompt("again", ID.format(1))
        cli.next(lambda line: shapes([line]) == ["user/replay"] and "again" in json.dumps(line))
        assert cli.turn("third", ID.format(3))["result"] == "Two."
        assert cli.end() == 0
        assert shapes(cli.lines).count("result/success") == 2


def test_a_prompt_that_asks_nothing_gives_an_empty_result(stage: Stage) -> None:
    model = stage.play(say("One."))
    with stage.start() as cli:
        cli.prompt("only to know", shouldQuery=False)
        result = cli.result()
        assert (result["num_turns"], result["result"], result["is_error"]) == (0, "", False)
        assert not model.asked
        assert cli.turn("now ask")["result"] == "One."
        assert "only to know" in json.dumps(model.asked[0].messages)


def test_a_prompt_that_waits_can_be_taken_back(stage: Stage) -> None:
    model = stage.play(turn(wait("gate"), say("One.")), say("Two."))
    with stage.start() as cli:
        cli.prompt("first", ID.format(1))
        model.gate("gate").reached()
        cli.prompt("second", ID.format(2))
        assert cli.request("cancel_async_message", message_uuid=ID.format(2))["response"]["cancelled"] is True
        assert cli.request("cancel_async_message", message_uuid=ID.format(2))["response"]["cancelled"] is False
        model.gate("gate").open()
        assert cli.result()["result"] == "One."
        assert cli.end() == 0
        assert shapes(cli.lines).count("result/success") == 1


def test_replay_gives_back_prompts_and_answers(stage: Stage) -> None:
    stage.play(turn(MAKE, say("Done.")))
    with stage.start("--replay-user-messages") as cli:
        cli.prompt("make", ID.format(1))
        ask = cli.ask()
        cli.allow(ask)
        echo = cli.next(lambda line: line["type"] == "control_response")
        assert echo["response"]["request_id"] == ask["request_id"]
        cli.result()
        replays = [line for line in cli.lines if shapes([line]) == ["user/replay"]]
        assert [line["uuid"] for line in replays] == [ID.format(1)]
        words = shapes(cli.lines, without=NOISE)
        assert words[:3] == ["system/init", "user/replay", "assistant/tool_use"]
