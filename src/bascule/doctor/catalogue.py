"""What bascule knows of the CLI, from its own code, and what each tested version was recorded to say.

The code is the better half: a message is known when ``wire/`` has a class for it, a flag when ``transport/`` names it,
a tool when ``tools/`` makes more of it than a name and an input. What the tested versions say is a file for each,
``recorded/VERSION.json``, made of the probe's recordings by ``scripts/write_wire_reference.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

import msgspec

from bascule.doctor.findings import Findings
from bascule.doctor.promises import PROMISES
from bascule.doctor.traits import NEWEST, OLDEST
from bascule.doctor.variants import VARIANTS
from bascule.payload import Generic
from bascule.tools.describe import describe
from bascule.transport.argv import Arguments, argv

TRAITS: Final = {trait.name: trait for trait in (*PROMISES, *VARIANTS)}

TESTED: Final = (NEWEST, OLDEST)
"""The versions that were recorded, the newest first."""

SENT: Final = frozenset(item.partition("=")[0] for item in argv(Arguments()) if item.startswith("--"))
"""The flags of every start."""


def is_described(tool: str) -> bool:
    """Whether more is known of a tool than its name and its input."""
    return not isinstance(describe(tool, {}), Generic)


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What one tested version says: ``Findings`` with the recordings that show it."""

    version: str
    keys: Mapping[str, Mapping[str, str]]
    """By kind and key, a recording."""
    unread: Mapping[str, tuple[str, ...]]
    tools: tuple[str, ...]
    models: tuple[str, ...]
    capabilities: tuple[str, ...]
    hook_events: tuple[str, ...]
    requests: tuple[str, ...]
    flags: tuple[str, ...]
    modes: tuple[str, ...]

    def findings(self) -> Findings:
        """As a probe of that version would find it."""
        return Findings(
            version=self.version,
            keys={kind: frozenset(keys) for kind, keys in self.keys.items()},
            unread={kind: frozenset(places) for kind, places in self.unread.items()},
            tools=frozenset(self.tools),
            models=frozenset(self.models),
            capabilities=frozenset(self.capabilities),
            hook_events=frozenset(self.hook_events),
            requests=frozenset(self.requests),
            flags=frozenset(self.flags),
            modes=frozenset(self.modes),
            ways={name: way.way for name, trait in TRAITS.items() if (way := trait.of(self.version))},
        )


def recorded(version: str) -> Recorded:
    """What was recorded of a tested version. Raises ``FileNotFoundError`` for any other."""
    return msgspec.json.decode((files(__package__) / "recorded" / f"{version}.json").read_bytes(), type=Recorded)
