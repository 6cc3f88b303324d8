"""What a payload does not tell of its call, for a card that must show it all."""

from typing import Any

import pytest

from bascule.payload import Cut, ShellExec
from bascule.tools.describe import describe
from bascule.tools.untold import untold


@pytest.mark.parametrize(
    ("name", "tool_input", "left"),
    [
        ("Bash", {"command": "ls", "description": "d", "timeout": 5, "run_in_background": False}, {}),
        ("Bash", {"command": "ls", "timeout": "soon"}, {"timeout": "soon"}),
        ("Bash", {"command": "ls", "dangerouslyDisableSandbox": True}, {"dangerouslyDisableSandbox": True}),
        ("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": True}, {}),
        (
            "Edit",
            {"file_path": "/a", "old_string": "", "new_string": "y", "replace_all": "yes"},
            {"replace_all": "yes"},
        ),
        ("Write", {"file_path": "/a", "content": "x", "mode": "0777"}, {"mode": "0777"}),
        ("MultiEdit", {"file_path": "/a", "edits": [{"old_string": "x", "new_string": "y"}]}, {}),
        ("MultiEdit", {"file_path": "/a", "edits": "all"}, {"edits": "all"}),
        ("NotebookEdit", {"notebook_path": "/a", "new_source": "x", "cell_id": "c"}, {"cell_id": "c"}),
        ("Read", {"file_path": "/a", "offset": 1, "limit": 2}, {"offset": 1, "limit": 2}),
        ("WebFetch", {"url": "https://a.org", "prompt": "x"}, {"prompt": "x"}),
        ("Agent", {"prompt": "p", "isolation": "worktree"}, {"isolation": "worktree"}),
        ("Grep", {"pattern": "x"}, {"pattern": "x"}),
        ("Bash", ["ls"], {}),
    ],
)
def test_the_fields_that_are_left(name: str, tool_input: Any, left: dict[str, Any]) -> None:
    assert untold(describe(name, tool_input), tool_input) == left


def test_what_was_cut_is_told_as_cut() -> None:
    long = "x" * 200_000
    assert untold(ShellExec(command="x…", cuts=(Cut("command", 200_000, 1),)), {"command": long}) == {}
    given = {"file_path": "/a", "content": long, "more": 1}
    assert untold(describe("Write", given), given) == {"more": 1}
