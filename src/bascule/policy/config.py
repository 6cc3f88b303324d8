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
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bascule.errors import OptionError
from bascule.policy.rules import Rule, checked

_HEADER: Final = re.compile(r"^\s*\[\[\s*(?:rule|\"rule\"|'rule')\s*\]\]", re.MULTILINE)
_KEYS: Final = ("action", "tool", "match", "where", "unless", "reason", "until")
_ACTIONS: Final = ("allow", "ask", "deny")


def rules_of(text: str, source: str) -> tuple[Rule, ...]:
    """The rules in ``text``, in order, each with its place ``SOURCE:LINE``.

    Raises ``OptionError`` that names the place, what is wrong, and for a misspelt key the nearest one.
    """
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        raise OptionError(f"{source}: no TOML: {exc}") from None
    _known(table, ("rule",), source)
    rows = table.get("rule", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise OptionError(f"{source}: rules are written as [[rule]] tables")
    places = _places(text, source, len(rows))
    return tuple(_rule(row, place) for row, place in zip(rows, places, strict=True))


def tightening(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules of a file that is not trusted yet: it may deny and ask, not allow."""
    return tuple(rule for rule in rules if rule.action != "allow")


def _places(text: str, source: str, count: int) -> list[str]:
    """Where each rule stands. ``tomllib`` tells no lines; headers are counted, and trusted only if all are seen."""
    lines = [text.count("\n", 0, header.end()) + 1 for header in _HEADER.finditer(text)]
    if len(lines) == count:
        return [f"{source}:{line}" for line in lines]
    return [f"{source}, rule {number}" for number in range(1, count + 1)]


def _known(table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1, 0.0)[0]
            raise OptionError(f"{place}: there is no key {key!r}; the nearest one is {near!r}")


def _rule(row: Mapping[str, Any], place: str) -> Rule:
    _known(row, _KEYS, place)
    action = row.get("action")
    if action not in _ACTIONS:
        raise OptionError(f"{place}: action is {action!r}; it must be one of {', '.join(_ACTIONS)}")
    texts = {key: _text(row[key], key, place) for key in ("tool", "match", "where", "reason") if key in row}
    if "tool" not in texts:
        raise OptionError(f"{place}: a rule names its tool; 'tool = \"*\"' is every tool")
    return checked(
        Rule(
            action=action,
            tool=texts["tool"],
            match=texts.get("match"),
            where=texts.get("where"),
            unless=_texts(row.get("unless", []), "unless", place),
            reason=texts.get("reason", ""),
            until=_until(row.get("until"), place),
            source=place,
        )
    )


def _text(value: Any, key: str, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"{place}: {key} is {value!r}; it must be a text that is not empty")
    return value


def _texts(value: Any, key: str, place: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise OptionError(f"{place}: {key} is {value!r}; it must be a list of texts")
    return tuple(_text(item, key, place) for item in value)


def _until(value: Any, place: str) -> int | None:
    """UTC ms at which the rule ends: a date holds to its last moment, a time without a zone is UTC."""
    if value is None:
        return None
    try:
        return int(_end(value).timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{place}: until is {value!r}; write a day or a moment, such as 2026-12-31") from None


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
