"""What there is to show, as values: spans make a line, lines and prose are the pieces of a conversation.

A piece knows no width and no terminal; `paint` turns it into rows. A style is a list of SGR parameters, so that a
terminal's own sixteen colours, and with them its owner's theme, decide how it looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from bascule.terminal.clean import cells, exact

Style: TypeAlias = str

PLAIN: Final[Style] = ""
STRONG: Final[Style] = "1"
QUIET: Final[Style] = "2"
SLANT: Final[Style] = "3"
YOU: Final[Style] = "33"
"""A person must act. Nothing else is amber."""
RUN: Final[Style] = "34"
HOLD: Final[Style] = "35"
"""The service or the CLI makes us wait."""
GOOD: Final[Style] = "32"
BAD: Final[Style] = "31"
GRAVE: Final[Style] = "4;31"
"""A risky span of the thing asked for."""
CHIP: Final[Style] = "7"
"""A character that would not be seen, by its number."""


class Span(msgspec.Struct, frozen=True):
    """A stretch of text in one style. The text is harmless already and holds no newline."""

    text: str
    style: Style = PLAIN


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line, of as many rows as it needs."""

    spans: tuple[Span, ...] = ()
    rail: tuple[Span, ...] = ()
    """Stands before every row: the indentation of a subagent, of a card."""
    hang: int = 0
    """Columns by which the rows after the first are set in."""
    fit: Literal["wrap", "clip"] = "wrap"
    """What is too long goes on in the next row, or ends in `…`. Nothing that a person decides over is clipped."""

    @property
    def text(self) -> str:
        """The line without its styles."""
        return "".join(span.text for span in (*self.rail, *self.spans))


class Prose(msgspec.Struct, frozen=True, kw_only=True):
    """Markdown, harmless already."""

    text: str
    rail: tuple[Span, ...] = ()


Piece: TypeAlias = Line | Prose

Part: TypeAlias = Span | str | tuple[str, Style]
"""What a line is made of: text alone, or with its style."""

EMPTY: Final = Line()
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def spans_of(parts: Iterable[Part]) -> tuple[Span, ...]:
    """The parts as spans, without the empty ones."""
    return tuple(span for span in map(_span, parts) if span.text)


def _span(part: Part) -> Span:
    match part:
        case Span():
            return part
        case (text, style):
            return Span(text, style)
        case text:
            return Span(text)


def line(*parts: Part, hang: int = 0) -> Line:
    """A line that wraps."""
    return Line(spans=spans_of(parts), hang=hang)


def clipped(*parts: Part) -> Line:
    """A line that stays one row."""
    return Line(spans=spans_of(parts), fit="clip")


def shown(text: str, style: Style = PLAIN) -> tuple[Span, ...]:
    """One line of foreign text to be decided over, what would not be seen as chips."""
    return tuple(Span(part, CHIP if chip else style) for part, chip in exact(text))


AnyPiece = TypeVar("AnyPiece", bound=Piece)


def behind(rail: tuple[Span, ...], pieces: Iterable[AnyPiece]) -> list[AnyPiece]:
    """The pieces set behind a rail, outside of the rails they have."""
    return [msgspec.structs.replace(piece, rail=(*rail, *piece.rail)) for piece in pieces] if rail else list(pieces)


def width_of(spans: Iterable[Span]) -> int:
    """Columns that the spans take."""
    return sum(cells(span.text) for span in spans)


def wrapped(spans: Iterable[Span], width: int, hang: int = 0) -> list[tuple[Span, ...]]:
    """The spans as rows of at most `width` columns, broken between words, and within a word only if it must be.

    Blanks that do not fit at the end of a row are left out: what follows them begins the next row. A no-break space is
    part of its word. Rows after the first are set in by `hang` columns, unless that leaves too few.
    """
    hang = hang if hang < width - 8 else 0
    rows: list[list[Span]] = [[]]
    room = width
    for blank, word in _words(spans):
        if not blank and rows[-1] and width_of(word) > room:
            rows.append([])
            room = width - hang
        for char in word:
            size = cells(char.text)
            if size > room and rows[-1]:
                if blank:
                    break
                rows.append([])
                room = width - hang
            rows[-1].append(char)
            room -= size
    indent = (Span(" " * hang),) if hang else ()
    return [_joined(rows[0]), *((*indent, *_joined(row)) for row in rows[1:])]


def _words(spans: Iterable[Span]) -> Iterator[tuple[bool, list[Span]]]:
    chars = (Span(char, span.style) for span in spans for char in span.text)
    for blank, word in groupby(chars, key=lambda char: char.text.isspace() and char.text != NO_BREAK):
        yield blank, list(word)


def _joined(chars: Iterable[Span]) -> tuple[Span, ...]:
    stretches = groupby(chars, key=lambda char: char.style)
    return tuple(Span("".join(char.text for char in stretch), style) for style, stretch in stretches)


def cut(spans: Iterable[Span], width: int) -> tuple[Span, ...]:
    """The spans on one row: what is too long ends in `…`."""
    spans = tuple(spans)
    if width_of(spans) <= width:
        return spans
    kept: list[Span] = []
    room = width - 1
    for char in (Span(char, span.style) for span in spans for char in span.text):
        room -= cells(char.text)
        if room < 0:
            break
        kept.append(char)
    return (*_joined(kept), Span("…", QUIET))
