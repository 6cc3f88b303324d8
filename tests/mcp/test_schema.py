"""Schemas of types."""

from dataclasses import dataclass
from typing import Any, TypedDict

import msgspec
import pytest

from bascule.errors import OptionError
from bascule.mcp.schema import schema_of


class File(msgspec.Struct):
    """One file."""

    name: str


@dataclass
class Report:
    """What was found."""

    files: list[File]
    risky: bool = False


class Plain(TypedDict):
    name: str


class Tree(msgspec.Struct):
    children: list["Tree"]


class Odd(msgspec.Struct):
    what: object


def test_an_object_is_at_the_top_and_the_rest_below_it() -> None:
    assert schema_of(Report) == {
        "title": "Report",
        "description": "What was found.",
        "type": "object",
        "properties": {
            "files": {"type": "array", "items": {"$ref": "#/$defs/File"}},
            "risky": {"type": "boolean", "default": False},
        },
        "required": ["files"],
        "$defs": {
            "File": {
                "title": "File",
                "description": "One file.",
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            }
        },
    }


def test_a_typed_dict_is_an_object() -> None:
    assert schema_of(Plain)["required"] == ["name"]
    assert "$defs" not in schema_of(Plain)


def test_a_type_that_holds_itself_keeps_its_definition() -> None:
    schema = schema_of(Tree)
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert schema["$defs"]["Tree"]["properties"] == schema["properties"]


@pytest.mark.parametrize("kind", [int, list[File], str | None, dict[str, int]])
def test_what_has_no_named_fields_is_refused(kind: Any) -> None:
    with pytest.raises(OptionError, match="no object with named fields"):
        schema_of(kind)


@pytest.mark.parametrize("kind", [Odd, object])
def test_what_has_no_json_form_is_refused(kind: Any) -> None:
    with pytest.raises(OptionError, match="no JSON form"):
        schema_of(kind)
