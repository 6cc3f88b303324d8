"""What git says of the workspace when the agent wants to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from bascule.errors import BasculeError
from bascule.transport.launch import Launch
from bascule.transport.printed import printed_by
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import HookInput, Stop

log = logging.getLogger("bascule.session")

GIT_S: Final = 5.0
"""Longer than this nobody is held up by git."""
SHOWN: Final = 10
"""Files that the reason names."""
NOT_THE_AGENTS: Final = frozenset((".claude/settings.local.json",))
"""An *always* of the CLI's writes it into the workspace (08_always_*)."""

_STATUS: Final = (
    "git",
    "-c", "core.fsmonitor=false",  # or git would run what the workspace's own configuration names
    "-c", "safe.bareRepository=explicit",  # a folder that only looks like a repository is none
    "-c", "core.quotePath=false",
    "--no-optional-locks",
    "status",
    "--porcelain",
    "--branch",
    "--untracked-files=all",
    "--ignore-submodules=dirty",  # or git would go into them, and by their own configuration
)  # fmt: skip
_NAME_A_REPOSITORY: Final = ("GIT_DIR", "GIT_WORK_TREE")
_SUBMODULE: Final = re.compile(r"^[ \t]*path[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE)
SUBMODULES: Final = 20
"""Submodules that are looked at."""
_MAY_RUN: Final = re.compile(r"filter|include", re.IGNORECASE)
"""What a repository's own configuration can make ``git status`` run: the filters of its files, named here or there."""

_AHEAD: Final = re.compile(r"^## .*\[ahead (?P<commits>\d+)")
"""The branch as ``--branch`` tells it; none in front of nothing, on a detached head or without an upstream."""


_COMMIT: Final = "Commit what belongs to what you were asked to do, or say in a sentence why it stays as it is."
_PUSH: Final = "{} not pushed: push, or say in a sentence why not."


class Unfinished(NamedTuple):
    """What still lies in the workspace; or why git could not tell."""

    root: Path = Path()
    """What the names of the files start from."""
    files: tuple[str, ...] = ()
    """Changed or new, in git's order."""
    unpushed: int = 0
    """Commits that the branch's upstream has not."""
    problem: str | None = None


async def unfinished(workspace: str, env: Mapping[str, str], *, within_s: float = GIT_S) -> Unfinished:
    """What a commit, and a push, would still take up, in submodules too. Never raises: no repository, no git, a slow
    git, and a repository that would have git run its own programs, are problems."""
    root = await asyncio.to_thread(_root, workspace, env)
    if root is None:
        return Unfinished(problem="not a git repository")
    try:
        async with asyncio.timeout(within_s):
            found = await _status(root, Path(env.get("GIT_DIR") or root / ".git"), workspace, env)
            if found.problem is None:
                for name in await asyncio.to_thread(_submodules, root):
                    inner = await _status(root / name, root / name / ".git", str(root / name), env)
                    found = found._replace(files=(*found.files, *(f"{name}/{file}" for file in inner.files)))
    except TimeoutError:
        return Unfinished(problem=f"git took longer than {within_s:g} s")
    except BasculeError as exc:
        return Unfinished(problem=str(exc))
    return found


async def _status(root: Path, repository: Path, workspace: str, env: Mapping[str, str]) -> Unfinished:
    config = await asyncio.to_thread(_running, repository)
    if config is not None:
        return Unfinished(problem=f"git would run programs that {config} names, or may name")
    git = await printed_by(Launch(_STATUS, env, workspace))
    if git.code != 0:
        return Unfinished(problem=git.err.strip() or f"git ended with {git.code}")
    branch, *rows = filter(None, git.out.split("\n"))
    ahead = _AHEAD.match(branch)
    files = (row[3:].rpartition(" -> ")[2].strip('"') for row in rows)
    return Unfinished(
        root=root,
        files=tuple(file for file in files if file not in NOT_THE_AGENTS),
        unpushed=int(ahead["commits"]) if ahead else 0,
    )


def _submodules(root: Path) -> list[str]:
    """The folders of those that are there, each a repository of its own."""
    named = _SUBMODULE.findall(_text(root / ".gitmodules"))[:SUBMODULES]
    return [name for name in named if (root / name).resolve().is_relative_to(root) and (root / name / ".git").exists()]


def _root(workspace: str, env: Mapping[str, str]) -> Path | None:
    """Where git would find a repository: by its environment, or by what stands in the workspace or above it; None
    where it would find none. Git costs 2 ms."""
    here = Path(workspace).resolve()
    if not env.keys().isdisjoint(_NAME_A_REPOSITORY):
        return here / env.get("GIT_WORK_TREE", "")
    folders = (here, *here.parents)
    return next((at for at in folders if os.path.lexists(at / ".git")), None)


def _running(folder: Path) -> Path | None:
    """The configuration in a repository's own ``folder`` by which git would run a program to compare files; None: it
    names none. The user's own configuration may: it is the user's."""
    if told := _text(folder).removeprefix("gitdir:").strip():  # of a worktree or a submodule it is a file
        folder = folder.parent / told
    shared = folder / (_text(folder / "commondir").strip() or ".")
    files = (at / name for at in (folder, shared) for name in ("config", "config.worktree"))
    return next((file for file in files if _MAY_RUN.search(_text(file))), None)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


class GitCheck:
    """A Stop hook: holds work that the agent leaves unfinished up to it, each thing once.

    What lay there before, and is as it was, is not its work: a question about a workspace with changes of the user's
    own shall be answered, not turned into a talk about them. Where there is work, they are named apart from it.
    """

    def __init__(self, workspace: str, env: Mapping[str, str], *, pushed: bool = False) -> None:
        """``pushed``: commits that were not pushed are held up too."""
        self._workspace = workspace
        self._env = env
        self._pushed = pushed
        self._begun = asyncio.Event()
        self._before: Mapping[str, _Mark] | None = None
        """What lay there before the agent worked; None where git could not tell."""
        self._told: frozenset[str] = frozenset()
        self._unpushed = 0
        """Of which nothing is to be said any more."""

    async def begin(self) -> None:
        """Look what lies there before the agent works."""
        await self._look()
        self._begun.set()

    async def __call__(self, told: HookInput) -> HookOutput:
        """The answer to ``Stop``. Where git cannot tell, or could not before, the agent may stop."""
        await self._begun.wait()  # on a busy machine a short turn is over before git has looked
        reason = await self._look()
        if not reason or not isinstance(told, Stop) or told.stop_hook_active:
            return HookOutput()
        return HookOutput(decision="block", reason=reason)

    async def _look(self) -> str:
        """What there is to be held up, in words for the model; nothing at the first look that tells."""
        found = await unfinished(self._workspace, self._env)
        if found.problem is not None:
            log.info("the git check lets the agent stop: %s", found.problem)
            return ""
        marks = await asyncio.to_thread(_marks, found)
        first, unpushed, self._unpushed = self._before is None, self._unpushed, found.unpushed
        before = self._before = marks if self._before is None else self._before
        if first:
            return ""
        older = [file for file in found.files if file in before and marks[file] == before[file]]
        work = [file for file in found.files if file not in self._told and file not in older]
        self._told |= frozenset(work)
        return _reason(work, older, found.unpushed if self._pushed and found.unpushed > unpushed else 0)


_Mark: TypeAlias = tuple[int, int] | None
"""What tells that a file was written: its time and its size; None for one that is gone."""


def _marks(found: Unfinished) -> dict[str, _Mark]:
    return {file: _mark(found.root / file) for file in found.files}


def _mark(path: Path) -> _Mark:
    try:
        about = path.lstat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def _reason(work: Sequence[str], older: Sequence[str], unpushed: int) -> str:
    shown = work[:SHOWN]
    shown_older = older[: SHOWN - len(shown)] if work else ()
    more = len(work) - len(shown)
    parts = (
        _listed("There is uncommitted work in the workspace:", shown),
        f"And {more} more." if more else "",
        _listed("These were uncommitted before you began, and are not yours:", shown_older),
        _COMMIT if work else "",
        _PUSH.format("1 commit is" if unpushed == 1 else f"{unpushed} commits are") if unpushed else "",
    )
    return "\n".join(filter(None, parts))


def _listed(head: str, files: Sequence[str]) -> str:
    return "\n".join((head, *(f"- {file}" for file in files))) if files else ""
