"""What the API refuses, and what is tried again."""

import pytest

from bascule.demo.script import Step, cut, fail, pause, reply, say, turn
from tests.live.conformance.stage import MAKE, Stage, texts
from tests.testing.driven import shapes


def test_an_api_error_is_a_success_that_is_an_error(stage: Stage, newer: bool) -> None:
    stage.play(fail(400, message="something is wrong"))
    with stage.start() as cli:
        result = cli.turn("hi")
        assert (result["subtype"], result["is_error"], result["api_error_status"]) == ("success", True, 400)
        assert result["terminal_reason"] == ("api_error" if newer else "completed")
        assert result["result"].startswith("API Error: 400")
        [spoken] = [line for line in cli.lines if line["type"] == "assistant"]
        assert (spoken["message"]["model"], spoken["error"]) == ("<synthetic>", "unknown")
        assert cli.end() == 1


def test_what_is_tried_again_is_told(stage: Stage) -> None:
    stage.play(turn(fail(429, headers={"retry-after": "0.1"}, times=2), say("Fine.")))
    with stage.start() as cli:
        assert cli.turn("hi")["result"] == "Fine."
        retries = [line for line in cli.lines if line.get("subtype") == "api_retry"]
        assert [(line["attempt"], line["error_status"], line["error"]) for line in retries] == [
            (1, 429, "rate_limit"),
            (2, 429, "rate_limit"),
        ]
        assert cli.end() == 0


def test_the_last_result_makes_the_exit_code(stage: Stage) -> None:
    stage.play(turn(fail(529, times=2)), say("Fine."))
    with stage.start(CLAUDE_CODE_MAX_RETRIES="1") as cli:
        assert cli.turn("hi")["is_error"] is True
        assert cli.turn("again")["is_error"] is False
        assert cli.end() == 0


def test_a_stream_that_breaks_is_asked_for_again(stage: Stage, newer: bool) -> None:
    stage.play(turn(say("one two three", chunk=4, delay_s=0.1), cut("inside"), say("Recovered.")))
    with stage.start("--include-partial-messages", CLAUDE_CODE_MAX_RETRIES="2") as cli:
        assert cli.turn("hi")["result"] == "Recovered."
        words = shapes(cli.lines)
        assert words.count("stream/message_start") == (2 if newer else 1)
        assert words.count("stream/message_stop") == (2 if newer else 0)
        assert words.count("system/api_retry") == (1 if newer else 0)
        assert texts(cli.lines) == ["Recovered."]


@pytest.mark.parametrize("step", [cut(), fail(529)], ids=["cut", "error"])
def test_a_stream_that_breaks_behind_a_text_is_gone_on_with_by_the_newer_version(
    stage: Stage, step: Step, newer: bool
) -> None:
    model = stage.play(turn(say("Half.", chunk=1, delay_s=0.1), pause(0.3), step, say("Whole.")))
    with stage.start("--include-partial-messages", CLAUDE_CODE_MAX_RETRIES="1") as cli:
        result = cli.turn("hi")
        assert result["is_error"] is not newer
        assert texts(cli.lines)[0] == "Half."
        assert shapes(cli.lines).count("system/api_retry") == 0
        if newer:
            assert result["num_turns"] == 2
            assert texts(cli.lines) == ["Half.", "Whole."]
            assert "Your response above was cut off mid-stream." in model.asked[-1].note
        else:
            assert result["result"].startswith("API Error: ")
            assert len(model.asked) == 1


def test_a_connection_that_breaks_behind_a_call_lets_it_run(stage: Stage) -> None:
    stage.play(turn(reply(say("Slow.", chunk=1, delay_s=0.1), MAKE, pause(0.3), cut()), say("Done.")))
    with stage.start(mode="bypassPermissions", CLAUDE_CODE_MAX_RETRIES="1") as cli:
        assert cli.turn("make")["result"] == "Done."
        assert stage.made()
        [lost] = [line for line in cli.lines if line.get("error")]
        assert lost["message"]["model"] == "<synthetic>"
