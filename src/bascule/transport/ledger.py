"""A small file of bascule's own: JSON, read whole, changed under a lock, and always either the old one or the new.

For what a person decided and may take back: it is read again when another program has changed it. Only its owner can
read it; one that others may write to, or that is a link, is not believed.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from bascule.errors import OptionError

T = TypeVar("T")

Stamp: TypeAlias = tuple[int, int, int]

_SIZE_LIMIT: Final = 8 * 2**20
"""Bytes above which it is none of ours."""

_SETTLED_NS: Final = 100_000_000
"""A version so new may be followed by another of the same time, size and inode: it is read again."""


class Ledger(Generic[T]):
    """What stands in one file. Values are of a frozen kind; ``empty`` is what a file that is not there holds."""

    def __init__(self, path: Path, kind: type[T], empty: T) -> None:
        self.path = path
        self._decoder = msgspec.json.Decoder(kind)
        self._empty = empty
        self._seen: tuple[Stamp, T] | None = None

    def read(self) -> T:
        """What it holds now; a ``stat`` when it has not changed. Raises ``OptionError`` for what is no such file."""
        stamp = self._stamp()
        if stamp is None:
            return self._empty
        if self._seen is not None and self._seen[0] == stamp:
            return self._seen[1]
        content = self._content()
        self._seen = (stamp, content) if time.time_ns() - stamp[1] > _SETTLED_NS else None
        return content

    def change(self, change: Callable[[T], T]) -> T:
        """Put ``change(what it holds)`` in its place, alone among all programs; what it holds then.

        Raises ``OptionError`` when it cannot be read or written, and whatever ``change`` raises; then nothing changed.
        """
        try:
            with self._locked():
                new = change(self.read())
                self._replace(msgspec.json.format(msgspec.json.encode(new), indent=1) + b"\n")
                return new
        except OSError as exc:
            raise OptionError(f"{self.path} cannot be written ({exc.strerror}): set XDG_STATE_HOME") from exc

    def _stamp(self) -> Stamp | None:
        try:
            about = self.path.lstat()
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise OptionError(f"{self.path} cannot be read ({exc.strerror})") from exc
        return about.st_ino, about.st_mtime_ns, about.st_size

    def _content(self) -> T:
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(file, "rb") as opened:
                self._demand_ours(os.fstat(file))
                return self._decoder.decode(opened.read(_SIZE_LIMIT))
        except OSError as exc:
            raise OptionError(f"{self.path} cannot be read ({exc.strerror})") from exc
        except msgspec.DecodeError as exc:
            raise OptionError(f"{self.path} is damaged ({exc}): mend it, or take it away") from exc

    def _demand_ours(self, about: os.stat_result) -> None:
        ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
        if not ours or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OptionError(f"{self.path} is not yours alone, so it is not believed: look at it, and take it away")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = self.path.with_name(f"{self.path.name}.lock")
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    def _replace(self, content: bytes) -> None:
        """Write beside it, then take its name: who reads meanwhile gets the old one whole."""
        beside = self.path.with_name(f"{self.path.name}.new")
        beside.unlink(missing_ok=True)
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(file)
        beside.replace(self.path)
