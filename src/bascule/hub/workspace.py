"""The workspace of a session as surfaces look at it: what git says, which files there are, where one of them lies.

Nothing in a workspace is run for that: git is kept from the programs that a repository's configuration names.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bascule.conversation import GitState
from bascule.errors import BasculeError, OptionError
from bascule.session.git import unfinished
from bascule.transport.launch import Launch
from bascule.transport.printed import printed_by

GIT_S: Final = 10.0
DIFF_CHARS: Final = 200_000
"""What a person can look at; the rest is in the workspace."""
LOOKED_AT: Final = 20_000
"""Files of a folder that is no repository."""

_GIT: Final = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--no-optional-locks")
_DIFF: Final = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD")


async def state(workspace: str, env: Mapping[str, str]) -> GitState:
    """What git says of it; why it says nothing is in ``problem``."""
    found = await unfinished(workspace, env, within_s=GIT_S)
    if found.problem is not None:
        return GitState(problem=found.problem)
    branch = (await _printed(workspace, env, "symbolic-ref", "--short", "--quiet", "HEAD") or "").strip()
    diff = await _printed(workspace, env, *_DIFF) or ""
    cut = diff[:DIFF_CHARS] + "\n… cut here\n" if len(diff) > DIFF_CHARS else diff
    return GitState(branch=branch or None, files=found.files, diff=_clean(cut))


async def _printed(workspace: str, env: Mapping[str, str], *words: str) -> str | None:
    """What git prints; None where it fails."""
    try:
        git = await printed_by(Launch((*_GIT, *words), env, workspace), within_s=GIT_S)
    except (TimeoutError, BasculeError):
        return None
    return git.out if git.code == 0 else None


def _clean(text: str) -> str:
    """Bytes that are no UTF-8 as U+FFFD, for JSON."""
    return text.encode("utf-8", "replace").decode()


async def beginning_with(workspace: str, env: Mapping[str, str], beginning: str, *, limit: int) -> tuple[str, ...]:
    """At most ``limit`` files whose path or name begins so, the shortest first; what git ignores is left out."""
    listed = await _printed(workspace, env, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    if listed is None:
        names = await asyncio.to_thread(lambda: list(_walked(Path(workspace))))
    else:
        names = [_clean(name) for name in listed.split("\0") if name]
    wanted = beginning.removeprefix("./").casefold()
    fitting = {name for name in names if _fits(name.casefold(), wanted)}
    return tuple(sorted(fitting, key=lambda name: (len(name), name))[:limit])


def _fits(name: str, wanted: str) -> bool:
    return name.startswith(wanted) or name.rpartition("/")[2].startswith(wanted)


def _walked(top: Path) -> Iterator[str]:
    """Of a folder that is no repository: its files, without those in hidden folders, and not too many."""
    seen = 0
    for folder, below, files in os.walk(top):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in files:
            seen += 1
            if seen > LOOKED_AT:
                return
            yield _clean(str(Path(folder, name).relative_to(top)))


def inside(workspace: str, path: str) -> str:
    """Where a file of the workspace lies, links resolved. Looks at files: call it in a thread.

    Raises ``OptionError`` for what is none, or lies elsewhere.
    """
    top = Path(os.path.realpath(workspace))
    try:
        found = Path(os.path.realpath(top / path))
        is_file = found.is_file()
    except (OSError, ValueError) as exc:
        raise OptionError(f"{path!r} is no path of a file") from exc
    if not found.is_relative_to(top):
        raise OptionError(f"{path!r} lies outside of the workspace")
    if not is_file:
        raise OptionError(f"{path!r} is no file of the workspace")
    return str(found)
