"""A pipe to a process of this machine: started, framed, bounded, and ended with all that it started.

asyncio calls ``_Ends`` for whatever comes from the process; that stamps it into the backlog at once, so that the order
of the entries is the order of arrival and no task of ours stands between the process and the reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import repeat
from typing import Final, cast

import msgspec

from bascule.aio.finish import finish
from bascule.protocol.framing import Framing
from bascule.recording import Dir, Entry, Exit, signal_name
from bascule.transport.argv import masked
from bascule.transport.backlog import Backlog, stopwatch
from bascule.transport.census import MARK
from bascule.transport.complaints import Complaints
from bascule.transport.launch import Launch, refusal
from bascule.transport.pipe import GRACE_S, Clock, Ours, checked
from bascule.transport.tree import Family

TERM_S: Final = 10.0
"""After SIGTERM the CLI still writes its session file; killed after 2 s, it lost it."""
KILL_S: Final = 5.0
"""A process that hangs in the kernel does not even die of SIGKILL; then we stop waiting."""
LINGER_S: Final = 1.0
"""How long the output of a dead process is still read while a child of it holds it open."""
HIGH_WATER: Final = 16 * 1024 * 1024
"""Characters that may wait for the reader before reading pauses: the CLI then buffers by itself and its tools go on
(measured: 60 MB unread, nothing lost, CLI 2.1.332)."""
STDIN, STDOUT, STDERR = 0, 1, 2


class Limits(msgspec.Struct, frozen=True):
    """The bounds of one process; the defaults are meant for the CLI."""

    term_s: float = TERM_S
    kill_s: float = KILL_S
    linger_s: float = LINGER_S
    high_water: int = HIGH_WATER


class _Ends(asyncio.SubprocessProtocol):
    """Our ends of the three pipes, and the news of the process's death."""

    transport: asyncio.SubprocessTransport

    def __init__(self, backlog: Backlog, limits: Limits) -> None:
        self._backlog = backlog
        self._limits = limits
        self.complaints = Complaints()
        self._open: dict[int, tuple[Dir, Framing | Complaints]] = {
            STDOUT: ("out", Framing()),
            STDERR: ("err", self.complaints),
        }
        self._held = False
        self._room = asyncio.Event()
        self._room.set()
        self._lost = asyncio.Event()
        self.dead = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        direction, lines = self._open[fd]
        self._backlog.add(zip(repeat(direction), lines.feed(data)))
        self.regulate()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == STDIN:
            self._room.set()
            return
        direction, lines = self._open.pop(fd)
        self._backlog.add(zip(repeat(direction), lines.finish()))
        self._finish_when_done()

    def process_exited(self) -> None:
        self.dead.set()
        self._room.set()
        self.regulate()
        asyncio.get_running_loop().call_later(self._limits.linger_s, self._stop_reading)
        self._finish_when_done()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def regulate(self) -> None:
        """Pause reading above the high-water mark. What a dead process left in its pipes is little, and is read."""
        full = self._backlog.size > self._limits.high_water and not self.dead.is_set()
        if full == self._held:
            return
        self._held = full
        for fd in self._open:
            end = cast("asyncio.ReadTransport", self.transport.get_pipe_transport(fd))
            if full:
                end.pause_reading()
            else:
                end.resume_reading()

    def send(self, data: bytes) -> bool:
        """Write ``data`` at once; what finds no room is kept until there is. False when nobody can read it."""
        if self.dead.is_set() or self._stdin.is_closing():
            return False
        self._stdin.write(data)
        return not self._stdin.is_closing()

    async def room(self) -> None:
        """Wait until what was kept is written, or never will be."""
        await self._room.wait()

    def end(self) -> None:
        """Close stdin after what was kept."""
        self._stdin.close()

    async def release(self) -> None:
        """Let go of the pipes and the process. One that did not even die of SIGKILL has an unknown end."""
        if self.dead.is_set():
            await self._backlog.over()
        else:
            self._backlog.finish(Exit())
        if self._stdin.get_write_buffer_size():
            self._stdin.abort()
        self.transport.close()
        if self.dead.is_set():
            await self._lost.wait()

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        return cast("asyncio.WriteTransport", self.transport.get_pipe_transport(STDIN))

    def _stop_reading(self) -> None:
        for fd in self._open:
            cast("asyncio.ReadTransport", self.transport.get_pipe_transport(fd)).close()

    def _finish_when_done(self) -> None:
        if self.dead.is_set() and not self._open:
            self._backlog.finish(_exit(self.transport.get_returncode()))


def _exit(returncode: int | None) -> Exit:
    if returncode is not None and returncode < 0:
        return Exit(signal=signal_name(-returncode))
    return Exit(code=returncode)


class ProcessPipe:
    """A ``Pipe`` to a process; see ``open_process``, which alone makes one."""

    def __init__(self, clock: Clock, limits: Limits) -> None:
        self._limits = limits
        self._backlog = Backlog(clock)
        self._ends = _Ends(self._backlog, limits)
        self._family: Family | None = None

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
        entries = await self._backlog.take()
        self._ends.regulate()
        return entries

    def write(self, *entries: Ours) -> bool:
        data = checked(entries)
        if self._backlog.exit is not None or (data and not self._ends.send(data)):
            return False
        self._backlog.add(entries)
        return True

    async def drain(self) -> None:
        await self._ends.room()

    def end(self) -> None:
        self._ends.end()

    def signal(self, number: int) -> None:
        if self._family is not None and not self._ends.dead.is_set():
            self._family.signal_root(number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``. A second call hurries the first when its grace is shorter."""
        return await finish(self._close(grace_s))

    async def _close(self, grace_s: float) -> Exit:
        if self._family is None:
            return Exit()
        await self._family.look()
        self.end()
        await self._end_process(grace_s)
        await self._family.end()
        await self._ends.release()
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


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


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
