"""What a session keeps as bytes, so that who comes back to it need not read all of its recording again.

As ``transcript/checkpoint.py``, on which it builds: for this version of bascule, from this machine's own state alone.
"""

from __future__ import annotations

import pickle
from typing import Final, NamedTuple

from bascule.session.past import Past
from bascule.transcript import checkpoint
from bascule.transcript.fold import Fold

FORMAT: Final = b"bascule session 2\n"
"""Begins them; another number is another form."""


class Kept(NamedTuple):
    """A session as it was after a line of its recording. Whoever is given it uses it up."""

    line: int
    """Where to go on: ``attach(folder, after=line)``."""
    fold: Fold
    past: Past


def keep(line: int, fold: Fold, past: Past) -> bytes:
    """``fold`` and ``past`` as they are after that line, and no other."""
    kept = (line, checkpoint.checkpoint(fold), past)
    return FORMAT + pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL)


def restored(data: bytes) -> Kept:
    """What ``keep`` made bytes of. Raises ``ValueError`` for what is none; then the recording is to be read whole."""
    if not data.startswith(FORMAT):
        raise ValueError("no checkpoint of a session, or of another version of bascule")
    try:
        line, fold, past = pickle.loads(data[len(FORMAT) :])
    except Exception as exc:  # whatever a class that has changed since makes of it
        raise ValueError(f"a checkpoint of a session that cannot be read: {exc!r}") from exc
    if not isinstance(line, int) or not isinstance(past, Past):
        raise ValueError("a checkpoint that holds no session")
    return Kept(line, checkpoint.restored(fold), past)
