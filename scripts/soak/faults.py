"""What is done to hubs, keepers, disks and sockets while sessions work. What is done to CLIs is ``meddler.py``."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from bascule.transport.keeper import KeeperAddress, find_keepers
from bench.subjects.reading import Reader, reader
from scripts.soak.client import Client, Hub
from scripts.soak.served import SECOND

STORM: Final = 200
"""Clients that come at once."""
STOPPED_S: Final = 2.0
BLOCK: Final = 2**20
NO_LIMIT: Final = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class Scene(NamedTuple):
    """Where a fault is done."""

    client: Client
    hub: Hub
    stalled: list[Reader]
    """Clients that do not read, as long as the hub lives."""

    @property
    def state(self) -> Path:
        """The hub's folder."""
        return self.client.house.state

    def keeper(self) -> KeeperAddress | None:
        """One that lives."""
        living = find_keepers(self.state).living
        return self.client.random.choice(living) if living else None

    def span_s(self, least: float, most: float) -> float:
        """How long something lasts."""
        return self.client.random.uniform(least, most)

    def names(self) -> list[str]:
        """Of sessions that there are."""
        return sorted(self.client.seen)


async def _kill_keeper(scene: Scene) -> bool:
    return (keeper := scene.keeper()) is not None and _killed(keeper.pid)


async def _kill_cli(scene: Scene) -> bool:
    return (keeper := scene.keeper()) is not None and _killed(keeper.cli)


def _killed(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


async def _recording_full(scene: Scene) -> bool:
    """One keeper may write no longer file than its recording is."""
    keeper = scene.keeper()
    if keeper is None:
        return False
    scene.client.full.add(keeper.session)
    size = (Path(keeper.folder) / "recording.jsonl").stat().st_size
    with suppress(ProcessLookupError):
        resource.prlimit(keeper.pid, resource.RLIMIT_FSIZE, (size + scene.client.random.randrange(2000), NO_LIMIT[1]))
        await asyncio.sleep(scene.span_s(0.5, 2.0))
        resource.prlimit(keeper.pid, resource.RLIMIT_FSIZE, NO_LIMIT)
        return True
    return False


async def _disk_full(scene: Scene) -> bool:
    """Of recordings and store alike."""
    if not scene.client.house.small_disk:
        return False
    ballast = scene.state / "ballast"
    try:
        await asyncio.to_thread(_fill, ballast)
        scene.client.full.update(keeper.session for keeper in find_keepers(scene.state).living)
        await asyncio.sleep(scene.span_s(0.5, 3.0))
    finally:
        ballast.unlink()
    return True


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(bytes(BLOCK)) == BLOCK:
            pass
        while file.write(b"\0"):
            pass


async def _lock_store(scene: Scene) -> bool:
    """Another program has the database, for longer than a write waits."""
    with closing(sqlite3.connect(scene.state / "hub.db", isolation_level=None, timeout=5)) as other:
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(scene.span_s(1.0, 7.0))
        other.execute("ROLLBACK")
    return True


async def _stop_hub(scene: Scene) -> bool:
    """Its loop does nothing for a while."""
    os.kill(scene.hub.pid, signal.SIGSTOP)
    await asyncio.sleep(STOPPED_S)
    os.kill(scene.hub.pid, signal.SIGCONT)
    return True


async def _storm(scene: Scene) -> bool:
    """All come, go, and come again."""
    if not scene.names():
        return False
    for _ in range(2):
        choice = scene.client.random.choice
        came = [await reader(scene.hub.address, choice(scene.names()), lambda _: None, after=0) for _ in range(STORM)]
        await asyncio.sleep(scene.span_s(0.0, 0.3))
        for one in came:
            one.close()
    return True


async def _stall(scene: Scene) -> bool:
    """A client that wants all there is of a session, and takes none of it."""
    if not scene.names():
        return False
    one = await reader(
        scene.hub.address, max(scene.names(), key=lambda name: len(scene.client.seen[name])), _nothing, after=0
    )
    one.stall()
    scene.stalled.append(one)
    return True


def _nothing(_: bytes) -> None:
    """Takes nothing."""


async def _second_hub(scene: Scene) -> bool:
    client = scene.client
    second = await asyncio.create_subprocess_exec(*client.command, stdin=-1, stdout=-1, stderr=-1, env=client.env)
    await second.communicate()
    client.counts["second hubs that were let in"] += second.returncode != SECOND
    return True


FAULTS: Final[dict[str, tuple[int, Callable[[Scene], Awaitable[bool]]]]] = {
    "keeper killed": (4, _kill_keeper),
    "CLI killed": (4, _kill_cli),
    "recording full": (2, _recording_full),
    "disk full": (1, _disk_full),
    "store locked": (1, _lock_store),
    "hub stopped": (1, _stop_hub),
    "200 clients at once, twice": (1, _storm),
    "client that reads nothing": (2, _stall),
    "second hub": (1, _second_hub),
}
"""How often beside the others, and what is done."""


async def inject(scene: Scene) -> None:
    """Do one of them, and count it if it could be done; what a hub that is gone cannot take is not done."""
    weights = [weight for weight, _ in FAULTS.values()]
    (name,) = scene.client.random.choices(list(FAULTS), weights)
    with suppress(OSError):
        scene.client.counts[f"done: {name}"] += await FAULTS[name][1](scene)
