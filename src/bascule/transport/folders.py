"""bascule's own folders: where a person writes what shall hold, and where bascule keeps what it must remember."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

CONFIG: Final = "BASCULE_CONFIG"
"""Names another configuration file than the usual one; what belongs to it lies beside it."""


def config_folder(env: Mapping[str, str]) -> Path:
    """Where the user's ``config.toml`` and ``rules.toml`` are: ``~/.config/bascule``, or beside ``$BASCULE_CONFIG``."""
    if given := env.get(CONFIG):
        return Path(given).expanduser().absolute().parent
    return Path(_absolute(env.get("XDG_CONFIG_HOME")) or _home(env) / ".config", "bascule")


def config_file(env: Mapping[str, str]) -> Path:
    """The user's configuration, whether it is there or not."""
    given = env.get(CONFIG)
    return Path(given).expanduser().absolute() if given else config_folder(env) / "config.toml"


def state_folder(env: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Where bascule keeps what it writes itself: below ``$XDG_STATE_HOME``, on a Mac in the user's Library."""
    usual = "Library/Application Support" if platform == "darwin" else ".local/state"
    return Path(_absolute(env.get("XDG_STATE_HOME")) or _home(env) / usual, "bascule")


def make_private(folder: Path) -> None:
    """Make ``folder``, and what is missing above it, for its owner alone. Raises ``OSError``."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            missing.mkdir(mode=0o700, exist_ok=True)


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())


def _absolute(given: str | None) -> str | None:
    """A relative path is to be left out, as the specification of these variables wants it."""
    return given if given and Path(given).is_absolute() else None
