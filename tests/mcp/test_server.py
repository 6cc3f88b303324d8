"""A server's tools, and who is told when they change."""

import pytest

from bascule.errors import OptionError
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import tool


@tool
def one() -> None:
    """The first."""


@tool
def two() -> None:
    """The second."""


def names(server: ToolServer) -> list[str]:
    return [each.name for each in server.tools]


def test_tools_keep_their_order() -> None:
    server = ToolServer("desk", [two, one])
    assert names(server) == ["two", "one"]


def test_tools_come_and_go() -> None:
    server = ToolServer("desk", [one])
    server.add(two)
    assert names(server) == ["one", "two"]
    server.remove("one", "never there")
    assert names(server) == ["two"]


def test_a_tool_of_the_same_name_is_replaced() -> None:
    server = ToolServer("desk", [one])
    again = tool(name="one", description="Another.")(two.function)
    server.add(again)
    assert server.tools == (again,)


def test_each_change_is_told_to_who_watches() -> None:
    server = ToolServer("desk")
    told: list[list[str]] = []
    unwatch = server.watch(lambda: told.append(names(server)))
    server.add(one)
    server.remove("one")
    unwatch()
    server.add(two)
    assert told == [["one"], []]


@pytest.mark.parametrize("name", ["", "a b", "a__b", "x" * 65])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="a server is called"):
        ToolServer(name)


def test_two_tools_of_one_name_are_refused_at_the_start() -> None:
    with pytest.raises(OptionError, match="one name: one, one"):
        ToolServer("desk", [one, one])


def test_a_function_that_is_no_tool_is_refused() -> None:
    with pytest.raises(OptionError, match="put @tool above the function"):
        ToolServer("desk", [one.function])  # type: ignore[list-item]
