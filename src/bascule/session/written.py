"""Files that a person writes for bascule: where they stand in a workspace, and their text."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from bascule.session.brought import content_of

OURS: Final = ".bascule"
"""The folder in a workspace that is bascule's."""


def projects_file(workspace: str | Path) -> Path:
    """The rules that a workspace brings."""
    return Path(workspace, OURS, "rules.toml")


def projects_config(workspace: str | Path) -> Path:
    """The configuration that a workspace brings."""
    return Path(workspace, OURS, "config.toml")


def content(path: Path) -> bytes:
    """The bytes of a file. Raises ``OSError`` for what cannot be read, and for what anybody may write."""
    if path.stat().st_mode & stat.S_IWOTH:
        raise OSError("everybody may write to it: chmod o-w")
    return content_of(path) or b""


def text(said: bytes, path: Path) -> tuple[str, str | None]:
    """The text, or the place where it is none: ``PATH:LINE:COLUMN: …``."""
    try:
        return said.decode(), None
    except UnicodeDecodeError as exc:
        line = said.count(b"\n", 0, exc.start) + 1
        column = exc.start - said.rfind(b"\n", 0, exc.start)
        return "", f"{path}:{line}:{column}: no UTF-8 text"
