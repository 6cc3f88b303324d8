"""The conversations that are compared word by word. `python -m tests.cli.goldens` writes them anew: read the diff."""

import contextlib
import io
from pathlib import Path
from typing import Final

from bascule.cli.main import main

RECORDINGS: Final = Path(__file__).parents[1] / "recordings" / "2.1.332"
GOLDEN: Final = Path(__file__).parents[1] / "golden" / "terminal"


def shown(name: str) -> str:
    """What `bascule replay` prints of a recording."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(["replay", str(RECORDINGS / f"{name}.jsonl")])
    return out.getvalue()


def names() -> list[str]:
    """The recordings that have a golden conversation."""
    return sorted(path.stem for path in GOLDEN.glob("*.txt"))


if __name__ == "__main__":
    for each in names():
        (GOLDEN / f"{each}.txt").write_text(shown(each))
