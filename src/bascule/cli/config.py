"""`bascule config`: what holds here and who said so, and whether what was written can be read."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bascule.cli.exits import SUCCESS
from bascule.cli.settings.applied import session_options, web_settings
from bascule.cli.settings.said import Said
from bascule.cli.settings.sections import Key
from bascule.cli.settings.snapshot import Snapshot, snapshot
from bascule.cli.settings.tightening import LeftOut
from bascule.cli.settings.values import name_of
from bascule.session.options import Options
from bascule.session.written import projects_config
from bascule.terminal.clean import plain
from bascule.transport.folders import config_file


def run(args: argparse.Namespace) -> int:
    """Do what the command line asks for. Raises `OptionError` with every mistake."""
    found = snapshot(args.cwd, env=os.environ, trust=args.trust)
    if args.action == "check":
        _check(found)
        print(*map(plain, _read(args.cwd, found)), sep="\n")
    elif args.json:
        print(json.dumps(_json(found), ensure_ascii=False))
    else:
        print(*map(plain, _shown(found)), sep="\n")
    return SUCCESS


def _check(found: Snapshot) -> None:
    """What can only be wrong together."""
    Options(**session_options(found.config))
    web_settings(found.config)


def _read(cwd: str, found: Snapshot) -> Iterator[str]:
    """Each source, with how much it says."""
    for path in (config_file(os.environ), projects_config(os.path.realpath(cwd))):
        yield f"{path}: {_counted(path, found)}" if path.exists() else f"{path}: not there"
    variables = [one.place for one in found.said.values() if one.origin == "environment"]
    if variables:
        yield f"environment: {', '.join(sorted(variables))}"
    yield from _left_out(found)


def _counted(path: Path, found: Snapshot) -> str:
    number = sum(one.place.startswith(f"{path}:") for one in found.said.values())
    return "1 setting holds" if number == 1 else f"{number} settings hold"


def _shown(found: Snapshot) -> Iterator[str]:
    """As a configuration file that would say the same, with the origin of each value behind it."""
    section: Key = ()
    for key, said in found.said.items():
        if key[:-1] != section:
            yield from ([""] if section else [])
            section = key[:-1]
            yield f"[{'.'.join(map(_word, section))}]"
        yield f"# {key[-1]} is not set" if said.value is None else f"{_pair(said):<48} # {_origin(said)}"
    yield from _left_out(found)


def _pair(said: Said) -> str:
    return f"{said.key[-1]} = {_toml(said.value)}"


def _toml(value: Any) -> str:
    """A value as TOML: what JSON says of texts, numbers, truths and lists of texts is the same there."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _word(name: str) -> str:
    return name if name.isascii() and name.replace("-", "_").isidentifier() else _toml(name)


def _origin(said: Said) -> str:
    return f"{said.origin}: {said.place}" if said.place else said.origin


def _left_out(found: Snapshot) -> Iterator[str]:
    if found.left_out:
        yield ""
    for one in found.left_out:
        yield f"# {one.said.place}: {name_of(one.said.key)} is left out: {_why(one)}"


def _why(one: LeftOut) -> str:
    match one.why:
        case "not accepted":
            return "it counts once the file is accepted (bascule trust)"
        case "yours alone":
            return "it counts in your own configuration only"


def left_out_line(found: Snapshot) -> str | None:
    """What a run should say of what its workspace said and does not count; None: there is nothing."""
    waiting = [name_of(one.said.key) for one in found.left_out if one.why == "not accepted"]
    never = [name_of(one.said.key) for one in found.left_out if one.why == "yours alone"]
    parts = [
        *([f"{', '.join(waiting)} (counts once it is accepted: bascule trust)"] if waiting else ()),
        *([f"{', '.join(never)} (counts in your own configuration only)"] if never else ()),
    ]
    return f"left out of the workspace's configuration: {'; '.join(parts)}" if parts else None


def _json(found: Snapshot) -> dict[str, Any]:
    return {
        "settings": {name_of(key): _row(said) for key, said in found.said.items()},
        "left_out": [{"key": name_of(one.said.key), **_row(one.said), "why": one.why} for one in found.left_out],
    }


def _row(said: Said) -> dict[str, Any]:
    return {"value": said.value, "from": said.origin, "place": said.place or None}
