"""Diffs: from the CLI's structured patch, or, before there is one, from the passages that a call names.

Lines end at ``\\n`` only: a form feed or U+0085 within a line is text (``str.splitlines`` would break it).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from bascule.payload import Hunk
from bascule.tools.fields import Fields

_CONTEXT: Final = 3
"""Unchanged lines around a change, as in the CLI's own patches."""

_COMPARED: Final = 250_000
"""Old lines times new lines up to which they are aligned: difflib is quadratic. Above, all old goes, all new comes."""


class Change(NamedTuple):
    """A diff in each form that a payload needs."""

    hunks: tuple[Hunk, ...]
    diff: str
    """Unified, without file headers, each line ended."""
    added: int
    removed: int
    start_line: int | None
    """First changed line in the new text, from 1; null when nothing changed."""


def passages(old: str, new: str) -> Change:
    """The change from ``old`` to ``new``; line numbers count from the beginning of the passage."""
    before, after = _lines(old), _lines(new)
    return change(_hunks(before, after, _matching(before, after)))


def patched(patch: Sequence[Fields]) -> Change:
    """The change that a ``structuredPatch`` tells (17_edit_write)."""
    return change(tuple(map(_told, patch)))


def change(hunks: tuple[Hunk, ...]) -> Change:
    """``hunks`` with what follows from them."""
    signs = [line[:1] for hunk in hunks for line in hunk.lines]
    text = "".join(f"{_header(hunk)}\n" + "".join(f"{line}\n" for line in hunk.lines) for hunk in hunks)
    return Change(hunks, text, signs.count("+"), signs.count("-"), _start(hunks))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _told(hunk: Fields) -> Hunk:
    return Hunk(
        hunk.whole("oldStart") or 0,
        hunk.whole("oldLines") or 0,
        hunk.whole("newStart") or 0,
        hunk.whole("newLines") or 0,
        hunk.texts("lines"),
    )


def _header(hunk: Hunk) -> str:
    return f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"


def _start(hunks: Iterable[Hunk]) -> int | None:
    for hunk in hunks:
        at = hunk.new_start
        for line in hunk.lines:
            if line[:1] in {"+", "-"}:
                return max(at, 1)
            at += line[:1] == " "
    return None


_Opcode = tuple[str, int, int, int, int]


def _matching(before: list[str], after: list[str]) -> list[list[_Opcode]]:
    """Groups of difflib's opcodes, one group a hunk."""
    head = _shared(before, after)
    tail = min(_shared(before[::-1], after[::-1]), len(before) - head, len(after) - head)
    lead, trail = max(head - _CONTEXT, 0), max(tail - _CONTEXT, 0)
    old, new = before[lead : len(before) - trail], after[lead : len(after) - trail]
    if len(old) * len(new) <= _COMPARED:
        groups = difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT)
    else:
        groups = iter([_wholesale(len(old), len(new), head - lead, tail - trail)])
    return [[(tag, a + lead, b + lead, c + lead, d + lead) for tag, a, b, c, d in group] for group in groups]


def _wholesale(old: int, new: int, head: int, tail: int) -> list[_Opcode]:
    """All between a common head and tail replaced."""
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, old - tail, head, new - tail),
        ("equal", old - tail, old, new - tail, new),
    ]


def _shared(before: Sequence[str], after: Sequence[str]) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _hunks(before: list[str], after: list[str], groups: list[list[_Opcode]]) -> tuple[Hunk, ...]:
    hunks = []
    for group in groups:
        lines: list[str] = []
        for tag, old, old_end, new, new_end in group:
            if tag == "equal":
                lines += [f" {line}" for line in before[old:old_end]]
                continue
            lines += [f"-{line}" for line in before[old:old_end]]
            lines += [f"+{line}" for line in after[new:new_end]]
        old_count, new_count = group[-1][2] - group[0][1], group[-1][4] - group[0][3]
        # A side without lines is addressed by the line before it, as diff(1) does.
        hunks.append(
            Hunk(group[0][1] + (old_count > 0), old_count, group[0][3] + (new_count > 0), new_count, tuple(lines))
        )
    return tuple(hunks)
