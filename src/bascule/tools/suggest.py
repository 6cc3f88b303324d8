"""Rules that *allow always* could make for a call, the narrowest first.

A rule is text of the form ``Tool`` or ``Tool(what)``; what it covers is decided in ``policy/``. Here is made sure that
a rule says no more than it shows: what could read as a pattern is quoted, or no rule is offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bascule.events import Suggestion
from bascule.payload import Mark
from bascule.tools import filling, programs
from bascule.tools.bounds import clean
from bascule.tools.facts import Facts
from bascule.tools.mcp import mcp_name
from bascule.tools.risks import RUNS_LATER, marks
from bascule.tools.shell import SimpleCommand

RULE_LIMIT: Final = 200
"""Characters of a suggested rule: a longer one nobody reads before saying yes."""

_NOT_WITH_THE_TOOL: Final = frozenset(("outside workspace", "secrets path"))

_SEARCHES: Final = frozenset(("Glob", "Grep"))
"""Tools that read all that is below a folder, which is the first of their reads."""

_TOOL: Final = re.compile(r"[\w.-]+")
_PATTERN: Final = re.compile(r"[*?\[\]{}!]|:\*")
_NEEDS_QUOTES: Final = re.compile(r"[^\w@%+=:,./-]")


def suggestions(facts: Facts, cwd: str | None = None) -> tuple[Suggestion, ...]:
    """The rules, without doubles; none for a tool whose name is no plain one, and for what no rule can allow.

    ``cwd``: the workspace. A tool as a whole is not offered for a call outside of it, on secrets, or on what runs later
    unnamed: a rule that says no more than the tool covers none of them, so the next same call would ask again.
    """
    if facts.unsandboxed or not _TOOL.fullmatch(facts.tool):
        return ()
    rules = dict.fromkeys(rule for rule in _rules(facts, cwd) if len(rule) <= RULE_LIMIT)
    return tuple(Suggestion(rule=clean(rule)) for rule in rules)


def _rules(facts: Facts, cwd: str | None) -> Iterator[str]:
    tool = facts.tool
    if facts.command is not None:
        yield from (f"{tool}({content})" for content in _of_command(facts))
        return
    if tool in _SEARCHES:
        yield from (f"{tool}({folder}/**)" for folder in facts.reads[:1] if _is_whole(folder))
    else:
        yield from (f"{tool}({content})" for path in (*facts.writes, *facts.reads) for content in _of_path(path))
    for host in facts.hosts:
        if host:
            yield f"{tool}(domain:{host})"
    if not any(_needs_its_name(mark) for mark in marks(facts, cwd)):
        yield tool
    name = mcp_name(tool)
    if name is not None and name.server:
        yield f"mcp__{name.server}__*"


def _needs_its_name(mark: Mark) -> bool:
    return mark.mark in _NOT_WITH_THE_TOOL or (mark.mark == RUNS_LATER and mark.grave)


def _of_command(facts: Facts) -> Iterator[str]:
    """The line to the letter, then the program with any further words."""
    line = (facts.command or "").strip(" \t\n")
    if line and "\n" not in line:
        exact = line if not _PATTERN.search(line) else _quoted(facts.commands)
        yield from [exact] if exact else []
    prefix = _prefix(facts)
    if prefix:
        yield f"{prefix} *"


def _quoted(commands: Sequence[SimpleCommand]) -> str | None:
    """One command with quotes around what could be a pattern; of several, or of one in doubt, none."""
    if len(commands) != 1 or not commands[0].allowable or commands[0].redirections:
        return None
    words = commands[0].words
    if any("'" in word for word in words):
        return None
    return " ".join(f"'{word}'" if not word or _NEEDS_QUOTES.search(word) else word for word in words)


def _prefix(facts: Facts) -> str | None:
    """The program, and its subcommand where it has some; null where *any further words* is too much to say."""
    if (
        len(facts.commands) != 1
        or not facts.allowable
        or any(mark.grave or mark.mark == "delete" for mark in marks(facts, None))
    ):
        return None
    (command,) = facts.commands
    if command.redirections or command.assignments or not programs.may_be_prefix(command.words):
        return None
    head = programs.head(command.words)
    if not set(filling.telling(command.words)) <= {*head}:
        return None  # a rule that does not say it does not cover it
    return None if any(_NEEDS_QUOTES.search(word) for word in head) else " ".join(head)


def _of_path(path: str) -> Iterator[str]:
    """The file, then its folder."""
    if _is_whole(path):
        yield path
        folder = path.rpartition("/")[0]
        if folder.count("/") > 1:
            yield f"{folder}/**"


def _is_whole(path: str) -> bool:
    """Whether ``path`` reads the same without knowing where the call was made, and is no pattern."""
    return path.startswith("/") and path != "/" and not _PATTERN.search(path)
