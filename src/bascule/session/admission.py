"""What of a workspace's own a session takes: what a person has accepted, and the rest is left out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from bascule.session.brought import Brought, allowance, brought, denied
from bascule.session.options import NO_TIMERS, Options
from bascule.session.rulebook import RuleFile, users_file
from bascule.session.trust import Acceptances, left_out, narrowed, reads_workspace
from bascule.session.written import projects_file
from bascule.transport.folders import CONFIG, state_folder
from bascule.wire.permissions import AddRules, PermissionUpdate


class Admission(NamedTuple):
    """A session's options, and what they leave out of the workspace."""

    options: Options
    left_out: tuple[Brought, ...]

    @property
    def notice(self) -> str | None:
        """What a person should know of it."""
        return left_out(self.left_out, self.options.cwd) if self.left_out else None


def unaccepted(options: Options, env: Mapping[str, str], *, config_counts: bool = False) -> tuple[Brought, ...]:
    """What the workspace brings, the CLI with the environment ``env`` would take, and nobody has accepted.

    ``config_counts``: the options were made of its configuration too. Looks at files: call it in a thread. Raises
    ``OptionError`` when what was accepted cannot be read.
    """
    takes = {"rules": options.rule_files is None, "timers": env.get(NO_TIMERS) != "1", "config": config_counts}
    settings = reads_workspace(options.setting_sources)
    found = [
        one
        for one in brought(options.cwd, config=users_folder(env), beside=options.project_config_root)
        if takes.get(one.kind, settings)
    ]
    return tuple(found) if options.trust == "none" else acceptances().unknown(options.cwd, found)


def users_folder(env: Mapping[str, str]) -> Path:
    """The CLI's own folder, which is the user's."""
    return Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME", "~"), ".claude")).expanduser()


def admitted(options: Options, env: Mapping[str, str]) -> Admission:
    """``options`` without what nobody has accepted; as they are where all is trusted. Looks at files, as above.

    What the settings of the workspace deny stays denied, also where the settings are left out.
    """
    if options.trust == "all":
        return Admission(options, ())
    missing = unaccepted(options, env)
    # The CLI reads again what changes while it runs: where nothing is trusted, what is not there yet is not, either.
    never = options.trust == "none" and reads_workspace(options.setting_sources)
    if never or any(one.comes_with_settings for one in missing):
        refused = denied(options.cwd, beside=options.project_config_root)
        options = replace(
            options,
            setting_sources=narrowed(options.setting_sources),
            disallowed_tools=tuple(dict.fromkeys((*options.disallowed_tools, *refused))),
        )
    if options.trust == "none" or any(one.kind == "timers" for one in missing):
        options = replace(options, env={**options.env, NO_TIMERS: "1"})
    return Admission(options, missing)


def accept_always(options: Options, updates: Iterable[PermissionUpdate]) -> None:
    """Accept what a person allows for good: the CLI writes it into the workspace, and the next session shall take it.

    Only these rules, in their files, and nothing that stands beside them. Writes a file: call it in a thread. Raises
    ``OptionError`` and ``OSError`` where that cannot be.
    """
    here = Path(os.path.realpath(options.cwd), ".claude")
    files = {"localSettings": here / "settings.local.json", "projectSettings": here / "settings.json"}
    found = [
        allowance(files[update.destination], str(rule))
        for update in updates
        if isinstance(update, AddRules) and update.destination in files
        for rule in update.rules
    ]
    if found and options.trust == "known":
        acceptances().add(options.cwd, found)


def rule_files(options: Options) -> list[RuleFile]:
    """The files whose rules a session of ``options`` is judged by."""
    if options.rule_files is not None:
        return [RuleFile(Path(path)) for path in options.rule_files]
    return [RuleFile(users_file(os.environ)), _projects(options)]


def _projects(options: Options) -> RuleFile:
    path = projects_file(options.cwd)
    match options.trust:
        case "all":
            return RuleFile(path)
        case "none":
            return RuleFile(path, _never)
        case "known":
            accepted = acceptances()
            return RuleFile(path, accepted.rules_may_allow(options.cwd), accepted.path)


def acceptances() -> Acceptances:
    """What the user has accepted, of all workspaces."""
    return Acceptances(state_folder(os.environ))


def own_places(options: Options) -> tuple[Path, ...]:
    """What no rule opens: whoever could write there could allow himself anything."""
    named = (*(options.rule_files or ()), os.environ.get(CONFIG), *options.closed)
    files = (Path(path).absolute() for path in named if path)
    return (users_file(os.environ), state_folder(os.environ), *files)


def _never(content: bytes) -> bool:
    return False
