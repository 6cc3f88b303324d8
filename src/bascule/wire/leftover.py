"""What a line says beyond its message. For drift reports and for the test that no key is lost; not for the fold."""

from typing import Any, TypeAlias

import msgspec

from bascule.wire.codec import decode
from bascule.wire.json_text import clean, parse
from bascule.wire.shape import Shape, Unknown, Unread
from bascule.wire.system import System

Path: TypeAlias = tuple[str | int, ...]
"""Where a value stands in a line: keys and indexes, from the outside in."""


def extra(line: str | bytes) -> dict[Path, Any]:
    """The keys of ``line`` that no class models, and the values that did not fit, by where they stand.

    Empty for a line that is understood whole, and for an ``Unknown``, which keeps its line. A null counts as absent.
    """
    message = decode(line)
    if isinstance(message, Unknown):
        return {}
    found = beyond(parse(clean(line)), message)
    if isinstance(message, System):
        del found["type",]
    return found


def beyond(raw: Any, shape: Shape) -> dict[Path, Any]:
    """The same for a part of a line: what ``raw`` says and ``shape``, which was read from it, does not."""
    found: dict[Path, Any] = {}
    _compare(raw, shape, (), found)
    return found


def _compare(raw: Any, value: Any, path: Path, found: dict[Path, Any]) -> None:
    match value:
        case Unread():
            return
        case msgspec.Struct() if isinstance(raw, dict):
            _compare_fields(raw, value, path, found)
        case tuple() if isinstance(raw, list) and len(raw) == len(value):
            for index, (item, kept) in enumerate(zip(raw, value, strict=True)):
                _compare(item, kept, (*path, index), found)
        case dict() if isinstance(raw, dict):
            for key, item in raw.items():
                _compare(item, value.get(key), (*path, key), found)
        case _ if raw is not None and raw != value:
            found[path] = raw


def _compare_fields(raw: dict[str, Any], value: msgspec.Struct, path: Path, found: dict[Path, Any]) -> None:
    names = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
    for key, item in raw.items():
        if key in names:
            _compare(item, getattr(value, names[key]), (*path, key), found)
        elif key != value.__struct_config__.tag_field:
            found[*path, key] = item
