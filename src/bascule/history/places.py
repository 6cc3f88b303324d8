"""What a path must be before anything here touches it: a session's, and a plain file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bascule.errors import HistoryError
from bascule.ids import CliSessionId
from bascule.transport.projects import is_session_file


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
