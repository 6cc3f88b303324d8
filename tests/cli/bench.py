"""`bascule` in a terminal of its own, as a person has it in front of him: a session, a pseudo-terminal, a screen."""

from __future__ import annotations

import fcntl
import os
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script
from bascule.demo.workspace import Workspace, make_workspace
from tests.cli.command import measured
from tests.terminal.vt import Terminal

PATIENCE_S = 30.0
READ_S = 0.7
"""A card takes no key before the hands have rested for so long."""


class Screen:
    """A running `bascule`, its keyboard and what is on its screen."""

    def __init__(self, process: subprocess.Popen[bytes], leader: int, columns: int) -> None:
        self.process = process
        self._leader = leader
        self._terminal = Terminal(columns=columns, lines=40, folds=True)
        self._rest = b""

    def types(self, keys: str) -> None:
        """Press keys. Ctrl-C and Ctrl-D are what the terminal makes of them."""
        os.write(self._leader, keys.encode())

    def until(self, text: str, *, times: int = 1) -> None:
        """Wait until `text` has been seen so often."""
        end = time.monotonic() + PATIENCE_S
        while sum(text in row for row in self.seen()) < times:
            assert self._read(end), f"{text!r} is not to be seen:\n" + "\n".join(self.seen())

    def sees(self, *texts: str) -> bool:
        """Whether one of the texts is there."""
        return any(text in row for text in texts for row in self.seen())

    def waits(self, seconds: float) -> None:
        """Look at the screen for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(end)

    def presses_until(self, key: str, text: str) -> None:
        """Press a key until it counts: a card that has just appeared takes none."""
        while not self.sees(text):
            self.types(key)
            self.waits(READ_S)

    def seen(self) -> list[str]:
        """All rows since the start."""
        return self._terminal.seen()

    def modes(self) -> set[str]:
        """Private modes of the terminal that are on."""
        return set(self._terminal.modes)

    def said(self) -> list[str]:
        """The rows that say something."""
        return [row for row in self.seen() if row]

    def ends(self) -> int:
        """Wait for the end; the exit code."""
        end = time.monotonic() + PATIENCE_S
        while self._read(end):
            pass
        return self.process.wait(PATIENCE_S)

    def _read(self, end: float) -> bool:
        """Take what was written since; False when the time is over or nothing more will come."""
        ready, _, _ = select.select([self._leader], [], [], max(end - time.monotonic(), 0))
        if not ready:
            return False
        try:
            data = os.read(self._leader, 65536)
        except OSError:  # EIO: the other end is closed
            return False
        text = (self._rest + data).decode("utf-8", "ignore")
        whole = self._rest + data
        self._rest = whole[len(text.encode()) :]
        self._terminal.write(text)
        return bool(data)


@contextmanager
def on_screen(
    args: Sequence[str], *, env: Mapping[str, str], cwd: Path, columns: int = 100, lines: int = 40
) -> Iterator[Screen]:
    """Run `bascule` in a terminal of its own; it is killed if it does not end."""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN, *args],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={"TERM": "xterm-256color", **env},
        cwd=cwd,
        start_new_session=True,
    )
    os.close(follower)
    try:
        yield Screen(process, leader, columns)
    finally:
        process.kill()
        process.wait()
        os.close(leader)


BEGIN = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from bascule.cli.main import main
sys.exit(main())
"""
"""The terminal becomes the one that Ctrl-C comes from."""


class Bench:
    """A workspace, a scripted model, and a `claude` that knows where the model is, unless it is told of another."""

    def __init__(self, workspace: Workspace, model: ScriptedModel, env: Mapping[str, str]) -> None:
        self.project = workspace.project
        self.model = model
        self.env = env

    def run(self, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """`bascule` without a terminal, to its end."""
        return subprocess.run(
            [sys.executable, "-m", "bascule.cli.main", *args],
            input=stdin,
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self.project,
            timeout=PATIENCE_S,
            check=False,
        )

    @contextmanager
    def started(self, *args: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
        """`bascule` without a terminal while it runs, and its output."""
        argv = [sys.executable, "-m", "bascule.cli.main", *args]
        with subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.env,
            cwd=self.project,
        ) as process:
            assert process.stdout is not None
            try:
                yield process, process.stdout
            finally:
                process.kill()

    @contextmanager
    def on_screen(self, *args: str, columns: int = 100, **env: str) -> Iterator[Screen]:
        """`bascule` in a terminal."""
        with on_screen(args, env={**self.env, **env}, cwd=self.project, columns=columns) as screen:
            yield screen


@contextmanager
def bench(script: Script, cli: Path, folder: Path, **env: str) -> Iterator[Bench]:
    """A bench on which the real CLI works for the scripted model; `env` is for `bascule`."""
    workspace = make_workspace(folder)
    with ScriptedModel(script) as model:
        given = workspace.environment(model.url)
        (folder / "bin").mkdir()
        starter = folder / "bin" / "claude"
        inside = {name: shlex.quote(value) for name, value in given.items() if name not in ("PATH", "HOME")}
        exports = "".join(f": ${{{name}:={value}}}; export {name}\n" for name, value in inside.items())
        starter.write_text(f'#!/bin/sh\n{exports}exec {shlex.quote(str(cli))} "$@"\n')
        starter.chmod(0o755)
        given_env = {**measured(), "PATH": f"{folder / 'bin'}:{os.defpath}", "HOME": str(workspace.home), **env}
        yield Bench(workspace, model, given_env)
