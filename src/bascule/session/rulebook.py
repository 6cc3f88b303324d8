"""The rule files of a session: read when it begins, and again whenever they change.

Two files by default: the user's, and the workspace's, which can only tighten until its content is trusted. A file that
cannot be read when the session begins is an error. One that breaks or vanishes later allows nothing more, what it
denied and asked stays denied and asked, and somebody is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.errors import OptionError
from bascule.policy.config import read, tightening
from bascule.policy.rules import Rule
from bascule.session.written import content, text
from bascule.transport.folders import config_folder

NAME: Final = "rules.toml"

_SETTLED_NS: Final = 100_000_000
"""A file that was written so shortly before it was read may be written again without a sign: it is read again."""

Stamp: TypeAlias = tuple[int, int, int, int]
_Seen: TypeAlias = tuple[Stamp, Stamp | None]


class RuleFile(NamedTuple):
    """Where rules stand, and what they may do there."""

    path: Path
    may_allow: Callable[[bytes], bool] | None = None
    """Whether rules of this content may allow, not only tighten; None: they may."""
    accepted_in: Path | None = None
    """The file that ``may_allow`` goes by: when it changes, the rules are read again."""


class News(NamedTuple):
    """What became of a file while the session runs."""

    level: Literal["info", "warning"]
    text: str


def users_file(env: Mapping[str, str]) -> Path:
    """The user's own rules."""
    return config_folder(env) / NAME


class Rulebook:
    """The rules of some files, always those that stand in them now."""

    def __init__(self, files: Sequence[RuleFile], *, barred: Callable[[], str | None] = lambda: None) -> None:
        """Reads them; one that is not there has no rules. ``barred`` tells why nothing may run any more.

        Raises ``OptionError`` for a file with mistakes.
        """
        self._barred = barred
        self._pages = [_Page(file) for file in files]
        self.rules: tuple[Rule, ...] = ()
        wrong = [said.text for said in self._read() if said.level == "warning"]
        if wrong:
            raise OptionError("\n".join(wrong))

    def look(self) -> list[News]:
        """Read again what has changed since, one ``stat`` a file; tells what a person should know of it."""
        news = self._read()
        if (why := self._barred()) is not None:
            self.rules = (Rule(action="deny", tool="*", reason=why, source="bascule trust"),)
        return news

    def _read(self) -> list[News]:
        news = [said for page in self._pages if (said := page.look()) is not None]
        self.rules = tuple(rule for page in self._pages for rule in page.rules)
        return news

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, whether they are there or not."""
        return tuple(page.file.path for page in self._pages)


class _Page:
    """One file as it was last seen."""

    def __init__(self, file: RuleFile) -> None:
        self.file = file
        self.rules: tuple[Rule, ...] = ()
        self._seen: _Seen | None = None
        self._told: News | None = None
        self._begun = False

    def look(self) -> News | None:
        """Read the file if it has changed; what is new about it."""
        stamp = self._stamp()
        if stamp is not None and stamp == self._seen:
            return None
        self._seen = stamp if stamp is not None and _are_settled(stamp) else None
        found = self._found(there=stamp is not None)
        told, self._told = self._told, found
        begun, self._begun = self._begun, True
        is_news = found is not None and found != told and (begun or found.level == "warning")
        return found if is_news else None

    def _stamp(self) -> _Seen | None:
        """What changes with the rules, or with what they may do; None when the file is not there."""
        stamp, accepted_in = stamp_of(self.file.path), self.file.accepted_in
        return None if stamp is None else (stamp, None if accepted_in is None else stamp_of(accepted_in))

    def _found(self, *, there: bool) -> News | None:
        """Take over the rules of the file as it is now, or what is left of the old ones."""
        path = self.file.path
        if not there:
            self.rules, gone = tightening(self.rules), bool(self.rules)
            return News("warning", f"{path} is gone: {_KEPT}") if gone else self._told
        try:
            said = content(path)
        except OSError as exc:
            return self._broken(f"{path}: cannot be read: {exc.strerror or exc}")
        readable, undecodable = text(said, path)
        rules, mistakes = read(readable, str(path)) if undecodable is None else ((), (undecodable,))
        if mistakes:
            return self._broken("\n".join(mistakes))
        may_allow = self.file.may_allow is None or self.file.may_allow(said)
        self.rules = rules if may_allow else tightening(rules)
        return News("info", f"{path}: {counted(self.rules)} from now on{_left_out(rules, self.rules)}")

    def _broken(self, mistakes: str) -> News:
        self.rules = tightening(self.rules)
        return News("warning", f"{mistakes}\n{_KEPT}" if self._begun else mistakes)


_KEPT: Final = "what it denied or asked before stays so, and it allows nothing until it can be read"


def counted(rules: Sequence[Rule]) -> str:
    """``3 rules (2 allow, 1 deny)``."""
    of_each = [(action, sum(rule.action == action for rule in rules)) for action in ("allow", "ask", "deny")]
    parts = ", ".join(f"{number} {action}" for action, number in of_each if number)
    return f"{len(rules)} rule{'' if len(rules) == 1 else 's'}" + (f" ({parts})" if parts else "")


def _left_out(rules: Sequence[Rule], kept: Sequence[Rule]) -> str:
    left = len(rules) - len(kept)
    return f"; {left} that would allow count when the file is trusted (bascule trust)" if left else ""


def _are_settled(seen: _Seen) -> bool:
    now = time.time_ns()
    return all(is_settled(stamp, now) for stamp in seen)


def is_settled(stamp: Stamp | None, now_ns: int) -> bool:
    """Whether another writing would have left another stamp."""
    return stamp is None or now_ns - stamp[0] > _SETTLED_NS


def stamp_of(path: Path) -> Stamp | None:
    """What changes with the file; None when it is not there, or not to be seen."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino
