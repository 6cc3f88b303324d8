"""The socket of one reader: a hello, then events in order; commands in, receipts out; a word from either side in time.

Events are pulled from the port at the reader's own pace, through ``Outgoing``, which is bounded: who reads slowly makes
nobody else wait, and is told to begin anew when it is hopeless. One task takes frames in, one sends all that goes out,
one follows the subscription, one watches the key.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final, Literal, NamedTuple, cast

import msgspec
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect

from bascule.commands import HubCommand, Receipt
from bascule.conversation import Conversations, OpenAsk, Placed, SessionFacts
from bascule.errors import BasculeError
from bascule.events import AnyEvent
from bascule.ids import SessionId
from bascule.web import frames
from bascule.web.auth import Door, Visitor, door_of, visitor_of
from bascule.web.frames import Answered, Beat, Ended, Failed, Hello, Resync, ServerFrame, Welcome, Written
from bascule.web.orders import Orders
from bascule.web.outgoing import Outgoing
from bascule.web.problems import Problem, Refusal, problem_of, undecodable
from bascule.web.stored import facts_of

ALL: Final = SessionId("all")
IN_FLIGHT: Final = 32
"""Commands of one socket that are being carried out; the next is not read before one of them is done."""


class Close(NamedTuple):
    """Why a socket is closed: a code that a client can act on, and a word for people."""

    code: int
    reason: str


SILENT: Final = Close(4000, "nothing was heard of you in time")
KEY_OVER: Final = Close(4001, "your key opens nothing any more")
NO_HELLO: Final = Close(4002, "no hello came")
STUCK: Final = Close(4003, "you do not read")


class _Over(Exception):
    """The socket has served; ``close`` is None when it is gone already."""

    def __init__(self, close: Close | None) -> None:
        super().__init__(close)
        self.close = close


@websocket("/ws")
async def ws(socket: WebSocket[Any, Any, Any]) -> None:
    """One reader, until either side has had enough."""
    state = socket.app.state
    await socket.accept()
    await _Link(socket, state.hub, door_of(socket), visitor_of(socket), state.orders, state.written).serve()


class _Link:
    def __init__(
        self,
        socket: WebSocket[Any, Any, Any],
        hub: Conversations,
        door: Door,
        visitor: Visitor,
        orders: Orders,
        written: Written,
    ) -> None:
        self._socket = socket
        self._hub = hub
        self._door = door
        self._visitor = visitor
        self._orders = orders
        self._written = written
        self._pace = door.settings.pace
        self._first: deque[bytes] = deque()
        """Frames other than events; they go first."""
        self._out: Outgoing | None = None
        self._following: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._sent_at = self._now()

    async def serve(self) -> None:
        """Until it is over; then the close frame."""
        over: list[_Over] = []
        with self._door.present(self._visitor.key) as out:
            try:
                async with asyncio.TaskGroup() as self._tasks:
                    self._tasks.create_task(self._read(), name="web socket reads")
                    self._tasks.create_task(self._write(), name="web socket writes")
                    self._tasks.create_task(self._watch(out), name="web socket key")
            except* _Over as group:
                over = [each for each in group.exceptions if isinstance(each, _Over)]
        close = next((each.close for each in over if each.close), None)
        if close is STUCK:
            self._abort()
        elif close is not None:
            await self._socket.close(close.code, close.reason)

    def _abort(self) -> None:
        """A peer that takes nothing takes no close frame either."""
        abort = self._socket.scope["state"].get("abort")
        if abort is not None:
            abort()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    # In.

    async def _read(self) -> None:
        limit_s, close = self._pace.hello_s, NO_HELLO
        while True:
            try:
                async with asyncio.timeout(limit_s):
                    message = cast("dict[str, Any]", await self._socket.receive())
            except TimeoutError:
                raise _Over(close) from None
            if message["type"] == "websocket.disconnect":
                raise _Over(None)
            await self._take(message.get("text") or message.get("bytes") or b"")
            limit_s, close = self._pace.silent_s, SILENT

    async def _take(self, data: str | bytes) -> None:
        try:
            frame = frames.read(data)
        except (msgspec.DecodeError, UnicodeError) as exc:
            self._say(Failed(problem=_unread(exc), command_id=frames.sender_of(data)))
            return
        match frame:
            case Hello():
                await self._hello(frame)
            case frames.Send(command=command):
                await self._slots.acquire()
                self._orders.begin(self._visitor, command, lambda told: self._told(command, told))
            case Beat():
                pass

    def _told(self, command: HubCommand, told: Receipt | Problem) -> None:
        self._slots.release()
        if isinstance(told, Problem):
            self._say(Failed(problem=told, command_id=command.command_id))
        else:
            self._say(Answered(command_id=command.command_id, receipt=told))

    # What it follows.

    async def _hello(self, hello: Hello) -> None:
        await self._forget()
        try:
            await self._begin(hello)
        except (BasculeError, Refusal) as exc:
            self._say(Failed(problem=problem_of(exc)))

    async def _begin(self, hello: Hello) -> None:
        facts = None if hello.session == ALL else await facts_of(self._hub, hello.session)
        reason = _misfit(hello, facts, self._hub.epoch)
        if reason is not None:
            self._say(Resync(reason=reason, epoch=self._hub.epoch))
            return
        # Before the first event is read: one that opens or settles an ask meanwhile is told after this.
        asks = tuple(ask for ask in await self._hub.asks() if facts is None or ask.session == facts.id)
        self._say(self._welcome(hello, facts, asks))
        self._out = Outgoing(self._written, frame_s=self._pace.frame_s, all_sessions=facts is None)
        self._following = self._tasks.create_task(self._follow(hello, self._out), name=f"web follows {hello.session}")

    def _welcome(self, hello: Hello, facts: SessionFacts | None, asks: tuple[OpenAsk, ...]) -> Welcome:
        return Welcome(
            session=hello.session,
            epoch=self._hub.epoch,
            after=hello.after,
            role=self._visitor.key.role,
            beat_s=self._pace.beat_s,
            silent_s=self._pace.silent_s,
            facts=facts,
            asks=asks,
        )

    async def _follow(self, hello: Hello, out: Outgoing) -> None:
        """Pull events for as long as there is room for them, and a session."""
        try:
            async with aclosing(self._events(hello)) as events:
                async for item in events:
                    out.put(item, self._now())
                    self._news.set()
                    await self._until(lambda: not out.is_full)
        except BasculeError as exc:
            self._say(Failed(problem=problem_of(exc)))
            return
        await self._until(lambda: out.is_done)
        self._say(Ended(session=hello.session))

    def _events(self, hello: Hello) -> AsyncGenerator[AnyEvent | Placed]:
        """The port promises an iterator; one that is left in the middle is closed, if it can be."""
        if hello.session == ALL:
            return _closable(self._hub.all_events(hello.after))
        return _closable(self._hub.conversation(hello.session).events(hello.after or 0))

    async def _until(self, done: Callable[[], bool]) -> None:
        while not done():
            self._room.clear()
            await self._room.wait()

    async def _forget(self) -> None:
        """Follow nothing any more; what waits of it is dropped."""
        following, self._following, self._out = self._following, None, None
        if following is not None:
            following.cancel()
            await asyncio.wait({following})

    # Out.

    def _say(self, frame: ServerFrame) -> None:
        self._first.append(frames.written(frame))
        self._news.set()

    async def _write(self) -> None:
        while True:
            frame = self._next()
            if frame is None:
                await self._pause()
            else:
                await self._send(frame)

    def _next(self) -> bytes | None:
        if self._first:
            return self._first.popleft()
        if self._out is not None:
            self._out.release(self._now())
            if not self._out.is_empty:
                frame = self._out.take()
                self._room.set()
                return frame
        return frames.written(Beat()) if self._now() - self._sent_at >= self._pace.beat_s else None

    async def _pause(self) -> None:
        """Until there is news, a held delta may go, or a beat is due."""
        self._news.clear()
        self._room.set()
        due = self._out.due() if self._out is not None else None
        beat_at = self._sent_at + self._pace.beat_s
        try:
            async with asyncio.timeout_at(beat_at if due is None else min(due, beat_at)):
                await self._news.wait()
        except TimeoutError:
            return

    async def _send(self, frame: bytes) -> None:
        began = self._now()
        try:
            async with asyncio.timeout(self._pace.stuck_s):
                await self._socket.send_data(frame, mode="text")
        except TimeoutError:
            raise _Over(STUCK) from None
        except (OSError, WebSocketDisconnect):
            raise _Over(None) from None
        self._sent_at = self._now()
        if self._out is not None and self._sent_at - began > self._pace.slow_s:
            self._say(Resync(reason="slow", epoch=self._hub.epoch))
            await self._forget()

    # The key.

    async def _watch(self, out: asyncio.Event) -> None:
        expires_at = self._visitor.key.expires_at
        left_s = None if expires_at is None else max(0.0, (expires_at - self._door.clock()) / 1000)
        try:
            async with asyncio.timeout(left_s):
                await out.wait()
        except TimeoutError:
            pass
        raise _Over(KEY_OVER)


def _misfit(hello: Hello, facts: SessionFacts | None, epoch: str) -> Literal["epoch", "position"] | None:
    if hello.epoch is not None and hello.epoch != epoch:
        return "epoch"
    return "position" if facts is not None and (hello.after or 0) > facts.last_seq else None


def _unread(error: Exception) -> Problem:
    if isinstance(error, msgspec.DecodeError):
        return undecodable(error)
    return Problem(kind="malformed", status=400, detail="a frame is UTF-8 text")


async def _closable(events: AsyncIterator[AnyEvent] | AsyncIterator[Placed]) -> AsyncGenerator[AnyEvent | Placed]:
    """The same as a generator, which closes what it reads from."""
    try:
        async for event in events:
            yield event
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
