"""Diffs of passages and of structured patches."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.payload import Hunk
from bascule.tools.diff import Change, passages, patched
from bascule.tools.fields import Fields


def applied(old: str, change: Change) -> list[str]:
    """The lines of ``old`` with the hunks applied, as patch(1) would."""
    lines, done = old.split("\n"), []
    lines = lines if lines[-1] else lines[:-1]
    at = 0
    for hunk in change.hunks:
        start = hunk.old_start - (hunk.old_lines > 0)
        done += lines[at:start]
        assert [line[1:] for line in hunk.lines if line[0] in " -"] == lines[start : start + hunk.old_lines]
        done += [line[1:] for line in hunk.lines if line[0] in " +"]
        at = start + hunk.old_lines
    return done + lines[at:]


def test_equal_passages_differ_in_nothing() -> None:
    assert passages("a\nb\n", "a\nb\n") == Change((), "", 0, 0, None)
    assert passages("", "") == Change((), "", 0, 0, None)


def test_a_change_stands_in_three_lines_of_context() -> None:
    old = "".join(f"{number}\n" for number in range(1, 10))
    change = passages(old, old.replace("5\n", "five\n"))
    assert change.diff == "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    assert (change.added, change.removed, change.start_line) == (1, 1, 5)


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    old = "".join(f"{number}\n" for number in range(40))
    change = passages(old, old.replace("\n3\n", "\n").replace("\n30\n", "\nx\ny\n"))
    assert [(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) for hunk in change.hunks] == [
        (1, 7, 1, 6),
        (28, 7, 27, 8),
    ]


def test_a_side_without_lines_is_addressed_as_diff_does() -> None:
    assert passages("", "a\n").diff == "@@ -0,0 +1,1 @@\n+a\n"
    assert passages("a\n", "").diff == "@@ -1,1 +0,0 @@\n-a\n"


def test_only_newlines_end_lines() -> None:
    assert passages("a\x0cb\x85c\u2028d", "").removed == 1


def test_texts_without_likeness_are_not_aligned_line_by_line() -> None:
    old = "".join(f"old {number}\n" for number in range(5000))
    new = "".join(f"new {number}\n" for number in range(5000))
    began = time.perf_counter()
    change = passages(f"same\n{old}end\n", f"same\n{new}end\n")
    assert time.perf_counter() - began < 1
    assert (change.added, change.removed, change.start_line) == (5000, 5000, 2)
    (hunk,) = change.hunks
    assert hunk.lines[0] == " same"
    assert hunk.lines[-1] == " end"


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "{"]), max_size=30).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(LINES, LINES)
def test_applying_the_hunks_gives_the_new_text(old: str, new: str) -> None:
    change = passages(old, new)
    assert "".join(f"{line}\n" for line in applied(old, change)) == new
    assert new.count("\n") - old.count("\n") == change.added - change.removed


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        ((" a", "-b"), 8),
        (("+a",), 7),
        ((" a", "\\ No newline at end of file", "+b"), 8),
        ((" a",), None),
    ],
)
def test_the_first_changed_line_is_counted_in_the_new_text(lines: tuple[str, ...], start: int | None) -> None:
    patch = Fields({"oldStart": 3, "oldLines": 1, "newStart": 7, "newLines": 1, "lines": list(lines)})
    change = patched([patch])
    assert change.hunks == (Hunk(3, 1, 7, 1, lines),)
    assert change.start_line == start


def test_a_file_that_becomes_empty_changes_at_its_first_line() -> None:
    patch = Fields({"oldStart": 1, "oldLines": 1, "newStart": 0, "newLines": 0, "lines": ["-a"]})
    assert patched([patch]).start_line == 1
