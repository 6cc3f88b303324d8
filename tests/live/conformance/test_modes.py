"""What runs without asking: by mode, by rule, by what a call does."""

import pytest

from bascule.demo.script import Step, call, say, turn
from tests.live.conformance.stage import MAKE, Stage
from tests.testing.driven import shapes


def asks(stage: Stage, step: Step, *flags: str, mode: str = "default") -> bool:
    """Whether a call is asked for; if so, it is allowed."""
    stage.play(turn(step, say("Done.")))
    with stage.start(*flags, mode=mode) as cli:
        cli.prompt("do")
        line = cli.next(lambda line: line["type"] in ("result", "control_request"))
        if line["type"] == "result":
            return False
        cli.allow(line)
        assert cli.result()["result"] == "Done."
        return True


@pytest.mark.parametrize(
    ("command", "asked"), [("echo hi", False), ("ls", False), ("touch made.txt", True), ("echo hi > made.txt", True)]
)
def test_a_command_that_only_looks_is_not_asked_for(stage: Stage, command: str, asked: bool) -> None:
    assert asks(stage, call("Bash", command=command)) is asked


def test_reading_is_asked_for_outside_of_the_workspace_only(stage: Stage) -> None:
    (stage.workspace / "in.txt").write_text("in\n")
    outside = stage.workspace.parent / "out.txt"
    outside.write_text("out\n")
    assert not asks(stage, call("Read", file_path=str(stage.workspace / "in.txt")))
    assert asks(stage, call("Read", file_path=str(outside)))


@pytest.mark.parametrize(("mode", "asked"), [("default", True), ("acceptEdits", False), ("bypassPermissions", False)])
def test_a_file_is_written_as_the_mode_says(stage: Stage, mode: str, asked: bool) -> None:
    path = stage.workspace / "made.txt"
    assert asks(stage, call("Write", file_path=str(path), content="x\n"), mode=mode) is asked
    assert path.read_text() == "x\n"


def test_what_the_command_line_allows_is_not_asked_for(stage: Stage) -> None:
    path = stage.workspace / "made.txt"
    assert not asks(stage, call("Write", file_path=str(path), content="x\n"), "--allowedTools", "Write,Edit")
    assert path.exists()


def test_a_tool_that_the_command_line_takes_away_is_not_there(stage: Stage) -> None:
    assert not asks(stage, MAKE, "--disallowedTools=Bash", mode="bypassPermissions")
    assert not stage.made()


def test_a_turn_has_as_many_messages_as_it_may(stage: Stage) -> None:
    stage.play(turn(call("Bash", command="echo 1"), say("never said")))
    with stage.start("--max-turns=1") as cli:
        result = cli.turn("count")
        assert (result["subtype"], result["is_error"]) == ("error_max_turns", True)
        assert result["errors"] == ["Reached maximum number of turns (1)"]
        assert result["num_turns"] == 2
        assert shapes(cli.lines).count("assistant/tool_use") == 1
        assert cli.end() == 1
