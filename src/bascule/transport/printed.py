"""What a plain program prints that runs for a moment: no session, no line of its stdin, no search for what it left.

A CLI starts tools, which outlive it; ``open_process`` is for that. To look for what is left costs as much as a small
program itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import Final, NamedTuple, cast

from bascule.aio.finish import finish
from bascule.transport.launch import Launch, refusal

KILL_S: Final = 2.0
"""A process that hangs in the kernel does not even die of SIGKILL; then we stop waiting."""
STDOUT, STDERR = 1, 2


class Printed(NamedTuple):
    """What a program printed, and how it ended."""

    out: str
    """Bytes that are no UTF-8 are lone surrogates, here and in ``err``."""
    err: str
    code: int | None
    """Negative: the signal that ended it."""


async def printed_by(launch: Launch, *, within_s: float | None = None) -> Printed:
    """Run ``launch`` with nothing on its stdin until it has ended and closed its output.

    Raises as ``open_process`` does, and ``TimeoutError`` after ``within_s``. Then, and when cancelled, it is killed
    with its process group, unless it is dead and only a child of it holds its output open.
    """
    ends = _Ends()
    try:
        await finish(ends.start(launch))
        async with asyncio.timeout(within_s):
            await ends.over.wait()
    finally:
        await finish(ends.end())
    return ends.printed()


class _Ends(asyncio.SubprocessProtocol):
    """Our ends of its pipes."""

    def __init__(self) -> None:
        self._said = {STDOUT: bytearray(), STDERR: bytearray()}
        self._transport: asyncio.SubprocessTransport | None = None
        self._dead = asyncio.Event()
        self.over = asyncio.Event()
        """It is dead, and its pipes are closed."""

    async def start(self, launch: Launch) -> None:
        """Start the process."""
        loop, nothing = asyncio.get_running_loop(), asyncio.subprocess.DEVNULL
        try:
            await loop.subprocess_exec(
                lambda: self, *launch.argv, stdin=nothing, env=launch.env, cwd=launch.cwd, start_new_session=True
            )
        except (OSError, ValueError) as exc:
            raise refusal(launch, exc) from exc

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It runs."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It wrote something."""
        self._said[fd] += data

    def process_exited(self) -> None:
        """It is dead; what it wrote may still be on its way."""
        self._dead.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is dead, and every pipe is closed."""
        self.over.set()

    async def end(self) -> None:
        """Kill it if it lives, and let go of its pipes."""
        if self._transport is None:
            return
        if not self._dead.is_set():  # the number of a dead one may mean another group by now
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(KILL_S):
                    await self._dead.wait()
        self._transport.close()
        if self._dead.is_set():
            await self.over.wait()

    def printed(self) -> Printed:
        """What it wrote, once it is over."""
        out, err = (self._said[fd].decode("utf-8", "surrogateescape") for fd in (STDOUT, STDERR))
        return Printed(out, err, self._transport.get_returncode() if self._transport else None)
