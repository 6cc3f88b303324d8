"""What a key is called, and what its value may be: types and ranges as `sections` has them, words as rooms know."""

from __future__ import annotations

import difflib
import math
import reprlib
import tomllib
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from bascule.cli.settings.applied import OPTIONS
from bascule.cli.settings.sections import LATER, LATER_SECTIONS, PROJECTS, SECTIONS, FilePath, Key, Project
from bascule.errors import OptionError
from bascule.policy import policies
from bascule.session.options import Options

ABSENT: Final = object()
"""What the default of a key is that must be given."""


class Setting(NamedTuple):
    """One key: what it may be, and what it is where nobody says anything."""

    kind: Any
    default: Any


def name_of(key: Key) -> str:
    """``claude.model``."""
    return ".".join(key)


@cache
def settings_of(section: type[msgspec.Struct]) -> Mapping[str, Setting]:
    """The keys of a section, in the order of the reference."""
    kinds = get_type_hints(section, include_extras=True)
    return {
        field.name: Setting(kinds[field.name], ABSENT if field.default is msgspec.NODEFAULT else field.default)
        for field in msgspec.structs.fields(section)
    }


@cache
def known() -> Mapping[Key, Setting]:
    """Every key that has one place, with its section."""
    return {(name, key): setting for name, section in SECTIONS.items() for key, setting in settings_of(section).items()}


def setting_of(key: Key) -> Setting:
    """What there is to know of ``key``. Raises ``OptionError`` for one that is not there, with the nearest."""
    section, name = key[0], key[-1]
    check_section(section)
    if name in LATER.get(section, ()):
        raise OptionError(f"{name_of(key)} is of a later version, and nothing obeys it yet: leave it out")
    there = settings_of(Project if section == PROJECTS else SECTIONS[section])
    if name not in there:
        raise OptionError(
            f"there is no key {name!r} in [{name_of(key[:-1])}]; the nearest one is {_near(name, there)!r}"
        )
    return there[name]


def check_section(name: str) -> None:
    """Raises ``OptionError`` for a section that is not there."""
    if name in LATER_SECTIONS:
        raise OptionError(f"[{name}] is of a later version, and nothing obeys it yet: leave it out")
    if name not in SECTIONS and name != PROJECTS:
        raise OptionError(f"there is no section {name!r}; the nearest one is {_near(name, (*SECTIONS, PROJECTS))!r}")


def _near(name: str, there: Iterable[str]) -> str:
    return difflib.get_close_matches(name, list(there), 1, 0.0)[0]


def value_of(key: Key, said: Any) -> Any:
    """What ``said`` means as the value of ``key``. Raises ``OptionError`` where it cannot be one, and with what can."""
    kind = setting_of(key).kind
    try:
        value = msgspec.convert(said, kind)
    except msgspec.ValidationError:
        raise _wrong(key, said, kind) from None
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(key, said, kind)
    _check(key, value)
    return value


def _wrong(key: Key, said: Any, kind: Any) -> OptionError:
    return OptionError(f"{name_of(key)} is {reprlib.repr(said)}; it must be {words(kind)}")


def _check(key: Key, value: Any) -> None:
    """What the rooms below say of a value by itself."""
    if key[0] == PROJECTS and key[-1] == "policy":
        policies.named(value)
    elif key in OPTIONS:
        try:
            Options(**{OPTIONS[key]: value})
        except OptionError as exc:
            raise OptionError(f"{name_of(key)}: {exc}") from None


def from_text(key: Key, text: str) -> Any:
    """The same of a text that is no TOML by itself, as the environment has it: ``opus``, ``30``, ``user, project``."""
    kind = setting_of(key).kind
    if str in _choices(kind):
        return value_of(key, text)
    listed = any(get_origin(choice) is tuple for choice in _choices(kind))
    if listed and not text.lstrip().startswith("["):
        return value_of(key, [item.strip() for item in text.split(",")])
    try:
        said = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return value_of(key, text)
    return value_of(key, said["value"] if len(said) == 1 else text)


def _choices(kind: Any) -> tuple[Any, ...]:
    """What a value may be one of, without the ranges."""
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(inner for choice in get_args(kind) for inner in _choices(choice))
    return _choices(get_args(kind)[0]) if get_origin(kind) is Annotated else (kind,)


def words(kind: Any) -> str:
    """A type in words: ``a number above 0``."""
    if kind == FilePath:
        return "a path that begins with / or ~"
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join(words(choice) for choice in args if choice is not types.NoneType)
    if origin is Annotated:
        return f"{words(args[0])}{_range(args[1])}"
    if origin is tuple:
        return f"a list of {_many(args[0])}"
    if origin is Literal:
        return " or ".join(f'"{word}"' for word in args)
    return _WORDS[kind]


_WORDS: Final[Mapping[Any, str]] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number of seconds",
}
_BOUNDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "gt": lambda bound: f" above {bound}",
    "ge": lambda bound: f", {bound} or more",
    "le": lambda bound: f", {bound} at most",
}


def _range(meta: msgspec.Meta) -> str:
    return "".join(word(bound) for name, word in _BOUNDS.items() if (bound := getattr(meta, name)) is not None)


def _many(kind: Any) -> str:
    return "texts" if kind is str else words(kind)
