"""The configuration as it is now: every source read once, so that whoever holds a snapshot never sees half a change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bascule.cli.settings.files import Page, page_of
from bascule.cli.settings.said import Said, laid_over
from bascule.cli.settings.sections import Config, Key
from bascule.cli.settings.surroundings import read_environment
from bascule.cli.settings.tightening import Admitted, LeftOut, admitted
from bascule.cli.settings.values import known
from bascule.errors import OptionError
from bascule.session.admission import acceptances
from bascule.session.trust import Trust
from bascule.session.written import projects_config
from bascule.transport.folders import CONFIG, config_file


class Snapshot(NamedTuple):
    """What holds, and why."""

    config: Config
    said: Mapping[Key, Said]
    """Each key with its value and who gave it, in the order of the reference; of projects what was said."""
    left_out: tuple[LeftOut, ...]
    """What the workspace said and does not count."""


def snapshot(
    workspace: str | Path | None,
    *,
    env: Mapping[str, str],
    given: Iterable[Said] = (),
    trust: Trust = "known",
    project: Iterable[Said] = (),
) -> Snapshot:
    """What holds for a session in ``workspace``; None: for what is of no workspace, such as a hub.

    ``given``: what the command line says. ``trust``: whether the workspace's own file may do more than tighten, as for
    all else that it brings. ``project``: what the user says of its project. Raises ``OptionError`` with every mistake,
    one a line.
    """
    users, here, around = users_page(env), workspaces_page(workspace), read_environment(env)
    mistakes = (*users.mistakes, *here.mistakes, *around.mistakes)
    if mistakes:
        raise OptionError("\n".join(mistakes))
    below = laid_over((*_defaults(), *users.said, *project))
    local = _counting(here, below, workspace, trust)
    holds = _in_order(laid_over((*below.values(), *local.said, *around.said, *given)))
    return Snapshot(msgspec.convert(_nested(holds), Config), holds, local.left_out)


def users_page(env: Mapping[str, str]) -> Page:
    """The user's file; one that he names himself must be there."""
    path = config_file(env)
    found = page_of(path, "user")
    if found.content is None and not found.mistakes and env.get(CONFIG):
        return Page((), (f"{CONFIG} names {path}, and there is no such file",))
    return found


def workspaces_page(workspace: str | Path | None) -> Page:
    """The file that a workspace brings."""
    return Page(()) if workspace is None else page_of(projects_config(os.path.realpath(workspace)), "project")


def _defaults() -> Iterable[Said]:
    return (Said(key, setting.default, "default", "") for key, setting in known().items())


def _counting(here: Page, below: Mapping[Key, Said], workspace: str | Path | None, trust: Trust) -> Admitted:
    if workspace is None or here.content is None:
        return Admitted((), ())
    return admitted(here.said, below, accepted=_accepts(workspace, trust)(here.content))


def _accepts(workspace: str | Path, trust: Trust) -> Callable[[bytes], bool]:
    match trust:
        case "all":
            return lambda _: True
        case "none":
            return lambda _: False
        case "known":
            return acceptances().config_may_widen(workspace)


def _in_order(holds: Mapping[Key, Said]) -> dict[Key, Said]:
    return {key: holds[key] for key in (*known(), *sorted(holds.keys() - known().keys()))}


def _nested(holds: Mapping[Key, Said]) -> dict[str, Any]:
    """Tables in tables, as a file has them."""
    tables: dict[str, Any] = {}
    for key, said in holds.items():
        table = tables
        for name in key[:-1]:
            table = table.setdefault(name, {})
        table[key[-1]] = said.value
    return tables
