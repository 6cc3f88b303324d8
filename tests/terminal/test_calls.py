"""A call as lines: its state by sign and word, its figures, and what came of it, shortened with a count."""

import pytest

from bascule.payload import (
    AskUser,
    CodeSearch,
    CreateTask,
    Generic,
    HttpRequest,
    ManageTodos,
    McpCall,
    Misc,
    ModifyFile,
    Mutation,
    Payload,
    ReadFile,
    ReadOutput,
    SearchOutput,
    ShellExec,
    ShellOutput,
    ShowPlan,
    SubagentOutput,
    SubagentTask,
)
from bascule.terminal.calls import Call, Status, ended, running, told_elsewhere
from bascule.terminal.lines import BAD, QUIET, Span
from tests.terminal.examples import EDIT, START, told


def lines(payload: Payload, status: Status = "complete", *, title: str = "a call", took_ms: int = 0) -> list[str]:
    return told(ended(Call(title=title, status=status, payload=payload, since=START), START + took_ms))


def shell(stdout: str, stderr: str = "", *, code: int | None = None, command: str = "ls") -> ShellExec:
    return ShellExec(command=command, output=ShellOutput(stdout=stdout, stderr=stderr, exit_code=code))


def test_a_command_and_what_it_printed() -> None:
    assert lines(shell("a\nb\n")) == ["✓ $ ls", "  │ a", "  │ b"]


def test_of_much_output_the_end_is_kept() -> None:
    rows = lines(shell("\n".join(map(str, range(20)))))
    assert rows[:3] == ["✓ $ ls", "  │ … 12 lines above", "  │ 12"]
    assert rows[-1] == "  │ 19"


def test_one_line_more_is_shown_rather_than_counted() -> None:
    assert len(lines(shell("\n".join(map(str, range(9)))))) == 10


def test_a_failed_command_tells_its_code() -> None:
    assert lines(shell("boom", code=2), "error", took_ms=3_000)[0] == "✗ $ ls · failed · exit 2 · 3.0 s"


def test_notes_of_the_shell_stand_below() -> None:
    assert lines(shell("out", "Shell cwd was reset"))[-1] == "  │ Shell cwd was reset"


def test_a_command_of_several_lines_says_so() -> None:
    assert lines(shell("", command="set -e\nls\nps"))[0] == "✓ $ set -e … 2 more lines"


def test_a_command_cannot_steer_the_terminal() -> None:
    assert lines(shell("\x1b[2J\x1b]0;x\x07ok", command="echo \x1b[31m")) == ["✓ $ echo", "  │ ok"]


@pytest.mark.parametrize(
    ("payload", "head"),
    [
        (ReadFile(file_path="/a", output=ReadOutput(line_count=120)), "✓ a call · 120 lines"),
        (ReadFile(file_path="/a", output=ReadOutput(media="image/png")), "✓ a call · image/png"),
        (EDIT, "✓ a call · +1 -1"),
        (CodeSearch(query="q", pattern="q", output=SearchOutput(files=("a", "b"))), "✓ a call · 2 files"),
        (
            CodeSearch(query="q", pattern="q", output=SearchOutput(file_count=9, truncated=True)),
            "✓ a call · 9 files and more",
        ),
        (CodeSearch(query="q", pattern="q", output=SearchOutput(matches=("a:1",))), "✓ a call · 1 match"),
        (HttpRequest(url="http://x", status=200, response="body"), "✓ a call · HTTP 200"),
        (HttpRequest(query="x"), "✓ a call"),
        (ShellExec(command="serve", background=True), "✓ $ serve · in the background"),
        (
            SubagentTask(description="d", prompt="p", output=SubagentOutput(status="async_launched")),
            "✓ a call · in the background",
        ),
        (McpCall(server="toy", tool="echo"), "✓ toy · echo"),
        (ShowPlan(plan="p"), "✓ Plan approved"),
        (ShowPlan(entering=True), "✓ a call"),
    ],
)
def test_figures_of_a_call(payload: Payload, head: str) -> None:
    assert lines(payload) == [head] if not isinstance(payload, ModifyFile) else lines(payload)[0] == head


def test_a_subagent_tells_its_figures_and_the_beginning_of_its_report() -> None:
    output = SubagentOutput(
        status="completed", tool_uses=3, tokens=12_000, duration_ms=14_000, text="\n".join("abcdef")
    )
    rows = lines(SubagentTask(description="d", prompt="p", output=output))
    assert rows == ["✓ a call · 3 calls · 12 k tokens · 14 s", "  │ a", "  │ b", "  │ c", "  │ d", "  │ … 2 more lines"]


@pytest.mark.parametrize(
    ("payload", "rows"),
    [
        (ReadFile(file_path="/a", output=ReadOutput(error="no such file")), ["✗ a call · failed", "  │ no such file"]),
        (
            CodeSearch(query="q", pattern="q", output=SearchOutput(error="bad pattern")),
            ["✗ a call · failed", "  │ bad pattern"],
        ),
        (ModifyFile(file_path="/a", error="not found"), ["✗ a call · failed", "  │ not found"]),
        (CreateTask(title="t", error="full"), ["✗ a call · failed", "  │ full"]),
        (ManageTodos(operation="write", error="bad"), ["✗ a call · failed", "  │ bad"]),
        (AskUser(error="no answers"), ["✗ a call · failed", "  │ no answers"]),
        (HttpRequest(url="u", status=404, response="gone"), ["✗ a call · failed · HTTP 404", "  │ gone"]),
        (Generic(name="X", output="boom"), ["✗ a call · failed", "  │ boom"]),
        (Misc(label="x", details="d"), ["✗ a call · failed", "  │ d"]),
        (SubagentTask(description="d", prompt="p"), ["✗ a call · failed"]),
    ],
)
def test_a_failure_says_why(payload: Payload, rows: list[str]) -> None:
    assert lines(payload, "error") == rows


def test_a_change_is_shown_as_a_diff() -> None:
    assert lines(EDIT)[1:] == ["    7   a = 0", "    8 - x = 1", "    8 + x = 2", "    9   b = 0"]


def test_a_long_diff_is_cut_with_a_count() -> None:
    new = Mutation(type="create", content="\n".join(map(str, range(50))))
    rows = lines(ModifyFile(file_path="/a", mutations=(new,), added=50, removed=0))
    assert len(rows) == 22
    assert rows[-1] == "    … 30 more lines"


def test_answers_are_told() -> None:
    assert lines(AskUser(answers={"Which?": "Red"}))[1] == "  │ Which? → Red"


@pytest.mark.parametrize(
    ("status", "head"),
    [("denied", "⊘ a call · denied"), ("cancelled", "■ a call · cancelled"), ("lost", "↯ a call · lost")],
)
def test_each_end_has_its_sign_and_word(status: Status, head: str) -> None:
    assert lines(Generic(name="X"), status) == [head]


def test_success_is_quiet_and_failure_red() -> None:
    def style(status: Status) -> str:
        return ended(Call(title="t", status=status, payload=Generic(name="X"), since=0), 0)[0].spans[0].style

    assert (style("complete"), style("error"), style("denied")) == (QUIET, BAD, BAD)


def test_a_running_call_is_one_row_and_tells_the_time_when_it_is_slow() -> None:
    call = Call(title="t", status="running", payload=ShellExec(command="make"), since=START)
    assert told([running(call, START + 1_000)]) == ["◌ $ make"]
    assert told([running(call, START + 12_000)]) == ["◌ $ make · 12 s"]
    assert running(call, START).fit == "clip"


@pytest.mark.parametrize(
    ("payload", "status", "elsewhere"),
    [
        (ManageTodos(operation="write"), "complete", True),
        (CreateTask(title="t"), "complete", True),
        (ManageTodos(operation="write"), "error", False),
        (Generic(name="X"), "complete", False),
    ],
)
def test_the_todo_list_is_told_by_its_own_event(payload: Payload, status: Status, elsewhere: bool) -> None:
    assert told_elsewhere(Call(title="t", status=status, payload=payload, since=0)) is elsewhere


def test_a_call_without_a_title_has_one() -> None:
    assert ended(Call(title="", status="complete", payload=Generic(name=""), since=0), 0)[0].spans[1] == Span(
        "a call", "1"
    )
