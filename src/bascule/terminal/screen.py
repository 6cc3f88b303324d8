"""The lower edge of a terminal: what is said scrolls up above it, what may change is drawn anew in place.

A frame is one write between the marks of a synchronised update, so that a terminal that knows them never shows half of
one. Rows stop one column short of the edge: no terminal then disagrees about where the cursor is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol, TextIO

from bascule.terminal.clean import cells
from bascule.terminal.editor import Editor, laid_out
from bascule.terminal.foot import Foot
from bascule.terminal.lines import QUIET, Piece, Span, cut, width_of
from bascule.terminal.paint import NARROWEST, Ink, painted, rows

_BEGIN: Final = "\x1b[?2026h\x1b[?25l"
_END: Final = "\x1b[?2026l"
_SHOW_CURSOR: Final = "\x1b[?25h"
_REPORTS_ON: Final = "\x1b[?2004h\x1b[?1004h"
"""Bracketed paste and reports of the focus."""
_REPORTS_OFF: Final = "\x1b[?2004l\x1b[?1004l"


class Screen(Protocol):
    """Where pieces are shown."""

    def say(self, pieces: Iterable[Piece]) -> None:
        """Show these for good."""
        ...

    def face(self, moving: Sequence[Piece], foot: Foot) -> None:
        """Show this below, in place of what stood there; a screen that cannot leaves it out."""
        ...


class PlainScreen:
    """Lines, one after the other: a file, a pipe, a log; of a terminal's width where it is one."""

    def __init__(self, out: TextIO, ink: Ink = "none", width: int | None = None) -> None:
        self._out = out
        self._ink = ink
        self._width = width

    def say(self, pieces: Iterable[Piece]) -> None:
        """Written and flushed. Raises `BrokenPipeError` when nobody reads any more."""
        self._out.write("".join(f"{row}\n" for row in rows(pieces, self._width, self._ink)))
        self._out.flush()

    def face(self, moving: Sequence[Piece], foot: Foot) -> None:
        """Nothing: what may change is no line of a log."""


class LiveScreen:
    """A terminal that can move its cursor."""

    def __init__(self, out: TextIO, ink: Ink, size: Callable[[], os.terminal_size] = shutil.get_terminal_size) -> None:
        self._out = out
        self._ink = ink
        self._size = size
        self._pending: list[Piece] = []
        self._drawn: list[str] = []
        self._row = 0
        """Row of the cursor among the drawn ones."""
        self._cursor: tuple[int, int] | None = None

    def open(self) -> None:
        """Ask for the reports that the keyboard understands."""
        self._write(_REPORTS_ON)

    def say(self, pieces: Iterable[Piece]) -> None:
        """Shown with the next frame, above what may change."""
        self._pending += pieces

    def face(self, moving: Sequence[Piece], foot: Foot) -> None:
        """Draw a frame, if it differs from the last one."""
        columns, lines = self._size()
        width = max(columns - 1, NARROWEST)
        below, cursor = _foot_rows(foot, width, self._ink)
        above = rows(moving, width, self._ink)
        under = (cursor[0] + len(above), cursor[1]) if cursor else None
        self._draw(*_window([*above, *below], under, max(lines - 1, 1)), width)

    def _draw(self, drawn: list[str], cursor: tuple[int, int] | None, width: int) -> None:
        if not self._pending and (drawn, cursor) == (self._drawn, self._cursor):
            return
        said, self._pending = rows(self._pending, width, self._ink), []
        frame = [_BEGIN, self._to_top(), *(f"\x1b[K{row}\r\n" for row in said)]
        frame.append("\r\n".join(f"\x1b[K{row}" for row in drawn))
        frame.append("\x1b[J")
        self._drawn, self._cursor, self._row = drawn, cursor, max(len(drawn) - 1, 0)
        if cursor is not None:
            frame.append(_to(self._row - cursor[0], cursor[1]))
            self._row = cursor[0]
        self._write("".join([*frame, _END, _SHOW_CURSOR if cursor else ""]))

    def _to_top(self) -> str:
        """From the cursor to the first drawn row; a row that a narrower window folded counts as often as it folds."""
        columns = max(self._size().columns, 1)
        folded = sum(max(0, _columns(row) - 1) // columns for row in self._drawn[: self._row])
        column = self._cursor[1] if self._cursor else max(0, _columns(self._drawn[-1]) - 1) if self._drawn else 0
        folded += column // columns
        up = self._row + folded
        return "\r" + (f"\x1b[{up}A" if up else "")

    def clear(self) -> None:
        """Take away what may change, and leave the cursor where it stood: for another program, or the end."""
        self._draw_pending()
        self._write(f"{self._to_top()}\x1b[J{_SHOW_CURSOR}")
        self._drawn, self._cursor, self._row = [], None, 0

    def _draw_pending(self) -> None:
        if self._pending:
            self._draw(self._drawn, self._cursor, max(self._size().columns - 1, NARROWEST))

    def close(self) -> None:
        """Leave the terminal as it was."""
        self.clear()
        self._write(_REPORTS_OFF)

    def notify(self, text: str, environ: Mapping[str, str]) -> None:
        """Ring, and tell the desktop where the terminal can."""
        self._write(notification(text, environ))

    def _write(self, text: str) -> None:
        with suppress(OSError):  # EIO: the terminal hung up, which its keyboard tells
            self._out.write(text)
            self._out.flush()


def _window(drawn: list[str], cursor: tuple[int, int] | None, height: int) -> tuple[list[str], tuple[int, int] | None]:
    """The rows that fit: the last ones, or those from the cursor on where it stands above them."""
    start = max(len(drawn) - height, 0)
    if cursor is None:
        return drawn[start:], None
    start = min(start, cursor[0])
    return drawn[start : start + height], (cursor[0] - start, cursor[1])


def _to(up: int, column: int) -> str:
    return "\r" + (f"\x1b[{up}A" if up else "") + (f"\x1b[{column}C" if column else "")


def _columns(row: str) -> int:
    return cells(_without_styles(row))


def _without_styles(row: str) -> str:
    return "".join(part.partition("m")[2] if index else part for index, part in enumerate(row.split("\x1b[")))


def _foot_rows(foot: Foot, width: int, ink: Ink) -> tuple[list[str], tuple[int, int] | None]:
    above = rows(foot.lines, width, ink)
    if foot.editor is None:
        return above, None
    written, (row, column) = _written(foot.editor, foot.label, width, ink)
    if foot.ghost:
        room = max(width - width_of(foot.label), NARROWEST)
        written[0] += painted(cut([Span(foot.ghost, QUIET)], room), ink)
    return [*above, *written], (len(above) + row, column)


def _written(editor: Editor, label: tuple[Span, ...], width: int, ink: Ink) -> tuple[list[str], tuple[int, int]]:
    indent = width_of(label)
    layout = laid_out(editor, max(width - indent, NARROWEST))
    first = painted(label, ink)
    shown = [f"{' ' * indent if number else first}{row}" for number, row in enumerate(layout.rows)]
    return shown, (layout.row, indent + layout.column)


def notification(text: str, environ: Mapping[str, str]) -> str:
    """A bell, and the sequence by which this terminal tells its desktop, where one is known. `text` is harmless."""
    program, term = environ.get("TERM_PROGRAM", "").lower(), environ.get("TERM", "")
    if program in ("iterm.app", "wezterm", "ghostty") or "kitty" in term:
        return f"\x1b]9;{text}\x1b\\\a"
    if program == "vscode" or environ.get("VTE_VERSION") or term.startswith(("foot", "rxvt")):
        return f"\x1b]777;notify;bascule;{text.replace(';', ',')}\x1b\\\a"
    return "\a"


def ink_for(out: TextIO, environ: Mapping[str, str]) -> Ink:
    """What a stream can show: nothing unless it is a terminal, no colour where NO_COLOR is set (no-color.org)."""
    if not out.isatty() or environ.get("TERM") == "dumb":
        return "none"
    return "mono" if environ.get("NO_COLOR") else "colour"


def is_live(keys: TextIO, out: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a person can be asked here: both ends are a terminal that can move its cursor."""
    return keys.isatty() and out.isatty() and environ.get("TERM", "dumb") != "dumb"
