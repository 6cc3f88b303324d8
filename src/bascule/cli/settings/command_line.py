"""What the options of a command say, as far as they are settings as well; they have the last word."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bascule.cli.serve_arguments import NEVER
from bascule.cli.settings.said import Said
from bascule.cli.settings.sections import Key
from bascule.cli.settings.values import value_of
from bascule.errors import OptionError

OPTIONS: Final[Mapping[str, Key]] = {
    "cli": ("claude", "cli"),
    "model": ("claude", "model"),
    "pass_env": ("claude", "env"),
    "use_api_key": ("claude", "use_api_billing"),
    "policy": ("policy", "default"),
    "turn_seconds": ("sessions", "turn_cap_s"),
    "idle_seconds": ("sessions", "idle_sleep_s"),
    "max_live": ("sessions", "max_live"),
    "queue_limit": ("sessions", "queue_limit"),
    "host": ("hub", "host"),
    "port": ("hub", "port"),
    "public_url": ("hub", "public_url"),
    "tls_cert": ("hub", "tls_cert"),
    "tls_key": ("hub", "tls_key"),
    "allowed_host": ("hub", "allowed_hosts"),
    "allowed_origin": ("hub", "allowed_origins"),
    "open": ("hub", "open_browser"),
    "store": ("store", "path"),
}
"""The setting that an option says, by what ``argparse`` calls the option, in whichever command it is."""

_PATHS: Final = frozenset(("tls_cert", "tls_key", "store"))
_LISTS: Final = frozenset(("pass_env", "allowed_host", "allowed_origin"))
"""What is given several times adds to what is configured."""


def given(args: argparse.Namespace) -> tuple[Said, ...]:
    """What was given. Raises ``OptionError`` with the option that is wrong."""
    found = ((name, getattr(args, name, None)) for name in OPTIONS)
    return tuple(_said(name, value) for name, value in found if _is_given(value))


def _is_given(value: Any) -> bool:
    """Whether it is not what ``argparse`` has for an option that is not there; 0 is."""
    return value is not None and value is not False and value != []


def _said(name: str, value: Any) -> Said:
    key, option = OPTIONS[name], f"--{name.replace('_', '-')}"
    try:
        return Said(key, value_of(key, _plain(name, value)), "command line", option, adds=name in _LISTS)
    except OptionError as exc:
        raise OptionError(f"{option}: {exc}") from None


def _plain(name: str, value: Any) -> Any:
    """As a file would have it."""
    if name in _PATHS:
        return str(Path(value).expanduser().absolute())
    if name == "idle_seconds":
        return 0 if value == NEVER else _number(value)
    return value


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
