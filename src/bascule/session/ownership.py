"""One owner for each conversation of the CLI: of two processes on one, a later resume sees only one branch (12_tp_*).

The CLI has no lock of its own. Ours is a ``flock``, which ends with its process, so that a crash leaves nothing behind
that has to be judged by its age or by a process number.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bascule.errors import OptionError, SessionInUse
from bascule.transport.folders import make_private

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def owners_folder() -> Path:
    """Where the locks lie: one folder for all programs of a user, those of cron too, which has no runtime folder."""
    state = os.environ.get("XDG_STATE_HOME")
    return Path(state or Path.home() / ".local" / "state", "bascule", "owners")


@contextmanager
def owned(conversation: str | None, folder: Path) -> Iterator[None]:
    """Own ``conversation`` (the CLI's session id) while the block runs.

    None: there is nothing to own. Raises ``SessionInUse`` when another session, of this program or any other, owns it.
    """
    if conversation is None or not _UUID.fullmatch(conversation):
        yield
        return
    _make(folder)
    path = folder / f"{conversation.lower()}.lock"
    lock = _locked(path, conversation)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(lock)


def _make(folder: Path) -> None:
    try:
        make_private(folder)
        about = folder.lstat()
    except OSError as exc:
        raise OptionError(f"{folder} cannot be made ({exc.strerror}): set XDG_STATE_HOME to a folder of yours") from exc
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        raise OptionError(f"{folder} is not yours: set XDG_STATE_HOME to a folder of yours")


def _locked(path: Path, conversation: str) -> int:
    """The open, locked file. One that its last owner removed meanwhile is opened anew."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file).st_ino == _inode(path):
                os.truncate(file, 0)
                os.write(file, str(os.getpid()).encode())
                return file
        except BlockingIOError:
            owner = _owner(file)
            os.close(file)
            raise SessionInUse(
                f"the conversation {conversation} is open in another session"
                f"{f' (process {owner})' if owner else ''}: end that one first, or fork",
                session=conversation,
                pid=owner,
            ) from None
        os.close(file)


def _owner(file: int) -> int | None:
    """The process that holds the lock, as it wrote; None: it has not yet."""
    written = os.pread(file, 20, 0)
    return int(written) if written.isdigit() else None


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None
