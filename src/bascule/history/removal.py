"""The end of a session's files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, TypeAlias

from bascule.errors import HistoryError, SessionInUse
from bascule.history.listing import subagents
from bascule.history.live import running
from bascule.history.places import id_of, opened

Own: TypeAlias = Callable[[str], AbstractContextManager[Any]]
"""Holds the conversation with this id while the block runs, so that no session of bascule's can open it; raises when
one has it open."""

_BESIDE: Final = ("file-history", "session-env", "tasks")
"""Folders of the CLI's in which a session has one of its own, by its id (seen with both versions)."""


def delete(path: str | Path, *, own: Own | None = None) -> None:
    """Delete a session: its file, its subagents' and tool results, its copies of files and its task list. For good.

    Raises ``SessionInUse`` while a CLI process has it open. ``own`` keeps sessions of bascule's away meanwhile, which
    may have it open with no process, since they sleep; what it raises is passed on. ``HistoryError``: it is not there,
    or something could not be deleted.
    """
    where = Path(path).absolute()
    id_ = id_of(where)
    with own(id_) if own is not None else nullcontext():
        config = where.parent.parent.parent
        pid = running(id_, config)
        if pid is not None:
            raise SessionInUse(f"the session {id_} runs (process {pid}): end it first", session=id_, pid=pid)
        with opened(where):
            pass
        try:
            _delete(where, _beside(config, id_) if where.parent.parent.name == "projects" else [])
        except OSError as exc:
            raise HistoryError(f"{exc.filename} cannot be deleted: {exc.strerror}", str(where)) from exc


def _beside(config: Path, id_: str) -> list[Path]:
    """A copy that lies elsewhere has nothing beside it: what stands there is of something else."""
    return [config / folder / id_ for folder in _BESIDE]


def _delete(session: Path, folders: list[Path]) -> None:
    """The session's file goes last: what is deleted half is still found."""
    for agent in subagents(session):
        agent.path.unlink()
    for folder in (session.with_suffix(""), *folders):
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)
    session.unlink()
