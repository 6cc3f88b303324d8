"""A session file, line by line: how much is held at once, and what can be saved of a line that was cut off.

A process that dies leaves a half line; the next one writes behind it, and two entries stand on one line. A machine that
dies may leave NUL bytes. The CLI passes over such a line whole; here its whole entry is found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from bascule.history.entries import Entry, decode, known
from bascule.wire.json_text import NotJson

LINE_LIMIT: Final = 64 * 2**20
"""Bytes of a line that are read at once. The API takes requests of 32 MB: no entry is longer that was ever sent."""

_CHUNK: Final = 2**20
_BEGINNING: Final = re.compile(rb'\{"(?:parentUuid|type)":')
_TRIES: Final = 64
"""Places in a damaged line where an entry is looked for, so that a long line of nonsense costs little."""


class Line(NamedTuple):
    """One line that is not blank."""

    number: int
    """From 1, blank ones counted."""
    offset: int
    """Bytes before it."""
    text: bytes
    """With its newline, if it has one. Empty when it is longer than the limit."""


class Reading(NamedTuple):
    """What a line gives."""

    entry: Entry | None
    """Null: nothing could be saved."""
    problem: str | None
    """What is wrong with the line, even if its entry was saved."""
    start: int = 0
    """Where in the line the entry begins."""


def lines(stream: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """The lines from where ``stream`` stands to its end, as it is when the end is reached."""
    offset, number = stream.tell(), 0
    while text := stream.readline(limit + 1):
        number += 1
        length = len(text)
        if length > limit:
            length += _skip(stream, text)
            yield Line(number, offset, b"")
        elif text.strip():
            yield Line(number, offset, text)
        offset += length


def _skip(stream: BinaryIO, text: bytes) -> int:
    """Reads to the end of a line that is too long; so many bytes it was more."""
    skipped = 0
    while not text.endswith(b"\n") and (text := stream.readline(_CHUNK)):
        skipped += len(text)
    return skipped


def reading(line: bytes) -> Reading:
    """The entry on a line, or what is wrong with it. Never raises."""
    if not line:
        return Reading(None, f"longer than {LINE_LIMIT >> 20} MiB")
    padding = len(line) - len(line.lstrip(b"\0"))
    try:
        entry = decode(line[padding:])
    except NotJson as exc:
        return _saved(line, str(exc))
    return Reading(entry, "NUL bytes stand before the entry" if padding else None, padding)


def _saved(line: bytes, problem: str) -> Reading:
    """An entry that begins somewhere inside the line and ends with it."""
    for found, _ in zip(_BEGINNING.finditer(line, 1), range(_TRIES), strict=False):
        entry = known(line[found.start() :])
        if entry is not None:
            return Reading(entry, "a half line stands before the entry", found.start())
    if not line.strip(b"\0\r\n"):
        return Reading(None, "nothing but NUL bytes")
    return Reading(None, problem if line.endswith(b"\n") else f"the last line is not finished: {problem}")
