"""Rows of words for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bascule.terminal.clean import plain


def rows(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Each row in a line, its columns under each other; the last one is as long as it is."""
    shown = [[" ".join(plain(cell).split()) for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)][:-1]
    for *first, last in shown:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(first, widths, strict=True)), last]).rstrip()
