"""Doubles of a CLI that is broken as real ones were: the fake CLI, with something lost on the way to it."""

import sys
from pathlib import Path
from typing import Final

BETWEEN: Final = """\
#!{python}
import json, subprocess, sys

def heard(line):
    said = json.loads(line)
    if said.get("request", {{}}).get("subtype") == "initialize":
        said["request"].pop("hooks", None)
    return json.dumps(said).encode() + b"\\n"

argv = [word for word in sys.argv[1:] if word not in {without}] + {more}
fake = subprocess.Popen([sys.executable, "-m", "bascule.testing.fake_cli", *argv], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    fake.stdin.write(heard(line))
    fake.stdin.flush()
fake.stdin.close()
sys.exit(fake.wait())
"""


def asks_nobody(folder: Path) -> Path:
    """Takes hooks and never calls them, and runs whatever the model wants (the CLI of F12)."""
    return _between(folder, more=["--dangerously-skip-permissions"])


def denies_all(folder: Path) -> Path:
    """Takes hooks and never calls them, and refuses by itself what it should ask about."""
    return _between(folder, without=["--permission-prompt-tool=stdio"])


def _between(folder: Path, *, without: list[str] | None = None, more: list[str] | None = None) -> Path:
    path = folder / "claude"
    path.write_text(BETWEEN.format(python=sys.executable, without=without or [], more=more or []))
    path.chmod(0o755)
    return path
