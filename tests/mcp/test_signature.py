"""What a function takes: the schema that the model sees, and what its JSON becomes."""

import datetime
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pytest

from bascule.errors import OptionError, ToolError
from bascule.mcp.signature import Signature, signature_of


class Marker:
    """Stands in for what is known of a call."""


class Place(msgspec.Struct):
    line: int
    column: int = 0


class Colour(Enum):
    RED = "red"


class Options(TypedDict, total=False):
    deep: bool


class NoJson:
    pass


def takes(function: Callable[..., Any]) -> Signature:
    return signature_of(function, call_type=Marker)


def test_types_become_a_schema() -> None:
    def find(text: str, times: int, ratio: float, exact: bool, where: list[Place]) -> None: ...

    schema = takes(find).schema
    assert {name: each["type"] for name, each in schema["properties"].items()} == {
        "text": "string",
        "times": "integer",
        "ratio": "number",
        "exact": "boolean",
        "where": "array",
    }
    assert schema["properties"]["where"]["items"] == {"$ref": "#/$defs/Place"}
    assert schema["$defs"]["Place"]["required"] == ["line"]
    assert schema["required"] == ["text", "times", "ratio", "exact", "where"]
    assert schema["additionalProperties"] is False


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    def now() -> None: ...

    signature = takes(now)
    assert signature.schema == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert signature.read({}) == {}


def test_a_text_or_a_meta_describes_a_parameter() -> None:
    def add(
        a: Annotated[int, "the first"], b: Annotated[int, msgspec.Meta(ge=0, description="the second")]
    ) -> None: ...

    first, second = takes(add).schema["properties"].values()
    assert first == {"type": "integer", "description": "the first"}
    assert second == {"type": "integer", "description": "the second", "minimum": 0}


def test_a_default_is_told_and_applied_by_the_function_itself() -> None:
    def look(deep: bool = False, when: datetime.date = datetime.date(2026, 1, 2)) -> None: ...

    signature = takes(look)
    assert signature.schema["properties"]["deep"] == {"type": "boolean", "default": False}
    assert signature.schema["properties"]["when"]["default"] == "2026-01-02"
    assert signature.schema["required"] == []
    assert signature.read({}) == {}


@pytest.mark.parametrize("default", [NoJson(), "\ud83d"])
def test_a_default_without_a_json_form_is_not_told(default: Any) -> None:
    def look(deep: str = default) -> None: ...

    assert takes(look).schema["properties"]["deep"] == {"type": "string"}


def test_json_becomes_the_values_that_the_annotations_name() -> None:
    def draw(at: Place, colour: Colour, how: Options, kind: Literal["dot", "line"], day: datetime.date) -> None: ...

    raw = {"at": {"line": 3}, "colour": "red", "how": {"deep": True}, "kind": "dot", "day": "2026-01-02"}
    assert takes(draw).read(raw) == {
        "at": Place(line=3),
        "colour": Colour.RED,
        "how": {"deep": True},
        "kind": "dot",
        "day": datetime.date(2026, 1, 2),
    }


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"at": {"line": "x"}}, "at.line: Expected `int`, got `str`"),
        ({}, "missing required field `at`"),
        ({"at": {"line": 1}, "more": 1}, "unknown field `more`"),
        (5, "Expected `object`, got `int`"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place_and_what_is_taken(raw: Any, problem: str) -> None:
    def draw(at: Place, deep: bool = False) -> None: ...

    with pytest.raises(ToolError, match="it takes at, deep \\(optional\\)") as told:
        takes(draw).read(raw)
    assert problem in str(told.value)


def test_nothing_is_said_to_be_taken_where_nothing_is() -> None:
    def now() -> None: ...

    with pytest.raises(ToolError, match="it takes nothing"):
        takes(now).read({"a": 1})


def test_the_parameter_for_the_call_is_not_the_models() -> None:
    def add(a: int, call: Marker) -> None: ...

    signature = takes(add)
    assert (signature.given_call, list(signature.schema["properties"])) == ("call", ["a"])


def unnamed(*names: str) -> None: ...
def anything(**names: str) -> None: ...
def positional(a: int, /) -> None: ...
def without_a_type(a) -> None: ...  # type: ignore[no-untyped-def]
def without_json(a: NoJson) -> None: ...
def among_others(a: int | NoJson) -> None: ...
def unknown(a: "Nowhere") -> None: ...  # type: ignore[name-defined] # noqa: F821
def no_type(a: 5 = 5) -> None: ...  # type: ignore[valid-type]


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (unnamed, r"\*names: str has no name"),
        (anything, r"\*\*names: str has no name"),
        (positional, "a: int has no name"),
        (without_a_type, "annotate the parameter a"),
        (without_json, "no JSON form"),
        (among_others, "no JSON form"),
        (unknown, "must be known in the tool's module"),
        (no_type, "no JSON form"),
    ],
)
def test_a_function_that_the_model_cannot_call_is_refused(function: Callable[..., Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        takes(function)
