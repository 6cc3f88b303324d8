"""Changes as lines: numbers where they are known, words that differ marked, nothing hidden."""

import pytest

from bascule.payload import Hunk, Mutation
from bascule.terminal.diff import WORDS_UP_TO, decided, diff_lines, rows_of
from bascule.terminal.lines import BAD, CHIP, GOOD, QUIET, Line, Span
from tests.terminal.examples import told

HUNK = Hunk(9, 3, 9, 3, (" a", "-b = 1", "+b = 2", " c"))


def test_numbers_are_those_of_the_new_file_and_of_the_old_one_for_what_goes() -> None:
    rows = told(diff_lines(Mutation(type="patch", hunks=(HUNK,))))
    assert rows == [" 9   a", "10 - b = 1", "10 + b = 2", "11   c"]


def test_a_gap_stands_between_two_hunks() -> None:
    mutation = Mutation(type="patch", hunks=(HUNK, Hunk(50, 1, 50, 2, ("+d",))))
    assert told(diff_lines(mutation))[4:] == [" ⋮", "50 + d"]


def test_a_patch_of_unknown_place_has_no_numbers() -> None:
    assert told(diff_lines(Mutation(type="patch", diff="@@ -1 +1 @@\n-a\n+b"))) == ["- a", "+ b"]


def test_a_patch_of_known_place_has_numbers() -> None:
    mutation = Mutation(type="patch", diff="@@ -4,1 +4,1 @@\n-a\n+b\n@@ -9,1 +9,1 @@\n-c", start_line=4)
    assert told(diff_lines(mutation)) == ["4 - a", "4 + b", "⋮", "9 - c"]


def test_a_new_file_is_all_added() -> None:
    assert told(diff_lines(Mutation(type="create", content="a\nb\n"))) == ["1 + a", "2 + b"]


def test_a_file_that_goes_is_all_removed() -> None:
    assert told(diff_lines(Mutation(type="delete", old_content="a\n"))) == ["1 - a"]


def test_a_missing_newline_at_the_end_is_told() -> None:
    mutation = Mutation(type="replace", diff="-a\n\\ No newline at end of file\n+a")
    assert told(diff_lines(mutation)) == ["1 - a", "⋮ No newline at end of file", "1 + a"]


def test_words_that_differ_are_marked() -> None:
    gone, come = diff_lines(Mutation(type="patch", diff="-return a + b\n+return a - b"))
    assert gone.spans == (Span("- ", BAD), Span("return a ", BAD), Span("+", f"7;{BAD}"), Span(" b", BAD))
    assert come.spans == (Span("+ ", GOOD), Span("return a ", GOOD), Span("-", f"7;{GOOD}"), Span(" b", GOOD))


@pytest.mark.parametrize(
    "diff",
    ["-a\n+completely other words here", "-a = 1\n-b = 2\n+a = 3", f"-{'x' * WORDS_UP_TO}y\n+{'x' * WORDS_UP_TO}z"],
    ids=["unlike", "not in pairs", "long"],
)
def test_words_are_not_marked_where_that_says_nothing(diff: str) -> None:
    assert all(
        not span.style.startswith("7") for line in diff_lines(Mutation(type="patch", diff=diff)) for span in line.spans
    )


def test_a_hidden_character_is_a_chip_where_it_is_decided_over() -> None:
    mutation = Mutation(type="patch", diff="+a\u202eb")
    assert Span("U+202E", CHIP) in decided(mutation)[0].spans
    assert told(diff_lines(mutation)) == ["+ ab"]


def test_the_number_is_quiet_and_later_rows_are_set_in() -> None:
    (row,) = diff_lines(Mutation(type="create", content="a"))
    assert row == Line(spans=(Span("1 ", QUIET), Span("+ ", GOOD), Span("a", GOOD)), hang=4)


def test_nothing_to_say_is_no_line() -> None:
    assert list(rows_of(Mutation(type="rename"))) == []
