"""What is noted of a CLI beyond its words: which way it does a thing. Pure; the tables are ``promises``, ``variants``.

A *trait* is one thing that the CLI does one way or another, as a scene of the probe sees it; each *way* that is known
stands here with the recordings that show it, and with what it means for bascule. A recording of the probe itself is
called ``probe/SCENE`` (``tests/doctor/recordings``), any other is in ``tests/recordings``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

Weight: TypeAlias = Literal["harmless", "worth knowing", "breaking"]
"""What a difference costs: nothing, a thought, or the trust in what bascule promises."""

NEWEST: Final = "2.1.332"
OLDEST: Final = "2.1.197"


class Way(msgspec.Struct, frozen=True):
    """One way to go."""

    way: str
    says: str
    """Completes the sentence that the trait's ``about`` begins."""
    shown: Mapping[str, str] = {}
    """By version that goes this way, the recording that shows it."""
    weight: Weight = "harmless"
    means: str = ""
    """For whoever uses bascule; a sentence."""


class Trait(msgspec.Struct, frozen=True):
    """A thing that the CLI does one way or another."""

    name: str
    about: str
    ways: tuple[Way, ...]
    otherwise: Weight = "worth knowing"
    """What a way costs that nobody has seen before."""

    def of(self, version: str) -> Way | None:
        """The way that a version goes; None when it was not seen."""
        return next((way for way in self.ways if version in way.shown), None)

    def known(self, name: str) -> Way | None:
        """The way of that name."""
        return next((way for way in self.ways if way.way == name), None)


def always(way: str, says: str, recording: str, *, before: str = "") -> Way:
    """A way that both tested versions go."""
    return Way(way, says, {NEWEST: recording, OLDEST: before or recording})


def newer(way: str, says: str, recording: str) -> Way:
    """A way that only the newest tested version goes."""
    return Way(way, says, {NEWEST: recording})


def older(way: str, says: str, recording: str, means: str, weight: Weight = "harmless") -> Way:
    """A way that only the oldest tested version goes, and what that means."""
    return Way(way, says, {OLDEST: recording}, weight, means)
