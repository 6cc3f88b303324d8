"""What a person allowed for longer than one call: *allow always*, *trust for 15 minutes*.

A grant matches as an allow rule does, one for a command to the letter in its folder only, and ends at its time or with
its scope. Where it is kept is not decided here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from bascule.policy import words
from bascule.policy.call import Call
from bascule.policy.rules import HERE, Rule, parse

Scope: TypeAlias = Literal["session", "project", "user", "local"]


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A remembered decision."""

    rule: Rule
    """An allow rule; its ``until`` is the grant's end, its ``source`` says whose it is."""
    scope: Scope = "session"
    by: str | None = None
    """Who gave it."""
    id: str = ""
    """What it is known by where it is kept; empty: nowhere."""


def granted(
    text: str, *, scope: Scope = "session", by: str | None = None, until: int | None = None, folder: str = HERE
) -> Grant:
    """The grant of what the person saw, and maybe edited, as ``text``; it ends at ``until`` (UTC ms). ``folder``: where
    the call stood that it was given for (``folder_of``).

    Raises ``OptionError`` for a text that is no rule.
    """
    rule = bound(parse(text, "allow", source=f"granted{f' by {by}' if by else ''} ({scope})"), folder)
    return Grant(rule=msgspec.structs.replace(rule, until=until), scope=scope, by=by)


def bound(rule: Rule, folder: str = HERE) -> Rule:
    """``rule`` of a grant, held to ``folder`` if it says a command to the letter and names no folder: ``make`` is
    another command in every folder, and whoever allowed it looked at one.
    """
    if rule.match is None or rule.stands is not None or words.has_gap(rule.match):
        return rule
    return msgspec.structs.replace(rule, stands=folder)


def folder_of(call: Call) -> str:
    """The folder that a grant for ``call`` is held to: from the workspace, so that it means the same in every one."""
    workspace = call.ground.workspace
    if not call.runs or call.cwd == workspace:
        return HERE
    return call.cwd.removeprefix(f"{workspace}/")
