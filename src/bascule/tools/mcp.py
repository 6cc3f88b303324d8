"""Tools of MCP servers: ``mcp__SERVER__TOOL``."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from bascule.payload import McpCall
from bascule.tools.outcome import Outcome, content_text

_PREFIX: Final = "mcp__"


class McpName(NamedTuple):
    """What the name of an MCP tool is made of."""

    server: str
    tool: str


def mcp_name(name: str) -> McpName | None:
    """The server and the tool that ``name`` is made of; null for a tool of another kind."""
    server, separator, tool = name.removeprefix(_PREFIX).partition("__")
    return McpName(server, tool) if name.startswith(_PREFIX) and separator else None


def call(name: McpName, tool_input: Any) -> McpCall:
    """The call of ``name``; its arguments are whatever the model wrote."""
    return McpCall(server=name.server, tool=name.tool, input=tool_input)


def has_called(payload: McpCall, outcome: Outcome) -> McpCall:
    """``payload`` with the tool's own words: what the model is told may have hints of the CLI in it (22_tools)."""
    return msgspec.structs.replace(payload, output=_output(outcome), is_error=outcome.is_error)


def _output(outcome: Outcome) -> str:
    match outcome.result:
        case str(text):
            return text.removeprefix("Error: ") if outcome.is_error else text
        case list(blocks):
            return content_text(blocks)
        case {"content": str() | list() as content}:
            return content_text(content)
        case _:
            return outcome.text
