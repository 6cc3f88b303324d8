"""Payloads of bounded size: every text and list in one is cut to its head and tail, and the cut is told.

Lone surrogates, which the CLI can write and JSON in UTF-8 cannot carry, become U+FFFD on the way.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, TypeVar

import msgspec

from bascule.payload import TEXT_LIMIT, Cut, Payload

LIST_LIMIT: Final = 4 * TEXT_LIMIT
"""Characters that the items of a list keep together; a field of texts is held to ``TEXT_LIMIT`` like the text it is."""

DEPTH_LIMIT: Final = 40
"""Levels of a payload below which JSON is left out: nothing that nests deeper is meant for a reader."""

_KEY_LIMIT: Final = 200
"""Characters of a key in JSON input."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

P = TypeVar("P", bound=Payload)


def clean(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate, of the same length."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def bounded(payload: P) -> P:
    """``payload`` with its texts and lists bounded, and ``cuts`` added for them; the very same when all fits."""
    if _is_small(payload):
        return payload
    cuts = list(payload.cuts)
    shorter: P = _struct(payload, "", cuts, 0)
    return msgspec.structs.replace(shorter, cuts=tuple(cuts))


def _is_small(payload: msgspec.Struct) -> bool:
    """Whether all texts together stay below the limit of one, so that there is nothing to do. Goes level by level."""
    level: Sequence[Any] = (payload,)
    size = depth = 0
    while level and size <= TEXT_LIMIT and depth <= DEPTH_LIMIT:
        deeper: list[Any] = []
        for value in level:
            match value:
                case str():
                    size += len(value)
                    if not value.isascii() and _SURROGATE.search(value):
                        return False
                case int():
                    size += value.bit_length()
                    if value.bit_length() > 63:
                        return False
                case None:  # most fields of a payload
                    pass
                case _:
                    deeper += _parts(value)
        size += len(level)
        level, depth = deeper, depth + 1
    return not level and size <= TEXT_LIMIT


def _parts(value: Any) -> Sequence[Any]:
    match value:
        case list() | tuple():
            return value
        case dict():
            return [*value, *value.values()]
        case msgspec.Struct():
            return msgspec.structs.astuple(value)
        case _:
            return ()


def _things(value: Any) -> Iterator[Any]:
    """``value`` and all that is in it; without recursion, for JSON nests as deep as it likes."""
    stack = [value]
    while stack:
        thing = stack.pop()
        yield thing
        stack.extend(_parts(thing))


def _size(value: Any) -> int:
    """Characters of all texts in ``value``, and one for each thing in it."""
    return sum(1 + (len(thing) if isinstance(thing, str) else 0) for thing in _things(value))


def _characters(value: Any) -> int:
    return sum(len(thing) for thing in _things(value) if isinstance(thing, str))


def _bound(value: Any, path: str, cuts: list[Cut], depth: int) -> Any:
    match value:
        case str():
            return _text(value, path, cuts)
        case int() if value.bit_length() > 63:
            return hex(value)  # JSON readers disagree on it, and ``str`` refuses a huge one
        case list() | tuple() | dict() if depth > DEPTH_LIMIT and value:
            cuts.append(Cut(path, _characters(value), 1))
            return "…"
        case list() | tuple():
            kept = _kept(value, _limit(value), path, cuts)
            return type(value)(_bound(value[at], f"{path}.{at}", cuts, depth + 1) for at in kept)
        case dict():
            return _object(value, path, cuts, depth)
        case msgspec.Struct():
            return _struct(value, path, cuts, depth)
        case _:
            return value


def _limit(items: Sequence[Any]) -> int:
    """Characters that ``items`` may hold: a field of texts is lines of one text, while JSON may list anything.

    What is left of a list of JSON must not be bounded otherwise than the whole, so its items are not asked.
    """
    of_texts = isinstance(items, tuple) and all(isinstance(item, str) for item in items)
    return TEXT_LIMIT if of_texts else LIST_LIMIT


def _object(value: dict[str, Any], path: str, cuts: list[Cut], depth: int) -> dict[str, Any]:
    items = list(value.items())
    bound = {}
    for at in _kept(items, LIST_LIMIT, path, cuts):
        key = clean(items[at][0][:_KEY_LIMIT])
        bound[key] = _bound(items[at][1], f"{path}.{key}", cuts, depth + 1)
    return bound


def _struct(value: Any, path: str, cuts: list[Cut], depth: int) -> Any:
    before = len(cuts)
    fields = {
        name: _bound(getattr(value, name), f"{path}.{name}".removeprefix("."), cuts, depth + 1)
        for name in value.__struct_fields__
        if name != "cuts"
    }
    if len(cuts) > before and "truncated" in fields:
        fields["truncated"] = True
    return msgspec.structs.replace(value, **fields)


def _text(text: str, path: str, cuts: list[Cut]) -> str:
    if len(text) <= TEXT_LIMIT:
        return clean(text)
    cuts.append(Cut(path, len(text), text.count("\n") + (not text.endswith("\n"))))
    gap = f"\n… {len(text) - TEXT_LIMIT} or more characters left out …\n"
    half = (TEXT_LIMIT - len(gap)) // 2
    return clean(text[:half] + gap + text[-half:])


def _kept(items: Sequence[Any], limit: int, path: str, cuts: list[Cut]) -> list[int]:
    """Which items stay: a head and a tail that hold at most ``limit`` characters, the first item in any case.

    Its ``Cut`` counts the characters of all texts and, as lines, the items.
    """
    sizes = [min(_size(item), limit) for item in items]
    if sum(sizes) <= limit:
        return list(range(len(items)))
    head = max(1, _fitting(sizes, limit // 2))
    tail = min(len(items) - head, _fitting(sizes[::-1], limit - limit // 2))
    if head + tail < len(items):
        cuts.append(Cut(path, _characters(items), len(items)))
    return [*range(head), *range(len(items) - tail, len(items))]


def _fitting(sizes: Iterable[int], limit: int) -> int:
    """How many of the first items hold at most ``limit`` characters together."""
    return bisect_right([*accumulate(sizes)], limit)
