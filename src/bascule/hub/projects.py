"""Where a session works: in a folder, in a project's, or in the worktree of one of the project's branches."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from bascule.commands import Start
from bascule.errors import OptionError
from bascule.store.rows import ProjectRow
from bascule.store.store import Store
from bascule.transport.environment import environment
from bascule.transport.launch import Launch
from bascule.transport.printed import Printed, printed_by

GIT_S: Final = 60.0
"""A checkout of a large repository takes a while."""
WORKTREES: Final = ".worktrees"
"""Beside the project, unless it names a folder."""
_BRANCH: Final = re.compile(r"(?!-)(?!.*\.\.)(?!.*//)[\w./+-]{1,200}(?<![./])")


class Place(NamedTuple):
    """A workspace, and what its project says of its sessions."""

    cwd: str
    project: str | None = None
    branch: str | None = None
    policy: str | None = None
    model: str | None = None


async def place_of(store: Store, start: Start) -> Place:
    """The workspace that ``start`` means; a worktree is made where there is none.

    Raises ``OptionError`` for a folder, a project or a branch that is none.
    """
    name = start.project or (start.cwd if not Path(start.cwd).is_absolute() else None)
    if name is None:
        if start.branch is not None:
            raise OptionError("a branch is of a project: name the project, or the folder that the branch is in")
        return Place(await _folder(start.cwd))
    row = next((row for row in await store.projects() if row.name == name), None)
    if row is None:
        known = ", ".join(row.name for row in await store.projects()) or "none is configured"
        raise OptionError(f"cwd is {name!r}, which is no absolute path and no project ({known})")
    cwd = row.path if start.branch is None else await _worktree(row, start.branch)
    return Place(await _folder(cwd), name, start.branch, row.body.get("policy"), row.body.get("model"))


async def _folder(path: str) -> str:
    if not await asyncio.to_thread(Path(path).is_dir):
        raise OptionError(f"cwd is {path}, which is no folder: make it, or name another")
    return path


async def _worktree(project: ProjectRow, branch: str) -> str:
    """The folder in which ``branch`` is checked out."""
    if not _BRANCH.fullmatch(branch):
        raise OptionError(f"branch is {branch!r}: that is no name of a branch")
    below = Path(project.body.get("worktrees") or f"{project.path}{WORKTREES}")
    folder = below / branch.replace("/", "-")
    if await asyncio.to_thread(folder.is_dir):
        return str(folder)
    known = await _git(project.path, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
    base = project.body.get("base") or "HEAD"
    words = (str(folder), branch) if known.code == 0 else ("-b", branch, str(folder), base)
    added = await _git(project.path, "worktree", "add", *words)
    if added.code != 0:
        raise OptionError(f"branch {branch}: {added.err.strip() or 'git made no worktree of it'}")
    return str(folder)


async def _git(cwd: str, *words: str) -> Printed:
    try:
        return await printed_by(Launch(("git", *words), environment(os.environ), cwd), within_s=GIT_S)
    except TimeoutError as exc:
        raise OptionError(f"git {words[0]} took longer than {GIT_S:g} s: do it by hand, and try again") from exc
