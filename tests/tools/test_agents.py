"""Work handed to subagents."""

from bascule.payload import SubagentOutput, SubagentTask
from bascule.tools import describe
from tests.tools.recorded import Recorded, recorded


def test_a_subagent_in_the_foreground_reports() -> None:
    call = next(call for call in recorded("15_env_nobg") if call.name == "Agent")
    assert isinstance(call.described, SubagentTask)
    assert (call.described.description, call.described.background) == ("do sub", None)
    assert isinstance(call.finished, SubagentTask)
    assert call.finished.background is False
    assert call.finished.model == "claude-opus-5-5"
    assert call.finished.output == SubagentOutput(
        status="completed", agent_id="aba12fef5aeea293e", duration_ms=261, tokens=32, tool_uses=1, text="Sub report."
    )


def test_L50_F47_a_subagent_in_the_background_has_only_set_out() -> None:
    call = recorded("15_bg_agent")[0].finished
    assert isinstance(call, SubagentTask)
    assert call.background
    assert call.output == SubagentOutput(status="async_launched", agent_id="abcc46cf9d14ec76a")


def test_agent_and_task_are_the_same_tool() -> None:
    call = recorded("15_task_as_name")[0]
    assert call.name == "Task"
    assert call.described == describe("Agent", call.input)


def test_a_subagent_of_a_subagent_has_only_its_text() -> None:
    call = next(call for call in recorded("15_nested") if call.result is None)
    assert isinstance(call.finished, SubagentTask)
    assert call.finished.output is not None
    assert call.finished.output.text.startswith("[Subagent hand-back]")
    assert call.finished.output.status == ""


def test_a_subagent_that_failed_says_why() -> None:
    done = Recorded("Agent", {"description": "d", "prompt": "p"}, "Agent not found", "Error", True).finished
    assert done == SubagentTask(
        description="d", prompt="p", output=SubagentOutput(status="failed", text="Agent not found")
    )


def test_an_agent_elsewhere_is_known_by_its_task() -> None:
    result = {"status": "remote_launched", "taskId": "r1"}
    done = Recorded("Agent", {"prompt": "p", "model": "opus"}, "away", result, False).finished
    assert isinstance(done, SubagentTask)
    assert done.model == "opus"
    assert done.output == SubagentOutput(status="remote_launched", agent_id="r1")
