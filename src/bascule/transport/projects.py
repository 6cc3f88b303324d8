"""Where the CLI keeps its session files: which folder is a workspace's, and which file is a session's.

``CONFIG/projects/FOLDER/ID.jsonl``: FOLDER is made of the workspace's path, ID is the conversation's (a UUID). Files of
other names lie beside them and are none: transcripts of subagents, and what the CLI keeps for itself. What stands in a
file is ``history``'s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

FOLDER_LIMIT: Final = 200
"""Characters of a folder's name; of a longer one the CLI keeps so many and adds a hash (measured on both versions)."""

_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ODD: Final = re.compile(r"[^A-Za-z0-9]")


def config_folder(given: str | Path | None = None) -> Path:
    """``given``, else ``$CLAUDE_CONFIG_DIR``, else ``~/.claude``: in this order, as the CLI looks."""
    return Path(given or os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def folder_name(cwd: str) -> str:
    """What the CLI makes of a workspace's path: a hyphen for each UTF-16 unit that is no ASCII letter or digit.

    Two paths may give one name. Of a long path the name is cut; the CLI's own ends with a hash then.
    """
    return _ODD.sub(lambda odd: "-" if odd[0] <= "\uffff" else "--", cwd)[:FOLDER_LIMIT]


def project_folders(config: Path, cwd: str | None = None) -> list[Path]:
    """The folders that may hold sessions, by name: all of them, or those of the workspace ``cwd`` (a real path)."""
    try:
        with os.scandir(config / "projects") as found:
            fitting = (entry for entry in found if cwd is None or belongs(cwd, entry.name))
            return sorted(Path(entry.path) for entry in fitting if entry.is_dir())
    except OSError:
        return []


def belongs(cwd: str, folder: str) -> bool:
    """Whether sessions of the workspace lie in a folder of this name."""
    name = folder_name(cwd)
    return folder == name or (len(name) == FOLDER_LIMIT and folder.startswith(f"{name}-"))


def session_files(folder: Path) -> list[os.DirEntry[str]]:
    """The session files of a project's folder, in no order; no links, and nothing that is not named by a UUID."""
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if is_session_file(entry.name) and entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def newest_first(config: Path, home: str | None) -> Iterator[Path]:
    """Files of sessions, the one that was written last first; ``home`` is a workspace's real path."""
    found = sorted(written_at(config, home), key=lambda one: (one[1], one[0]), reverse=True)
    return (Path(path) for path, _ in found)


def written_at(config: Path, home: str | None) -> Iterator[tuple[str, int]]:
    """Files of sessions, in no order, and when each was last written (nanoseconds since 1970)."""
    for folder in project_folders(config, home):
        for entry in session_files(folder):
            with suppress(OSError):
                yield entry.path, entry.stat(follow_symlinks=False).st_mtime_ns


def is_session_file(name: str) -> bool:
    """Whether a file of this name is a session's: ``agent-*.jsonl`` is a subagent's (F42)."""
    return name.endswith(".jsonl") and is_id(name.removesuffix(".jsonl"))


def is_id(text: str) -> bool:
    """Whether ``text`` can be a conversation's id, and so a part of a path that leads nowhere else."""
    return _ID.fullmatch(text) is not None
