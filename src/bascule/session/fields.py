"""Whether the fields of a frozen value are of the types that they are declared with, to the bottom.

Python does not look, and what is wrong would show late and far away: a text where a tuple of texts is wanted is a tuple
of its letters, and ``add_dirs="/tmp"`` the whole disk. What a value may be beyond its type is in ``checks``.
"""

from __future__ import annotations

import reprlib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, NewType, Union, get_args, get_origin, get_type_hints

import msgspec

from bascule.errors import OptionError


class _Misfit(NamedTuple):
    """A value that is not of its type."""

    place: str
    """``limits.turn_s``, ``env['A']``."""
    value: Any
    kind: Any

    def __str__(self) -> str:
        """Texts and numbers stand at the top only: further down one may be a secret."""
        shown = isinstance(self.value, str | int | float | None) and self.place.isidentifier()
        value = reprlib.repr(self.value) if shown else f"of the type {type(self.value).__name__}"
        return f"{self.place} is {value}: it must be {_words(self.kind)}"


def check_fields(value: msgspec.Struct) -> None:
    """Raises ``OptionError`` for the first field that is not of its type; a list will do for a tuple."""
    for misfit in _in_fields(value, ""):
        raise OptionError(str(misfit))


def freeze_lists(value: msgspec.Struct) -> None:
    """Makes tuples of the lists in the fields of ``value``, which is being made; what is declared a tuple stays one."""
    for name in value.__struct_fields__:
        if isinstance(given := getattr(value, name), list):
            msgspec.structs.force_setattr(value, name, tuple(given))


@cache
def _kinds(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _in_fields(value: msgspec.Struct, prefix: str) -> Iterator[_Misfit]:
    kinds = _kinds(type(value))
    for name in value.__struct_fields__:
        yield from _misfits(getattr(value, name), kinds[name], f"{prefix}{name}")


def _misfits(value: Any, kind: Any, place: str) -> Iterator[_Misfit]:
    """None where ``value`` is of the type ``kind``."""
    origin, args = get_origin(kind), get_args(kind)
    if isinstance(kind, NewType):
        yield from _misfits(value, kind.__supertype__, place)
    elif origin in (Union, types.UnionType):
        yield from _in_union(value, args, _Misfit(place, value, kind))
    elif not _is_of(value, origin or kind, args):
        yield _Misfit(place, value, kind)
    else:
        yield from _below(value, origin, args, place)


def _in_union(value: Any, kinds: Iterable[Any], whole: _Misfit) -> Iterator[_Misfit]:
    """What is wrong further down says more than that nothing fits."""
    found = [next(_misfits(value, kind, whole.place), None) for kind in kinds]
    if None not in found:
        yield next((misfit for misfit in found if misfit is not None and misfit.place != whole.place), whole)


def _is_of(value: Any, kind: Any, args: tuple[Any, ...]) -> bool:
    """Whether it is, looked at from outside."""
    if kind is Any:
        return True
    if kind is Literal:
        return any(value == one and type(value) is type(one) for one in args)
    if kind is tuple:
        return isinstance(value, tuple | list)
    if kind is Callable:
        return callable(value)
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    return isinstance(value, kind)


def _below(value: Any, origin: Any, args: tuple[Any, ...], place: str) -> Iterator[_Misfit]:
    if origin is tuple:
        for number, item in enumerate(value):
            yield from _misfits(item, args[0], f"{place}[{number}]")
    elif origin is Mapping:
        for key, item in value.items():
            yield from _misfits(key, args[0], f"a key of {place}")
            yield from _misfits(item, args[1], f"{place}[{key!r}]")
    elif isinstance(value, msgspec.Struct):
        yield from _in_fields(value, f"{place}.")


def _words(kind: Any) -> str:
    """The type in words."""
    origin, args = get_origin(kind), get_args(kind)
    if isinstance(kind, NewType):
        return _words(kind.__supertype__)
    if origin in (Union, types.UnionType):
        return " or ".join(map(_words, args))
    if origin is Literal:
        return " or ".join(map(repr, args))
    if origin is tuple:
        return f"a tuple of {_words(args[0])}"
    if origin is Mapping:
        return f"a mapping of {_words(args[0])} to {_words(args[1])}"
    if origin is Callable:
        return "a function"
    return "None" if kind is types.NoneType else "anything" if kind is Any else str(kind.__name__)
