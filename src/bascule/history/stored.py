"""What is known of a session without reading it whole: its file's beginning and end."""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from bascule.history.entries import (
    AiTitleEntry,
    AssistantEntry,
    AttachmentEntry,
    CustomTitleEntry,
    Entry,
    RelocatedEntry,
    SummaryEntry,
    SystemEntry,
    TagEntry,
    UserEntry,
)
from bascule.history.items import prompt_of, when
from bascule.history.lines import lines, reading
from bascule.history.places import id_of, opened
from bascule.ids import CliSessionId
from bascule.transport.projects import belongs
from bascule.wire.prose import SYNTHETIC

WINDOW: Final = 2**16
"""Bytes that are read at each end of a file. The CLI repeats titles and tags so that they stand in the last so many."""

LONG_HEAD: Final = 2**20
"""Bytes of the beginning when there is no prompt in the first ``WINDOW``: it may begin with an image."""

PROMPT_LIMIT: Final = 1_000
"""Characters that are kept of the first prompt."""


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the CLI as it lies on the disk."""

    id: CliSessionId
    """What ``resume`` takes."""
    path: Path
    cwd: str | None
    """The workspace that it belongs to. Null: the file does not say."""
    title: str | None
    """What a person called it, else what the CLI did; null: nobody did."""
    tag: str | None
    first_prompt: str | None
    """The first ``PROMPT_LIMIT`` characters; null when there is none in what was read."""
    started_at: int | None
    """UTC, in milliseconds."""
    changed_at: int
    """When the file was last written: UTC, in milliseconds."""
    bytes: int
    messages: int | None
    """Entries of the person and of the model; null for a file that was not read whole."""
    branch: str | None
    """The git branch at its end; null outside of a repository."""
    model: str | None
    """The model that spoke last."""
    damaged: bool
    """A line of what was read cannot be read by the CLI: ``check`` tells what is wrong."""


class _Facts(msgspec.Struct):
    """What the entries say, the last one that says it; ``first_*`` the first."""

    cwds: dict[str, None] = msgspec.field(default_factory=dict)
    custom_title: str | None = None
    ai_title: str | None = None
    tag: str | None = None
    first_prompt: str | None = None
    started_at: int | None = None
    branch: str | None = None
    model: str | None = None
    messages: int = 0
    said: bool = False
    sidechain: bool = False
    damaged: bool = False


def holder(path: str | Path) -> CliSessionId | None:
    """The conversation that a session file of whatever name goes on with: the id that its last entry bears.

    The CLI goes by it where it is given a path, and not by the file's name (measured on both versions). None: no entry
    bears one. Raises ``HistoryError`` when there is no such file.
    """
    with opened(Path(path)) as file:
        end = max(0, os.fstat(file.fileno()).st_size - WINDOW)
        for start in (end, 0) if end else (0,):
            file.seek(start)
            entries = (reading(line.text).entry for line in lines(file))
            ids = [entry.session_id for entry in entries if entry is not None and entry.session_id is not None]
            if ids:
                return CliSessionId(ids[-1])
    return None


def glance(path: str | Path) -> StoredSession | None:
    """The session in a file; None when nothing was said in it, or by a subagent alone.

    Reads at most 1 MiB of its beginning and 64 KiB of its end. Raises ``HistoryError`` when there is no such file.
    """
    where = Path(path)
    id_ = id_of(where)
    with opened(where) as file:
        about = os.fstat(file.fileno())
        facts, whole = _facts(file, about.st_size)
    if facts.sidechain or not (facts.said or facts.damaged):
        return None
    return StoredSession(
        id=id_,
        path=where,
        cwd=_home(facts.cwds, where.parent.name),
        title=facts.custom_title or facts.ai_title,
        tag=facts.tag or None,
        first_prompt=facts.first_prompt,
        started_at=facts.started_at,
        changed_at=about.st_mtime_ns // 1_000_000,
        bytes=about.st_size,
        messages=facts.messages if whole else None,
        branch=None if facts.branch == "HEAD" else facts.branch,
        model=facts.model,
        damaged=facts.damaged,
    )


def _facts(file: BinaryIO, size: int) -> tuple[_Facts, bool]:
    """The facts, and whether the file was read whole."""
    head = file.read(size if size <= 2 * WINDOW else WINDOW)
    facts = _learnt(head, whole=(whole := len(head) == size))
    if facts.first_prompt is None and not whole:
        head += file.read(min(size, LONG_HEAD) - len(head))
        facts = _learnt(head, whole=(whole := len(head) == size))
    if not whole:
        start = max(head.rfind(b"\n") + 1, size - WINDOW)
        file.seek(start - 1)
        before, tail = file.read(1), file.read(size - start)
        _learn(facts, tail if before == b"\n" else tail.partition(b"\n")[2])
    return facts, whole


def _learnt(head: bytes, *, whole: bool) -> _Facts:
    facts = _Facts()
    _learn(facts, head if whole else head[: head.rfind(b"\n") + 1])
    return facts


def _learn(facts: _Facts, text: bytes) -> None:
    """What whole lines say."""
    for line in lines(BytesIO(text)):
        entry, problem, _ = reading(line.text)
        facts.damaged = facts.damaged or problem is not None
        match entry:
            case UserEntry() | AssistantEntry() | SystemEntry() | AttachmentEntry():
                _learn_said(facts, entry)
            case CustomTitleEntry():
                facts.custom_title = entry.custom_title
            case AiTitleEntry(ai_title=title) | SummaryEntry(summary=title):
                facts.ai_title = title
            case TagEntry():
                facts.tag = entry.tag
            case RelocatedEntry(relocated_cwd=str(cwd)):
                facts.cwds.setdefault(cwd)


def _learn_said(facts: _Facts, entry: Entry) -> None:
    if not facts.said:
        facts.sidechain, facts.started_at = entry.is_sidechain, when(entry)
    facts.said = True
    facts.branch = entry.git_branch or facts.branch
    if entry.cwd is not None:
        facts.cwds.setdefault(entry.cwd)
    match entry:
        case UserEntry():
            facts.messages += 1
            if facts.first_prompt is None and (prompt := prompt_of(entry)) is not None:
                facts.first_prompt = prompt[:PROMPT_LIMIT]
        case AssistantEntry(message=message):
            facts.messages += 1
            facts.model = message.model if message.model != SYNTHETIC else facts.model


def _home(cwds: Iterable[str], folder: str) -> str | None:
    """The workspace whose folder the file lies in; a session may have been resumed from others as well."""
    fitting = (cwd for cwd in cwds if belongs(cwd, folder))
    return next(fitting, None) or next(iter(cwds), None)
