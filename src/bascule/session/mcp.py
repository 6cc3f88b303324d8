"""MCP servers of the user's: given to the CLI in a file that only its owner can read, since they hold secrets."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec


@contextmanager
def config_files(servers: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """The files for ``--mcp-config``, none without servers; gone at the end of the block."""
    if not servers:
        yield ()
        return
    handle, name = tempfile.mkstemp(prefix="bascule-mcp-", suffix=".json")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode({"mcpServers": servers}))
        yield (name,)
    finally:
        Path(name).unlink(missing_ok=True)
