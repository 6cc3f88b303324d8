"""Where a soak takes place: the folder, a small disk for the hub's state, the CLIs with what meddles with them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import clean_environment
from bascule.testing.fake_cli import install
from bascule.transport.census import MARK
from bascule.transport.keeper import find_keepers
from scripts.soak import meddler

TURNS: Final = 50_000
TURN: Final = turn(call("Bash", command="touch made"), say("Done."))
DISK_MB: Final = 1024


class House:
    """A folder with everything in it. ``names``: the sessions on the fake CLI; ``real``: those on the real one."""

    def __init__(self, folder: Path, sessions: int, real_cli: Path | None, real: int) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.work = folder / "work"
        self.names = [f"s{number}" for number in range(sessions)]
        self.real = [f"r{number}" for number in range(real if real_cli else 0)]
        self.small_disk = False
        """The state lies on a disk of its own, which may be filled."""
        for needed in ("state", "work", "home", "bin"):
            (folder / needed).mkdir()
        self._faults = folder / "faults.log"
        self._real_cli = real_cli

    def settle(self, url: str, *, share: float, **settings: Any) -> None:
        """Write down what hubs are told. ``share`` of the CLI's processes have a fault; the model is at ``url``."""
        (self.folder / "meddler.json").write_text(json.dumps({"log": str(self._faults), "share": share}))
        env = clean_environment(url, self.folder / "home")
        cli = self._meddled("claude", install(self.folder / "bin"))
        told = {"cli": str(cli), "env": env, "settings": settings}
        (self.folder / "told.json").write_text(json.dumps(told))

    def options_of(self, name: str) -> dict[str, Any]:
        """What a session is started with beside what holds for all."""
        if name not in self.real or self._real_cli is None:
            return {}
        return {"cli": str(self._meddled("real", self._real_cli))}

    def _meddled(self, name: str, cli: Path) -> Path:
        path = self.folder / f"{name}.sh"
        words = [sys.executable, "-I", "-S", meddler.__file__, str(self.folder / "meddler.json"), str(cli)]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        path.chmod(0o755)
        return path

    def recording(self, name: str) -> Path:
        """Of a session."""
        return self.state / "sessions" / name / "recording.jsonl"

    def faults(self) -> Counter[str]:
        """What was done to CLIs, and how often."""
        told = self._faults.read_text().splitlines() if self._faults.exists() else []
        return Counter(f"CLI: {name}" for name in told)

    def left_over(self) -> list[int]:
        """Processes that are still there: keepers, and whatever a CLI has started."""
        found = find_keepers(self.state)
        marks = {f"{MARK}={one.mark}".encode() for one in (*found.living, *found.dead)}
        left = [one.pid for one in found.living]
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdecimal() and not marks.isdisjoint((entry / "environ").read_bytes().split(b"\0")):
                    left.append(int(entry.name))
        return left

    def clear(self) -> None:
        """End what a soak leaves that broke off."""
        for pid in self.left_over():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextmanager
def house(
    sessions: int, *, real_cli: Path | None = None, real: int = 0, share: float, **settings: Any
) -> Iterator[House]:
    """A house that leaves nothing behind, with a model for its CLIs. ``settings``: of the hub."""
    folder = Path(tempfile.mkdtemp(prefix="bascule-soak-"))
    here = House(folder, sessions, real_cli, real)
    try:
        here.small_disk = _mounted(here.state)
        with ScriptedModel(Script(*[TURN] * TURNS)) as model:
            here.settle(model.url, share=share, **settings)
            yield here
    finally:
        here.clear()
        if here.small_disk:
            subprocess.run(["umount", "--lazy", here.state], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def _mounted(folder: Path) -> bool:
    """Whether a disk of its own could be had there, which needs the rights of the system's owner."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=700", "tmpfs", str(folder)]
    with suppress(OSError):
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return False
