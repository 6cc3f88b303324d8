"""Spans are wrapped and cut by columns, without losing a character that is seen."""

from hypothesis import given
from hypothesis import strategies as st

from bascule.terminal.clean import cells
from bascule.terminal.lines import (
    CHIP,
    NO_BREAK,
    QUIET,
    STRONG,
    Line,
    Piece,
    Prose,
    Span,
    behind,
    clipped,
    cut,
    line,
    shown,
    width_of,
    wrapped,
)

WORDS = st.text(st.sampled_from("ab \u00e9日e\u0301"), max_size=60)


def texts(rows: list[tuple[Span, ...]]) -> list[str]:
    return ["".join(span.text for span in row) for row in rows]


def test_a_line_is_made_of_parts_and_drops_empty_ones() -> None:
    assert line("a", ("b", STRONG), ("", QUIET), Span("c")).spans == (Span("a"), Span("b", STRONG), Span("c"))
    assert clipped("a").fit == "clip"
    assert line("a", Span("b")).text == "ab"


def test_words_go_to_the_next_row_whole() -> None:
    assert texts(wrapped([Span("git push --force origin")], 12)) == ["git push ", "--force ", "origin"]


def test_later_rows_are_set_in() -> None:
    assert texts(wrapped([Span("aaaa bbbb cccc dddd")], 12, hang=3)) == ["aaaa bbbb ", "   cccc dddd"]


def test_a_hang_that_leaves_no_room_is_left_out() -> None:
    assert texts(wrapped([Span("aaaa bbbb")], 5, hang=4)) == ["aaaa ", "bbbb"]


def test_a_word_longer_than_a_row_is_broken() -> None:
    assert texts(wrapped([Span("x" * 25)], 10)) == ["x" * 10, "x" * 10, "x" * 5]


def test_a_no_break_space_keeps_words_together() -> None:
    assert texts(wrapped([Span(f"yes y{NO_BREAK}allow")], 8)) == ["yes ", f"y{NO_BREAK}allow"]


def test_styles_survive_a_break() -> None:
    rows = wrapped([Span("aa "), Span("bbbb", STRONG)], 4)
    assert rows == [(Span("aa "),), (Span("bbbb", STRONG),)]


def test_nothing_is_one_empty_row() -> None:
    assert wrapped([], 10) == [()]


@given(WORDS, st.integers(2, 30), st.integers(0, 12))
def test_no_row_is_too_wide_and_no_seen_character_is_lost(text: str, width: int, hang: int) -> None:
    rows = texts(wrapped([Span(text)], width, hang))
    assert all(cells(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


@given(WORDS, st.integers(1, 30))
def test_what_is_cut_fits_and_says_so(text: str, width: int) -> None:
    row = cut([Span(text)], width)
    assert width_of(row) <= width
    if cells(text) > width:
        assert row[-1] == Span("…", QUIET)
    else:
        assert "".join(span.text for span in row) == text


def test_a_rail_stands_outside_of_the_rails_there_are() -> None:
    inner = Line(rail=(Span("b"),))
    pieces: list[Piece] = [inner, Prose(text="p")]
    assert behind((Span("a"),), pieces) == [
        Line(rail=(Span("a"), Span("b"))),
        Prose(text="p", rail=(Span("a"),)),
    ]
    assert behind((), [inner]) == [inner]


def test_a_hidden_character_has_the_style_of_a_chip() -> None:
    assert shown("a\u202eb", STRONG) == (Span("a", STRONG), Span("U+202E", CHIP), Span("b", STRONG))
