"""Writes `ui/src/protocol.gen.ts`: what the browser gets and says, as TypeScript, from the structs.

Names that Python tells apart by module are told apart by an ending: `PromptEvent`, `PromptCommand`, `PromptItem`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

from msgspec import inspect as shape

from bascule.commands import Command, Decision, HubCommand, Receipt
from bascule.conversation import (
    Explained,
    Found,
    GitState,
    OpenAsk,
    PastPage,
    Placed,
    Queued,
    RulePreview,
    SessionFacts,
    Status,
)
from bascule.events import AnyEvent, Event
from bascule.payload import Payload
from bascule.view.model import Item, Shown, View
from bascule.web.frames import ClientFrame, ServerFrame
from bascule.web.problems import Problem
from bascule.web.routes.door import Me
from bascule.web.routes.sessions import View as Window

TARGET: Final = Path(__file__).parents[1] / "ui" / "src" / "protocol.gen.ts"
HEAD: Final = "// Written by scripts/write_ui_types.py from the Python structs; not to be edited.\n"
NAMED: Final[dict[str, Any]] = {
    "AnyEvent": AnyEvent,
    "HubCommand": HubCommand,
    "Receipt": Receipt,
    "Payload": Payload,
    "Decision": Decision,
    "Item": Item,
    "ClientFrame": ClientFrame,
    "ServerFrame": ServerFrame,
}
"""Unions, and words, by the name they get."""
ALONE: Final = (
    View,
    Window,
    SessionFacts,
    OpenAsk,
    PastPage,
    Placed,
    Queued,
    Explained,
    Found,
    GitState,
    RulePreview,
    Problem,
    Me,
)
ENDINGS: Final = ((Event, "Event"), (Command, "Command"), (Shown, "Item"))
RENAMED: Final[dict[type, str]] = {Window: "Window"}
PLAIN: Final[tuple[tuple[type[shape.Type], str], ...]] = (
    (shape.IntType, "number"),
    (shape.FloatType, "number"),
    (shape.StrType, "string"),
    (shape.BytesType, "string"),
    (shape.BoolType, "boolean"),
    (shape.NoneType, "null"),
    (shape.AnyType, "unknown"),
)


class _Types:
    """The structs that were met, each once, in the order of their names."""

    def __init__(self) -> None:
        self._met: dict[str, type] = {}
        self._texts: dict[str, str] = {}

    def written(self) -> Iterator[str]:
        """Every type, a declaration each."""
        for struct in ALONE:
            self.of(shape.type_info(struct))
        self._texts["Status"] = (
            "export type Status =" + "".join(f"\n  | {json.dumps(w)}" for w in get_args(Status)) + ";\n"
        )
        for name, union in NAMED.items():
            members = "".join(f"\n  | {member}" for member in self.members(shape.type_info(union)))
            self._texts[name] = f"export type {name} ={members};\n"
        yield from (text for _, text in sorted(self._texts.items()))

    def members(self, info: shape.Type) -> list[str]:
        """What a union is of."""
        if isinstance(info, shape.UnionType):
            return [self.of(each) for each in info.types]
        return self.of(info).split(" | ")

    def of(self, info: shape.Type) -> str:
        """The TypeScript of a type."""
        for kind, text in PLAIN:
            if isinstance(info, kind):
                return text
        match info:
            case shape.LiteralType(values=values):
                return self._literal(tuple(json.dumps(value) for value in values))
            case shape.UnionType(types=types):
                return self._union(types)
            case shape.VarTupleType(item_type=item) | shape.ListType(item_type=item):
                inside = self.of(item)
                return f"readonly ({inside})[]" if " | " in inside else f"readonly {inside}[]"
            case shape.DictType(key_type=key, value_type=value):
                return f"Readonly<Record<{self.of(key)}, {self.of(value)}>>"
            case shape.StructType():
                return self._struct(info)
            case _:
                raise TypeError(f"{info} has no TypeScript here yet")

    def _union(self, types: tuple[shape.Type, ...]) -> str:
        """By its name, where it has one."""
        members = [self.of(each) for each in types]
        for name, structs in UNIONS.items():
            if structs <= set(members):
                members = [name, *(member for member in members if member not in structs)]
        return " | ".join(members)

    def _literal(self, values: tuple[str, ...]) -> str:
        return "Status" if set(values) == STATUS else " | ".join(values)

    def _struct(self, info: shape.StructType) -> str:
        name = _name(info.cls)
        if self._met.setdefault(name, info.cls) is not info.cls:
            raise TypeError(f"{info.cls} and {self._met[name]} are both {name}")
        if name not in self._texts:
            self._texts[name] = ""
            self._texts[name] = self._declared(name, info)
        return name

    def _declared(self, name: str, info: shape.StructType) -> str:
        sent = issubclass(info.cls, Command) or info.cls.__module__ == "bascule.commands"
        doc = (inspect.getdoc(info.cls) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
        lines = [f"/** {doc} */", f"export interface {name} {{"]
        if info.tag_field is not None:
            lines.append(f"  readonly {info.tag_field}: {json.dumps(info.tag)};")
        for field in info.fields:
            optional = "?" if sent and not field.required else ""
            lines.append(f"  readonly {field.encode_name}{optional}: {self.of(field.type)};")
        return "\n".join([*lines, "}\n"])


def _name(struct: type) -> str:
    if struct in RENAMED:
        return RENAMED[struct]
    ending = next((ending for base, ending in ENDINGS if issubclass(struct, base)), "")
    return struct.__name__ + ending


def _structs(union: Any) -> frozenset[str]:
    info = shape.type_info(union)
    types = info.types if isinstance(info, shape.UnionType) else ()
    return frozenset(_name(each.cls) for each in types if isinstance(each, shape.StructType))


STATUS: Final = {json.dumps(word) for word in get_args(Status)}
UNIONS: Final = {name: structs for name, union in NAMED.items() if (structs := _structs(union))}


def written() -> str:
    """The file."""
    return HEAD + "\n" + "\n".join(_Types().written())


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
