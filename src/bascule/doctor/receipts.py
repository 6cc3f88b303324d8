"""What was proven stays proven, until the CLI is another: one file for each CLI, in bascule's own state folder.

Quick to import, since every supervised start asks here first. A receipt names the CLI by its path, its version, and the
time and size of its file; a file that is not the user's own, or that others may write to, is none.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

REVISION: Final = 1
"""Counts what a proof proves; receipts of another revision are none."""


def state_folder(env: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """Where bascule keeps what it may lose: ``$XDG_STATE_HOME``, on a Mac the user's Library."""
    home = Path(env.get("HOME") or Path.home())
    if (given := env.get("XDG_STATE_HOME")) and Path(given).is_absolute():
        return Path(given, "bascule")
    return home / ("Library/Application Support" if platform == "darwin" else ".local/state") / "bascule"


class Subject(msgspec.Struct, frozen=True):
    """A CLI as it is now."""

    path: str
    version: str
    changed_ns: int
    size: int

    @property
    def key(self) -> str:
        """A name for its receipt."""
        return hashlib.sha256(json.dumps([REVISION, *msgspec.structs.astuple(self)]).encode()).hexdigest()[:32]


def subject(cli: Path, version: str) -> Subject:
    """``cli`` as it is now; a link is followed for its time and its size. Raises ``OSError``."""
    about = cli.stat()
    return Subject(str(cli), version, about.st_mtime_ns, about.st_size)


class Receipts:
    """The receipts of a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "proofs"

    def has(self, proven: Subject) -> bool:
        """Whether this CLI was proven."""
        try:
            about = (self._folder / proven.key).lstat()
        except OSError:
            return False
        ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
        return ours and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

    def keep(self, proven: Subject) -> bool:
        """Write a receipt, readable by its owner only; False when that cannot be: it is proven again next time."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            file = os.open(self._folder / proven.key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        except OSError:
            return False
        with os.fdopen(file, "wb") as written:
            written.write(msgspec.json.encode(proven) + b"\n")
        return True
