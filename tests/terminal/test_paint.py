"""Pieces become rows of a width, with colours, with weights alone, or with nothing."""

import pytest

from bascule.terminal.lines import EMPTY, YOU, Line, Piece, Prose, Span, clipped, line
from bascule.terminal.paint import Ink, painted, rows

RAIL = (Span("│ "),)


@pytest.mark.parametrize(
    ("ink", "row"),
    [("colour", "a\x1b[1;31mb\x1b[0m"), ("mono", "a\x1b[1mb\x1b[0m"), ("none", "ab")],
)
def test_each_ink(ink: Ink, row: str) -> None:
    assert painted([Span("a"), Span("b", "1;31")], ink) == row


def test_no_colour_leaves_no_sequence_where_a_style_is_colour_alone() -> None:
    assert painted([Span("b", YOU)], "mono") == "b"


def test_each_row_has_its_rail() -> None:
    text = "aaaaaaaaa bbbbbbbbb ccccccccc"
    assert rows([Line(spans=(Span(text),), rail=RAIL)], 22, "none") == ["│ aaaaaaaaa bbbbbbbbb", "│ ccccccccc"]


def test_what_stays_one_row_is_clipped() -> None:
    assert rows([clipped("x" * 40)], 20, "none") == ["x" * 19 + "…"]


def test_without_a_width_nothing_is_broken_and_markdown_stays_as_written() -> None:
    pieces: list[Piece] = [line("x" * 300), clipped("y" * 300), Prose(text="**b**\n- c", rail=RAIL), EMPTY]
    assert rows(pieces, None, "none") == ["x" * 300, "y" * 300, "│ **b**", "│ - c", ""]


def test_markdown_is_laid_out_behind_its_rail() -> None:
    assert rows([Prose(text="**b** " + "w" * 30, rail=RAIL)], 30, "none") == ["│ b", "│ " + "w" * 28, "│ ww"]


def test_a_terminal_is_never_narrower_than_it_can_be_read() -> None:
    assert rows([line("x" * 30)], 3, "none") == ["x" * 20, "x" * 10]
