"""Where tables and keys stand in a TOML text, since ``tomllib`` tells the places of syntax errors only.

The text must be valid TOML. Then a line that begins a statement is a header or a key, and all that remains to be known
is where values end, which strings, brackets and comments say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""The way to a table or a value: ``("rule", 2, "match")``, the tables of an array by number from 0."""

_PIECE: Final = re.compile(
    r'"{3}(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|\#[^\n]*'
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<end>\n)|[^\"'\#\[\]{}\n]+",
    re.DOTALL,
)
_TOLD: Final = re.compile(r"\s*\(at line (\d+), column (\d+)\)")
"""How ``tomllib`` tells a place."""
_STATEMENT: Final = re.compile(r"[ \t]*(?P<what>(?P<header>\[{1,2}+)?+[ \t]*(?P<rest>[^\s\#][^\n]*))")
_NAME: Final = re.compile(
    r'[ \t]*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|\'(?P<raw>[^\']*)\'|(?P<bare>[\w-]+))[ \t]*(?P<dot>\.?)'
)


class Position(NamedTuple):
    """A place in a text; both count from 1, the column in characters."""

    line: int
    column: int


def positions(text: str) -> dict[Path, Position]:
    """Where each header and each key stands; keys inside of inline values are not told."""
    found: dict[Path, Position] = {}
    table: Path = ()
    tables: dict[Path, int] = {}
    for offset in _statements(text):
        statement = _STATEMENT.match(text, offset)
        if statement is None:
            continue
        path: Path = _names(statement["rest"])
        if statement["header"] == "[[":
            tables[path] = tables.get(path, -1) + 1
            path = table = (*path, tables[path])
        elif statement["header"]:
            table = path
        else:
            path = (*table, *path)
        found.setdefault(path, _position(text, statement.start("what")))
    return found


def nearest(known: Mapping[Path, Position], path: Path) -> Position:
    """The nearest place on the way to ``path`` that is known; of an array its first table."""
    ways = [*(path[:end] for end in range(len(path), 0, -1)), (path[0], 0)]
    return next((known[way] for way in ways if way in known), Position(1, 1))


def syntax_mistake(error: Exception, text: str, source: str) -> str:
    """A mistake of TOML's own with its place in ``source``; one at the end of the text is told with its last line."""
    told = _TOLD.search(str(error))
    lines = text.split("\n")
    line, column = told.groups() if told else (len(lines), len(lines[-1]) + 1)
    return f"{source}:{line}:{column}: no TOML: {_TOLD.sub('', str(error))}"


def _position(text: str, offset: int) -> Position:
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _statements(text: str) -> Iterator[int]:
    """Where each line begins that is not inside of a value."""
    yield 0
    depth = 0
    for piece in _PIECE.finditer(text):
        depth += (piece["open"] is not None) - (piece["close"] is not None)
        if piece["end"] and depth == 0:
            yield piece.end()


def _names(text: str) -> tuple[str, ...]:
    """The dotted name that ``text`` begins with; escapes in a quoted one stay as written."""
    names = []
    for name in _NAME.finditer(text):
        names.append(next(part for part in (name["quoted"], name["raw"], name["bare"]) if part is not None))
        if not name["dot"]:
            break
    return tuple(names)
