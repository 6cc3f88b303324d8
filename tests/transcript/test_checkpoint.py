"""A fold that was kept goes on as if it had never been away."""

import pickle
from pathlib import Path

import pytest

from bascule import recording
from bascule.ids import SessionId
from bascule.transcript.checkpoint import FORMAT, checkpoint, restored
from bascule.transcript.fold import Fold

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("2.*/*.jsonl"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_rest_is_the_same_from_a_checkpoint(path: Path) -> None:
    entries = [e for e in recording.read(path.read_bytes().splitlines()) if isinstance(e, recording.Entry)]
    fold = Fold(SessionId("s"))
    kept: list[bytes] = []
    for entry in entries:
        kept.append(checkpoint(fold) if len(kept) % 7 == 0 else b"")
        fold.feed(entry)
    told = [Fold(SessionId("s"))]
    whole = [told[0].feed(entry) for entry in entries]
    for at, data in enumerate(kept):
        if data:
            again = restored(data)
            assert [again.feed(entry) for entry in entries[at:]] == whole[at:]


@pytest.mark.parametrize(
    "data", [b"", b"x", FORMAT, FORMAT + b"x", FORMAT + pickle.dumps("x"), b"bascule fold 0\n" + pickle.dumps(1)]
)
def test_what_is_no_checkpoint_is_told(data: bytes) -> None:
    with pytest.raises(ValueError, match="checkpoint"):
        restored(data)
