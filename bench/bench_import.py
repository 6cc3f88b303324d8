"""P3: what a program pays before it does anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians, subjects

IMPORTS: Final[dict[Subject, str]] = {
    "ours": "from bascule.session.opening import open_session",
    "sdk": "import claude_agent_sdk",
    "floor": "import asyncio",
}
PROGRAM: Final = """
import resource, sys, time
def held_mb():
    if sys.platform == "linux":
        return int(open("/proc/self/status").read().partition("VmRSS:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1048576
before = held_mb()
begun = time.perf_counter()
{imports}
ms = (time.perf_counter() - begun) * 1000
print('{{"ms": %f, "mb": %f, "modules": %d}}' % (ms, held_mb() - before, len(sys.modules)))
"""


def measure(lab: Lab) -> list[Figure]:
    """Time, memory and modules of the import, and the time of ``bascule --version`` beside a bare interpreter."""
    imports = in_turn(lab.rounds(15), subjects(), lambda who: lab.run("-c", PROGRAM.format(imports=IMPORTS[who])))
    bascule = str(Path(sys.executable).with_name("bascule"))
    commands: dict[Subject, tuple[str, ...]] = {
        "ours": (bascule, "--version"),
        "floor": (sys.executable, "-c", "import asyncio"),
    }
    versions = in_turn(lab.rounds(15), tuple(commands), lambda who: lab.timed(*commands[who]))
    return [
        Figure(
            number="P3",
            what="import",
            unit="ms",
            must=(Limit(times=1.7, of="floor"),),
            **medians(imports, lambda one: one["ms"]),
        ),
        Figure(
            number="P3",
            what="import, memory",
            unit="MB",
            must=(Limit(plus=12),),
            **medians(imports, lambda one: one["mb"]),
        ),
        Figure(number="P3", what="import, modules", unit="", **medians(imports, lambda one: one["modules"])),
        Figure(
            number="P3",
            what="bascule --version",
            unit="ms",
            must=(Limit(times=2, of="floor"),),
            **medians(versions, lambda seconds: seconds * 1000),
        ),
    ]
