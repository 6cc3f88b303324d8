"""Writes what the recordings show: `python -m scripts.write_wire_reference` (`--check`: says only what is stale).

`docs/reference/wire.md`: every message of the wire with its fields, from the docstrings of `bascule/wire/`, each with a
recording of each tested version that shows it. `src/bascule/doctor/recorded/VERSION.json`: what the doctor knows of a
tested version, from the recorded probe.
"""

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import msgspec

from bascule.doctor.catalogue import TESTED
from bascule.doctor.promises import PROMISES
from bascule.doctor.traits import Trait
from bascule.doctor.variants import VARIANTS
from bascule.wire import (
    answers,
    blocks,
    control,
    hook_outputs,
    hooks,
    initialize,
    messages,
    permissions,
    requests,
    result,
    stream,
    system,
)
from bascule.wire.shape import Message, Shape, Unread
from scripts import docstrings
from scripts.recorded import recorded, recordings
from scripts.wire_evidence import Evidence

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "wire.md"
KNOWN: Final = ROOT / "src" / "bascule" / "doctor" / "recorded"

CHAPTERS: Final[tuple[tuple[str, ModuleType], ...]] = (
    ("Lines of the conversation", messages),
    ("System lines", system),
    ("The result", result),
    ("Stream events", stream),
    ("Content", blocks),
    ("Control", control),
    ("The handshake", initialize),
    ("Requests of the host", requests),
    ("Answers of the CLI", answers),
    ("Permissions", permissions),
    ("Hook inputs", hooks),
    ("Hook outputs", hook_outputs),
)

MADE: Final = "<!-- Made by `python -m scripts.write_wire_reference` from `bascule/wire/` and the recordings. -->"
INTRODUCTION: Final = """\
What the CLI and its host say to each other over stream-json: one JSON object a line, UTF-8, both directions. Every
message that bascule reads or writes is here, with its fields as they are called in JSON. Behind each stands, for each
tested version, a recording that shows it (`tests/recordings/VERSION/NAME.jsonl`; `probe/NAME` is in
`tests/doctor/recordings`); a dash says that no recording of that version does, which is not to say that the version
does not know it. A field may always be missing, and more may come than stands here: a newer CLI says more. In lines of
the conversation `uuid` and `session_id` are left out below.

What surprises: [what the CLI does](../explanation/what-the-cli-does.md). What the installed CLI does otherwise:
[`bascule doctor`](../how-to/check-your-cli.md)."""


CLAIMS: Final = ROOT / "scripts" / "claims.toml"


class Claim(NamedTuple):
    """What holds a sentence about bascule."""

    path: str
    """From the root of the repository."""
    test: str


@cache
def claims() -> Mapping[str, Claim]:
    """By trait, the test on the real CLI that holds what its difference means for bascule."""
    told = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))
    return {trait: Claim(f"tests/live/{file}", test) for trait, (file, test) in told.items()}


@cache
def evidence() -> Evidence:
    """What all recordings show."""
    return Evidence(recordings())


def files() -> dict[Path, str]:
    """Every file that is made, whole."""
    known = {KNOWN / f"{version}.json": _json(recorded(version)) for version in TESTED}
    return {PAGE: page(), **known}


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"


def page() -> str:
    """The reference."""
    parts = [
        MADE,
        "# The wire",
        INTRODUCTION,
        *_ways(),
    ]
    for title, module in CHAPTERS:
        told = docstrings.read(module)
        parts += [f"## {title}", told.doc]
        for shape in _shapes(module):
            parts += _entry(shape, told.shapes[shape.__name__])
    return "\n\n".join(part for part in (*parts, *_more()) if part) + "\n"


# What versions do.


def _ways() -> Iterator[str]:
    yield "## What versions do otherwise"
    yield "As the probe of `bascule doctor` sees it. ✓ is the test on the real CLI that holds what is said of bascule."
    yield _traits(VARIANTS)
    yield "## What every tested version does"
    yield _traits(PROMISES)


def _traits(traits: Iterable[Trait]) -> str:
    rows = ((trait.about, *(_way(trait, version) for version in TESTED), _meaning(trait)) for trait in traits)
    return _table(("", *TESTED, "for bascule"), rows)


def _way(trait: Trait, version: str) -> str:
    way = trait.of(version)
    return f"{way.says} {_cited(way.shown[version])}" if way else _cited(None)


def _meaning(trait: Trait) -> str:
    """In words, each with the test that holds it."""
    means = " ".join(way.means for way in trait.ways if way.shown and way.means)
    if not means:
        return ""
    claim = claims()[trait.name]
    return f"{means} [✓](../../{claim.path}#{claim.test})"


# Messages.


def _shapes(module: ModuleType) -> Iterator[type[Any]]:
    """The public classes of a module that stand on the wire, in the order of the text."""
    for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            kind = getattr(module, node.name)
            if issubclass(kind, Shape) and not issubclass(kind, Unread) and kind is not system.System:
                yield kind


def _entry(kind: type[Any], told: docstrings.Shape) -> Iterator[str]:
    yield f"### {told.name}"
    yield " ".join(filter(None, (_tag(kind), told.doc)))
    yield _line(kind)
    rows = [
        (f"`{key}`", _type(field), *(_cited(evidence().of(kind, version, key)) for version in TESTED), field.doc)
        for key, field in _fields(kind)
    ]
    if rows:
        yield _table(("field", "type", *TESTED, ""), rows)


def _tag(kind: type[Any]) -> str:
    """What tells the message in JSON."""
    config = kind.__struct_config__
    if config.tag is None:
        return ""
    told = f'`"{config.tag_field}": "{config.tag}"`.'
    return f'`"type": "system"`, {told}' if issubclass(kind, system.System) else told


def _line(kind: type[Any]) -> str:
    """Where the class itself is seen."""
    found = [f"{version} {_cited(evidence().of(kind, version))}" for version in TESTED if evidence().of(kind, version)]
    return f"Seen: {', '.join(found)}." if found else "In no recording."


def _fields(kind: type[Any]) -> Iterator[tuple[str, docstrings.Field]]:
    """Name in JSON and what is told of it, of every field; a base's field is told by the base."""
    told: dict[str, docstrings.Field] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, Shape) and base.__module__ != Message.__module__:
            told |= {field.name: field for field in _told(base)}
    for name, key in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        if name in told:
            yield key, told[name]


def _told(kind: type[Any]) -> tuple[docstrings.Field, ...]:
    return docstrings.shape_of(kind).fields


def _type(field: docstrings.Field) -> str:
    """`str`, `list of Block`; that it may be null goes without saying."""
    if field.type is None:
        return ""
    return f"`{_plain(field.type)}`"


def _plain(kind: ast.expr) -> str:
    match kind:
        case ast.BinOp(left=left, right=ast.Constant(value=None)):
            return _plain(left)
        case ast.BinOp(left=left, right=ast.Name(id="UnsetType")):
            return _plain(left)
        case ast.BinOp(left=left, right=right):
            return f"{_plain(left)} or {_plain(right)}"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, *_])):
            return f"list of {_plain(item)}"
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, item])):
            return f"object of {_plain(item)}"
    return {"Any": "any", "str": "text", "bool": "true or false", "int": "integer", "Number": "number"}.get(
        ast.unparse(kind), ast.unparse(kind)
    )


# The rest.


def _more() -> Iterator[str]:
    """What recordings show and no class takes."""
    yield "## Keys that bascule does not read"
    rows = (
        (kind, f"`{place}`", *(_cited(shown.get(version)) for version in TESTED))
        for (kind, place), shown in sorted(evidence().unread.items())
    )
    yield _table(("in", "key", *TESTED), rows) if evidence().unread else "None in any recording."


def _cited(name: str | None) -> str:
    return f"`{name}`" if name else "–"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *(tuple(map(_cell, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("\n\n", " ").replace("\n", " ").replace("|", "\\|").strip()


def stale() -> list[Path]:
    """The files that are not what the recordings and the code say."""
    return [path for path, text in files().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def main() -> int:
    """Write, or with `--check` say what is stale; the exit code."""
    old = stale()
    for path in old:
        if "--check" in sys.argv[1:]:
            print(f"{path.relative_to(ROOT)} is stale: run python -m scripts.write_wire_reference")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(files()[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return int(bool(old) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
