"""Changes to files as coloured lines with their numbers, and the words that differ marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.payload import Hunk, Mutation
from bascule.terminal.clean import plain
from bascule.terminal.lines import BAD, GOOD, PLAIN, QUIET, Line, Span, Style, shown

Sign: TypeAlias = Literal["+", "-", " ", "@"]
Show: TypeAlias = Callable[[str, Style], tuple[Span, ...]]
"""How foreign text becomes spans: to be read, or to be decided over."""

WORDS_UP_TO: Final = 400
"""Characters of a line above which its words are not compared: nobody reads them one by one."""
ALIKE: Final = 0.4
"""Share of two lines that must be the same for the rest to be worth marking."""

_HEADER: Final = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_TOKEN: Final = re.compile(r"\w+|\s+|.")
_STYLES: Final = {"+": GOOD, "-": BAD, " ": PLAIN, "@": QUIET}


class Row(NamedTuple):
    """One line of a diff. `number` is that of the new file, of the old one for what goes; None: not known."""

    sign: Sign
    number: int | None
    text: str


def read(text: str, style: Style) -> tuple[Span, ...]:
    """Foreign text to be read."""
    return (Span(plain(text).replace("\n", " "), style),)


def diff_lines(mutation: Mutation, show: Show = read) -> list[Line]:
    """The change, line by line; `⋮` stands where lines are left out between two hunks."""
    rows = list(rows_of(mutation))
    digits = max((len(str(row.number)) for row in rows if row.number is not None), default=0)
    lines: list[Line] = []
    for block in _blocks(rows):
        marked = _word_marks(block)
        lines += [_line(row, digits, marked.get(index), show) for index, row in enumerate(block)]
    return lines


def decided(mutation: Mutation) -> list[Line]:
    """The change as an ask shows it: what would not be seen stands as chips."""
    return diff_lines(mutation, shown)


def rows_of(mutation: Mutation) -> Iterator[Row]:
    """The rows of a change, from the CLI's own patch where there is one."""
    if mutation.hunks:
        yield from _hunks(mutation.hunks)
    elif mutation.type == "create" or not mutation.diff:
        signs: tuple[tuple[Sign, str | None], ...] = (("-", mutation.old_content), ("+", mutation.content))
        for sign, text in signs:
            yield from (Row(sign, number, line) for number, line in enumerate((text or "").splitlines(), 1))
    else:
        yield from _unified(mutation.diff, placed=mutation.start_line is not None or mutation.type == "replace")


def _hunks(hunks: Iterable[Hunk]) -> Iterator[Row]:
    for index, hunk in enumerate(hunks):
        if index:
            yield Row("@", None, "")
        yield from _numbered(hunk.lines, hunk.old_start, hunk.new_start)


def _unified(diff: str, *, placed: bool) -> Iterator[Row]:
    hunks: list[tuple[int, int, list[str]]] = []
    for line in diff.splitlines():
        if match := _HEADER.match(line):
            hunks.append((int(match[1]), int(match[2]), []))
        elif hunks:
            hunks[-1][2].append(line)
        else:
            hunks.append((1, 1, [line]))
    for index, (old, new, lines) in enumerate(hunks):
        if index:
            yield Row("@", None, "")
        rows = _numbered(lines, old, new)
        yield from rows if placed else (row._replace(number=None) for row in rows)


def _numbered(lines: Iterable[str], old: int, new: int) -> Iterator[Row]:
    for line in lines:
        match line[:1]:
            case "+":
                yield Row("+", new, line[1:])
                new += 1
            case "-":
                yield Row("-", old, line[1:])
                old += 1
            case "\\":  # "\ No newline at end of file"
                yield Row("@", None, line[1:].strip())
            case _:
                yield Row(" ", new, line[1:])
                old, new = old + 1, new + 1


def _blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Runs of changed rows, and of all others."""
    for _, block in groupby(rows, key=lambda row: row.sign in "+-"):
        yield list(block)


def _word_marks(block: list[Row]) -> dict[int, list[tuple[str, bool]]]:
    """For each row of a block that has a counterpart: its text in stretches, True where it differs."""
    gone = [index for index, row in enumerate(block) if row.sign == "-"]
    come = [index for index, row in enumerate(block) if row.sign == "+"]
    marks: dict[int, list[tuple[str, bool]]] = {}
    if len(gone) == len(come):
        for old, new in zip(gone, come, strict=True):
            if pair := _compared(block[old].text, block[new].text):
                marks[old], marks[new] = pair
    return marks


def _compared(old: str, new: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]] | None:
    if max(len(old), len(new)) > WORDS_UP_TO:
        return None
    left, right = _TOKEN.findall(old), _TOKEN.findall(new)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < ALIKE:
        return None
    codes = matcher.get_opcodes()
    return (
        [("".join(left[a:b]), tag != "equal") for tag, a, b, _, _ in codes if a < b],
        [("".join(right[a:b]), tag != "equal") for tag, _, _, a, b in codes if a < b],
    )


def _line(row: Row, digits: int, marked: list[tuple[str, bool]] | None, show: Show) -> Line:
    style = _STYLES[row.sign]
    number = "" if row.number is None else str(row.number)
    if row.sign == "@":
        return Line(spans=(Span(f"{'⋮':>{digits or 1}} {plain(row.text)}".rstrip(), QUIET),))
    gutter = (Span(f"{number:>{digits}} ", QUIET),) if digits else ()
    words = marked or [(row.text, False)]
    text = tuple(span for word, new in words for span in show(word, f"7;{style}" if new else style))
    return Line(spans=(*gutter, Span(f"{row.sign} ", style), *text), hang=digits + 3 if digits else 2)
