"""The `bascule` command as a user starts it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TIMEOUT_S = 15


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def measured() -> dict[str, str]:
    """What lets the coverage of a process be measured when ours is."""
    return {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}


def bascule(*args: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Ran:
    """Run a command to its end; `stdin` is all that it can read."""
    done = subprocess.run(
        [sys.executable, "-m", "bascule.cli.main", *args],
        input=stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        env={**measured(), "PATH": os.defpath, "COLUMNS": "100", "HOME": str(cwd or "/nonexistent"), **(env or {})},
        cwd=cwd,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
