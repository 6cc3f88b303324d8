"""Tools of MCP servers."""

from typing import Any

import pytest

from bascule.payload import Generic, McpCall
from bascule.tools import describe
from tests.tools.recorded import Recorded, recorded


def test_each_shape_of_result_gives_its_text() -> None:
    echo, failed, image, structured, _ = [call.finished for call in recorded("22_tools")]
    assert echo == McpCall(server="toy", tool="echo", input={"text": "hello"}, output="hello")
    assert failed == McpCall(server="toy", tool="fail", input={}, output="it failed", is_error=True)
    assert isinstance(image, McpCall)
    assert image.output is not None
    assert image.output.startswith("[image/png]\n[Image: source: ")
    assert structured == McpCall(server="toy", tool="structured", input={}, output='{"a":1}')


@pytest.mark.parametrize(
    ("name", "server", "tool"),
    [("mcp__git__log", "git", "log"), ("mcp__a__b__c", "a", "b__c"), ("mcp____", "", ""), ("mcp__a__", "a", "")],
)
def test_a_name_is_made_of_server_and_tool(name: str, server: str, tool: str) -> None:
    assert describe(name, None) == McpCall(server=server, tool=tool)


@pytest.mark.parametrize("name", ["mcp", "mcp__git", "mcp_git_log", "git__log"])
def test_other_names_are_of_no_server(name: str) -> None:
    assert describe(name, 1) == Generic(name=name, input=1)


@pytest.mark.parametrize(
    ("result", "output"),
    [("Error: kept", "Error: kept"), (None, "content"), ({"content": 5}, "content"), (7, "content")],
)
def test_an_odd_result_leaves_the_content(result: Any, output: str) -> None:
    done = Recorded("mcp__a__b", {}, "content", result, False).finished
    assert isinstance(done, McpCall)
    assert done.output == output
