"""Titles: one line for people."""

from typing import Any

import pytest

from bascule.tools import title
from bascule.tools.titles import TITLE_LIMIT

CWD = "/home/dev/project"


@pytest.mark.parametrize(
    ("name", "tool_input", "expected"),
    [
        ("Read", {"file_path": "/home/dev/project/src/app.py"}, "Read src/app.py"),
        ("Read", {"file_path": "/home/dev/project"}, "Read ."),
        ("Read", {"file_path": "/home/dev/projects/a"}, "Read /home/dev/projects/a"),
        ("Edit", {"file_path": "/home/dev/project/a", "old_string": "x"}, "Edit a"),
        ("Write", {"file_path": "/home/dev/project/a"}, "Write a"),
        ("NotebookEdit", {"notebook_path": "/etc/n.ipynb"}, "Edit /etc/n.ipynb"),
        ("Bash", {"command": "  git  status\n"}, "git status"),
        ("Bash", {"command": "cat <<EOF\nx\nEOF"}, "cat <<EOF …"),
        ("Bash", {}, "Bash"),
        ("Bash", {"command": "git \ud83d"}, "git \ufffd"),
        ("BashOutput", {"bash_id": "b1"}, "Output of b1"),
        ("KillShell", {"shell_id": "b1"}, "Stop b1"),
        ("TaskStop", {"task_id": "b1"}, "Stop task"),
        ("Glob", {"pattern": "*.py"}, 'Search "*.py"'),
        ("Grep", {"pattern": "foo", "path": "/home/dev/project/src"}, 'Search "foo" in src'),
        ("WebFetch", {"url": "https://example.com/x/?q=1#top"}, "Fetch example.com/x"),
        ("WebFetch", {"url": "odd"}, "Fetch odd"),
        ("WebSearch", {"query": "bridges"}, 'Search the web for "bridges"'),
        ("Agent", {"description": "Look around"}, "Agent: Look around"),
        ("Task", {}, "Agent"),
        ("TaskCreate", {"subject": "Fix"}, "New task: Fix"),
        ("TodoWrite", {"todos": []}, "Update to-do list"),
        ("TaskUpdate", {"taskId": "1"}, "Update task"),
        ("TaskList", {}, "List tasks"),
        ("TaskGet", {}, "Read task"),
        ("ExitPlanMode", {"plan": "x"}, "Plan"),
        ("EnterPlanMode", {}, "Enter plan mode"),
        ("AskUserQuestion", {"questions": [{"question": "Q?", "header": "H"}]}, "Ask: H"),
        ("AskUserQuestion", {"questions": [{"question": "Q?"}]}, "Ask: Q?"),
        ("AskUserQuestion", {}, "Ask"),
        ("mcp__git__log", {}, "git: log"),
        ("ToolSearch", {"query": "pdf"}, "ToolSearch: pdf"),
        ("ToolSearch", {}, "ToolSearch"),
        ("CronCreate", {}, "CronCreate"),
        ("", {}, "Tool"),
    ],
)
def test_titles_are_short_and_human(name: str, tool_input: Any, expected: str) -> None:
    assert title(name, tool_input, CWD) == expected


def test_long_titles_are_cut_at_their_end_and_long_paths_at_their_beginning() -> None:
    command = title("Bash", {"command": "echo " + "x" * 500}, CWD)
    assert command == "echo " + "x" * (TITLE_LIMIT - 6) + "…"
    path = title("Read", {"file_path": "/home/dev/" + "deep/" * 40 + "app.py"}, CWD)
    assert len(path) < TITLE_LIMIT
    assert path.startswith("Read …")
    assert path.endswith("/deep/app.py")


def test_without_a_folder_paths_stay_whole() -> None:
    assert title("Read", {"file_path": "/a/b"}, None) == "Read /a/b"
