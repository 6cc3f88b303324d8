"""A fold as bytes, so that who comes back to a long session need not read all of it again.

The bytes are Python objects: of this version of bascule, of this machine's own state, and never of anybody else.
Whatever cannot be read, as after an update, is ``ValueError``, and the recording is read from its beginning instead.
"""

from __future__ import annotations

import pickle
from typing import Final

from bascule.transcript.fold import Fold

FORMAT: Final = b"bascule fold 2\n"
"""Begins a checkpoint; another number is another form of the fold."""


def checkpoint(fold: Fold) -> bytes:
    """``fold`` as it is after the entry that it was fed last."""
    return FORMAT + pickle.dumps(fold, protocol=pickle.HIGHEST_PROTOCOL)


def restored(data: bytes) -> Fold:
    """The fold of a ``checkpoint``, to be fed with the next entry. Raises ``ValueError`` for what is none."""
    if not data.startswith(FORMAT):
        raise ValueError("no checkpoint of this version of bascule")
    try:
        fold = pickle.loads(data[len(FORMAT) :])
    except Exception as exc:  # whatever a class that has changed since makes of it
        raise ValueError(f"a checkpoint that cannot be read: {exc!r}") from exc
    if not isinstance(fold, Fold):
        raise ValueError("a checkpoint that holds no fold")
    return fold
