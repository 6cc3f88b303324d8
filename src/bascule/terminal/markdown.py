"""Markdown as it streams in: cut into blocks that are finished and the rest that still grows, and laid out as lines.

With the extra `term` rich lays it out, code in colour. Without it the text stands as it was written, which is what
Markdown was made for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final

from bascule.terminal.lines import EMPTY, PLAIN, Line, Span, Style

if TYPE_CHECKING:
    from rich.segment import Segment
    from rich.style import Style as RichStyle

CODE_THEME: Final = "ansi_dark"
"""Only the terminal's own sixteen colours, so that it reads on light and dark ground."""

_AMBER: Final = {"33": "32", "93": "92"}

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_SETS_IN: Final = re.compile(r"\s+\S|[-*+] |\d+[.)] ")


def split(text: str) -> tuple[str, str]:
    """What is finished of a text that still grows, and the rest.

    A block ends at a blank line outside of a code fence, once it is clear that what follows is not part of it: an item
    of a list, or lines set in, may go on with the block before.
    """
    end = 0
    fence: str | None = None
    at = 0
    blank_before = False
    for row in text.splitlines(keepends=True):
        if blank_before and fence is None and row.strip() and not _SETS_IN.match(row):
            end = at
        fence = _fence_after(fence, row)
        blank_before = not row.strip()
        at += len(row)
    return text[:end], text[end:]


def _fence_after(fence: str | None, row: str) -> str | None:
    match = _FENCE.match(row)
    if match is None:
        return fence
    if fence is None:
        return match[1]
    closes = match[1].startswith(fence) and not row.strip().strip(fence[0])
    return None if closes else fence


def as_written(text: str) -> list[Line]:
    """The text as it was written."""
    return [Line(spans=(Span(row),) if row else ()) for row in text.strip("\n").split("\n")]


@lru_cache(maxsize=64)
def laid_out(text: str, width: int) -> tuple[Line, ...]:
    """The text laid out for `width` columns, by rich where it is installed."""
    if not text.strip():
        return ()
    lines = list(_by_rich(text, max(width, 8))) if find_spec("rich") else as_written(text)
    while lines and not lines[-1].spans:
        lines.pop()
    return tuple(lines)


def _by_rich(text: str, width: int) -> Iterator[Line]:
    from rich.console import Console
    from rich.markdown import Heading, Markdown, MarkdownElement
    from rich.text import Text

    class LeftHeading(Heading):
        """A heading as a line of its own, without a frame."""

        def __rich_console__(self, console: Console, options: object) -> Iterator[Text]:
            self.text.justify = "left"
            self.text.stylize("bold")
            yield self.text

    class Document(Markdown):
        elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "heading_open": LeftHeading}

    console = Console(width=width, color_system="standard", force_terminal=True, legacy_windows=False)
    document = Document(text, code_theme=CODE_THEME, inline_code_theme=CODE_THEME, hyperlinks=False)
    rows = [_line(row) for row in console.render_lines(document, pad=False)]
    for before, row in pairwise([EMPTY, *rows]):
        if before.spans or row.spans:  # a code block brings blank rows of its own
            yield row


def _line(row: list[Segment]) -> Line:
    spans = [Span(segment.text, _style(segment.style)) for segment in row if segment.text and not segment.control]
    while spans and not spans[-1].text.strip():
        spans.pop()
    if spans:
        spans[-1] = Span(spans[-1].text.rstrip(), spans[-1].style)
    return Line(spans=tuple(spans))


def _style(style: RichStyle | None) -> Style:
    """SGR parameters of a rich style. A background would fight with the terminal's own; amber is ours."""
    if style is None:
        return PLAIN
    codes = ((style.bold, "1"), (style.dim, "2"), (style.italic, "3"), (style.underline, "4"), (style.strike, "9"))
    colour = style.color.get_ansi_codes(foreground=True) if style.color and not style.color.is_default else ()
    return ";".join([*(code for on, code in codes if on), *(_AMBER.get(code, code) for code in colour)])
