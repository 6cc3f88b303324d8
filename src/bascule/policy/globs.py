"""Globs over names, words and paths, matched in time that no pattern can blow up.

``*``, ``?`` and ``[…]`` stay within one item (a path segment, a word); a *gap* stands for any run of items, none too.
A backslash takes the next character literally.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

ALTERNATIVES_LIMIT: Final = 256
"""Patterns that one pattern's braces may stand for."""

_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_BRACES: Final = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_WILD: Final = re.compile(r"[*?\[]")
_SPECIAL: Final = re.compile(r"([*?\[\\])")


def literal(text: str) -> str:
    """The pattern that covers ``text`` and nothing else."""
    return _SPECIAL.sub(r"\\\1", text)


def is_literal(pattern: str) -> bool:
    """Whether ``pattern`` covers one text only."""
    return not _WILD.search(_ESCAPED.sub("", pattern))


def one(pattern: str, item: str) -> bool:
    """Whether ``pattern`` covers the whole of ``item``; case counts."""
    return fnmatchcase(item, _ESCAPED.sub(_in_brackets, pattern))


def _in_brackets(escaped: re.Match[str]) -> str:
    return f"[{escaped[1]}]" if escaped[1] in "*?[" else escaped[1]


def run(patterns: Sequence[str], items: Iterable[str], *, gap: str, fits: Callable[[str, str], bool] = one) -> bool:
    """Whether ``patterns`` cover ``items`` one by one, as ``fits`` says, ``gap`` among them any number of items."""
    reached = _past_gaps(patterns, {0}, gap)
    for item in items:
        stayed = {at for at in reached if at < len(patterns) and patterns[at] == gap}
        moved = {at + 1 for at in reached - stayed if at < len(patterns) and fits(patterns[at], item)}
        reached = _past_gaps(patterns, stayed | moved, gap)
    return len(patterns) in reached


def _past_gaps(patterns: Sequence[str], reached: set[int], gap: str) -> set[int]:
    past: set[int] = set()
    for at in range(len(patterns) + 1):
        if at in reached or (at - 1 in past and patterns[at - 1] == gap):
            past.add(at)
    return past


@functools.lru_cache(maxsize=1024)
def alternatives(pattern: str) -> tuple[str, ...]:
    """What the braces of ``pattern`` stand for: ``*.{pem,key}`` is ``*.pem`` and ``*.key``.

    Raises ``ValueError`` when they are too many.
    """
    found: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(found) + len(waiting) > ALTERNATIVES_LIMIT:
            raise ValueError(f"the braces of {pattern!r} stand for more than {ALTERNATIVES_LIMIT} patterns")
        text = waiting.pop()
        braces = _BRACES.search(text)
        if braces is None:
            found.append(text)
        else:
            waiting += [text[: braces.start()] + word + text[braces.end() :] for word in braces[1].split(",")]
    return tuple(reversed(found))
