"""Fits JSON values into the shapes of the wire, and leaves out only what does not fit.

This is the slow path: the codec comes here with a line that its class's decoder refused. A field of the wrong type
takes its default, an element of the wrong type is left out of its list, a member of a union that no class takes
becomes the ``Unread`` of that union. What was left out is not lost: the line is in the recording, and
``leftover.extra`` names it.
"""

from contextlib import suppress
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from bascule.errors import LocalProtocolError
from bascule.wire.shape import Unread

T = TypeVar("T")

_ABSENT: Final = object()

_hints_of: Final = cache(get_type_hints)


class Misfit(ValueError):
    """The value does not fit, not even in part."""


def fit(value: Any, kind: type[T]) -> T:
    """``value``, plain JSON, as a ``kind``, as much of it as fits. Raises Misfit when a needed part does not."""
    whole: T = _fitted(value, kind)
    return whole


def _fitted(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, LocalProtocolError) as exc:
        return _mend(value, kind, str(exc))


def _mend(value: Any, kind: Any, problem: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _mend_union(value, get_args(kind), problem)
    if origin is tuple and isinstance(value, list):
        return tuple(_fitting(value, get_args(kind)[0]))
    if origin is dict and isinstance(value, dict):
        return dict(_fitting_items(value, get_args(kind)[1]))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        return _mend_struct(value, kind, problem)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    raise Misfit(problem)


def _mend_union(value: Any, members: tuple[Any, ...], problem: str) -> Any:
    unread = None
    for member in members:
        if isinstance(member, type) and issubclass(member, Unread):
            unread = member
        elif _may_be(value, member):
            try:
                return _mend(value, member, problem)
            except Misfit as exc:
                problem = str(exc)
    if unread is not None:
        return unread(raw=value)
    raise Misfit(problem)


def _may_be(value: Any, member: Any) -> bool:
    """Whether it is worth trying: of tagged structs only the one whose tag the value has."""
    if member is NoneType:
        return False
    config = getattr(member, "__struct_config__", None)
    if config is None or config.tag is None:
        return True
    return isinstance(value, dict) and value.get(config.tag_field) == config.tag


def _mend_struct(value: dict[str, Any], kind: type[msgspec.Struct], problem: str) -> Any:
    hints = _hints_of(kind)
    fields: dict[str, Any] = {}
    for name, key in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        if (given := value.get(key, _ABSENT)) is not _ABSENT:
            try:
                fields[name] = _fitted(given, hints[name])
            except Misfit as exc:
                problem = f"{key}: {exc}"
    try:
        return kind(**fields)
    except (TypeError, LocalProtocolError):
        raise Misfit(problem) from None


def _fitting(values: list[Any], kind: Any) -> list[Any]:
    kept = []
    for value in values:
        with suppress(Misfit):
            kept.append(_fitted(value, kind))
    return kept


def _fitting_items(values: dict[str, Any], kind: Any) -> dict[str, Any]:
    kept = {}
    for key, value in values.items():
        with suppress(Misfit):
            kept[key] = _fitted(value, kind)
    return kept
