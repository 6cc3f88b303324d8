"""Functions that become tools."""

from typing import Any

import pytest

from bascule.errors import OptionError
from bascule.mcp.tool import Tool, tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers.

    Nobody needs to read this.
    """
    return a + b


def test_a_plain_decorator_takes_name_and_description_from_the_function() -> None:
    assert (add.name, add.description, list(add.signature.schema["properties"])) == (
        "add",
        "Add two numbers.",
        ["a", "b"],
    )


def test_a_tool_can_be_called_as_its_function() -> None:
    assert add(2, b=3) == 5


def test_a_decorator_with_arguments_says_more() -> None:
    @tool(name="plus", description="Adds.", timeout_s=2.5, read_only=True, destructive=False, max_result_chars=9)
    async def add(a: int) -> None: ...

    said = (add.name, add.description, add.timeout_s, add.read_only, add.destructive, add.max_result_chars)
    assert said == ("plus", "Adds.", 2.5, True, False, 9)


class Desk:
    def open(self, drawer: int) -> str:
        """Open a drawer."""
        return f"drawer {drawer}"


def test_a_method_of_an_object_is_a_tool() -> None:
    opening = tool(Desk().open)
    assert (opening.name, opening.function(drawer=2)) == ("open", "drawer 2")


def undescribed(a: int) -> None: ...


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({}, "undescribed needs a description"),
        ({"description": " "}, "undescribed needs a description"),
        ({"description": "x", "name": "a b"}, "a name has 1 to 64 letters"),
        ({"description": "x", "name": "a" * 65}, "a name has 1 to 64 letters"),
        ({"description": "x", "timeout_s": 0}, "timeout_s is 0"),
    ],
)
def test_a_tool_that_cannot_be_is_refused(how: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        tool(**how)(undescribed)


def test_a_tool_is_a_value() -> None:
    assert isinstance(add, Tool)
    with pytest.raises(AttributeError):
        add.name = "other"  # type: ignore[misc]
