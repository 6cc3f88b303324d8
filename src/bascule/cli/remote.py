"""A session of a server as a `Conversation`: over its socket, which may be lost and is opened again.

What was heard is never heard twice, and a command is sent again until it has its receipt. To end the conversation here
is to leave it: the session goes on.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from bascule.aio.beside import beside
from bascule.cli.api import context_of
from bascule.commands import AnyCommand, End, Receipt, Refused, Taken
from bascule.conversation import OpenAsk
from bascule.errors import BasculeError, OptionError
from bascule.events import AnyEvent
from bascule.ids import CommandId, SessionId
from bascule.web import frames
from bascule.web.address import Address

FIRST_WAIT_S: Final = 0.5
LAST_WAIT_S: Final = 10.0
ROOM: Final = 1_000
"""Events that wait for who shows them; beyond that the socket is not read."""
KEY_OVER: Final = 4001
BEAT_S: Final = 10.0
"""A server waits for 45 s."""


class _Events(msgspec.Struct, tag="events", tag_field="type"):
    events: tuple[AnyEvent, ...]


_decoder: Final = msgspec.json.Decoder(frames.ServerFrame | _Events)


class Remote:
    """One session, seen from elsewhere."""

    def __init__(self, address: Address, session: SessionId, *, after: int = 0) -> None:
        """``after``: the number of the last event that is not to be told; asks that are open are told all the same."""
        self._address = address
        self._session = session
        self._after = after
        self._epoch: str | None = None
        self._events: asyncio.Queue[AnyEvent | BasculeError | None] = asyncio.Queue(ROOM)
        self._left = asyncio.Event()
        self._waiting: dict[CommandId, tuple[bytes, asyncio.Future[Receipt]]] = {}
        self._connection: ClientConnection | None = None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Remote]:
        """While the block runs, there is a connection, or another try at one."""
        async with beside(self._run(), name="remote session"):
            yield self

    # The port.

    async def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        """What happens, for one reader, after what the beginning named; it ends when the session has, or was left.

        Raises what ended the connection for good.
        """
        while (event := await self._events.get()) is not None:
            if isinstance(event, BasculeError):
                raise event
            yield event

    async def send(self, command: AnyCommand) -> Receipt:
        """Carried out by the server. To end is to leave, and asks nobody."""
        if isinstance(command, End):
            self._left.set()
            await self._events.put(None)
            return Taken()
        return await self._answered(msgspec.structs.replace(command, session=self._session))

    async def _answered(self, command: AnyCommand) -> Receipt:
        frame = msgspec.json.encode(frames.Send(command=command))
        receipt: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._waiting[command.command_id] = (frame, receipt)
        if self._connection is not None:
            with suppress(ConnectionClosed):
                await self._connection.send(frame, text=True)
        return await receipt

    # The connection.

    async def _run(self) -> None:
        """Until it was left, the session has ended, or to come back would be of no use."""
        wait_s = FIRST_WAIT_S
        while not self._left.is_set():
            try:
                async with connect(**self._where()) as connection:
                    wait_s = FIRST_WAIT_S
                    await self._serve(connection)
            except OptionError as exc:
                await self._events.put(exc)
                return
            except msgspec.DecodeError as exc:
                await self._events.put(
                    OptionError(f"{self._address.url} is of another version: install the same ({exc})")
                )
                return
            except (OSError, InvalidHandshake, ConnectionClosed) as exc:
                if _is_for_good(exc):
                    await self._events.put(
                        OptionError(f"{self._address.url} does not let us in: is the key still good?")
                    )
                    return
            await asyncio.sleep(wait_s * random.uniform(0.5, 1))
            wait_s = min(LAST_WAIT_S, wait_s * 2)

    def _where(self) -> dict[str, Any]:
        return {
            "uri": f"{self._address.url.replace('http', 'ws', 1)}/ws",
            "additional_headers": {"Authorization": f"Bearer {self._address.token}"},
            "ssl": context_of(self._address),
            "max_size": None,
            "compression": None,
            "proxy": None,
        }

    async def _serve(self, connection: ClientConnection) -> None:
        self._connection = connection
        try:
            await self._hello(connection)
            for frame, _ in list(self._waiting.values()):
                await connection.send(frame, text=True)
            async with beside(_beat(connection), name="remote beats"):
                async for message in connection:
                    await self._hear(_decoder.decode(message), connection)
        finally:
            self._connection = None

    async def _hello(self, connection: ClientConnection) -> None:
        hello = frames.Hello(session=self._session, after=self._after, epoch=self._epoch)
        await connection.send(msgspec.json.encode(hello), text=True)

    async def _hear(self, frame: frames.ServerFrame | _Events, connection: ClientConnection) -> None:
        match frame:
            case _Events(events=events):
                for event in events:
                    self._after = event.seq or self._after
                    await self._events.put(event)
            case frames.Welcome(epoch=epoch, asks=asks):
                await self._welcomed(epoch, asks)
            case frames.Resync(reason="slow"):
                await self._hello(connection)
            case frames.Resync():
                raise OptionError("the server does not know any more what was shown here: attach again")
            case frames.Ended():
                self._left.set()
                await self._events.put(None)
            case _:
                self._answer(frame)

    def _answer(self, frame: frames.ServerFrame) -> None:
        match frame:
            case frames.Answered(command_id=command_id, receipt=receipt):
                self._settle(command_id, receipt)
            case frames.Failed(command_id=command_id, problem=problem) if command_id is not None:
                self._settle(command_id, Refused(reason=problem.detail))
            case frames.Failed(problem=problem):
                raise OptionError(problem.detail)

    async def _welcomed(self, epoch: str, asks: Sequence[OpenAsk]) -> None:
        """Asks from before what is told here are told once; those after come as events."""
        if self._epoch is None:
            for ask in asks:
                if (ask.request.seq or 0) <= self._after:
                    await self._events.put(ask.request)
        self._epoch = epoch

    def _settle(self, command_id: CommandId, receipt: Receipt) -> None:
        waiting = self._waiting.pop(command_id, None)
        if waiting is not None and not waiting[1].done():
            waiting[1].set_result(receipt)


def _is_for_good(error: Exception) -> bool:
    """Whether the server does not want us, rather than being away."""
    match error:
        case InvalidStatus(response=response):
            return 400 <= response.status_code < 500
        case ConnectionClosed(rcvd=close):
            return close is not None and close.code == KEY_OVER
        case _:
            return False


async def _beat(connection: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(BEAT_S)
            await connection.send(frames.written(frames.Beat()), text=True)
