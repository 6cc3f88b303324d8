"""Runs a program of the documentation as a reader would: saved under its name, in a folder, its questions answered."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bascule.doctor.receipts import Receipts, subject
from bascule.transport.folders import state_folder
from bascule.transport.version import parsed
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


def install_cli(cli: Path, folder: Path, *, given: Mapping[str, str]) -> Path:
    """Put a `claude` into `folder` that works as the CLI does with the variables `given`.

    The programs of the pages know nothing of a scripted model: the `claude` that they find does. They may name another
    one, as a proof does.
    """
    folder.mkdir()
    inside = {name: shlex.quote(value) for name, value in given.items() if name not in ("PATH", "HOME")}
    exports = "".join(f": ${{{name}:={value}}}; export {name}\n" for name, value in inside.items())
    starter = folder / "claude"
    starter.write_text(f'#!/bin/sh\n{exports}exec {shlex.quote(str(cli))} "$@"\n')
    starter.chmod(0o755)
    return starter


def believe(cli: Path, home: Path) -> None:
    """The user of `home` has used this CLI before, so that no program has to prove it once more."""
    told = subprocess.run([cli, "--version"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    version = parsed(told.stdout)
    Receipts(state_folder({"HOME": str(home)})).keep(subject(cli, str(version)))
