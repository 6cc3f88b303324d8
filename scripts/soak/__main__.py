"""The phases of a soak, and its table; exit code 1 where a count is not what it must be."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from scripts.soak.client import Client, Held, Hub, held
from scripts.soak.faults import Scene, inject
from scripts.soak.house import house
from scripts.soak.judging import WRONG, judged

ROOT: Final = Path(__file__).parents[2]
REAL_CLI: Final = ROOT / ".venv" / "cli" / "2.1.332" / "claude"
KILLED_PART: Final = 0.6
"""Of the time: hubs are killed."""
WARM_PART: Final = 0.1
"""The last hub comes to what it needs. In the rest of the time it is to take no more."""
MORE_FILES: Final = 8
MORE_KB: Final = 40_000
"""What a hub that has worked on may hold beyond what it held before."""
HUB: Final[dict[str, Any]] = {"memory_reserve_mb": 30, "idle_sleep_s": 2.0}


async def soak(client: Client, seconds: float) -> tuple[Counter[str], tuple[Held, Held]]:
    """The counts, and what the last hub held at rest, before its work and after it."""
    end = time.monotonic() + seconds * KILLED_PART
    while time.monotonic() < end:
        async with client.hub() as hub, scene_of(client, hub) as scene:
            await _worked(scene, client.random.uniform(2.0, 8.0))
        client.counts["done: hub killed"] += 1
    client.goes_on = False
    async with client.hub() as hub:
        await client.rest()
        before = await _after_work(client, hub, seconds * WARM_PART)
        after = await _after_work(client, hub, seconds * (1 - KILLED_PART - WARM_PART))
        await client.end_all()
    client.counts["file descriptors kept"] = max(0, after.files - before.files - MORE_FILES)
    client.counts["memory kept"] = max(0, after.kb - before.kb - MORE_KB)
    return await judged(client), (before, after)


async def _after_work(client: Client, hub: Hub, seconds: float) -> Held:
    """What the hub holds at rest once it has worked so long."""
    client.goes_on = True
    async with scene_of(client, hub) as scene:
        await _worked(scene, seconds)
    client.goes_on = False
    await client.rest()
    return held(hub.pid)


@asynccontextmanager
async def scene_of(client: Client, hub: Hub) -> AsyncIterator[Scene]:
    """Where faults are done; clients that do not read are sent away in the end."""
    scene = Scene(client, hub, [])
    try:
        yield scene
    finally:
        for one in scene.stalled:
            one.close()


async def _worked(scene: Scene, seconds: float) -> None:
    """So long, with something done now and then; a disk that was full has room again before the hub dies."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not scene.hub.gone.is_set():
        await asyncio.sleep(scene.client.random.uniform(0.0, 1.5))
        await inject(scene)


def table(counts: Counter[str]) -> str:
    """A line each, with what must be 0 at the end."""
    rows = sorted(counts.items(), key=lambda row: (row[0] in WRONG, row[0]))
    return "\n".join(f"{number:>8}  {name}{_remark(name, number)}" for name, number in rows)


def _remark(name: str, number: int) -> str:
    if name not in WRONG:
        return ""
    return "  <-- must be 0" if number else "  (must be 0)"


def main() -> int:
    """Print the counts; 1 where one is wrong."""
    args = _arguments()
    real = REAL_CLI if REAL_CLI.exists() else None
    with house(args.sessions, real_cli=real, real=args.real, share=args.share, max_live=args.live, **HUB) as here:
        client = Client(here, seed=args.seed, at_work=args.work)
        counts, (before, after) = asyncio.run(soak(client, args.seconds))
        print(f"seed {args.seed}, {args.seconds:g} s, a disk that can be full: {'yes' if here.small_disk else 'no'}")
    print(table(counts))
    print(f"the last hub at rest, early and late: {before.files} and {after.files} open files,")
    print(f"{before.kb // 1024} and {after.kb // 1024} MB resident")
    return int(any(counts[name] for name in WRONG))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.soak", description=__doc__)
    parser.add_argument("--sessions", type=int, default=200, help="on the fake CLI")
    parser.add_argument("--real", type=int, default=3, help="on the real one, where `make setup` brought it")
    parser.add_argument("--seconds", type=float, default=300.0, help="of work; rest and judgement come on top")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.5, help="of the processes of the CLI that have a fault")
    parser.add_argument("--work", type=int, default=6, help="sessions that have a turn at once")
    parser.add_argument("--live", type=int, default=14, help="processes that may live at once (admission)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
