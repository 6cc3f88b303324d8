"""A conversation that goes on twice: the copy is the fork's, the original stays as it is."""

from __future__ import annotations

from pathlib import Path

from bascule.history.copies import write_copy
from bascule.history.pairs import paired
from bascule.history.stored import StoredSession
from bascule.history.transcript import read


def fork(path: str | Path, at: str | None = None, *, title: str | None = None) -> StoredSession:
    """A copy of the conversation under a new id, to be resumed in the same workspace; the original may run meanwhile.

    With ``at``, the uuid of an entry, the conversation up to there, on whichever branch it is; a reply is taken whole,
    with the results of its calls, and a call that has none gets one that says so. Messages get new uuids, and their
    entries name the old ones (``forkedFrom``). ``title`` names it; else it has the old title with ``(fork)`` behind it.
    Raises ``HistoryError`` when there is nothing to copy, or no room for it.
    """
    transcript = read(path, at)
    steps, _ = paired(transcript.nodes)
    return write_copy(transcript, steps, title=title, mark=" (fork)")
