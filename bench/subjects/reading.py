"""Readers of a hub's WebSocket that cost next to nothing: what comes is counted as bytes, and not understood."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

TEXT: Final = 0x81
HEAD_END: Final = b"\r\n\r\n"
MASKED: Final = 0x80
NO_MASK: Final = bytes(4)
"""A client has to mask what it says; this mask changes nothing."""


class Address(NamedTuple):
    """Where a hub listens, and its owner's key."""

    port: int
    token: str


class Reader(asyncio.Protocol):
    """One subscriber. ``took`` gets the bytes of its frames as they come."""

    def __init__(self, address: Address, took: Callable[[bytes], None]) -> None:
        self._address = address
        self._took = took
        self._head: bytes | None = b""
        self._transport: asyncio.Transport | None = None
        self.accepted = asyncio.Event()
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a WebSocket."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self._address.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n"
            f"Authorization: Bearer {self._address.token}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """The head of the answer, then frames."""
        if self._head is None:
            self._took(data)
            return
        self._head += data
        head, end, rest = self._head.partition(HEAD_END)
        if not end:
            return
        if not head.startswith(b"HTTP/1.1 101"):
            raise RuntimeError(f"the hub took no WebSocket: {head!r}")
        self._head = None
        self.accepted.set()
        if rest:
            self._took(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """The hub, or we, closed it."""
        self.lost.set()

    def say(self, **frame: Any) -> None:
        """Send a frame."""
        assert self._transport is not None
        text = json.dumps(frame).encode()
        size = bytes([MASKED | len(text)]) if len(text) < 126 else bytes([MASKED | 126]) + len(text).to_bytes(2, "big")
        self._transport.write(bytes([TEXT]) + size + NO_MASK + text)

    def stall(self) -> None:
        """Take nothing any more."""
        assert self._transport is not None
        self._transport.pause_reading()

    def close(self) -> None:
        """Leave."""
        assert self._transport is not None
        self._transport.abort()


async def reader(address: Address, session: str, took: Callable[[bytes], None], *, after: int | None = None) -> Reader:
    """A subscriber of ``session`` from after that event on."""
    loop = asyncio.get_running_loop()
    _, one = await loop.create_connection(lambda: Reader(address, took), "127.0.0.1", address.port)
    await one.accepted.wait()
    one.say(type="hello", session=session, after=after)
    return one


async def asked(address: Address, method: str, path: str, body: Any = None) -> Any:
    """What the hub answers over HTTP."""
    streams, writer = await asyncio.open_connection("127.0.0.1", address.port)
    content = b"" if body is None else json.dumps(body).encode()
    writer.write(
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\nAuthorization: Bearer {address.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode()
        + content
    )
    answer = await streams.read()
    writer.close()
    head, _, told = answer.partition(HEAD_END)
    if not head.startswith(b"HTTP/1.1 2"):
        raise RuntimeError(f"{method} {path}: {answer!r}")
    return json.loads(told)
