"""A CLI through its keeper, and the same through a pipe of our own: ``/bin/cat``, which costs nothing.

``start``   from the wish to the first entry, each in a folder of its own; what the keeper takes of the memory then
``echo``    a line and back, one after the other
``pour``    so many lines in blocks, all echoed; the seconds, and the keeper's memory after them
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from bascule.ids import SessionId
from bascule.recording import Entry
from bascule.transport.keeper import address_of, attach, spawn_keeper
from bascule.transport.launch import Launch
from bascule.transport.pipe import Ours, Pipe
from bascule.transport.process import open_process
from bench.subjects.run import Stopwatch, main

CAT: Final = Launch(("/bin/cat",), {}, "/")
BLOCK: Final = 1000
"""Lines of one write of ``pour``."""


@asynccontextmanager
async def opened(folder: str, *, keeper: bool) -> AsyncIterator[Pipe]:
    """A pipe to ``cat``."""
    if not keeper:
        async with open_process(CAT) as direct:
            yield direct
        return
    await spawn_keeper(CAT, Path(folder), session_id=SessionId("bench"))
    async with attach(Path(folder)) as pipe:
        yield pipe
        await pipe.close()


async def start(*, folder: str, keeper: bool, times: int) -> dict[str, Any]:
    """The first is a program's first, with its imports done."""
    starts = []
    memory = 0.0
    for number in range(times):
        began = time.perf_counter()
        async with opened(f"{folder}/sessions/{number}", keeper=keeper) as pipe:
            await pipe.read()
            starts.append(time.perf_counter() - began)
            memory = await asyncio.to_thread(_keeper_mb, f"{folder}/sessions/{number}") if keeper else 0.0
    return {"starts_s": starts, "keeper_mb": memory}


async def echo(*, folder: str, keeper: bool, times: int) -> dict[str, Any]:
    """Each waits for the one before."""
    took = []
    async with opened(f"{folder}/sessions/echo", keeper=keeper) as pipe:
        for number in range(times):
            began = time.perf_counter()
            pipe.write(("in", str(number)))
            await _until(pipe, str(number))
            took.append(time.perf_counter() - began)
    return {"took_s": sorted(took)}


async def pour(*, folder: str, keeper: bool, lines: int, characters: int) -> dict[str, Any]:
    """As a CLI that talks without a pause."""
    async with opened(f"{folder}/sessions/pour", keeper=keeper) as pipe:
        watch = Stopwatch()
        for number in range(lines // BLOCK):
            block: list[Ours] = [("in", "x" * characters)] * (BLOCK - 1)
            pipe.write(*block, ("in", f"last {number}"))
            await _until(pipe, f"last {number}")
        took = watch.read()
        memory = await asyncio.to_thread(_keeper_mb, f"{folder}/sessions/pour") if keeper else 0.0
    return {**took, "keeper_mb": memory}


async def _until(pipe: Pipe, line: str) -> list[Entry]:
    while True:
        entries = await pipe.read()
        if any(entry.dir == "out" and entry.line == line for entry in entries):
            return list(entries)


def _keeper_mb(folder: str) -> float:
    status = Path(f"/proc/{address_of(Path(folder)).pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main({"start": start, "echo": echo, "pour": pour})
