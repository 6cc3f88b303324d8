"""Where the CLI keeps its session files, and what a path must be before anything here touches it.

``CONFIG/projects/FOLDER/ID.jsonl``: FOLDER is made of the workspace's path, ID is the conversation's (a UUID). Files of
other names lie beside them and are none: transcripts of subagents, and what the CLI keeps for itself.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from bascule.errors import HistoryError
from bascule.ids import CliSessionId

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


def is_session_file(name: str) -> bool:
    """Whether a file of this name is a session's: ``agent-*.jsonl`` is a subagent's (F42)."""
    return name.endswith(".jsonl") and is_id(name.removesuffix(".jsonl"))


def is_id(text: str) -> bool:
    """Whether ``text`` can be a conversation's id, and so a part of a path that leads nowhere else."""
    return _ID.fullmatch(text) is not None


def id_of(path: Path) -> CliSessionId:
    """The conversation whose file this is. Raises ``HistoryError`` for the path of anything else."""
    if not is_session_file(path.name):
        raise HistoryError(f"{path} is no session file: those are called ID.jsonl, with a UUID", str(path))
    return CliSessionId(path.stem)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file, for reading. Raises ``HistoryError`` for what is no plain file, which could lead elsewhere or block."""
    file = open_plainly(path, os.O_RDONLY)
    with os.fdopen(file, "rb") as stream:
        yield stream


def open_plainly(path: Path, flags: int) -> int:
    """A file descriptor of a plain file; a link, a pipe or a folder in its place raises ``HistoryError``."""
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as exc:
        raise HistoryError(f"{path} cannot be opened: {exc.strerror}", str(path)) from exc
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise HistoryError(f"{path} is no plain file", str(path))
    return file
