"""Grants that outlive their session: *always*, for a project or for the user, in a file that everybody rereads.

A grant for a project holds in the workspace it was given in, and in none that lies elsewhere, whatever it is called.
Taken back, it allows nothing from the next call on, in running sessions too.
"""

from __future__ import annotations

import asyncio
import difflib
import os
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from bascule.errors import OptionError
from bascule.policy.grants import Grant, bound
from bascule.policy.rules import parse
from bascule.transport.ledger import Ledger

NAME: Final = "grants.json"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One grant."""

    id: str
    """What it is taken back by."""
    rule: str
    """An allow rule in its short form; one to the letter holds in the workspace itself, or in the folder it names."""
    scope: Literal["project", "user"]
    workspace: str | None = None
    """The resolved folder of a grant for a project."""
    by: str | None = None
    surface: str | None = None
    at: int
    """UTC ms at which it was given."""
    until: int | None = None
    """UTC ms from which on it no longer holds; null: until it is taken back."""
    used_at: int | None = None
    """UTC ms of the last call that it allowed."""
    uses: int = 0

    @property
    def source(self) -> str:
        """Whose it is, as a verdict names it."""
        return f"granted{f' by {self.by}' if self.by else ''} ({self.scope}, {self.id})"

    def grant(self) -> Grant:
        """As the policy sees it. Raises ``OptionError`` for a rule that says nothing."""
        rule = msgspec.structs.replace(bound(parse(self.rule, "allow", source=self.source)), until=self.until)
        return Grant(rule=rule, scope=self.scope, by=self.by, id=self.id)


class Grants:
    """The grants that a folder keeps."""

    def __init__(self, folder: Path, *, now_ms: Callable[[], int] = lambda: int(time.time() * 1000)) -> None:
        self._ledger = Ledger(folder / NAME, tuple[Kept, ...], ())
        self._now_ms = now_ms

    @property
    def path(self) -> Path:
        """The file."""
        return self._ledger.path

    def all(self) -> tuple[Kept, ...]:
        """All that are kept, in the order they were given, those that ended too. Raises ``OptionError``."""
        return self._ledger.read()

    def keep(self, grant: Grant, workspace: str | Path, *, surface: str | None = None) -> Kept:
        """Keep what a person allowed. One of the same rule and scope takes the place of the older. Raises
        ``OptionError`` for a scope that does not outlive the session, and when nothing can be written."""
        if grant.scope not in ("project", "user"):
            raise OptionError(f"nothing keeps a grant of the scope {grant.scope}: choose session, project or user")
        new = Kept(
            id=secrets.token_hex(3),
            rule=str(grant.rule),
            scope=grant.scope,
            workspace=os.path.realpath(workspace) if grant.scope == "project" else None,
            by=grant.by,
            surface=surface,
            at=self._now_ms(),
            until=grant.rule.until,
        )
        self._ledger.change(lambda kept: (*(one for one in kept if not _same(one, new)), new))
        return new

    def revoke(self, grant_id: str) -> Kept:
        """Take a grant back; what it was. Raises ``OptionError`` with the nearest id when there is none."""
        taken: list[Kept] = []

        def without(kept: tuple[Kept, ...]) -> tuple[Kept, ...]:
            taken.extend(one for one in kept if one.id == grant_id)
            if not taken:
                raise OptionError(_no_grant(grant_id, [one.id for one in kept]))
            return tuple(one for one in kept if one.id != grant_id)

        self._ledger.change(without)
        return taken[0]

    def used(self, grant_ids: Sequence[str]) -> None:
        """They have allowed a call just now. One that was taken back meanwhile is left out."""
        now = self._now_ms()

        def counted(kept: tuple[Kept, ...]) -> tuple[Kept, ...]:
            return tuple(
                msgspec.structs.replace(one, used_at=now, uses=one.uses + 1) if one.id in grant_ids else one
                for one in kept
            )

        self._ledger.change(counted)


class GrantsHere:
    """The grants that hold in one workspace, for its sessions: ``Options(keep_grant=here.keep, kept_grants=here)``."""

    def __init__(self, grants: Grants, workspace: str | Path, *, surface: str | None = None) -> None:
        """``surface``: what those are said to come from that are kept here."""
        self._kept = grants
        self._workspace = os.path.realpath(workspace)
        self._surface = surface
        self._seen: tuple[Kept, ...] = ()
        self._holding: tuple[Grant, ...] = ()

    def holding(self) -> tuple[Grant, ...]:
        """Those that hold now, but for their ends. Raises ``OptionError`` when they cannot be read."""
        kept = self._kept.all()
        if kept is not self._seen:
            self._holding = tuple(one.grant() for one in holding(kept, self._workspace))
            self._seen = kept
        return self._holding

    async def keep(self, grant: Grant) -> None:
        """Keep what a person allowed. Raises ``OptionError``."""
        await asyncio.to_thread(self._kept.keep, grant, self._workspace, surface=self._surface)

    async def used(self, grants: Sequence[Grant]) -> None:
        """They allowed a call just now."""
        await asyncio.to_thread(self._kept.used, self._ids(grants))

    async def revoke(self, grant: Grant) -> None:
        """Keep it no longer; nothing happens when it is kept no more. Raises ``OptionError``."""
        for grant_id in self._ids([grant]):
            await asyncio.to_thread(self._kept.revoke, grant_id)

    def _ids(self, grants: Sequence[Grant]) -> list[str]:
        """By what they say: one that a session was just given does not know its id."""
        said = {(str(grant.rule), grant.scope) for grant in grants}
        return [one.id for one in holding(self._kept.all(), self._workspace) if (one.rule, one.scope) in said]


def holding(kept: Sequence[Kept], workspace: str | Path) -> tuple[Kept, ...]:
    """Those that hold in a workspace; of their ends the policy takes care."""
    here = os.path.realpath(workspace)
    return tuple(one for one in kept if one.scope == "user" or one.workspace == here)


def _same(one: Kept, other: Kept) -> bool:
    return (one.rule, one.scope, one.workspace) == (other.rule, other.scope, other.workspace)


def _no_grant(grant_id: str, ids: Sequence[str]) -> str:
    near = difflib.get_close_matches(grant_id, ids, 1)
    hint = f"did you mean {near[0]}?" if near else "bascule policy grants lists them"
    return f"there is no grant {grant_id!r}: {hint}"
