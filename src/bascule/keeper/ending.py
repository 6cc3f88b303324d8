"""How the CLI and all that it started is ended: politely, then not, in bounded time, with nothing left over.

A tool's shell runs in a session of its own, and once its parent is dead it would be the init process's child. On Linux
this program asks to get such orphans itself, so that whatever the CLI started descends from the keeper, for ever.
Elsewhere those that are still in the CLI's process group are found.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator

from bascule.keeper.child import Child

PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY_S = 0.02
DEAD = ("Z", "X")
LINUX = os.uname().sysname == "Linux"


class Limits:
    """Seconds; see ``bascule.transport.ends``, which has the same for a CLI without a keeper."""

    def __init__(self, *, term_s: float, kill_s: float, orphans_s: float, linger_s: float) -> None:
        self.term_s = term_s
        self.kill_s = kill_s
        self.orphans_s = orphans_s
        self.linger_s = linger_s


class Ending:
    """The steps to a process's end, each at its time. It never waits: ``act`` takes the steps that are due."""

    def __init__(self, child: Child, limits: Limits) -> None:
        self._child = child
        self._limits = limits
        self._steps: list[tuple[float, int]] = []
        """When to send which signal; 0 stands for giving up."""
        self._orphaned = False
        self.over = False
        """The process and all that it started is gone, or will not go."""

    def close(self, grace_s: float) -> None:
        """End the CLI: stdin first, signals after ``grace_s``. A second call can only hurry."""
        self._child.end()
        term = time.monotonic() + grace_s
        first = min([term, *(at for at, number in self._steps if number == signal.SIGTERM)])
        if not self._orphaned and (not self._steps or self._steps[0][1] == signal.SIGTERM):
            kill = first + self._limits.term_s
            self._steps = [(first, signal.SIGTERM), (kill, signal.SIGKILL), (kill + self._limits.kill_s, 0)]

    def act(self) -> None:
        """Take the steps that are due. Once the CLI is dead, what it left is ended."""
        now = time.monotonic()
        if self._child.how is not None and not self._orphaned:
            self._orphaned = True
            kill = now + self._limits.orphans_s
            self._steps = [(now, signal.SIGTERM), (kill, signal.SIGKILL), (kill + self._limits.orphans_s, 0)]
        left = list(kin(self._child.pid)) if self._orphaned and not self.over else []
        while self._steps and self._steps[0][0] <= now:
            _, number = self._steps.pop(0)
            self.over = self.over or number == 0
            for pid in left:
                _kill(pid, number)
            if not self._orphaned:
                self._child.signal(number)
        self.over = self.over or (self._orphaned and not left)

    def due_s(self) -> float | None:
        """Seconds until ``act`` has something to do; None: nothing by itself."""
        if self.over or not self._steps:
            return None
        wait = self._steps[0][0] - time.monotonic()
        return max(0.0, min(wait, LOOK_EVERY_S) if self._orphaned else wait)


def adopt_orphans() -> None:
    """From now on a process whose parent dies becomes ours, if it descends from us."""
    if LINUX:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kin(cli: int) -> Iterator[int]:
    """The living processes that descend from this one or are in the CLI's session, but not the CLI."""
    rows = list(_rows())
    family = {os.getpid(), *(pid for pid, _, session in rows if session == cli)}
    size = 0
    while size < len(family):
        size = len(family)
        family.update([pid for pid, parent, _ in rows if parent in family])
    return (pid for pid, _, _ in rows if pid in family and pid not in (os.getpid(), cli))


def born(pid: int) -> int:
    """What tells this process from another one of its number, as ``bascule.transport.census`` reads it; 0: unknown."""
    if LINUX:
        return int(_stat(str(pid))[19])
    with os.popen(f"LC_ALL=C ps -o lstart= -p {pid}") as listed:
        return int(time.mktime(time.strptime(listed.read().strip(), "%a %b %d %H:%M:%S %Y")))


def _rows() -> Iterator[tuple[int, int, int]]:
    """Number, parent and session (elsewhere: process group) of each living process."""
    if LINUX:
        for name in filter(str.isdigit, os.listdir("/proc")):
            fields = _stat(name)
            if fields and fields[0] not in DEAD:
                yield int(name), int(fields[1]), int(fields[3])
        return
    with os.popen("LC_ALL=C ps -ax -o pid=,ppid=,pgid=,stat=") as listed:
        for pid, parent, group, state in map(str.split, listed):
            if not state.startswith(DEAD):
                yield int(pid), int(parent), int(group)


def _stat(name: str) -> list[str]:
    """The fields of ``/proc/PID/stat`` after the name, which may hold blanks; none when the process is gone."""
    try:
        with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
            return file.read().decode(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return
