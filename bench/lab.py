"""Where samples are taken: the compiled fake CLI, the files that it prints, and fresh interpreters that take turns."""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

T = TypeVar("T")
Subject: TypeAlias = Literal["ours", "sdk", "floor"]

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = Path(__file__).with_name("fakecli.c")
PATIENCE_S: Final = 300


class Lab:
    """A folder for one run. ``short``: everything once and small, to see that it works."""

    def __init__(self, folder: Path, *, short: bool) -> None:
        self.folder = folder
        self.short = short
        self._files = 0
        self._env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),  # the tree that this file is of
        }

    @property
    def fake(self) -> Path:
        """The fake CLI; compiled by the first who asks."""
        program = self.folder / "claude"
        if not program.exists():
            subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
        return program

    def lines(self, lines: Iterable[str]) -> Path:
        """A file of ``lines`` for the fake CLI."""
        path = self.fresh("lines")
        with path.open("wb") as file:
            file.writelines(line.encode("utf-8", "surrogateescape") + b"\n" for line in lines)
        return path

    def sample(self, subject: Subject, scenario: str, *, env: dict[str, str] | None = None, **more: Any) -> Any:
        """What one run of a scenario tells. ``env`` is for the CLI."""
        arguments = {"cli": str(self.fake), "cwd": str(self.folder), "env": env or {}, **more}
        return self.run("-m", f"bench.subjects.{subject}", scenario, json.dumps(arguments))

    def run(self, *python: str) -> Any:
        """The JSON that a fresh interpreter printed, in an environment that is the same everywhere."""
        done = subprocess.run(
            [sys.executable, *python],
            env=self._env,
            cwd=self.folder,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
        if done.returncode != 0:
            raise RuntimeError(f"a sample failed: {python}\n{done.stderr.decode()}")
        return json.loads(done.stdout)

    def timed(self, *command: str) -> float:
        """Seconds from the start of a program to its end."""
        begun = time.perf_counter()
        subprocess.run(command, env=self._env, cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begun

    def fresh(self, name: str) -> Path:
        """A path where nothing is yet."""
        self._files += 1
        return self.folder / f"{name}-{self._files}"

    def rounds(self, full: int) -> range:
        """How often the subjects take turns."""
        return range(1 if self.short else full)


@contextmanager
def lab(*, short: bool) -> Iterator[Lab]:
    """A lab that leaves nothing behind."""
    folder = Path(tempfile.mkdtemp(prefix="bascule-bench-"))
    try:
        yield Lab(folder, short=short)
    finally:
        shutil.rmtree(folder)


@cache
def subjects() -> tuple[Subject, ...]:
    """Who is there to be compared: the SDK is a dependency of the bench alone."""
    return ("ours", "sdk", "floor") if find_spec("claude_agent_sdk") else ("ours", "floor")


def in_turn(rounds: range, who: Iterable[Subject], sample: Callable[[Subject], T]) -> dict[Subject, list[T]]:
    """What each of ``who`` gives, one after the other, so often: so the noise of the machine falls on all."""
    listed = tuple(who)
    taken: dict[Subject, list[T]] = {subject: [] for subject in listed}
    for _ in rounds:
        for subject in listed:
            taken[subject].append(sample(subject))
    return taken


def medians(taken: Mapping[Subject, list[T]], value: Callable[[T], float | None]) -> dict[str, Any]:
    """For a ``Figure``: the median of each subject's values, and the values. None among them is beyond all."""
    values = {subject: [value(sample) for sample in samples] for subject, samples in taken.items()}
    return {**{subject: median(of_one) for subject, of_one in values.items()}, "samples": values}


def median(values: Iterable[float | None]) -> float | None:
    """The middle one; None, which stands for *never*, is larger than all."""
    middle = statistics.median(math.inf if value is None else value for value in values)
    return None if math.isinf(middle) else middle
