"""JSON text that may be damaged: what is no text becomes U+FFFD, what is too deep becomes null, what is no JSON raises.

Strings that come out of here are clean: they encode to UTF-8, whatever a tool printed (26_unicode has lone surrogates).
"""

import json
from typing import Any, Final

DEPTH_LIMIT: Final = 100
"""Levels of a value; what the CLI writes by itself has about 10."""

_INT_DIGITS: Final = 4_000
"""Python refuses to read longer integers."""


class NotJson(ValueError):
    """The text is no JSON; the message says where it broke."""


def clean(line: str | bytes) -> str:
    """``line`` as text that encodes: invalid UTF-8 and lone surrogates are U+FFFD, no byte order mark, no newline."""
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else _paired(line)
    return text.removeprefix("\ufeff").rstrip("\r\n")


def parse(text: str) -> Any:
    """The value of ``text``: strings clean, objects and arrays below DEPTH_LIMIT null. Raises NotJson.

    As JavaScript reads it: control characters may stand in a string, the last of two equal keys counts, and a number
    that is out of range is null, which is what ``JSON.stringify`` makes of it.
    """
    try:
        value = _load(text)
    except RecursionError:
        value = _load(_pruned(text))
    return _cleaned(value, 0)


def to_ascii(value: Any) -> bytes:
    """``value``, plain JSON, as one line of ASCII without a newline. Lone surrogates are written as escapes."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _load(text: str) -> Any:
    try:
        return json.loads(text, strict=False, parse_float=_number, parse_int=_integer, parse_constant=_nothing)
    except ValueError as exc:
        raise NotJson(str(exc)) from None


def _number(digits: str) -> float | None:
    number = float(digits)
    return number if abs(number) != float("inf") else None


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) < _INT_DIGITS else None


def _nothing(_constant: str) -> None:
    """NaN and Infinity, which are no JSON."""


def _paired(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cleaned(value: Any, depth: int) -> Any:
    match value:
        case str():
            return _paired(value)
        case list() | dict() if depth == DEPTH_LIMIT:
            return None
        case list():
            return [_cleaned(item, depth + 1) for item in value]
        case dict():
            return {_paired(key): _cleaned(item, depth + 1) for key, item in value.items()}
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
