"""What of a workspace's own a person has accepted, and what a session leaves out that nobody has.

Accepted is content, in its place: what changes is asked about again, and what lies elsewhere was never accepted. Files
that a hook runs are not looked into; accepting a hook accepts what stands behind it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.errors import OptionError
from bascule.session.brought import Brought, Kind, digest_of
from bascule.session.written import projects_config, projects_file
from bascule.transport.ledger import Ledger

Trust: TypeAlias = Literal["known", "all", "none"]
"""What a workspace brings is taken if it was accepted, always, or never."""

NAME: Final = "trust.json"
WORKSPACES: Final = ("project", "local")
"""The setting sources that are the workspace's; without both the CLI takes neither its ``.mcp.json`` nor its skills."""

_KINDS: Final[Mapping[Kind, tuple[str, str]]] = {
    "hook": ("1 command hook", "{} command hooks"),
    "server": ("1 MCP server", "{} MCP servers"),
    "setting": ("1 setting", "{} settings"),
    "skill": ("1 skill that runs something", "{} skills that run something"),
    "agent": ("1 agent with rights of its own", "{} agents with rights of their own"),
    "command": ("1 command that runs something", "{} commands that run something"),
    "timers": ("1 file of timers", "{} files of timers"),
    "rules": ("1 rule file", "{} rule files"),
    "config": ("1 configuration file", "{} configuration files"),
}


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person accepted of one workspace."""

    workspace: str
    digests: tuple[str, ...]
    at: int
    """UTC ms."""


class Acceptances:
    """What was accepted, in a folder of bascule's own."""

    def __init__(self, folder: Path, *, now_ms: Callable[[], int] = lambda: int(time.time() * 1000)) -> None:
        self._ledger = Ledger(folder / NAME, tuple[Accepted, ...], ())
        self._now_ms = now_ms

    @property
    def path(self) -> Path:
        """The file: it changes with what is accepted."""
        return self._ledger.path

    def unknown(self, workspace: str | Path, found: Iterable[Brought]) -> tuple[Brought, ...]:
        """What nobody has accepted as it is now. Raises ``OptionError`` when what was accepted cannot be read."""
        known = self._known(workspace)
        return tuple(one for one in found if one.digest not in known)

    def accept(self, workspace: str | Path, found: Iterable[Brought]) -> None:
        """Accept ``found`` and nothing else: what had been accepted before and is gone is forgotten."""
        self._put(workspace, lambda _: dict.fromkeys(one.digest for one in found))

    def add(self, workspace: str | Path, found: Iterable[Brought]) -> None:
        """Accept ``found`` as well."""
        self._put(workspace, lambda before: dict.fromkeys((*before, *(one.digest for one in found))))

    def _put(self, workspace: str | Path, accepted: Callable[[Iterable[str]], Iterable[str]]) -> None:
        here = os.path.realpath(workspace)

        def changed(all: tuple[Accepted, ...]) -> tuple[Accepted, ...]:
            before = [digest for one in all if one.workspace == here for digest in one.digests]
            new = Accepted(workspace=here, digests=tuple(accepted(before)), at=self._now_ms())
            return (*(one for one in all if one.workspace != here), new)

        self._ledger.change(changed)

    def revoke(self, workspace: str | Path) -> bool:
        """Accept nothing of a workspace any more; False when nothing was."""
        here = os.path.realpath(workspace)
        was = any(one.workspace == here for one in self._ledger.read())
        self._ledger.change(lambda all: tuple(one for one in all if one.workspace != here))
        return was

    def rules_may_allow(self, workspace: str | Path) -> Callable[[bytes], bool]:
        """Whether the rule file of a workspace may allow, by its content; never when that cannot be known."""
        return self._accepts("rules", projects_file(os.path.realpath(workspace)), workspace)

    def config_may_widen(self, workspace: str | Path) -> Callable[[bytes], bool]:
        """Whether the configuration of a workspace may do more than tighten, by its content, as above."""
        return self._accepts("config", projects_config(os.path.realpath(workspace)), workspace)

    def _accepts(self, kind: Kind, path: Path, workspace: str | Path) -> Callable[[bytes], bool]:
        def accepts(content: bytes) -> bool:
            try:
                return digest_of(kind, path, content) in self._known(workspace)
            except OptionError:
                return False

        return accepts

    def _known(self, workspace: str | Path) -> frozenset[str]:
        here = os.path.realpath(workspace)
        return frozenset(digest for one in self._ledger.read() if one.workspace == here for digest in one.digests)


def narrowed(sources: Sequence[str] | None) -> tuple[str, ...]:
    """Setting sources without those of the workspace; None: all there are."""
    return ("user",) if sources is None else tuple(source for source in sources if source not in WORKSPACES)


def reads_workspace(sources: Sequence[str] | None) -> bool:
    """Whether the CLI would take anything that the workspace brings."""
    return sources is None or any(source in WORKSPACES for source in sources)


def counted(found: Iterable[Brought]) -> str:
    """``2 command hooks, 1 MCP server``."""
    of_each = Counter(one.kind for one in found)
    return ", ".join(_KINDS[kind][number > 1].format(number) for kind, number in of_each.items())


def left_out(found: Sequence[Brought], workspace: str | Path) -> str:
    """What a person should know when a session starts without what the workspace brings."""
    settings = [one for one in found if one.comes_with_settings]
    what = [f"{counted(settings)} (and so its CLAUDE.md and all its settings)"] if settings else []
    what += ["timers, which begin work by themselves"] if any(one.kind == "timers" for one in found) else []
    what += ["the rules that allow in its rule file"] if any(one.kind == "rules" for one in found) else []
    what += ["what does not tighten in its configuration"] if any(one.kind == "config" for one in found) else []
    here = os.path.realpath(workspace)
    return f"left out of {here}, since nobody has accepted it: {'; '.join(what)}. To see and accept it: bascule trust"
