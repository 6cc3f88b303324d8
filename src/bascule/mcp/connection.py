"""One session's line to a server of tools: each JSON-RPC message of the CLI's is answered.

Calls run beside each other. The CLI takes one back with ``notifications/cancelled``: when the turn is interrupted, or
after a time of its own (MCP_TOOL_TIMEOUT).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from bascule.ids import SessionId
from bascule.mcp import calls, jsonrpc
from bascule.mcp.jsonrpc import CANCELLED, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, params_of
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import CallContext, Tool

PROTOCOL_VERSION: Final = "2025-11-25"
"""Of MCP, as 2.1.197 and 2.1.332 speak it."""
PROTOCOL_VERSIONS: Final = frozenset(("2024-11-05", "2025-03-26", "2025-06-18", PROTOCOL_VERSION))
"""What is needed for tools is the same in all of them."""

Notify: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
"""Sends a JSON-RPC notification to the CLI."""


class Connection:
    """Called with a message, it gives the response. Made by ``connected``."""

    def __init__(self, server: ToolServer, session: SessionId, notify: Notify) -> None:
        self.server = server
        self.changed = asyncio.Event()
        """The server's tools were changed. Cleared by whoever looks after that."""
        self._session = session
        self._notify = notify
        self._told: tuple[Tool, ...] | None = None
        self._asked = asyncio.Event()
        self._running: dict[Any, asyncio.Task[dict[str, Any]]] = {}

    async def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The response to a JSON-RPC message; None to a notification."""
        params = params_of(message)
        if "id" not in message:
            if message.get("method") == "notifications/cancelled":
                self._cancel(params.get("requestId"))
            return None
        match message.get("method"):
            case "initialize":
                return jsonrpc.response(message, self._begin(params))
            case "ping":
                return jsonrpc.response(message, {})
            case "tools/list":
                return jsonrpc.response(message, self._list())
            case "tools/call":
                return await self._call(message, params)
            case str(method):
                return jsonrpc.error(message, METHOD_NOT_FOUND, f"{self.server.name} knows no {method}, only tools")
            case _:
                return jsonrpc.error(message, INVALID_REQUEST, "a request names a method")

    def manifest(self) -> dict[str, Any]:
        """What the CLI would learn by asking. Sent along with its ``initialize``, it spares three round trips.

        2.1.197 does not know it and asks all the same.
        """
        return {"initializeResult": self._welcome(PROTOCOL_VERSION), "toolsListResult": _listing(self.server)}

    def assume_told(self) -> None:
        """Go on as if the CLI knew the tools of this moment, from a manifest or because there is no way to tell it."""
        self._told = self.server.tools
        self._asked.set()

    def assume_outdated(self) -> None:
        """Go on as if the CLI knew other tools than there are, so that somebody tells it."""
        self._told = ()
        self.changed.set()

    def will_ask(self) -> None:
        """The CLI goes by nothing that it heard before."""
        self._told = None
        self._asked.set()

    async def tell_changed(self) -> None:
        """Tell the CLI that the tools are others now; 2.1.332 then lists them anew, 2.1.197 does not."""
        await self._notify(jsonrpc.notification("notifications/tools/list_changed"))

    @property
    def outdated(self) -> bool:
        """The CLI believes in other tools than there are."""
        return self._told is not None and self._told != self.server.tools

    async def up_to_date(self) -> None:
        """Returns when the CLI knows the tools as they are, or will ask for them before it uses one."""
        while self.outdated:
            self._asked.clear()
            await self._asked.wait()

    def _begin(self, params: dict[str, Any]) -> dict[str, Any]:
        # Whoever waited for these is gone: the CLI has connected anew.
        for task in self._running.values():
            task.cancel()
        match params.get("protocolVersion"):
            case str(asked) if asked in PROTOCOL_VERSIONS:
                return self._welcome(asked)
        return self._welcome(PROTOCOL_VERSION)

    def _welcome(self, version: str) -> dict[str, Any]:
        welcome = {
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": self.server.name, "version": self.server.version},
            "instructions": self.server.instructions,
        }
        return jsonrpc.said(welcome)

    def _list(self) -> dict[str, Any]:
        self._told = self.server.tools
        self._asked.set()
        return _listing(self.server)

    async def _call(self, message: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
        name = params.get("name")
        tool = next((each for each in self.server.tools if each.name == name), None)
        if tool is None:
            return jsonrpc.error(message, INVALID_PARAMS, f"{self.server.name} has no tool {name!r}")
        call = self._known_of(params_of(params, "_meta"))
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(calls.run(tool, params.get("arguments"), call), name=f"bascule tool {name}")
            self._running[message["id"]] = task
            task.add_done_callback(lambda _: self._forget(message["id"], task))
        if task.cancelled():
            return jsonrpc.error(message, CANCELLED, "the call was cancelled")
        return jsonrpc.response(message, task.result())

    def _known_of(self, meta: dict[str, Any]) -> CallContext:
        call_id, token = meta.get("claudecode/toolUseId"), meta.get("progressToken")

        async def tell(done: float, total: float | None, message: str | None) -> None:
            said = {"progressToken": token, "progress": done, "total": total, "message": message}
            await self._notify(jsonrpc.notification("notifications/progress", **said))

        return CallContext(
            session=self._session,
            tool_call_id=call_id if isinstance(call_id, str) else None,
            tell=None if token is None else tell,
        )

    def _cancel(self, request_id: Any) -> None:
        if isinstance(request_id, int | str) and (task := self._running.get(request_id)):
            task.cancel()

    def _forget(self, request_id: Any, task: asyncio.Task[dict[str, Any]]) -> None:
        # After a reconnection the CLI counts its ids anew, so this one may be another call's by now.
        if self._running.get(request_id) is task:
            del self._running[request_id]


@contextmanager
def connected(server: ToolServer, session: SessionId, notify: Notify) -> Iterator[Connection]:
    """A connection of ``session`` to ``server``, for the running event loop."""
    connection = Connection(server, session, notify)
    loop = asyncio.get_running_loop()

    def tools_changed() -> None:
        with contextlib.suppress(RuntimeError):  # The loop was closed just now, and the session with it.
            loop.call_soon_threadsafe(connection.changed.set)

    unwatch = server.watch(tools_changed)
    try:
        yield connection
    finally:
        unwatch()


def _listing(server: ToolServer) -> dict[str, Any]:
    return {"tools": [_listed(tool, always_load=server.always_load) for tool in server.tools]}


def _listed(tool: Tool, *, always_load: bool) -> dict[str, Any]:
    hints = {"readOnlyHint": tool.read_only, "destructiveHint": tool.destructive, "openWorldHint": tool.open_world}
    ours = {"anthropic/alwaysLoad": always_load or None, "anthropic/maxResultSizeChars": tool.max_result_chars}
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.signature.schema,
        "annotations": jsonrpc.said(hints),
        "_meta": jsonrpc.said(ours),
    }
