"""Rules as people write them: TOML text in, rules out. Reading the file is somebody else's.

    [[rule]]
    action = "allow"            # allow | ask | deny
    tool   = "Bash"             # a glob over tool names
    match  = "git status *"     # see bascule.policy.rules
    where  = "workspace"        # workspace | anywhere | a path glob
    unless = ["**/.env"]        # paths for which the rule does not hold
    reason = "reading only"
    until  = 2026-12-31         # the last day, or a moment

A mistake is an error and never a rule that silently covers less, or more, than was meant.
"""

from __future__ import annotations

import datetime as dt
import difflib
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from bascule.errors import OptionError
from bascule.policy.positions import Path, Position, nearest, positions, syntax_mistake
from bascule.policy.rules import Rule, checked

_KEYS: Final = ("action", "tool", "match", "where", "unless", "reason", "until")
_ACTIONS: Final = ("allow", "ask", "deny")
_ANY: Final = Rule(action="deny", tool="*")


class Reading(NamedTuple):
    """What a text says, and what is wrong with it."""

    rules: tuple[Rule, ...]
    """Those without a mistake, in order, each with its place ``SOURCE:LINE``."""
    mistakes: tuple[str, ...]
    """``SOURCE:LINE:COLUMN: what is wrong``, one for each rule that has any; a misspelt key with the nearest one."""


def rules_of(text: str, source: str) -> tuple[Rule, ...]:
    """The rules in ``text``. Raises ``OptionError`` with all mistakes, one a line."""
    rules, mistakes = read(text, source)
    if mistakes:
        raise OptionError("\n".join(mistakes))
    return rules


def read(text: str, source: str) -> Reading:
    """The rules in ``text`` and its mistakes; ``source`` is what places are told with, such as the file's name."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        return Reading((), (syntax_mistake(exc, text, source),))
    known = positions(text)
    rules: list[Rule] = []
    wrongs: list[_Wrong] = []
    for key, value in table.items():
        try:
            _known(key, ("rule",), (key,))
            rows = _rows(value)
        except _Wrong as exc:
            wrongs.append(exc)
            continue
        for number, row in enumerate(rows):
            try:
                rules.append(_rule(row, ("rule", number), _source(source, known, number)))
            except _Wrong as exc:
                wrongs.append(exc)
    return Reading(tuple(rules), tuple(f"{_place(source, known, wrong.path)}: {wrong}" for wrong in wrongs))


def tightening(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules of a file that is not trusted yet: it may deny and ask, not allow."""
    return tuple(rule for rule in rules if rule.action != "allow")


class _Wrong(Exception):
    """A mistake, and the way to what it is about."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text)
        self.path = path


def _source(source: str, known: Mapping[Path, Position], number: int) -> str:
    """Where a rule stands; one in an inline table has no line of its own."""
    place = known.get(("rule", number))
    return f"{source}, rule {number + 1}" if place is None else f"{source}:{place.line}"


def _place(source: str, known: Mapping[Path, Position], path: Path) -> str:
    place = nearest(known, path)
    number = path[1] if len(path) > 1 and path[:2] not in known else None
    return f"{source}:{place.line}:{place.column}" + ("" if number is None else f", rule {int(number) + 1}")


def _known(key: str, known: Sequence[str], path: Path) -> None:
    if key not in known:
        near = difflib.get_close_matches(key, known, 1, 0.0)[0]
        raise _Wrong(path, f"there is no key {key!r}; the nearest one is {near!r}")


def _rows(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise _Wrong(("rule",), "rules are written as [[rule]] tables")
    return value


def _rule(row: Mapping[str, Any], path: Path, source: str) -> Rule:
    for key in row:
        _known(key, _KEYS, (*path, key))
    action = row.get("action")
    if action not in _ACTIONS:
        at = (*path, "action") if "action" in row else path
        raise _Wrong(at, f"action is {action!r}; it must be one of {', '.join(_ACTIONS)}")
    if "tool" not in row:
        raise _Wrong(path, "a rule names its tool; 'tool = \"*\"' is every tool")
    said = {key: _value(row[key], key, (*path, key)) for key in row if key != "action"}
    return msgspec.structs.replace(_ANY, action=action, source=source, **said)


def _value(value: Any, key: str, path: Path) -> Any:
    """What a key of a rule says, if it says something by itself."""
    match key:
        case "unless":
            said: Any = _texts(value, key, path)
        case "until":
            return _until(value, path)
        case _:
            said = _text(value, key, path)
    try:
        checked(msgspec.structs.replace(_ANY, **{key: said}))
    except OptionError as exc:
        raise _Wrong(path, str(exc)) from None
    return said


def _text(value: Any, key: str, path: Path) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(path, f"{key} is {value!r}; it must be a text that is not empty")
    return value


def _texts(value: Any, key: str, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _Wrong(path, f"{key} is {value!r}; it must be a list of texts")
    return tuple(_text(item, key, path) for item in value)


def _until(value: Any, path: Path) -> int:
    """UTC ms at which the rule ends: a date holds to its last moment, a time without a zone is UTC."""
    try:
        return int(_end(value).timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        raise _Wrong(path, f"until is {value!r}; write a day or a moment, such as 2026-12-31") from None


def _end(value: Any) -> dt.datetime:
    match value:
        case str() if len(value) == len("2026-12-31"):
            return _end(dt.date.fromisoformat(value))
        case str():
            return _end(dt.datetime.fromisoformat(value))
        case dt.datetime():
            return value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        case dt.date():
            return dt.datetime.combine(value, dt.time(), dt.UTC) + dt.timedelta(days=1)
    raise TypeError(value)
