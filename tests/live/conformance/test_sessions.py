"""Sessions that go on: resumed, forked, cut, and those that are not there."""

import json
from pathlib import Path

from bascule.demo.script import say
from tests.live.conformance.stage import ID, NOISE, Stage
from tests.testing.driven import shapes


def test_a_session_is_resumed_with_what_was_said(stage: Stage, newer: bool) -> None:
    model = stage.play(say("One."), say("Two."))
    with stage.start() as cli:
        first = cli.turn("first")
        cli.end()
    with stage.start(f"--resume={first['session_id']}") as cli:
        again = cli.turn("second")
        assert (again["result"], again["session_id"]) == ("Two.", first["session_id"])
        [used] = again["modelUsage"].values()
        assert (used["outputTokens"] > again["usage"]["output_tokens"]) is newer
        assert "first" in json.dumps(model.asked[-1].messages)
        assert shapes(cli.lines, without=NOISE) == ["system/init", "assistant/text", "result/success"]


def test_a_fork_has_another_id_and_the_same_past(stage: Stage) -> None:
    model = stage.play(say("One."), say("Two."), say("Three."))
    with stage.start(f"--session-id={ID.format(7)}") as cli:
        assert cli.turn("first")["session_id"] == ID.format(7)
        cli.end()
    with stage.start(f"--resume={ID.format(7)}", "--fork-session") as cli:
        fork = cli.turn("second")["session_id"]
        assert fork != ID.format(7)
        cli.end()
    with stage.start(f"--resume={fork}") as cli:
        cli.turn("third")
        assert "first" in json.dumps(model.asked[-1].messages)
        assert "second" in json.dumps(model.asked[-1].messages)


def test_F38_a_session_that_is_not_there_is_one_result_and_the_end(stage: Stage) -> None:
    with stage.start(f"--resume={ID.format(9)}") as cli:
        cli.send("initialize", "never answered")
        result = cli.result()
        assert result["errors"] == [f"No conversation found with session ID: {ID.format(9)}"]
        assert (result["session_id"], result["num_turns"]) == (ID.format(9), 0)
        assert cli.exit_code() == 1
        assert shapes(cli.lines) == ["result/error_during_execution"]
        assert b"No conversation found" in cli.stderr


def test_a_session_of_another_folder_is_found_by_the_newer_version(stage: Stage, tmp_path: Path, newer: bool) -> None:
    stage.play(say("One."), say("Two."))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with stage.start() as cli:
        session_id = cli.turn("first")["session_id"]
        cli.end()
    with stage.start(f"--resume={session_id}", cwd=elsewhere) as cli:
        if newer:
            assert cli.turn("second")["session_id"] == session_id
        else:
            assert cli.result()["subtype"] == "error_during_execution"


def test_a_session_can_be_cut_at_a_message(stage: Stage) -> None:
    model = stage.play(say("One."), say("Two."), say("Three."))
    with stage.start() as cli:
        session_id = cli.turn("first")["session_id"]
        kept = next(line["uuid"] for line in cli.lines if line["type"] == "assistant")
        cli.turn("second")
        cli.end()
    with stage.start(f"--resume={session_id}", f"--resume-session-at={kept}") as cli:
        assert cli.turn("third")["result"] == "Three."
        cli.end()
    with stage.start(f"--resume={session_id}") as cli:
        cli.turn("fourth")
        said = json.dumps(model.asked[-1].messages)
        assert "One." in said
        assert "Two." not in said
        assert "Three." in said


def test_an_id_that_is_in_use_is_refused(stage: Stage) -> None:
    stage.play(say("One."))
    with stage.start(f"--session-id={ID.format(7)}") as cli:
        cli.turn("first")
        cli.end()
    with stage.start(f"--session-id={ID.format(7)}") as cli:
        assert cli.exit_code() == 1
        assert cli.lines == []
        assert b"is already in use" in cli.stderr
