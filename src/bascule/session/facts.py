"""What a call touches, with its paths as they really are: a policy sees no symlink, no ``..`` and no ``~``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from bascule.policy import places
from bascule.policy.call import Call
from bascule.session.ownership import owners_folder
from bascule.tools.facts import facts, with_paths


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """Where the calls of a session happen. All folders absolute and resolved."""

    workspace: str
    home: str
    plans: str
    """Where the CLI keeps plans: the model writes its own there, in plan mode too (13_plan_allow_setmode)."""
    protected: tuple[str, ...] = ()
    """Files and folders of bascule's own, which no rule opens."""

    def call(self, tool: str, tool_input: Any, *, cwd: str | None) -> Call:
        """The call as a policy sees it. ``cwd``: where the CLI stands by now; None: in the workspace."""
        stands = os.path.realpath(cwd or self.workspace)
        known = with_paths(facts(tool, tool_input), lambda path: resolved(path, cwd=stands, home=self.home))
        return Call(
            facts=known,
            files=frozenset(filter(_is_file, known.reads[:1] if known.prints else ())),
            ground=places.Ground(workspace=self.workspace, home=self.home),
            cwd=stands,
            plans=self.plans,
            protected=self.protected,
        )


def ground(cwd: str | Path, env: Mapping[str, str], own: Iterable[str | Path] = ()) -> Ground:
    """The ground of a session in ``cwd`` whose CLI has the environment ``env``; ``own``: what else no rule opens."""
    home = os.path.realpath(env.get("HOME") or Path.home())
    workspace = os.path.realpath(cwd)
    ours = (
        f"{workspace}/.bascule/config.toml",
        f"{workspace}/.bascule/rules.toml",
        f"{env.get('XDG_CONFIG_HOME') or f'{home}/.config'}/bascule",
        f"{env.get('XDG_STATE_HOME') or f'{home}/.local/state'}/bascule",
        owners_folder(),
        *own,
    )
    return Ground(
        workspace=workspace,
        home=home,
        plans=_plans(Path(env.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"), workspace),
        protected=tuple(map(os.path.realpath, ours)),
    )


def _plans(config: Path, workspace: str) -> str:
    """Where the CLI has its plans written: as the user's settings say, else its own folder.

    A workspace that says so itself is not heard, and no folder that holds the workspace is one for plans: what lies in
    it may be written while nothing else may.
    """
    usual = os.path.realpath(config / "plans")
    try:
        named = json.loads((config / "settings.json").read_bytes()).get("plansDirectory")
    except (OSError, ValueError, AttributeError, RecursionError):
        return usual
    if not isinstance(named, str) or not named.strip():
        return usual
    folder = os.path.realpath(Path(workspace, named).expanduser())
    return usual if Path(workspace).is_relative_to(folder) else folder


def _is_file(path: str) -> bool:
    return "\0" not in path and Path(path).is_file()


def resolved(path: str, *, cwd: str, home: str) -> str:
    """``path`` absolute and free of links, as the system would find it from ``cwd`` now; it need not exist.

    What no system could find, such as a name with a NUL in it, stays as it is, and so is nowhere for a policy.
    """
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    try:
        return os.path.realpath(Path(cwd, Path(path).expanduser()))
    except (ValueError, OSError, RuntimeError):  # RuntimeError: `~somebody`, whom nobody knows
        return path
