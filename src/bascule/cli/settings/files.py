"""Configuration files: TOML text in, what it says out, each mistake with its line and column."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from bascule.cli.settings.said import Origin, Said
from bascule.cli.settings.sections import PROJECTS, Key
from bascule.cli.settings.values import check_section, name_of, value_of
from bascule.errors import OptionError
from bascule.policy.positions import nearest, positions, syntax_mistake
from bascule.session import written

PROJECT_NEEDS: Final = "path"
"""What a project cannot do without."""


class Page(NamedTuple):
    """What a file says, and what is wrong with it."""

    said: tuple[Said, ...]
    mistakes: tuple[str, ...] = ()
    """``PATH:LINE:COLUMN: what is wrong``, in the order of the file's tables."""
    content: bytes | None = None
    """None: there is no such file."""


class _Mistake(NamedTuple):
    key: Key
    text: str


def page_of(path: Path, origin: Origin) -> Page:
    """The file at ``path``; one that is not there says nothing."""
    try:
        content = written.content(path)
    except (FileNotFoundError, NotADirectoryError):
        return Page(())
    except OSError as exc:
        return Page((), (f"{path}: cannot be read: {exc.strerror or exc}",))
    text, undecodable = written.text(content, path)
    if undecodable is not None:
        return Page((), (undecodable,), content)
    return read(text, str(path), origin)._replace(content=content)


def read(text: str, source: str, origin: Origin) -> Page:
    """What ``text`` says; ``source`` is what places are told with."""
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        return Page((), (syntax_mistake(exc, text, source),))
    stands = positions(text)
    said, mistakes = [], []
    for key, found in _values(tables):
        place = nearest(stands, key)
        where = f"{source}:{place.line}:{place.column}"
        if isinstance(found, _Mistake):
            mistakes.append(f"{where}: {found.text}")
            continue
        try:
            said.append(Said(key, value_of(key, found), origin, where))
        except OptionError as exc:
            mistakes.append(f"{where}: {exc}")
    return Page(tuple(said), tuple(mistakes))


def _values(tables: Mapping[str, Any]) -> Iterator[tuple[Key, Any]]:
    """Each key with what stands there."""
    for section, table in tables.items():
        try:
            check_section(section)
        except OptionError as exc:
            yield (section,), _Mistake((section,), str(exc))
            continue
        yield from _projects(table) if section == PROJECTS else _keys((section,), table)


def _projects(table: Any) -> Iterator[tuple[Key, Any]]:
    if not isinstance(table, dict):
        yield (PROJECTS,), _Mistake((PROJECTS,), "projects are written as [projects.NAME] tables")
        return
    for name, project in table.items():
        yield from _keys((PROJECTS, name), project)
        if isinstance(project, dict) and PROJECT_NEEDS not in project:
            yield (PROJECTS, name), _Mistake((PROJECTS, name), f'a project names its folder: {PROJECT_NEEDS} = "/…"')


def _keys(section: Key, table: Any) -> Iterator[tuple[Key, Any]]:
    if not isinstance(table, dict):
        yield section, _Mistake(section, f"{name_of(section)} is a section: write [{name_of(section)}]")
        return
    yield from (((*section, key), value) for key, value in table.items())
