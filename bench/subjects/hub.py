"""Sessions that talk while many listen.

``many``     sessions that print at a pace, a subscriber each: how long a line takes from the CLI to the subscriber
``fanout``   one session that pours, many subscribers, of whom one may take nothing
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from bascule.transport.keeper import find_keepers
from bench.subjects.house import House, Hub, allow, cpu_s, held_mb
from bench.subjects.reading import Reader, asked, reader
from bench.subjects.run import Stopwatch, main

STAMP: Final = re.compile(rb"msg_\d+_\d+ (\d{19})")
PLAIN: Final = re.compile(rb"msg_\d+_\d+ @@@")
OVERLAP: Final = 64
"""Bytes of a frame that are kept, so that a stamp is found which came in two pieces."""
SETTLE_S: Final = 1.0
"""What is on its way when the measuring ends has so long to arrive."""
PATIENCE_S: Final = 120


class Stamps:
    """How long stamped lines took, of those that were printed between two times."""

    def __init__(self) -> None:
        self.took_ms: list[float] = []
        self.begin_ns = sys.maxsize
        self.end_ns = sys.maxsize

    def taker(self) -> Callable[[bytes], None]:
        """What one reader gives its bytes to."""
        tail = b""

        def took(data: bytes) -> None:
            nonlocal tail
            now, data = time.time_ns(), tail + data
            end = 0
            for found in STAMP.finditer(data):
                end = found.end()
                printed = int(found[1])
                if self.begin_ns <= printed < self.end_ns:
                    self.took_ms.append((now - printed) / 1e6)
            tail = data[max(end, len(data) - OVERLAP) :]

        return took


async def many(
    *, folder: str, cli: str, sessions: int, pace: int, pieces: int, measured_s: float, path: str
) -> dict[str, Any]:
    """The subscribers are there before it is measured; ``pieces`` small lines stand in each message."""
    house = House(folder=folder, cli=cli)
    env = {"BENCH_LINES": path, "BENCH_PACE": str(pace)}
    names = [f"s{number}" for number in range(sessions)]
    async with house.kept():
        async with house.hub({}) as empty:
            empty_mb = empty.mb
        async with house.hub(dict.fromkeys(names, env)) as hub:
            stamps = Stamps()
            readers = [await reader(hub.address, name, stamps.taker()) for name in names]
            told = await _measured(house, hub, stamps, readers, measured_s)
            lines = sessions * pace * told["wall_s"]
            return {
                **_quantiles(stamps.took_ms),
                "said": len(stamps.took_ms) * (pieces + 4) / lines,
                "hub_cores": told["hub_s"] / told["wall_s"],
                "line_us": told["hub_s"] / lines * 1e6,
                "keeper_line_us": told["keepers_s"] / lines * 1e6,
                "session_mb": (hub.mb - empty_mb) / sessions,
                "keeper_mb": told["keeper_mb"],
                "readers_lost": sum(one.lost.is_set() for one in readers),
            }


async def _measured(
    house: House, hub: Hub, stamps: Stamps, readers: list[Reader], measured_s: float
) -> dict[str, float]:
    """What was used while so much time went by, and nothing of what was printed in it is on its way any more."""
    keepers = [address.pid for address in find_keepers(house.state).living]
    await asyncio.sleep(SETTLE_S)
    hub_s, keepers_s = hub.cpu_s, sum(map(cpu_s, keepers))
    stamps.begin_ns = time.time_ns()
    watch = Stopwatch()
    await asyncio.sleep(measured_s)
    stamps.end_ns = time.time_ns()
    told = {
        "wall_s": watch.read()["wall_s"],
        "hub_s": hub.cpu_s - hub_s,
        "keepers_s": sum(map(cpu_s, keepers)) - keepers_s,
        "keeper_mb": statistics.median(map(held_mb, keepers)),
    }
    before = -1
    while before < (before := len(stamps.took_ms)):
        for one in readers:
            one.say(type="beat")  # a hub lets go of who is silent
        await asyncio.sleep(SETTLE_S)
    return told


def _quantiles(took_ms: list[float]) -> dict[str, float]:
    ordered = sorted(took_ms)
    return {"median_ms": ordered[len(ordered) // 2], "p99_ms": ordered[len(ordered) * 99 // 100]}


class Counted:
    """How many of ``messages`` each of so many readers has, and when it had all."""

    def __init__(self, messages: int, readers: int) -> None:
        self.ends: list[float] = []
        self.done = asyncio.Event()
        self._messages = messages
        self._readers = readers

    def taker(self) -> Callable[[bytes], None]:
        """What one reader gives its bytes to."""
        tail, count = b"", 0

        def took(data: bytes) -> None:
            nonlocal tail, count
            data = tail + data
            end = 0
            for found in PLAIN.finditer(data):
                end = found.end()
                count += 1
                if count == self._messages:
                    self._ended()
            tail = data[max(end, len(data) - OVERLAP) :]

        return took

    def _ended(self) -> None:
        self.ends.append(time.perf_counter())
        if len(self.ends) == self._readers:
            self.done.set()


async def fanout(*, folder: str, cli: str, path: str, messages: int, readers: int, stalled: bool) -> dict[str, Any]:
    """From the answer that sets the CLI off to the last event at the last subscriber who reads."""
    house, env = House(folder=folder, cli=cli), {"BENCH_LINES": path}
    async with house.kept(), house.hub({"s": env}) as hub:
        counted = Counted(messages, readers)
        for _ in range(readers):
            await reader(hub.address, "s", counted.taker())
        if stalled:
            (await reader(hub.address, "s", lambda _: None)).stall()
        (ask,) = await asked(hub.address, "GET", "/api/asks")
        hub_s = hub.cpu_s
        began = time.perf_counter()
        await allow(hub.address, ask)
        async with asyncio.timeout(PATIENCE_S):
            await counted.done.wait()
        return {"last_s": max(counted.ends) - began, "hub_cpu_s": hub.cpu_s - hub_s, "hub_mb": hub.mb}


if __name__ == "__main__":
    main({"many": many, "fanout": fanout})
