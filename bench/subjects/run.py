"""Runs one scenario of a subject, and what every sample tells beside its own figures."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

END: Final = "bench: the end"
"""The text of the last result that the fake CLI prints."""


class Stopwatch:
    """Wall clock and CPU of this process alone, from when it was made."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()

    def read(self) -> dict[str, float]:
        """Seconds since then."""
        return {"wall_s": time.perf_counter() - self._wall, "cpu_s": time.process_time() - self._cpu}


class Bell:
    """Where the fake CLI rings once it has printed everything. Made inside the event loop, at a path that is free."""

    def __init__(self, path: str) -> None:
        os.mkfifo(path)
        self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._rung = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._file, self._ring)

    def _ring(self) -> None:
        asyncio.get_running_loop().remove_reader(self._file)
        self._rung.set()

    async def rung(self, *, within_s: float) -> bool:
        """Wait for it; False when it did not ring in that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._rung.wait()
        return self._rung.is_set()


def peak_mb() -> float:
    """The most that this process ever held."""
    if sys.platform == "linux":  # Where ru_maxrss begins with what the parent held.
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024)  # type: ignore[unreachable]


def main(scenarios: Mapping[str, Callable[..., Awaitable[dict[str, Any]]]]) -> None:
    """Run the scenario that the command line names."""
    _, scenario, arguments = sys.argv
    figures = asyncio.run(_run(scenarios[scenario], json.loads(arguments)))
    print(json.dumps({**figures, "peak_mb": peak_mb()}))


async def _run(scenario: Callable[..., Awaitable[dict[str, Any]]], arguments: dict[str, Any]) -> dict[str, Any]:
    return await scenario(**arguments)
