"""Title and tag of a session: one line more at the end of its file, as the CLI writes it.

What ``rename_session`` makes the CLI write was read from its files: both tested versions add ``custom-title``, and the
last one counts. 2.1.332 adds ``agent-name`` and keeps a file beside, and looks at neither for the title (measured:
it resumes by the title of the last line). ``tag`` is carried on by the CLI itself, too.
"""

from __future__ import annotations

import os
from pathlib import Path

from bascule.errors import HistoryError, OptionError
from bascule.history.places import id_of, open_plainly
from bascule.wire.json_text import to_ascii

TITLE_LIMIT = 200
"""Characters of a title or a tag: it has to stand in the part of the file that lists of sessions read."""


def rename(path: str | Path, title: str) -> None:
    """Give the session a title, which ``claude --resume TITLE`` takes as well; the session may run.

    Blanks around it go, and a line break becomes one. Raises ``OptionError`` for an empty title or a long one, and
    ``HistoryError`` when the file cannot be written.
    """
    where = Path(path)
    _append(where, {"type": "custom-title", "customTitle": _line(title, "title"), "sessionId": id_of(where)})


def tag(path: str | Path, name: str | None) -> None:
    """Give the session a tag, in place of the one it has; None takes that away. Raises as ``rename`` does."""
    where = Path(path)
    _append(where, {"type": "tag", "tag": _line(name, "tag") if name is not None else "", "sessionId": id_of(where)})


def _line(text: str, what: str) -> str:
    line = " ".join(text.split())
    if not 0 < len(line) <= TITLE_LIMIT:
        raise OptionError(f"a {what} has 1 to {TITLE_LIMIT} characters, not {len(line)}")
    return line


def _append(path: Path, entry: dict[str, str]) -> None:
    """In one write, so that a process that writes as well does not come between; behind a half line a new one."""
    file = open_plainly(path, os.O_RDWR | os.O_APPEND)
    try:
        size = os.fstat(file).st_size
        whole = size == 0 or os.pread(file, 1, size - 1) == b"\n"
        os.write(file, (b"" if whole else b"\n") + to_ascii(entry) + b"\n")
    except OSError as exc:
        raise HistoryError(f"{path} cannot be written: {exc.strerror}", str(path)) from exc
    finally:
        os.close(file)
