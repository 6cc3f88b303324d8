"""JSON text that may be damaged: what is no text becomes U+FFFD, what is too deep becomes null, what is no JSON raises.

Strings that come out of here are clean: they encode to UTF-8, whatever a tool printed (26_unicode has lone surrogates).
"""

from __future__ import annotations

import json
from typing import Any, Final

DEPTH_LIMIT: Final = 100
"""Levels that survive in a line that is too deep for the decoder; what the CLI writes by itself has about 10."""

_INT_DIGITS: Final = 4_000
"""Python refuses to read longer integers."""


class NotJson(ValueError):
    """The text is no JSON; the message says where it broke."""


def clean(line: str | bytes) -> str:
    """``line`` as text that encodes: invalid UTF-8 and lone surrogates are U+FFFD, no byte order mark, no newline."""
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else _paired(line)
    return text.removeprefix("\ufeff").rstrip("\r\n")


def parse(text: str) -> Any:
    """The value of ``text``, strings clean. Raises NotJson.

    As JavaScript reads it: control characters may stand in a string, the last of two equal keys counts, and a number
    that is out of range is null, which is what ``JSON.stringify`` makes of it.
    """
    try:
        value = _load(text)
    except RecursionError:
        value = _load_pruned(text)
    except ValueError as exc:
        raise NotJson(str(exc)) from None
    return _cleaned(value)


def to_ascii(value: Any) -> bytes:
    """``value``, plain JSON, as one line of ASCII without a newline."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _load(text: str) -> Any:
    return json.loads(text, strict=False, parse_float=_number, parse_int=_integer, parse_constant=_nothing)


def _load_pruned(text: str) -> Any:
    try:
        return _load(_pruned(text))
    except ValueError as exc:
        raise NotJson(str(exc)) from None


def _number(digits: str) -> float | None:
    number = float(digits)
    return number if abs(number) != float("inf") else None


def _integer(digits: str) -> int | float | None:
    return int(digits) if len(digits) < _INT_DIGITS else None


def _nothing(_constant: str) -> None:
    """NaN and Infinity, which are no JSON."""


def _paired(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return _paired(value)
        case list():
            return [_cleaned(item) for item in value]
        case dict():
            return {_paired(key): _cleaned(item) for key, item in value.items()}
    return value


def _pruned(text: str) -> str:
    """``text`` with null in place of every object and array below DEPTH_LIMIT; no recursion, so any depth will do."""
    kept: list[str] = []
    depth = start = 0
    in_string = escaped = False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif in_string:
            escaped = char == "\\"
            in_string = char != '"'
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            if depth == DEPTH_LIMIT + 1:
                kept.append(text[start:at] + "null")
        elif char in "]}":
            if depth == DEPTH_LIMIT + 1:
                start = at + 1
            depth -= 1
    return "".join(kept) + (text[start:] if depth <= DEPTH_LIMIT else "")
