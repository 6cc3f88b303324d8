"""What ``claude --help`` tells: its flags, and the permission modes that it takes. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_OPTION: Final = re.compile(r"^ {2}(?P<names>-[^ ].*?)(?: {2,}|$)(?P<rest>.*)$")
_FLAG: Final = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_CHOICES: Final = re.compile(r"\(choices: (?P<words>[^)]*?)(?:, (?:default|preset): [^)]*)?\)")
_MODE: Final = "--permission-mode"


class Usage(NamedTuple):
    """Names, as the help spells them."""

    flags: frozenset[str] = frozenset()
    modes: frozenset[str] = frozenset()


def usage_of(text: str) -> Usage:
    """The long names of all options, and the choices of ``--permission-mode``. Empty for what is no such help."""
    flags: set[str] = set()
    about: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        option = _OPTION.match(line)
        if option is not None and (names := _FLAG.findall(option["names"])):
            flags.update(names)
            current = names[0]
            about[current] = option["rest"]
        elif current and line.startswith("   "):
            about[current] += f" {line.strip()}"
        else:
            current = ""
    choices = _CHOICES.search(about.get(_MODE, ""))
    return Usage(frozenset(flags), frozenset(re.findall(r'"([^"]+)"', choices["words"])) if choices else frozenset())
