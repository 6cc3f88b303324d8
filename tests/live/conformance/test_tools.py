"""Tools that run for real."""

import pytest

from bascule.demo.script import call, say, turn
from tests.live.conformance.stage import Stage, content
from tests.testing.driven import Line, shapes


def test_files_are_written_read_and_edited(stage: Stage) -> None:
    path = str(stage.workspace / "a.txt")
    stage.play(
        turn(
            call("Write", file_path=path, content="one\ntwo\n"),
            call("Read", file_path=path),
            call("Edit", file_path=path, old_string="two", new_string="three"),
            call("Bash", command="cat a.txt; exit 3"),
            say("Done."),
        )
    )
    with stage.start(mode="bypassPermissions") as cli:
        cli.turn("work")
        ended = [line for line in cli.lines if shapes([line]) == ["user/tool_result"]]
        written, read, edited, run = (line["tool_use_result"] for line in ended)
        assert (written["type"], written["structuredPatch"], written["originalFile"]) == ("create", [], None)
        file = {"filePath": path, "content": "one\ntwo\n", "numLines": 3, "startLine": 1, "totalLines": 3}
        assert read == {"type": "text", "file": file}
        assert content(ended[1]) == "1\tone\n2\ttwo\n3\t"
        [hunk] = edited["structuredPatch"]
        assert hunk == {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" one", "-two", "+three"]}
        assert (edited["oldString"], edited["originalFile"]) == ("two", "one\ntwo\n")
        assert run == "Error: Exit code 3\none\nthree"
        assert ended[3]["message"]["content"][0]["is_error"] is True


@pytest.mark.parametrize(
    ("tool", "tool_input", "words"),
    [
        ("NoSuchTool", {"a": 1}, "<tool_use_error>Error: No such tool available: NoSuchTool</tool_use_error>"),
        ("Read", {"file_path": 5}, "<tool_use_error>InputValidationError: Read failed due to the following issue:\n"),
        ("Bash", {"command": "ls", "bogus": 1}, "<tool_use_error>InputValidationError: Bash failed due to"),
        ("Read", {"file_path": "/nowhere/at/all"}, "File does not exist."),
    ],
)
def test_a_call_that_cannot_be_is_told_to_the_model(stage: Stage, tool: str, tool_input: Line, words: str) -> None:
    stage.play(turn(call(tool, **tool_input), say("Oh.")))
    with stage.start(mode="bypassPermissions") as cli:
        assert cli.turn("do")["result"] == "Oh."
        [ended] = [line for line in cli.lines if shapes([line]) == ["user/tool_result"]]
        assert content(ended).startswith(words)
        assert ended["message"]["content"][0]["is_error"] is True
