"""The processes that a CLI started: found while they live, ended when it is gone.

A tool's shell runs in a session of its own, so that no signal to the CLI's process group reaches it, and once the CLI
is dead its parent is the init process (25_sigkill_tool, CLI 2.1.332 and 2.1.197). Three things give a process away,
each where the others fail: its ancestors, as seen when they lived; the CLI's session, which MCP servers stay in; a
mark in its environment, which survives everything but a program that clears it. A number alone never does: before each
signal its time of birth is compared, since numbers are used again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterable
from typing import Final

from bascule.transport.census import SYSTEM, Row, System, Table

TERM_S: Final = 2.0
"""What a left process gets to end by itself after SIGTERM."""
KILL_S: Final = 2.0
"""How long to watch for its end after SIGKILL: one that hangs in the kernel is left."""
LOOK_EVERY_S: Final = 0.02


def kin(table: Table, root: Row | None, known: Iterable[tuple[int, int]]) -> frozenset[Row]:
    """The living that descend from ``root`` or from one of ``known``, share its session or carry the mark; not itself.

    A process older than the one that its parent's number means is no child of that one: the number was used again.
    """
    keys = {*known, *((root.key,) if root else ())}
    family = {row for row in table.rows if row.key in keys or row.pid in table.marked} | _session_of(root, table)
    growing = family
    while growing:
        parents = {row.pid: row.born for row in growing}
        growing = {row for row in table.rows - family if row.born >= parents.get(row.parent, row.born + 1)}
        family = family | growing
    return frozenset(row for row in family if root is None or row.key != root.key)


def _session_of(root: Row | None, table: Table) -> set[Row]:
    """Empty once the CLI's number means another process: a session of that number is another's too."""
    if root is None or any(row.pid == root.pid and row.key != root.key for row in table.rows):
        return set()
    return {row for row in table.rows if row.group == root.pid and row.born >= root.born}


def send(row: Row, number: int, system: System = SYSTEM) -> bool:
    """Signal that very process: not one that has its number now. False when it is gone, or not ours to signal."""
    found = system.row(row.pid)
    if found is None or found.key != row.key:
        return False
    try:
        os.kill(row.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class Family:
    """The processes that one CLI started, remembered over its death."""

    def __init__(self, pid: int, mark: str, system: System = SYSTEM) -> None:
        self._system = system
        self._mark = mark
        self._root = system.row(pid)
        self._known: frozenset[tuple[int, int]] = frozenset()

    async def look(self) -> frozenset[Row]:
        """Its living members, without the CLI. Each is known from now on, whoever its parent becomes."""
        born = self._root.born if self._root else 0
        table = await asyncio.to_thread(self._system.table, self._mark, born)
        found = kin(table, self._root, self._known)
        self._known |= {row.key for row in found}
        return found

    def signal_root(self, number: int) -> None:
        """Signal the CLI itself; nothing when it is gone."""
        if self._root is not None:
            send(self._root, number, self._system)

    async def end(self, *, term_s: float = TERM_S, kill_s: float = KILL_S) -> frozenset[Row]:
        """End what the CLI left, politely first; gives what is still there after ``term_s`` and ``kill_s``."""
        left = await self.look()
        for number, patience_s in ((signal.SIGTERM, term_s), (signal.SIGKILL, kill_s)):
            for row in left:
                send(row, number, self._system)
            left = await self._wait_for_end(left, patience_s)
        return left

    async def _wait_for_end(self, left: frozenset[Row], patience_s: float) -> frozenset[Row]:
        deadline = time.monotonic() + patience_s
        while left and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_EVERY_S)
            left = await self.look()
        return left
