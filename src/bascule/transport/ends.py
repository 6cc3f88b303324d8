"""Our ends of the pipes to one process, as asyncio calls them.

Whatever comes is stamped into the backlog at once, so that the order of the entries is the order of arrival and no
task of ours stands between the process and the reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import sys
from typing import Final, cast

import msgspec

from bascule.protocol.framing import Framing
from bascule.recording import Dir, Exit, signal_name
from bascule.transport.backlog import Backlog
from bascule.transport.complaints import Complaints
from bascule.transport.tree import TERM_S as ORPHANS_S

TERM_S: Final = 10.0
"""After SIGTERM the CLI still writes its session file; killed after 2 s, it lost it."""
KILL_S: Final = 5.0
"""A process that hangs in the kernel does not even die of SIGKILL; then we stop waiting."""
LINGER_S: Final = 1.0
"""How long the output of a dead process is still read while a child of it holds it open."""
HIGH_WATER: Final = 16 * 1024 * 1024
"""Characters that may wait for the reader before reading pauses: the CLI then buffers by itself and its tools go on
(measured: 60 MB unread, nothing lost, CLI 2.1.332)."""
PIPE_BYTES: Final = 256 * 1024
"""What asyncio reads at once. A pipe of 64 KiB, as the system makes it, costs a third more for each line."""
STDIN, STDOUT, STDERR = 0, 1, 2


class Limits(msgspec.Struct, frozen=True):
    """The bounds of one process; the defaults are meant for the CLI."""

    term_s: float = TERM_S
    kill_s: float = KILL_S
    orphans_s: float = ORPHANS_S
    """How long what the CLI left may take to end by SIGTERM."""
    linger_s: float = LINGER_S
    high_water: int = HIGH_WATER


class Ends(asyncio.SubprocessProtocol):
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
        """The process runs."""
        self.transport = cast("asyncio.SubprocessTransport", transport)
        _widen(self._reading(STDOUT))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It wrote something."""
        direction, lines = self._open[fd]
        self._backlog.came(direction, lines.feed(data))
        self.regulate()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """A pipe is closed; its last line may lack a newline."""
        if fd == STDIN:
            self._room.set()
            return
        direction, lines = self._open.pop(fd)
        self._backlog.came(direction, lines.finish())
        self._finish_when_done()

    def process_exited(self) -> None:
        """It is dead; what it wrote may still be on its way."""
        self.dead.set()
        self._room.set()
        self.regulate()
        asyncio.get_running_loop().call_later(self._limits.linger_s, self._stop_reading)
        self._finish_when_done()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is dead, and every pipe is closed."""
        self._lost.set()

    def pause_writing(self) -> None:
        """Its stdin is full."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Its stdin has room."""
        self._room.set()

    def regulate(self) -> None:
        """Pause reading above the high-water mark. What a dead process left in its pipes is little, and is read."""
        full = self._backlog.size > self._limits.high_water and not self.dead.is_set()
        if full == self._held:
            return
        self._held = full
        for fd in self._open:
            if full:
                self._reading(fd).pause_reading()
            else:
                self._reading(fd).resume_reading()

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

    def _reading(self, fd: int) -> asyncio.ReadTransport:
        return cast("asyncio.ReadTransport", self.transport.get_pipe_transport(fd))

    def _stop_reading(self) -> None:
        for fd in self._open:
            self._reading(fd).close()

    def _finish_when_done(self) -> None:
        if self.dead.is_set() and not self._open:
            self._backlog.finish(_exit(self.transport.get_returncode()))


def _widen(stdout: asyncio.ReadTransport) -> None:
    """Let more pass at once. The system refuses a user who has many wide pipes already; then it stays as it is.

    Of a process that is dead already the pipe may be closed by now, which is a ``ValueError``.
    """
    pipe = stdout.get_extra_info("pipe")
    if sys.platform == "linux" and pipe is not None:
        with contextlib.suppress(OSError, ValueError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _exit(returncode: int | None) -> Exit:
    if returncode is not None and returncode < 0:
        return Exit(signal=signal_name(-returncode))
    return Exit(code=returncode)
