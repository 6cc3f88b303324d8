"""The processes of this machine, as the system lists them: Linux by ``/proc``, any other Unix by ``ps``."""

from __future__ import annotations

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
EXEC_S: Final = 0.5
"""By then a process that was taking on another program has done so, however busy the machine is."""
AGAIN_S: Final = 0.005
YOUNG: Final = 500
"""Ticks (of 10 ms) by which a process may be older than the youngest and still be just starting."""
_PROC: Final = Path("/proc")
_AT_ONCE: Final = 64 * 1024
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

    table: Callable[[str, int], Table]
    """All of them, given the mark to look for, and the birth of the first process that can carry it."""
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


def proc_table(mark: str, since: int) -> Table:
    """The processes as Linux lists them. One that ends meanwhile is left out; another user's carries no mark.

    A process that is just taking on another program hides its environment for a moment. A young one of our user that
    hides it is looked at again: else a CLI that is killed while it starts a tool would leave the tool behind.
    """
    rows = {row for folder in _PROC.iterdir() if folder.name.isdecimal() if (row := proc_row(int(folder.name)))}
    found = {row.pid: _environment(row.pid) for row in rows if row.born >= since}
    young = max((row.born for row in rows), default=0) - YOUNG
    hidden = {row.pid for row in rows if row.born > young and not found.get(row.pid, True) and _is_ours(row.pid)}
    until = time.monotonic() + EXEC_S
    while hidden and time.monotonic() < until:
        time.sleep(AGAIN_S)
        found.update({pid: _environment(pid) for pid in hidden})
        hidden = {pid for pid in hidden if not found[pid] and _is_ours(pid)}
    wanted = f"{MARK}={mark}".encode()
    return Table(frozenset(rows), frozenset(pid for pid, variables in found.items() if wanted in variables))


def _environment(pid: int) -> list[bytes]:
    """Its variables; none when it hides them or is gone."""
    return _read(pid, "environ").split(b"\0")[:-1]


def _is_ours(pid: int) -> bool:
    """Whether it lives and is our user's; unlike the owner of its folder, this is told at any moment."""
    return f"\nUid:\t{os.getuid()}\t".encode() in _read(pid, "status")


def proc_row(pid: int) -> Row | None:
    """The process of that number as Linux tells it."""
    stat = _read(pid, "stat").decode(errors="replace")
    return stat_row(stat) if stat else None


def _read(pid: int, name: str) -> bytes:
    """A file of that process, whole; empty when it is gone or hides it. Without a path object, which costs as much."""
    try:
        file = os.open(f"{_PROC}/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return b"".join(iter(lambda: os.read(file, _AT_ONCE), b""))
    except OSError:
        return b""
    finally:
        os.close(file)


def ps_table(mark: str, since: int) -> Table:
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
