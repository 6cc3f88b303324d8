"""What of a call is edited as text."""

from typing import Any

import pytest

from bascule.tools.editing import MainText, main_text


@pytest.mark.parametrize(
    ("tool", "given", "main"),
    [
        ("Bash", {"command": "ls", "description": "x"}, ("command", "ls", ".sh")),
        ("Write", {"file_path": "/w/src/a.py", "content": "1\n"}, ("content", "1\n", ".py")),
        ("Write", {"file_path": "/w.d/Makefile", "content": ""}, ("content", "", "")),
        ("Write", {"file_path": "/w/.env", "content": ""}, ("content", "", "")),
        ("Write", {"file_path": "/w/a.b;c", "content": ""}, ("content", "", "")),
        ("Write", {"file_path": "/w/a." + "x" * 99, "content": ""}, ("content", "", "")),
        ("Write", {"content": "x"}, ("content", "x", "")),
        ("Edit", {"file_path": "a.ts", "new_string": "x"}, ("new_string", "x", ".ts")),
        ("WebFetch", {"url": "https://example.org"}, ("url", "https://example.org", ".txt")),
    ],
)
def test_the_main_text_of_a_call_and_what_an_editor_takes_it_for(tool: str, given: Any, main: Any) -> None:
    assert main_text(tool, given) == MainText(*main)


@pytest.mark.parametrize(
    ("tool", "given"), [("Bash", {"command": 1}), ("Bash", {}), ("Bash", None), ("mcp__a__b", {"command": "x"})]
)
def test_what_has_no_main_text_is_edited_whole(tool: str, given: Any) -> None:
    assert main_text(tool, given) is None
