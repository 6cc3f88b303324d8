"""A pipe to a process of this machine: started, bounded, and ended with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bascule.aio.finish import finish
from bascule.recording import Entry, Exit
from bascule.transport.argv import masked
from bascule.transport.backlog import Backlog, stopwatch
from bascule.transport.census import MARK
from bascule.transport.ends import Ends, Limits
from bascule.transport.launch import Launch, refusal
from bascule.transport.pipe import GRACE_S, Clock, Ours, checked
from bascule.transport.tree import Family


class ProcessPipe:
    """A ``Pipe`` to a process; see ``open_process``, which alone makes one."""

    def __init__(self, clock: Clock, limits: Limits) -> None:
        self._limits = limits
        self._backlog = Backlog(clock)
        self._ends = Ends(self._backlog, limits)
        self._family: Family | None = None
        self._closed = False

    @property
    def pid(self) -> int:
        """The number of the process, which may be dead."""
        return self._ends.transport.get_pid() or 0

    @property
    def stderr_tail(self) -> str:
        """The last lines that the process wrote to stderr."""
        return self._ends.complaints.tail

    async def start(self, launch: Launch) -> None:
        """Start the process. Raises as ``open_process`` says."""
        mark = secrets.token_hex(16)
        env = {**launch.env, MARK: mark}
        self._backlog.add([("argv", _json(masked(launch.argv))), ("env", _json(sorted(env)))])
        loop = asyncio.get_running_loop()
        try:
            await loop.subprocess_exec(
                lambda: self._ends, *launch.argv, env=env, cwd=launch.cwd, start_new_session=True
            )
        except (OSError, ValueError) as exc:
            raise refusal(launch, exc) from exc
        self._family = await asyncio.to_thread(Family, self.pid, mark)

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``."""
        entries = await self._backlog.take()
        self._ends.regulate()
        return entries

    def write(self, *entries: Ours) -> bool:
        """As ``Pipe.write``; a note alone is recorded until the exit is."""
        data = checked(entries)
        if self._backlog.exit is not None or (data and not self._ends.send(data)):
            return False
        self._backlog.add(entries)
        return True

    async def drain(self) -> None:
        """As ``Pipe.drain``."""
        await self._ends.room()

    def end(self) -> None:
        """As ``Pipe.end``."""
        self._ends.end()

    def signal(self, number: int) -> None:
        """As ``Pipe.signal``."""
        if self._family is not None and not self._ends.dead.is_set():
            self._family.signal_root(number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``. A second call hurries the first when its grace is shorter."""
        return await finish(self._close(grace_s))

    async def _close(self, grace_s: float) -> Exit:
        if self._family is not None and not self._closed:
            await self._family.look()
            self.end()
            await self._end_process(grace_s)
            await self._family.end(term_s=self._limits.orphans_s)
            await self._ends.release()
            self._closed = self._ends.dead.is_set()
        return self._backlog.exit or Exit()

    async def _end_process(self, grace_s: float) -> None:
        assert self._family is not None
        for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, self._limits.term_s)):
            if await self._dies_within(patience_s):
                return
            await self._family.look()
            self.signal(number)
        await self._dies_within(self._limits.kill_s)

    async def _dies_within(self, patience_s: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._ends.dead.wait()
        return self._ends.dead.is_set()


def _json(value: Sequence[str]) -> str:
    """In ASCII: a path may hold bytes that are no UTF-8, and they are lone surrogates here."""
    return json.dumps(value, separators=(",", ":"))


@asynccontextmanager
async def open_process(
    launch: Launch, *, clock: Clock | None = None, limits: Limits | None = None
) -> AsyncIterator[ProcessPipe]:
    """Start ``launch`` and close it at the end, however that comes.

    ``clock`` tells the seconds since the recording began; without one it begins now. The process leads a session of
    its own, so that a terminal's Ctrl-C does not reach it. Raises ``OptionError`` for a working directory or arguments
    that cannot be, ``CliNotFound`` when there is no such program, ``StartFailed`` when the system refuses to run it.
    """
    pipe = ProcessPipe(clock or stopwatch(), limits or Limits())
    try:
        await finish(pipe.start(launch))
        yield pipe
    finally:
        await pipe.close()
