"""Where the user's Claude Code is. Looks at files, starts nothing, and brings nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from bascule.errors import CliNotFound

NAME: Final = "claude"
WHEEL: Final = "claude_agent_sdk"
USUAL: Final = (
    "~/.local/bin/claude",
    "~/.claude/local/claude",
    "~/.npm-global/bin/claude",
    "~/.bun/bin/claude",
    "~/.yarn/bin/claude",
    "/opt/homebrew/bin/claude",
    "/usr/local/bin/claude",
    "/usr/bin/claude",
)
_PLATFORM_PACKAGES: Final = "@anthropic-ai/claude-code-*/claude"
_ADVICE: Final = (
    "install Claude Code (`npm install -g @anthropic-ai/claude-code`, or as its own documentation says),"
    " or name its path in the option `cli`"
)


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Where to look; ``here`` tells the places of this process."""

    path: str
    """As in ``$PATH``."""
    home: Path
    cwd: Path
    """``node_modules`` is looked for in it and above it."""
    wheel: Path | None = None
    """The folder of the installed ``claude_agent_sdk``, which brings a CLI."""
    usual: tuple[str, ...] = USUAL


def here() -> Surroundings:
    """The places of this process. The wheel is found without importing it, which would take most of a second."""
    spec = importlib.util.find_spec(WHEEL)
    folders = list(spec.submodule_search_locations or []) if spec else []
    return Surroundings(
        path=os.environ.get("PATH", os.defpath),
        home=Path.home(),
        cwd=Path.cwd(),
        wheel=Path(folders[0]) if folders else None,
    )


def find_cli(surroundings: Surroundings, *, explicit: str | None = None) -> Path:
    """The CLI's path, not resolved: an update behind a link is followed.

    A path that was named is taken or refused, never replaced by another. Otherwise: PATH, the usual places, the
    ``claude_agent_sdk`` wheel, and last ``node_modules`` upwards from the working directory, since a repository may
    bring that. Raises ``CliNotFound`` with the places that were looked at and what to do.
    """
    if explicit is not None:
        return _named(surroundings, explicit)
    searched = []
    for place in _places(surroundings):
        if _runs(place):
            return place
        searched.append(str(place))
    raise CliNotFound(f"there is no Claude Code in {len(searched)} places: {_ADVICE}", tuple(searched))


def _named(surroundings: Surroundings, explicit: str) -> Path:
    path = _under(surroundings, explicit)
    if os.sep not in explicit:
        found = shutil.which(explicit, path=surroundings.path)
        path = Path(found) if found else path
    if _runs(path):
        return path
    why = "is no program that may be run" if path.exists() else "does not exist"
    raise CliNotFound(f"{path} {why}: {_ADVICE}", (str(path),))


def _places(surroundings: Surroundings) -> Iterator[Path]:
    yield from (Path(folder) / NAME for folder in surroundings.path.split(os.pathsep) if folder)
    yield from (_under(surroundings, place) for place in surroundings.usual)
    if surroundings.wheel is not None:
        yield surroundings.wheel / "_bundled" / NAME
    for folder in (surroundings.cwd, *surroundings.cwd.parents):
        modules = folder / "node_modules"
        yield modules / ".bin" / NAME
        yield from sorted(modules.glob(_PLATFORM_PACKAGES))


def _under(surroundings: Surroundings, place: str) -> Path:
    if place == "~" or place.startswith("~/"):
        return surroundings.home / place[2:]
    return surroundings.cwd / place


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
