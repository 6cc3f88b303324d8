"""What the environment says: ``BASCULE_SECTION_KEY``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from typing import Final

from bascule.cli.settings.files import Page
from bascule.cli.settings.said import Said
from bascule.cli.settings.sections import LATER_SECTIONS, PROJECTS, SECTIONS, Key
from bascule.cli.settings.values import check_section, from_text, known
from bascule.errors import OptionError

PREFIX: Final = "BASCULE_"
NEAR: Final = 0.9
"""How alike a name must be to one of ours to be taken for a slip of the finger; any other is somebody else's."""


def variable(key: Key) -> str:
    """``BASCULE_CLAUDE_MODEL``."""
    return PREFIX + "_".join(key).upper()


def read_environment(env: Mapping[str, str]) -> Page:
    """What ``env`` says; an empty variable says nothing."""
    said, mistakes = [], []
    for name, text in sorted(env.items()):
        if not name.startswith(PREFIX) or not text:
            continue
        try:
            key = _key_of(name)
            if key is not None:
                said.append(Said(key, from_text(key, text), "environment", name))
        except OptionError as exc:
            mistakes.append(f"{name}: {exc}")
    return Page(tuple(said), tuple(mistakes))


def _key_of(name: str) -> Key | None:
    """The key that is meant, known or not; None: the variable is none of a setting."""
    section, _, key = name.removeprefix(PREFIX).lower().partition("_")
    if name in _names():
        return _names()[name]
    if section == PROJECTS and key:
        raise OptionError("projects stand in your configuration file only")
    if section in LATER_SECTIONS and key:
        check_section(section)
    if section in SECTIONS and key:
        return (section, key)
    if near := difflib.get_close_matches(name, _names(), 1, NEAR):
        raise OptionError(f"there is no such setting; did you mean {near[0]}?")
    return None


@cache
def _names() -> Mapping[str, Key]:
    return {variable(key): key for key in known()}
