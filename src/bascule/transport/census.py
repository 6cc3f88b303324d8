"""The processes of this machine, as the system lists them: Linux by ``/proc``, any other Unix by ``ps``."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

MARK: Final = "BASCULE_PROCESS"
"""The variable whose value tells the processes of one CLI from those of another."""
_PROC: Final = Path("/proc")
_DEAD: Final = ("Z", "X")


class Row(msgspec.Struct, frozen=True):
    """One living process, as the system lists it."""

    pid: int
    parent: int
    """Another one once the parent has died."""
    group: int
    """Its session; where the system does not tell it, its process group."""
    born: int
    """Grows with time."""

    @property
    def key(self) -> tuple[int, int]:
        """What names one process for ever: its number and when it was born."""
        return self.pid, self.born


class Table(msgspec.Struct, frozen=True):
    """The living processes at one moment."""

    rows: frozenset[Row]
    marked: frozenset[int] = frozenset()
    """Those that carry the mark; empty where the system does not show environments."""


class System(msgspec.Struct, frozen=True):
    """How to ask for processes. Each call may block for some milliseconds."""

    table: Callable[[str], Table]
    """All of them, given the mark to look for."""
    row: Callable[[int], Row | None]
    """The one of that number; None when there is none alive."""


def stat_row(text: str) -> Row | None:
    """The process of a ``/proc/PID/stat``; None when it is dead. Its name may hold blanks and parentheses."""
    head, _, tail = text.rpartition(")")
    state, parent, _group, session, *rest = tail.split()
    if state in _DEAD:
        return None
    return Row(pid=int(head.partition(" ")[0]), parent=int(parent), group=int(session), born=int(rest[15]))


def ps_rows(text: str) -> frozenset[Row]:
    """The processes that ``ps`` printed (see ``_ps``), dead ones left out."""
    rows = set()
    for line in text.splitlines():
        pid, parent, group, state, *born = line.split()
        if not state.startswith(_DEAD):
            rows.add(Row(pid=int(pid), parent=int(parent), group=int(group), born=_seconds(born)))
    return frozenset(rows)


def _seconds(lstart: list[str]) -> int:
    return int(time.mktime(time.strptime(" ".join(lstart), "%a %b %d %H:%M:%S %Y")))


def proc_table(mark: str) -> Table:
    """The processes as Linux lists them. One that ends meanwhile is left out; another user's carries no mark."""
    wanted = f"{MARK}={mark}".encode()
    rows, marked = set(), set()
    for folder in _PROC.iterdir():
        row = proc_row(int(folder.name)) if folder.name.isdecimal() else None
        if row is not None:
            rows.add(row)
            with contextlib.suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    marked.add(row.pid)
    return Table(frozenset(rows), frozenset(marked))


def proc_row(pid: int) -> Row | None:
    """The process of that number as Linux tells it."""
    try:
        return stat_row((_PROC / str(pid) / "stat").read_text(errors="replace"))
    except OSError:
        return None


def ps_table(mark: str) -> Table:
    """The processes as any Unix lists them; who carries ``mark`` is not told."""
    return Table(_ps("-ax"))


def ps_row(pid: int) -> Row | None:
    """The process of that number as any Unix tells it."""
    return next(iter(_ps("-p", str(pid))), None)


def _ps(*which: str) -> frozenset[Row]:
    argv = ["ps", *which, "-o", "pid=,ppid=,pgid=,stat=,lstart="]
    listed = subprocess.run(argv, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": os.defpath})
    return ps_rows(listed.stdout)


LINUX: Final = System(proc_table, proc_row)
ANY_UNIX: Final = System(ps_table, ps_row)
SYSTEM: Final = LINUX if sys.platform == "linux" else ANY_UNIX
