"""Patterns over the words of a command: ``git status *``.

A pattern is written as a command is: words stand apart, and what stands in quotes is literal. ``*`` alone is any number
of words, none too. ``git log:*`` is ``git log *``, and so is ``git log*``, with more to the word ``log`` besides; after
a slash a star stays in its word, so that ``rm build/*`` covers one path.

Two directions. To *cover* is for allowing: the pattern says all words that the shell would see, in order. To *touch* is
for denying and asking: it is enough that the pattern's words stand in that order somewhere in the command.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final

from bascule.policy import globs

GAP: Final = "*"

_PIECES: Final = re.compile(
    r"(?P<space>\s+)|'(?P<raw>[^']*)'|\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<bare>\\.|.)", re.DOTALL
)
_QUOTES: Final = re.compile(r"[\"'\\]")
_APART: Final = re.compile(r"[\s;&|(){}<>$`=!:,]+")


def covers(pattern: str, words: Sequence[str]) -> bool:
    """Whether ``pattern`` says the whole of a simple command; ``words`` without their quotes."""
    return bool(words) and globs.run(pattern_words(pattern), words, gap=GAP, fits=_stays)


def is_literal(pattern: str) -> bool:
    """Whether ``pattern`` covers one command only."""
    return all(globs.is_literal(word) for word in pattern_words(pattern))


def has_gap(pattern: str) -> bool:
    """Whether ``pattern`` leaves room for any further words, so that no command line is meant by it to the letter."""
    return GAP in pattern_words(pattern)


def _stays(pattern: str, word: str) -> bool:
    """A star in ``build/*`` does not climb out of it: ``build/../src`` is another place."""
    climbs = ".." in word.split("/") and ".." not in pattern.split("/")
    return globs.one(pattern, word) and not climbs


def touches(pattern: str, words: Sequence[str]) -> bool:
    """Whether the words of ``pattern`` stand among ``words``, from the first one on.

    The program's folder, upper case and what stands between hide nothing.
    """
    return _touches((), pattern_words(pattern), words)


def touches_within(pattern: str, words: Sequence[str]) -> bool:
    """Whether the words of ``pattern`` stand among ``words`` from any one on, as those of a command in a command."""
    return _touches((GAP,), pattern_words(pattern), words)


def touches_text(pattern: str, text: str) -> bool:
    """Whether the words of ``pattern`` stand anywhere in a text that the shell may take apart in ways of its own."""
    return _touches((GAP,), _rough(pattern) or [GAP], _rough(text))


def may_be_text(word: str) -> bool:
    """Whether a word of a command could be taken apart: one with blanks, quotes, or signs that part words."""
    return _APART.search(word) is not None or _QUOTES.search(word) is not None


def _touches(before: tuple[str, ...], patterns: Sequence[str], words: Sequence[str]) -> bool:
    first, *rest = (word.casefold() for word in patterns)
    loose = [part for word in rest for part in (GAP, word)]
    folded = [word.casefold() for word in words]
    return any(globs.run([*before, start, *loose, GAP], folded, gap=GAP) for start in (first, f"*/{first}"))


def _rough(text: str) -> list[str]:
    return [word for word in _APART.split(_QUOTES.sub("", text.replace("\\\n", ""))) if word]


@functools.lru_cache(maxsize=1024)
def pattern_words(pattern: str) -> tuple[str, ...]:
    """The globs that ``pattern`` is made of, at least one. A quote that nothing closes is a character like others."""
    words = [""]
    for piece in _PIECES.finditer(pattern.strip()):
        if piece["space"]:
            words.append("")
        else:
            words[-1] += _glob(piece)
    return (*words[:-1], *_last(words[-1]))


def _glob(piece: re.Match[str]) -> str:
    if piece["bare"]:
        return piece["bare"]
    return globs.literal(piece["raw"] if piece["raw"] is not None else re.sub(r"\\(.)", r"\1", piece["quoted"]))


def _last(word: str) -> tuple[str, ...]:
    if word.endswith(":*") and len(word) > 2:
        return word[:-2], GAP
    if word.endswith("*") and not word.endswith("\\*") and "/" not in word and word != GAP:
        return word, GAP
    return (word,)
