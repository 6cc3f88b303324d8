"""The sessions on the disk: of a workspace or of all, one by its id, and the subagents of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from bascule.errors import HistoryError
from bascule.history.lines import lines, reading
from bascule.history.places import opened
from bascule.history.stored import StoredSession, glance
from bascule.transport.projects import belongs, config_folder, is_id, newest_first, written_at


class StoredAgent(msgspec.Struct, frozen=True, kw_only=True):
    """A subagent's transcript: ``read`` takes its path; it is no session and cannot be resumed."""

    id: str
    path: Path
    type: str | None = None
    """``general-purpose`` or what it was called for."""
    description: str | None = None
    tool_call_id: str | None = None
    """The call that started it."""


def sessions(
    config_dir: str | Path | None = None, cwd: str | Path | None = None, *, limit: int | None = None
) -> list[StoredSession]:
    """The sessions of the workspace ``cwd``, or of all; those that were written last come first.

    ``config_dir`` is the CLI's own folder (``$CLAUDE_CONFIG_DIR``, ``~/.claude``). Of each file the two ends are read,
    in about 2 ms: call it in a thread, or with a ``limit``. What cannot be read is left out.
    """
    home = None if cwd is None else os.path.realpath(cwd)
    found = (stored(path, home) for path in newest_first(config_folder(config_dir), home))
    return list(islice((session for session in found if session is not None), limit))


class Page(NamedTuple):
    """Some of the sessions of all workspaces."""

    sessions: tuple[StoredSession, ...]
    after: str | None
    """What the next page begins after; null: there is none."""


def page(config: Path, *, words: str = "", after: str | None = None, limit: int = 50, among: int = 1_000) -> Page:
    """The sessions that were written last, each once, after those that a page before this one ended with.

    ``words`` must all stand in a session's title, its first prompt, its workspace or its branch; of at most ``among``
    files that is looked up, and then the page ends, be it ever so short. Call it in a thread.
    """
    wanted = words.casefold().split()
    shown: list[StoredSession] = []
    looked_at = 0
    for place, path in _by_place(config, after):
        if len(shown) == limit or looked_at == among:
            return Page(tuple(shown), after)
        after, looked_at = place, looked_at + 1
        session = stored(path, None)
        if session is not None and _speaks_of(session, wanted):
            shown.append(session)
    return Page(tuple(shown), None)


def _by_place(config: Path, after: str | None) -> Iterator[tuple[str, Path]]:
    """Files, the newest of each session, with their places: those sort as text, and a place stays what it is."""
    newest: dict[str, tuple[int, str]] = {}
    for path, at in written_at(config, None):
        newest[Path(path).stem.lower()] = max((at, path), newest.get(Path(path).stem.lower(), (0, "")))
    places = sorted(((f"{at:020}-{id_}", Path(path)) for id_, (at, path) in newest.items()), reverse=True)
    return (found for found in places if after is None or found[0] < after)


def _speaks_of(session: StoredSession, wanted: list[str]) -> bool:
    about = (session.id, session.title, session.first_prompt, session.cwd, session.branch, session.tag)
    text = "\n".join(filter(None, about)).casefold()
    return all(word in text for word in wanted)


def find(session_id: str, config_dir: str | Path | None = None) -> StoredSession | None:
    """The session with this id, in whichever workspace it lives; of several files the one that was written last.

    ``Options.resume`` takes its id in whichever workspace; 2.1.197 by itself finds it in its ``cwd`` alone (S35).
    """
    if not is_id(session_id):
        return None
    name = f"{session_id.lower()}.jsonl"
    paths = newest_first(config_folder(config_dir), None)
    return next((stored(path, None) for path in paths if path.name.lower() == name), None)


def subagents(path: str | Path) -> list[StoredAgent]:
    """The subagents of the session in the file ``path``, by the names of their files.

    They lie in a folder of the session's; older versions put them beside it, where only their entries tell whose they
    are.
    """
    session = Path(path)
    beside = (file for file in session.parent.glob("agent-*.jsonl") if _session_of(file) == session.stem)
    found = sorted((*session.with_suffix("").glob("subagents/**/agent-*.jsonl"), *beside))
    return [_agent(file) for file in found if file.is_file() and not file.is_symlink()]


def _session_of(file: Path) -> str | None:
    """As the first entry of a subagent's file says."""
    try:
        with opened(file) as stream:
            first = next(lines(stream), None)
    except HistoryError:
        return None
    entry = reading(first.text).entry if first is not None else None
    return entry.session_id if entry is not None else None


def stored(path: Path, home: str | None) -> StoredSession | None:
    """The session in a file of that workspace; None: there is none that can be read, or it belongs to another.

    Two workspaces may share a folder: ``/a/b`` and ``/a-b``.
    """
    try:
        session = glance(path)
    except HistoryError:
        return None
    if session is None or home is None or session.cwd in (None, home):
        return session
    return None if belongs(session.cwd or "", path.parent.name) else session


class _Meta(msgspec.Struct, frozen=True, rename="camel"):
    """``agent-ID.meta.json``."""

    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None


def _agent(file: Path) -> StoredAgent:
    try:
        meta = msgspec.json.decode(file.with_suffix(".meta.json").read_bytes(), type=_Meta)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        meta = _Meta()
    return StoredAgent(
        id=file.stem.removeprefix("agent-"),
        path=file,
        type=meta.agent_type,
        description=meta.description,
        tool_call_id=meta.tool_use_id,
    )
