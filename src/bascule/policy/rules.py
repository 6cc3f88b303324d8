"""Rules as values, and their short text form.

``Bash(git status *)``, ``Edit(src/**)``, ``WebFetch(domain:docs.python.org)``, ``mcp__git__*``, ``Read``: a glob over
tool names and, in parentheses, what the call must match. Of a grant it may be followed by the folder in which a command
must stand: ``Bash(make) in web``. A rule without it is of every call of the tool. What a match
means depends on the call: words for a command (``words``), a path or a URL (``places``), else a glob over the input as
JSON. Whether a rule holds for a call is decided in ``matching``.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.errors import OptionError
from bascule.policy import globs

Action: TypeAlias = Literal["allow", "ask", "deny"]

_TEXT: Final = re.compile(
    r"(?P<tool>[^\s()]+)\s*(?:\((?P<match>.*)\)(?:\s+in\s+(?P<stands>[^\s)](?:[^)]*[^\s)])?))?)?", re.DOTALL
)
HERE: Final = "."
"""The workspace itself, as a folder in which a command stands."""

_NAME: Final = re.compile(r"[\w.:*?\[\]!{},/@-]+")


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of a policy: allow, ask or deny these calls. ``checked`` and ``parse`` make sound ones."""

    action: Action
    tool: str
    """A glob over tool names, braces allowed."""
    match: str | None = None
    """Null: every call of the tool."""
    where: str | None = None
    """``workspace``, ``anywhere`` or a glob over paths. Null: what an allow rule can mean at most is the workspace, or
    the place that an absolute ``match`` names; what denies or asks does so anywhere."""
    unless: tuple[str, ...] = ()
    """Globs over paths for which the rule does not hold."""
    reason: str = ""
    until: int | None = None
    """UTC ms from which on it no longer holds."""
    stands: str | None = None
    """The folder in which a command must stand, from the workspace or absolute; null: wherever ``where`` allows."""
    source: str = ""
    """Where it stands: file and line, or whose grant it is."""

    def __str__(self) -> str:
        said = self.tool if self.match is None else f"{self.tool}({self.match})"
        return said if self.stands in (None, HERE) else f"{said} in {_quoted(self.stands)}"

    @property
    def named(self) -> str:
        """Its text, and where it stands."""
        return f"{self} ({self.source})" if self.source else str(self)


def _quoted(folder: str) -> str:
    """A folder as the short form has it: nothing in it closes a parenthesis."""
    return folder.replace("%", "%25").replace(")", "%29")


def _folder(quoted: str | None) -> str | None:
    """``web/`` and ``./web`` are ``web``."""
    return quoted and posixpath.normpath(quoted.replace("%29", ")").replace("%25", "%"))


def checked(rule: Rule) -> Rule:
    """``rule``, if it says something. Raises ``OptionError`` with its place and what is wrong."""
    place = f"{rule.source}: " if rule.source else ""
    if not _NAME.fullmatch(rule.tool):
        raise OptionError(f"{place}tool is {rule.tool!r}; it is a name or a glob over names, what it must match apart")
    try:
        for pattern in (rule.tool, rule.match or "", rule.where or "", *rule.unless):
            globs.alternatives(pattern)
    except ValueError as exc:
        raise OptionError(f"{place}{exc}") from None
    return rule


def parse(text: str, action: Action = "allow", *, source: str = "") -> Rule:
    """The rule that ``text`` says. Raises ``OptionError`` for a text that says none."""
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise OptionError(f"{text!r} is no rule; write a tool, or a tool and what it must match: Tool(pattern)")
    match = found["match"]
    if match is not None and not match.strip():
        raise OptionError(f"{text!r} matches nothing; write {found['tool']!r} for every call of the tool")
    stands = _folder(found["stands"])
    return checked(Rule(action=action, tool=found["tool"], match=match and match.strip(), stands=stands, source=source))
