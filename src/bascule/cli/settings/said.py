"""One thing that somebody said, and all that was said laid over each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from bascule.cli.settings.sections import Key

Origin: TypeAlias = Literal["default", "user", "project", "environment", "command line"]

ORDER: Final[tuple[Origin, ...]] = ("default", "user", "project", "environment", "command line")
"""Who has the last word: the later."""


class Said(NamedTuple):
    """A value of a key."""

    key: Key
    value: Any
    origin: Origin
    place: str
    """``/home/ann/.config/bascule/config.toml:3:1``, ``BASCULE_CLAUDE_MODEL``, ``--model``; empty for a default."""
    adds: bool = False
    """It is added to the list below it, and does not replace it."""


def laid_over(said: Iterable[Said]) -> dict[Key, Said]:
    """What holds, whatever order it comes in: of each key what has the last word.

    Within one origin that is what comes last.
    """
    holds: dict[Key, Said] = {}
    for one in sorted(said, key=lambda one: ORDER.index(one.origin)):
        below = holds.get(one.key)
        holds[one.key] = one._replace(value=_joined(below.value, one.value)) if one.adds and below else one
    return holds


def _joined(below: Iterable[Any], added: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*below, *added)))


def value_below(holds: Mapping[Key, Said], key: Key) -> Any:
    """What holds for ``key``; None where nothing was said."""
    return holds[key].value if key in holds else None
