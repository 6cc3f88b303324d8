"""A line, or several, being written: a value that a key turns into the next one.

It knows words, lines and its history, not the screen's width: `laid_out` says how it stands on so many columns. What
Enter means is decided by whoever holds the editor.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import msgspec

from bascule.terminal.clean import cells, plain
from bascule.terminal.keys import Key

_WORD_BEFORE: Final = re.compile(r"\S*\s*$")
_WORD_AFTER: Final = re.compile(r"\s*\S*")


class Editor(msgspec.Struct, frozen=True, kw_only=True):
    """The text and where the next character goes."""

    text: str = ""
    cursor: int = 0
    history: tuple[str, ...] = ()
    """What was written before, the oldest first."""
    at: int | None = None
    """Which of the history is shown; None: the draft."""
    draft: str = ""
    """What stood here before the history was looked into."""

    def press(self, key: Key) -> Editor:
        """The editor after `key`; the same for a key that means nothing here."""
        match key.name:
            case "char" | "paste":
                return self.insert(plain(key.text))
            case "newline":
                return self.insert("\n")
            case name if action := _MOVES.get(name):
                return self._at(action(self))
            case name if action := _CUTS.get(name):
                return self._without(*sorted((self.cursor, action(self))))
            case "ctrl-t":
                return self._swapped()
            case "up" | "ctrl-p":
                return self._line_up() or self._recall(-1)
            case "down" | "ctrl-n":
                return self._line_down() or self._recall(+1)
        return self

    def insert(self, text: str) -> Editor:
        """With `text` at the cursor."""
        return self._with(self.text[: self.cursor] + text + self.text[self.cursor :], self.cursor + len(text))

    def _with(self, text: str, cursor: int) -> Editor:
        return msgspec.structs.replace(self, text=text, cursor=cursor, at=None)

    def _at(self, cursor: int) -> Editor:
        return msgspec.structs.replace(self, cursor=min(max(cursor, 0), len(self.text)))

    def _without(self, start: int, end: int) -> Editor:
        return self._with(self.text[:start] + self.text[end:], start)

    def _swapped(self) -> Editor:
        if self.cursor == 0 or len(self.text) < 2:
            return self
        at = min(self.cursor, len(self.text) - 1)
        text = self.text
        return self._with(text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :], at + 1)

    def _line_up(self) -> Editor | None:
        start = _line_start(self)
        if start == 0:
            return None
        before = self.text.rfind("\n", 0, start - 1) + 1
        return self._at(min(before + self.cursor - start, start - 1))

    def _line_down(self) -> Editor | None:
        end = _line_end(self)
        if end == len(self.text):
            return None
        after = self.text.find("\n", end + 1)
        return self._at(min(end + 1 + self.cursor - _line_start(self), after if after >= 0 else len(self.text)))

    def _recall(self, step: int) -> Editor:
        at = (len(self.history) if self.at is None else self.at) + step
        if not 0 <= at <= len(self.history) or (self.at is None and step > 0):
            return self
        draft = self.text if self.at is None else self.draft
        text = draft if at == len(self.history) else self.history[at]
        shown = None if at == len(self.history) else at
        return msgspec.structs.replace(self, text=text, cursor=len(text), at=shown, draft=draft)


def _line_start(editor: Editor) -> int:
    return editor.text.rfind("\n", 0, editor.cursor) + 1


def _line_end(editor: Editor) -> int:
    end = editor.text.find("\n", editor.cursor)
    return end if end >= 0 else len(editor.text)


def _word_before(editor: Editor) -> int:
    match = _WORD_BEFORE.search(editor.text[: editor.cursor])
    return match.start() if match else 0


def _word_after(editor: Editor) -> int:
    match = _WORD_AFTER.match(editor.text, editor.cursor)
    return match.end() if match else editor.cursor


_MOVES: Final = {
    "left": lambda editor: editor.cursor - 1,
    "right": lambda editor: editor.cursor + 1,
    "ctrl-b": lambda editor: editor.cursor - 1,
    "ctrl-f": lambda editor: editor.cursor + 1,
    "home": _line_start,
    "ctrl-a": _line_start,
    "end": _line_end,
    "ctrl-e": _line_end,
    "alt-b": _word_before,
    "ctrl-left": _word_before,
    "alt-left": _word_before,
    "alt-f": _word_after,
    "ctrl-right": _word_after,
    "alt-right": _word_after,
}
"""Keys that move: where to."""

_CUTS: Final = {
    "backspace": lambda editor: max(editor.cursor - 1, 0),
    "delete": lambda editor: editor.cursor + 1,
    "ctrl-w": _word_before,
    "alt-backspace": _word_before,
    "alt-d": _word_after,
    "ctrl-u": _line_start,
    "ctrl-k": _line_end,
}
"""Keys that take away: what lies between the cursor and there."""


class Layout(NamedTuple):
    """How a text stands on the screen."""

    rows: list[str]
    row: int
    """Of the cursor, from 0."""
    column: int


def laid_out(editor: Editor, width: int) -> Layout:
    """The text on rows of at most `width` columns, broken wherever the edge is, and the cursor among them."""
    rows = [""]
    row = column = 0
    room = width
    for index, char in enumerate(f"{editor.text} "):
        size = 0 if char == "\n" else cells(char)
        if size > room or (index == editor.cursor and room < 1):
            rows.append("")
            room = width
        if index == editor.cursor:
            row, column = len(rows) - 1, width - room
        if char == "\n":
            rows.append("")
            room = width
        elif index < len(editor.text):
            rows[-1] += char
            room -= size
    return Layout(rows, row, column)
