"""Commands run, watched and stopped."""

from typing import Any

import pytest

from bascule.payload import Generic, ShellExec, ShellOutput
from bascule.tools import describe
from tests.tools.recorded import Recorded, recorded


def output(content: Any, result: Any = None, *, is_error: bool = False) -> ShellOutput:
    payload = Recorded("Bash", {"command": "x"}, content, result, is_error).finished
    assert isinstance(payload, ShellExec)
    assert payload.output is not None
    return payload.output


def ended(stdout: str, **told: Any) -> dict[str, Any]:
    return {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, **told}


def test_a_command_tells_what_it_will_run() -> None:
    tool_input = {"command": "sleep 9", "description": "Wait", "timeout": 1000, "run_in_background": True}
    assert describe("Bash", tool_input) == ShellExec(
        command="sleep 9", description="Wait", timeout_ms=1000, background=True
    )
    assert describe("PowerShell", {"command": "dir"}) == ShellExec(command="dir")
    assert describe("Monitor", {"command": "tail -f x", "timeout_ms": 5, "description": "d"}) == ShellExec(
        command="tail -f x", description="d", timeout_ms=5, background=True
    )


def test_output_comes_without_an_exit_code_that_nobody_told() -> None:
    call = recorded("13_plan_bash_write")[-1]
    assert call.finished == ShellExec(command="ls", description="ls", output=ShellOutput(stdout="hello.txt\nx.txt"))


def test_a_failure_tells_its_exit_code_in_the_text() -> None:
    killed = next(call for call in recorded("15_task_stop_tool") if call.name == "Bash")
    assert killed.finished != killed.described
    assert output("Exit code 3\nout\nerr", "Error: Exit code 3\nout\nerr", is_error=True) == ShellOutput(
        exit_code=3, stdout="out\nerr"
    )
    assert output("Exit code 1", "Error: Exit code 1", is_error=True) == ShellOutput(exit_code=1)


def test_a_text_that_only_looks_like_a_failure_gives_no_exit_code() -> None:
    assert output("Exit code 3\n", ended("Exit code 3\n")).exit_code is None
    assert output("Exit code 3 is what I want", is_error=True).exit_code is None


def test_L2_a_result_that_is_one_block_is_read() -> None:
    assert output({"type": "text", "text": "hi"}).stdout == "hi"
    assert output(None).stdout == ""
    assert output(["a", {"type": "image", "source": {"media_type": "image/png"}}, {"type": "odd"}, 3]).stdout == (
        "a\n[image/png]\n[odd]\n[unknown content]"
    )


def test_a_refusal_is_no_output_of_the_command() -> None:
    refused = recorded("17_bad_tool")[2].finished
    assert isinstance(refused, ShellExec)
    assert refused.output is not None
    assert refused.output.stdout == ""
    assert refused.output.stderr.startswith("InputValidationError: Bash failed")
    unparsed = recorded("17_bad_tool")[3]
    assert unparsed.described == ShellExec(command="")


def test_a_command_cut_by_an_interrupt_is_interrupted() -> None:
    cut = recorded("15_interrupt_with_bg_agent")[-1].finished
    assert isinstance(cut, ShellExec)
    assert cut.output is not None
    assert cut.output.interrupted
    assert output("", ended("so far", interrupted=True)).interrupted


def test_a_background_command_tells_its_id() -> None:
    call = recorded("15_bg_bash")[0].finished
    assert isinstance(call, ShellExec)
    assert call.output is not None
    assert call.background
    assert call.output.background_id == "brs2wwkh5"
    assert call.output.stderr.startswith("Command running in background with ID: brs2wwkh5.")


def test_a_command_that_timed_out_goes_on_in_the_background() -> None:
    moved = Recorded("Bash", {"command": "x"}, "moved", ended("so far", backgroundTaskId="b1"), False).finished
    assert isinstance(moved, ShellExec)
    assert moved.background
    assert moved.output == ShellOutput(stdout="so far", stderr="moved", background_id="b1")


def test_output_that_went_to_a_file_is_truncated_and_names_it() -> None:
    told = ended("x" * 30_000, persistedOutputPath="/tmp/out.txt", persistedOutputSize=10**6)
    assert output("<persisted-output>", told) == ShellOutput(
        stdout="x" * 30_000, stderr="Whole output: /tmp/out.txt", truncated=True
    )
    assert output("<persisted-output>\npreview").truncated


def test_an_image_is_named_and_not_shown_as_text() -> None:
    assert output("", ended("data:image/png;base64,AAAA", isImage=True)) == ShellOutput(
        stderr="[image]", truncated=True
    )


def test_notes_of_the_cli_stand_apart_from_the_output() -> None:
    told = ended("", returnCodeInterpretation="No matches found") | {"stderr": "Shell cwd was reset"}
    assert output("", told).stderr == "Shell cwd was reset\nNo matches found"


def test_in_a_subagent_the_text_is_the_output() -> None:
    call = recorded("15_env_nobg")[0].finished
    assert isinstance(call, ShellExec)
    assert call.output == ShellOutput(stdout="from-sub")
    assert output("(Bash completed with no output)").stdout == ""


@pytest.mark.parametrize(
    ("name", "tool_input"),
    [("BashOutput", {"bash_id": "b1"}), ("KillShell", {"shell_id": "b1"}), ("TaskStop", {"shell_id": "b1"})],
)
def test_a_background_command_is_addressed_by_its_id(name: str, tool_input: Any) -> None:
    assert describe(name, tool_input) == ShellExec(command="", background=True, task_id="b1")


def test_stopping_a_task_turns_out_to_be_of_a_shell() -> None:
    unknown = recorded("15_task_stop_tool")[-1]
    assert unknown.described == Generic(name="TaskStop", input={"task_id": "bogus"})
    assert unknown.finished == Generic(
        name="TaskStop", input={"task_id": "bogus"}, output="No task found with ID: bogus", is_error=True
    )
    result = {"message": "Stopped", "task_id": "b1", "task_type": "local_bash", "command": "sleep 9"}
    stopped = Recorded("TaskStop", {"task_id": "b1"}, "Stopped", result, False).finished
    assert stopped == ShellExec(command="sleep 9", background=True, task_id="b1", output=ShellOutput(stdout="Stopped"))


def test_a_monitor_is_told_its_task() -> None:
    done = Recorded("Monitor", {"command": "tail -f x"}, "Watching", {"taskId": "m1", "timeoutMs": 5}, False).finished
    assert isinstance(done, ShellExec)
    assert done.output == ShellOutput(stdout="Watching", background_id="m1")
