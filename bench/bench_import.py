"""P3: what a program pays before it does anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from bench.figures import Figure, Limit
from bench.lab import Lab, Subject, in_turn, medians, subjects

NAMED: Final[dict[Subject, str]] = {
    "ours": "import bascule",
    "sdk": "import claude_agent_sdk",
    "floor": "import asyncio",
}
USED: Final[dict[Subject, str]] = {**NAMED, "ours": "import asyncio; from bascule import Options, open_session"}
"""Names of bascule's are loaded when they are first used: this is what a program pays that opens sessions."""
PROGRAM: Final = """
import resource, sys, time
def held_mb():
    if sys.platform == "linux":
        return int(open("/proc/self/status").read().partition("VmRSS:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1048576
before = held_mb()
begun = time.process_time()
{imports}
ms = (time.process_time() - begun) * 1000
print('{{"ms": %f, "mb": %f, "modules": %d}}' % (ms, held_mb() - before, len(sys.modules)))
"""


def measure(lab: Lab) -> list[Figure]:
    """CPU, memory and modules of the import, and the time of ``bascule --version`` beside a bare interpreter."""
    bascule = str(Path(sys.executable).with_name("bascule"))
    commands: dict[Subject, tuple[str, ...]] = {
        "ours": (bascule, "--version"),
        "floor": (sys.executable, "-c", "import asyncio"),
    }
    versions = in_turn(lab.rounds(15), tuple(commands), lambda who: lab.timed(*commands[who]))
    return [
        *_imported(lab, "import", NAMED),
        *_imported(lab, "import for a session", USED),
        Figure(
            number="P3",
            what="bascule --version",
            unit="ms",
            must=(Limit(times=2, of="floor"),),
            **medians(versions, lambda seconds: seconds * 1000),
        ),
    ]


def _imported(lab: Lab, what: str, imports: dict[Subject, str]) -> list[Figure]:
    taken = in_turn(lab.rounds(15), subjects(), lambda who: lab.run("-c", PROGRAM.format(imports=imports[who])))
    quick, small = Limit(times=1.7, of="floor"), Limit(plus=12)
    return [
        Figure(number="P3", what=f"{what}, CPU", unit="ms", must=(quick,), **medians(taken, lambda one: one["ms"])),
        Figure(number="P3", what=f"{what}, memory", unit="MB", must=(small,), **medians(taken, lambda one: one["mb"])),
        Figure(number="P3", what=f"{what}, modules", unit="", **medians(taken, lambda one: one["modules"])),
    ]
