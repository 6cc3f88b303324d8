"""What was proven stays proven, until the CLI is another: one file for each CLI, in bascule's own state folder.

Quick to import, since every supervised start asks here first. A receipt names the CLI by its path, by the version that
it tells, and by the file behind its link; a receipt that is not the user's own, or that others may write to, is none.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

REVISION: Final = 2
"""Counts what a proof proves; receipts of another revision are none."""


class Subject(msgspec.Struct, frozen=True):
    """A CLI as it is now."""

    path: str
    version: str
    real: str
    """The file behind the path."""
    inode: int
    written_ns: int
    changed_ns: int
    """The time of its status, which nobody sets back as `touch` does the other."""
    size: int
    starts_another: bool = False
    """It is a script, which may start one program now and another one then: the file does not tell the version."""

    @property
    def key(self) -> str:
        """A name for its receipt: of the file, and of the version where the file does not tell it."""
        named = self if self.starts_another else msgspec.structs.replace(self, version="")
        return hashlib.sha256(json.dumps([REVISION, *msgspec.structs.astuple(named)]).encode()).hexdigest()[:32]


def subject(cli: Path, version: str) -> Subject:
    """``cli`` as it is now; a link is followed for all but its path. Raises ``OSError``."""
    real = os.path.realpath(cli, strict=True)
    about = Path(real).stat()
    when = (about.st_mtime_ns, about.st_ctime_ns)
    return Subject(str(cli), version, real, about.st_ino, *when, about.st_size, starts_another=_is_script(Path(real)))


def _is_script(program: Path) -> bool:
    """One that cannot be read may be one."""
    try:
        with program.open("rb") as file:
            return file.read(2) == b"#!"
    except PermissionError:
        return True


class Receipts:
    """The receipts of a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "proofs"

    def has(self, proven: Subject) -> bool:
        """Whether this CLI was proven."""
        return self._read(proven) == proven

    def version_of(self, cli: Path) -> str | None:
        """The version by which this program was proven; None for one that was not, or that has to be asked."""
        try:
            now = subject(cli, "")
        except OSError:
            return None
        kept = None if now.starts_another else self._read(now)
        return kept.version if kept is not None and msgspec.structs.replace(kept, version="") == now else None

    def _read(self, proven: Subject) -> Subject | None:
        """The receipt of its name, if it is the user's own; whoever wrote another into its place is not believed."""
        try:
            handle = os.open(self._folder / proven.key, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                about = os.fstat(file.fileno())
                ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
                if not ours or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    return None
                return msgspec.json.decode(file.read(), type=Subject)
        except (OSError, msgspec.DecodeError):
            return None

    def keep(self, proven: Subject) -> bool:
        """Write a receipt, readable by its owner only; False when that cannot be: it is proven again next time."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            file = os.open(self._folder / proven.key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "wb") as written:
                written.write(msgspec.json.encode(proven) + b"\n")
        except OSError:
            return False
        return True

    def forget(self, doubted: Subject) -> bool:
        """Take its receipt away, if there is one; False when that cannot be."""
        with suppress(OSError):
            (self._folder / doubted.key).unlink(missing_ok=True)
        return not self.has(doubted)
