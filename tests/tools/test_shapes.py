"""What an edited input must be for its tool."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.tools.shapes import SHAPES, misfit

BASH = {"command": "make", "timeout": 5}
EDIT = {"file_path": "/w/a", "old_string": "a", "new_string": "b"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
FIELDS = st.sampled_from(["command", "timeout", "file_path", "new_string", "edits", "x"])


@pytest.mark.parametrize(
    ("tool", "asked", "edited"),
    [
        ("Bash", BASH, {"command": "make test"}),
        ("Bash", BASH, {"command": "make", "timeout": 5.5, "run_in_background": True}),
        ("Edit", EDIT, {**EDIT, "replace_all": True}),
        ("Bash", {"command": "make", "new_field": 1}, {"command": "make it", "new_field": 2}),
        ("Grep", {"pattern": "a"}, {"pattern": "b", "-i": True, "-A": 3}),
        ("mcp__a__b", {"x": 1}, {"y": "2"}),
        ("WebSearch", {"query": "a"}, {"query": "b", "allowed_domains": ["example.org"]}),
    ],
)
def test_what_the_tool_takes_fits(tool: str, asked: Any, edited: Any) -> None:
    assert misfit(tool, asked, edited) is None


@pytest.mark.parametrize(
    ("tool", "asked", "edited", "wrong"),
    [
        ("Bash", BASH, ["make"], "an edited input is a JSON object like the one asked about, not list"),
        ("Bash", BASH, {}, "`command` is missing: Bash needs it"),
        ("Bash", BASH, {"cmd": "make"}, "`command` is missing: Bash needs it"),
        ("Bash", BASH, {**BASH, "file_path": "/w/a"}, "`file_path` is nothing that Bash takes"),
        (
            "Bash",
            {"command": "make"},
            {"command": "make", "timeout": "5"},
            "`timeout` is text, and Bash takes a number",
        ),
        ("Bash", {"command": "make"}, {"command": "make", "timeout": None}, "`timeout` is null, and Bash takes a numb"),
        ("Bash", BASH, {"command": ["make"]}, "`command` was text and would now be a list: the tool would fail"),
        ("Edit", EDIT, {"file_path": "/w/a", "content": "b"}, "`old_string` is missing: Edit needs it"),
        ("MultiEdit", {"file_path": "a", "edits": []}, {"file_path": "a", "edits": {}}, "would now be an object"),
        ("mcp__a__b", {"x": True}, {"x": 1}, "`x` was a boolean and would now be a number"),
        ("Bash", {"command": "make", "new": 1}, {"new": 1}, "`command` is missing"),
    ],
)
def test_what_the_tool_would_fail_on_is_told_by_its_field(tool: str, asked: Any, edited: Any, wrong: str) -> None:
    found = misfit(tool, asked, edited)
    assert found is not None
    assert wrong in found


def test_of_a_call_that_the_table_does_not_know_only_types_must_stay() -> None:
    """A CLI of another version, whose tool takes something else by the same name."""
    assert misfit("Bash", {"script": "make"}, {"script": "make it"}) is None
    assert misfit("Bash", {"script": "make"}, {"script": 1}) is not None


@given(
    st.sampled_from([*SHAPES, "mcp__a__b"]),
    st.dictionaries(FIELDS, JSON, max_size=3),
    JSON | st.dictionaries(FIELDS, JSON, max_size=3),
)
def test_whatever_is_given_is_judged_and_what_was_asked_about_fits(tool: str, asked: Any, edited: Any) -> None:
    assert isinstance(misfit(tool, asked, edited), str | None)
    assert misfit(tool, asked, asked) is None
