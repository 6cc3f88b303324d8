"""Which sessions speak of something: titles, what people and the model said, calls and their results."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.errors import HistoryError, OptionError
from bascule.history.entries import AssistantEntry, Entry, UserEntry
from bascule.history.items import Prompt, Reply, items_of, when
from bascule.history.lines import Line, lines, reading
from bascule.history.listing import stored
from bascule.history.nodes import blocks
from bascule.history.places import opened
from bascule.history.stored import StoredSession
from bascule.tools.outcome import content_text
from bascule.tools.titles import title
from bascule.transport.projects import config_folder, newest_first
from bascule.wire.blocks import ToolResult, ToolUse

AROUND: Final = 80
"""Characters before and behind a hit that its excerpt shows."""

Where: TypeAlias = Literal["title", "prompt", "reply", "call", "result"]


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A place that speaks of what was searched for."""

    session: StoredSession
    where: Where
    excerpt: str
    """One line; an ellipsis stands where it was cut."""
    line: int | None = None
    """Of the file; null for a title."""
    uuid: str | None = None
    """The entry's, for ``read`` and ``fork``; null for a title."""
    at: int | None = None
    """UTC, in milliseconds."""


def search(
    text: str,
    config_dir: str | Path | None = None,
    cwd: str | Path | None = None,
    *,
    limit: int = 50,
    per_session: int = 5,
    among: int = 1_000,
) -> list[Hit]:
    """Where sessions of the workspace ``cwd``, or of all, speak of ``text``; small and capital letters are the same.

    Of the ``among`` sessions that were written last, newest first, each in the order of its file; abandoned branches
    count as well, thoughts and subagents do not. It ends at ``limit`` hits, in one session at ``per_session``. Files
    are read line by line: call it in a thread. Raises ``OptionError`` for an empty text.
    """
    if not text.strip():
        raise OptionError("search for a text: this one is empty")
    wanted = _Wanted(text)
    home = None if cwd is None else os.path.realpath(cwd)
    found: list[Hit] = []
    for path in islice(newest_first(config_folder(config_dir), home), among):
        found += islice(_hits(path, home, wanted), min(per_session, limit - len(found)))
        if len(found) >= limit:
            break
    return found


class _Wanted:
    """The text as it is looked for: in a line as it stands in the file, and in what the line says."""

    def __init__(self, text: str) -> None:
        self._said = re.compile(re.escape(text), re.IGNORECASE)
        plain = text.isascii() and text.isprintable() and not set(text) & {'"', "\\"}
        self._written = re.compile(re.escape(text).encode(), re.IGNORECASE) if plain else None
        """None: JSON may write it in another way, so that each line has to be read."""

    def may_be_in(self, line: bytes) -> bool:
        return self._written is None or self._written.search(line) is not None

    def excerpt(self, text: str) -> str | None:
        """What stands around the first place; None: it is not in there."""
        found = self._said.search(text)
        if found is None:
            return None
        start, end = max(0, found.start() - AROUND), found.end() + AROUND
        shown = " ".join(text[start:end].split())
        return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _hits(path: Path, home: str | None, wanted: _Wanted) -> Iterator[Hit]:
    """The hits in one file, its title first. Only a file with a line that may hold one is looked at as a session."""
    candidates = _candidates(path, wanted)
    first = next(candidates, None)
    session = None if first is None else stored(path, home)
    if first is None or session is None:
        return
    excerpt = wanted.excerpt(session.title or "")
    if excerpt is not None:
        yield Hit(session=session, where="title", excerpt=excerpt)
    for line in chain([first], candidates):
        entry = reading(line.text).entry
        if entry is not None and not entry.is_sidechain:
            yield from _in_entry(session, line.number, entry, wanted)


def _candidates(path: Path, wanted: _Wanted) -> Iterator[Line]:
    with suppress(HistoryError), opened(path) as file:
        yield from (line for line in lines(file) if wanted.may_be_in(line.text))


def _in_entry(session: StoredSession, line: int, entry: Entry, wanted: _Wanted) -> Iterator[Hit]:
    for where, text in _texts(entry):
        excerpt = wanted.excerpt(text)
        if excerpt is not None:
            yield Hit(session=session, where=where, excerpt=excerpt, line=line, uuid=entry.uuid, at=when(entry))


def _texts(entry: Entry) -> Iterator[tuple[Where, str]]:
    for item in items_of(entry, lambda _: None):
        match item:
            case Prompt(text=text):
                yield "prompt", text
            case Reply(text=text):
                yield "reply", text
    if isinstance(entry, UserEntry | AssistantEntry):
        for block in blocks(entry.message.content):
            match block:
                case ToolUse(name=name, input=given):
                    yield "call", "\n".join((title(name, given, entry.cwd), *_strings(given)))
                case ToolResult(content=content):
                    yield "result", content_text(content)


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from _strings(item)
        case list():
            for item in value:
                yield from _strings(item)
