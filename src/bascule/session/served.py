"""The tool servers of a session, and what the CLI knows of them: told at the start, and when tools come or go."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import msgspec

from bascule.errors import ProcessLost, RequestFailed, SessionClosed
from bascule.ids import SessionId
from bascule.mcp.connection import Connection, connected
from bascule.mcp.server import ToolServer
from bascule.recording import Noticed
from bascule.session.line import Line
from bascule.session.mcp import Serve
from bascule.session.past import Past
from bascule.wire.control import McpMessage
from bascule.wire.requests import McpSetServers

LISTED_S: Final = 1.0
"""How long a CLI may take to list tools anew when told of a change; 2.1.332 takes 20 ms, 2.1.197 does not do it."""


class Served:
    """The connections of one session to its tool servers. Made by ``served``."""

    def __init__(
        self, line: Line, connections: Mapping[str, Connection], others: Mapping[str, Serve], *, listed_s: float
    ) -> None:
        self.serves: Mapping[str, Serve] = {**others, **connections}
        """Every server that lives in this program, by name."""
        self._line = line
        self._connections = connections
        self._listed_s = listed_s
        self._beside: Mapping[str, Mapping[str, Any]] = {}
        self._exchange = asyncio.Lock()
        """Held while a server is away, so that no prompt is written meanwhile, nor is another one taken."""

    def manifests(self) -> dict[str, Any]:
        """For the handshake."""
        return {name: connection.manifest() for name, connection in self._connections.items()}

    def begun(self, manifests_taken: frozenset[str]) -> None:
        """The handshake is over; of the servers in ``manifests_taken`` the CLI knows the tools."""
        for name in manifests_taken & self._connections.keys():
            self._connections[name].assume_told()

    def goes_on(self, past: Past) -> None:
        """After another host: the CLI knows the tools that it was told of then, which may be others now."""
        told = past.hello.request.sdk_mcp_server_manifests if past.hello is not None else {}
        for name, connection in self._connections.items():
            if msgspec.to_builtins(connection.manifest()) == told.get(name):
                connection.assume_told()
            else:
                connection.assume_outdated()

    def beside(self, servers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The whole set of servers that were not there at the start, with ``servers`` as those that are not ours.

        The CLI is told all of them each time: who is not in the set is taken from it.
        """
        self._beside = servers
        return {**servers, **{name: {"type": "sdk", "name": name} for name in self.serves}}

    async def up_to_date(self) -> None:
        """Returns when the CLI knows the tools as they are, or does not learn of them in this time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2 * self._listed_s):
                for connection in self._connections.values():
                    await connection.up_to_date()
                async with self._exchange:
                    pass

    async def watch(self) -> None:
        """Tell the CLI of each change of the tools, for as long as it runs."""
        async with asyncio.TaskGroup() as tasks:
            for name, connection in self._connections.items():
                tasks.create_task(self._watch(name, connection), name=f"bascule tools of {name}")

    async def _watch(self, name: str, connection: Connection) -> None:
        while True:
            await connection.changed.wait()
            connection.changed.clear()
            if connection.outdated:
                await self._tell(name, connection)

    async def _tell(self, name: str, connection: Connection) -> None:
        try:
            if not await self._lists_anew(connection):
                await self._connect_anew(name, connection)
        except (RequestFailed, TimeoutError) as exc:
            self._line.note(Noticed(level="warning", text=f"the CLI does not know that tools of {name} changed: {exc}"))
            connection.assume_told()
        except (ProcessLost, SessionClosed):
            return

    async def _lists_anew(self, connection: Connection) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._listed_s):
                await connection.tell_changed()
                await connection.up_to_date()
        return not connection.outdated

    async def _connect_anew(self, name: str, connection: Connection) -> None:
        """Take the server from the CLI and give it back; not during a turn, since it cuts off the calls that run."""
        await self._line.until(lambda: not self._line.fold.turn_running)
        async with self._exchange:
            everything = self.beside(self._beside)
            rest = {each: server for each, server in everything.items() if each != name}
            await self._line.request(McpSetServers(servers=rest))
            connection.will_ask()
            await self._line.request(McpSetServers(servers=everything))


@contextmanager
def served(
    line: Line,
    session: SessionId,
    servers: Sequence[ToolServer],
    others: Mapping[str, Serve],
    *,
    listed_s: float = LISTED_S,
) -> Iterator[Served]:
    """``servers`` and ``others``, for the session of ``line``."""
    with ExitStack() as stack:
        connections = {
            server.name: stack.enter_context(connected(server, session, _notify(line, server.name)))
            for server in servers
        }
        yield Served(line, connections, others, listed_s=listed_s)


def _notify(line: Line, name: str) -> Any:
    async def notify(message: dict[str, Any]) -> None:
        await line.request(McpMessage(server_name=name, message=message))

    return notify
