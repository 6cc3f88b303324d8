"""Which sessions run: the CLI keeps a small file for each of its processes, ``CONFIG/sessions/PID.json``.

The file of a process that was killed stays. So the process is looked for, and when it began is compared where the
system tells it: the number of a process is given again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec


class _Process(msgspec.Struct, frozen=True, rename="camel"):
    pid: int = 0
    session_id: str | None = None
    proc_start: str | int | None = None
    """Clock ticks since the machine was started; null where the CLI does not know it."""


def running(session_id: str, config: Path) -> int | None:
    """The process that has the session open; null: none of this machine has."""
    return all_running(config).get(session_id)


def all_running(config: Path) -> dict[str, int]:
    """The process of each session that one of this machine has open."""
    found = map(_process, (config / "sessions").glob("*.json"))
    return {one.session_id: one.pid for one in found if one.session_id and one.pid > 0 and _lives(one)}


def _process(file: Path) -> _Process:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Process, strict=False)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return _Process()


def _lives(process: _Process) -> bool:
    try:
        with suppress(PermissionError):  # Somebody else's lives as well.
            os.kill(process.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    start = began(process.pid)
    return start is None or process.proc_start is None or start == str(process.proc_start)


def began(pid: int) -> str | None:
    """When a process began, in ticks since the machine did; null where the system does not tell.

    It is the 22nd field of ``/proc/PID/stat``; the second is a name in brackets, which may hold anything.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None
