"""What git says of the workspace when the agent wants to stop."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

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
    "-c", "core.quotePath=false",
    "--no-optional-locks",
    "status",
    "--porcelain",
    "--untracked-files=all",
)  # fmt: skip
_NAME_A_REPOSITORY: Final = ("GIT_DIR", "GIT_WORK_TREE")


class Uncommitted(NamedTuple):
    """Files that are changed or new, in git's order; or why git could not tell."""

    files: tuple[str, ...]
    problem: str | None = None


async def uncommitted(workspace: str, env: Mapping[str, str], *, within_s: float = GIT_S) -> Uncommitted:
    """What a commit would still have to take up. Never raises: no repository, no git and a slow git are problems."""
    if not await asyncio.to_thread(_may_be_repository, workspace, env):
        return Uncommitted((), "not a git repository")
    try:
        git = await printed_by(Launch(_STATUS, env, workspace), within_s=within_s)
    except TimeoutError:
        return Uncommitted((), f"git took longer than {within_s:g} s")
    except BasculeError as exc:
        return Uncommitted((), str(exc))
    problem = None if git.code == 0 else git.err.strip() or f"git ended with {git.code}"
    files = (line[3:].rpartition(" -> ")[2].strip('"') for line in git.out.split("\n") if line)
    return Uncommitted(tuple(file for file in files if file not in NOT_THE_AGENTS), problem)


def _may_be_repository(workspace: str, env: Mapping[str, str]) -> bool:
    """Whether git would find one: by its environment, or by what stands in the workspace or above it. Git costs 2 ms.

    ``HEAD`` stands in a bare repository, whose configuration can name a work tree.
    """
    if not env.keys().isdisjoint(_NAME_A_REPOSITORY):
        return True
    here = Path(workspace).resolve()
    return any(os.path.lexists(folder / name) for folder in (here, *here.parents) for name in (".git", "HEAD"))


class GitCheck:
    """A Stop hook: holds work that the agent left uncommitted up to it, once. What lay there before is not its work."""

    def __init__(self, workspace: str, env: Mapping[str, str]) -> None:
        self._workspace = workspace
        self._env = env
        self._begun = asyncio.Event()
        self._known: frozenset[str] | None = None
        """What is not to be held up; None while git has told of nothing yet."""

    async def begin(self) -> None:
        """Look what lies there before the agent works."""
        await self._look()
        self._begun.set()

    async def __call__(self, told: HookInput) -> HookOutput:
        """The answer to ``Stop``. Where git cannot tell, or could not before, the agent may stop."""
        await self._begun.wait()  # on a busy machine a short turn is over before git has looked
        new = await self._look()
        if not new or not isinstance(told, Stop) or told.stop_hook_active:
            return HookOutput()
        return HookOutput(decision="block", reason=_reason(new))

    async def _look(self) -> list[str]:
        """What lies there that was not there before; nothing at the first look that tells."""
        found = await uncommitted(self._workspace, self._env)
        if found.problem is not None:
            log.info("the git check lets the agent stop: %s", found.problem)
            return []
        known, there = self._known, frozenset(found.files)
        self._known = there if known is None else known | there
        return [] if known is None else [file for file in found.files if file not in known]


def _reason(files: list[str]) -> str:
    shown = "\n".join(f"- {file}" for file in files[:SHOWN])
    more = f"\nand {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return (
        f"There is uncommitted work in the workspace:\n{shown}{more}\n"
        "Commit it if it belongs to what you were asked to do, or say in a sentence why it stays as it is."
    )
