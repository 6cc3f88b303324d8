"""Globs over names, words and paths, matched in time that no pattern can blow up.

``*``, ``?`` and ``[…]`` stay within one item (a path segment, a word); a *gap* stands for any run of items, none too.
A backslash takes the next character literally.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from fnmatch import translate
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
    return _compiled(pattern).match(item) is not None


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    """``translate`` makes expressions that do not backtrack over a star."""
    return re.compile(translate(_ESCAPED.sub(_in_brackets, pattern)))


def _in_brackets(escaped: re.Match[str]) -> str:
    return f"[{escaped[1]}]" if escaped[1] in "*?[" else escaped[1]


def run(patterns: Sequence[str], items: Sequence[str], *, gap: str, fits: Callable[[str, str], bool] = one) -> bool:
    """Whether ``patterns`` cover ``items`` one by one, as ``fits`` says, ``gap`` among them any number of items.

    What fails behind a gap is tried again one item later; an earlier gap need not be, for it could only take more.
    """
    at = item = 0
    behind: tuple[int, int] | None = None
    while item < len(items):
        if at < len(patterns) and patterns[at] == gap:
            at += 1
            behind = at, item
        elif at < len(patterns) and fits(patterns[at], items[item]):
            at, item = at + 1, item + 1
        elif behind is not None:
            at, item = behind[0], behind[1] + 1
            behind = at, item
        else:
            return False
    return all(pattern == gap for pattern in patterns[at:])


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
