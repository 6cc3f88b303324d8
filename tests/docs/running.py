"""Runs a program of the documentation as a reader would: saved under its name, in a folder, its questions answered."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.docs.pages import ROOT, Block

TIMEOUT_S: Final = 50
RECORDINGS: Final = ROOT / "tests" / "docs" / "recordings"


class Ran(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


def run(program: Block, folder: Path, env: Mapping[str, str], *, typed: str = "") -> Ran:
    """Run it in `folder`; a name that begins with `test_` is for pytest. `typed` is what stands on its stdin."""
    path = folder / program.name
    path.write_text(program.text)
    if program.name.startswith("test_"):
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "-rs", str(path)]
    else:
        argv = [sys.executable, str(path)]
    done = subprocess.run(
        argv, cwd=folder, env=env, input=typed, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def with_recording(name: str, folder: Path, saved_as: str) -> None:
    """Put a recording there, as the page before it had the reader do."""
    shutil.copy(RECORDINGS / name, folder / saved_as)


def install_cli(cli: Path, folder: Path, *, given: Mapping[str, str]) -> None:
    """Put a `claude` into `folder` that works as the CLI does with the variables `given`.

    The programs of the pages know nothing of a scripted model: the `claude` that they find does.
    """
    folder.mkdir()
    inside = [f"{name}={value}" for name, value in given.items() if name not in ("PATH", "HOME")]
    starter = folder / "claude"
    starter.write_text(f'#!/bin/sh\nexec env {shlex.join(inside)} {shlex.quote(str(cli))} "$@"\n')
    starter.chmod(0o755)
