"""Pieces as rows of characters for a terminal of some width, with its colours or without.

Nothing but what is made here holds an escape sequence: the texts of spans are harmless before they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from bascule.terminal.lines import Line, Piece, Prose, Span, behind, cut, width_of, wrapped
from bascule.terminal.markdown import as_written, laid_out

Ink: TypeAlias = Literal["colour", "mono", "none"]
"""Colours and weights; weights alone (NO_COLOR); nothing."""

NARROWEST: Final = 20
"""Columns that are assumed even of a narrower terminal."""

_WEIGHTS: Final = frozenset(("1", "2", "3", "4", "7", "9"))


def painted(spans: Iterable[Span], ink: Ink) -> str:
    """One row."""
    return "".join(_painted(span, ink) for span in spans)


def _painted(span: Span, ink: Ink) -> str:
    style = _reduced(span.style, ink)
    return f"\x1b[{style}m{span.text}\x1b[0m" if style else span.text


def _reduced(style: str, ink: Ink) -> str:
    match ink:
        case "colour":
            return style
        case "mono":
            return ";".join(code for code in style.split(";") if code in _WEIGHTS)
        case "none":
            return ""


def rows(pieces: Iterable[Piece], width: int | None, ink: Ink) -> list[str]:
    """The pieces as rows of at most `width` columns; None: as long as they are, and Markdown as it was written."""
    return [painted(row, ink).rstrip(" ") for piece in pieces for row in _rows(piece, width)]


def _rows(piece: Piece, width: int | None) -> Iterator[tuple[Span, ...]]:
    match piece:
        case Prose(text=text, rail=rail):
            room = _room(width, rail)
            lines = as_written(text) if room is None else laid_out(text, room)
            for line in behind(rail, lines):
                yield from _rows(line, width)
        case Line(rail=rail, spans=spans, hang=hang, fit=fit):
            room = _room(width, rail)
            if room is None:
                yield (*rail, *spans)
            else:
                yield from (
                    (*rail, *row) for row in ([cut(spans, room)] if fit == "clip" else wrapped(spans, room, hang))
                )


def _room(width: int | None, rail: tuple[Span, ...]) -> int | None:
    return None if width is None else max(width - width_of(rail), NARROWEST)
