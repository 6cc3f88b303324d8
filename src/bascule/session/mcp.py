"""MCP servers: those of the user's, and those that live in this program.

The user's are given to the CLI in a file that only its owner can read, since they hold secrets. Of ours the CLI knows
the names, and sends each JSON-RPC message as a request (21_sdk_mcp); what they say is theirs to know.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from bascule.wire.control import McpAnswer, McpMessage

Serve: TypeAlias = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""An MCP server: a JSON-RPC message in, the response out; None for a notification."""

INTERNAL_ERROR: Final = -32603


def acknowledged(said: McpMessage, response: dict[str, Any] | None) -> McpAnswer:
    """``response`` as the answer to ``said``; a notification wants an answer as well, an empty one (21_sdk_mcp)."""
    return McpAnswer(
        response if response is not None else {"jsonrpc": "2.0", "result": {}, "id": said.message.get("id", 0)}
    )


def failure(said: McpMessage, problem: str) -> McpAnswer:
    """The answer that tells the model that the server failed."""
    error = {"code": INTERNAL_ERROR, "message": problem}
    return McpAnswer({"jsonrpc": "2.0", "id": said.message.get("id", 0), "error": error})


def config_content(servers: Mapping[str, Mapping[str, Any]]) -> bytes | None:
    """What a file for ``--mcp-config`` says; None without servers. It holds their secrets."""
    return msgspec.json.encode({"mcpServers": servers}) if servers else None


@contextmanager
def config_files(servers: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """The files for ``--mcp-config``, none without servers; gone at the end of the block."""
    content = config_content(servers)
    if content is None:
        yield ()
        return
    handle, name = tempfile.mkstemp(prefix="bascule-mcp-", suffix=".json")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        yield (name,)
    finally:
        Path(name).unlink(missing_ok=True)
