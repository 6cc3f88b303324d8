"""A terminal as a double: what a person sees after some output, for the sequences that bascule writes.

Anything else it is sent fails the test, so that no sequence slips in that was not thought about.
"""

from __future__ import annotations

import io
import os
import re

from bascule.terminal.clean import cells

_SEQUENCE = re.compile(r"\x1b\[(\?)?([\d;]*)([A-Za-z])|\x1b\][^\x1b]*\x1b\\")


class Terminal(io.StringIO):
    """A text stream that is a terminal of `columns` by `lines`."""

    def __init__(self, columns: int = 80, lines: int = 24, *, folds: bool = False) -> None:
        """`folds`: what runs over the edge goes on in the next row; else it fails the test."""
        super().__init__()
        self._folds = folds
        self.columns = columns
        self.lines = lines
        self.rows: list[list[str]] = [[]]
        """Everything since the start; the last `lines` of them are on the screen."""
        self.row = self.column = 0
        self.modes: set[str] = set()
        self.rung = 0
        self.notices: list[str] = []
        self.frames = 0

    def size(self) -> os.terminal_size:
        return os.terminal_size((self.columns, self.lines))

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.frames += 1
        at = 0
        while at < len(text):
            match = _SEQUENCE.match(text, at)
            if match:
                self._obey(match)
                at = match.end()
            else:
                self._put(text[at])
                at += 1
        return len(text)

    def seen(self) -> list[str]:
        """The rows as they are read, without blanks at their ends and without empty ones at the bottom."""
        rows = ["".join(row).replace("\N{NO-BREAK SPACE}", " ").rstrip() for row in self.rows]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def cursor(self) -> tuple[str, int]:
        """The row that the cursor stands in, and its column."""
        return "".join(self.rows[self.row]).rstrip(), self.column

    @property
    def top(self) -> int:
        """The first row that is on the screen; what is above cannot be reached any more."""
        return max(len(self.rows) - self.lines, 0)

    def resize(self, columns: int) -> None:
        """A narrower window folds the rows that are too long, as most terminals do."""
        rows: list[list[str]] = []
        cursor = 0
        for number, row in enumerate(self.rows):
            text = "".join(row).rstrip()
            folded = [list(text[at : at + columns]) for at in range(0, max(len(text), 1), columns)]
            if number == self.row:
                cursor = len(rows) + min(self.column // columns, len(folded) - 1)
            rows += folded
        self.columns, self.rows, self.row = columns, rows, cursor
        self.column = min(self.column % columns, columns - 1)

    def _put(self, char: str) -> None:
        match char:
            case "\r":
                self.column = 0
            case "\n":
                self.row += 1
                if self.row == len(self.rows):
                    self.rows.append([])
            case "\a":
                self.rung += 1
            case _:
                assert char >= " ", f"a control character reached the terminal: {char!r}"
                self._print(char)

    def _print(self, char: str) -> None:
        size = cells(char)
        if self.column + size > self.columns:
            assert self._folds, "a row ran over the edge"
            self._put("\r")
            self._put("\n")
        row = self.rows[self.row]
        row += [" "] * (self.column - len(row))
        row[self.column : self.column + size] = [char, *([""] * (size - 1))]
        self.column += size

    def _obey(self, match: re.Match[str]) -> None:
        private, numbers, final = match[1], match[2], match[3]
        if final is None:
            self.notices.append(match[0][2:-2])
        elif private:
            assert final in "hl", match[0]
            (self.modes.add if final == "h" else self.modes.discard)(numbers)
        else:
            self._move(final, int(numbers or 1) if numbers.isdigit() or not numbers else 0)

    def _move(self, final: str, count: int) -> None:
        match final:
            case "m":
                return
            case "A":
                self.row -= count
                assert self.row >= self.top, "the cursor left the screen"
            case "C":
                self.column += count
            case "K":
                del self.rows[self.row][self.column :]
            case "J":
                del self.rows[self.row][self.column :]
                del self.rows[self.row + 1 :]
            case _:
                raise AssertionError(f"a sequence nobody thought of: {final}")
