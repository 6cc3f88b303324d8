"""Speaks to the Messages API, as the CLI does: one request, its events, and the ways in which it fails.

The fake has no model of its own. It asks at ``ANTHROPIC_BASE_URL`` like the real CLI, so that the same scripted model
plays the same script for both.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

LINE_LIMIT: Final = 64 * 1024 * 1024
"""Bytes that one event of a stream may have."""


class ApiError(Exception):
    """The API answered with an error, at once or as an event in the stream."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.headers = headers or {}


class ConnectionLost(Exception):
    """The API cannot be reached, or the answer broke off."""


class Exchange:
    """One request. ``abort`` ends it from outside: whoever waits for it gets ``ConnectionLost``."""

    def __init__(self, url: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self._url = urlsplit(url)
        self._body = json.dumps(body).encode()
        self._headers = headers
        self._writer: asyncio.StreamWriter | None = None
        self._aborted = False

    def abort(self) -> None:
        """Hang up."""
        self._aborted = True
        if self._writer is not None:
            self._writer.transport.abort()

    async def whole(self) -> dict[str, Any]:
        """The answer to a request that does not stream."""
        _, data = await self._answer()
        value = json.loads(b"".join([piece async for piece in data]))
        return value if isinstance(value, dict) else {}

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """The events of the stream, ``message_stop`` the last. Raises what an answer can fail with."""
        _, data = await self._answer()
        rest = b""
        async for piece in data:
            *whole, rest = (rest + piece).split(b"\n\n")
            for event in map(_event, whole):
                if event.get("type") == "error":
                    error = event.get("error") or {}
                    raise ApiError(529, str(error.get("type")), str(error.get("message")))
                yield event
                if event.get("type") == "message_stop":
                    return
        raise ConnectionLost("the stream ended before the message did")

    async def _answer(self) -> tuple[Mapping[str, str], AsyncIterator[bytes]]:
        try:
            reader = await self._send()
            status, headers = await _head(reader)
        except (OSError, EOFError, ValueError) as exc:
            raise ConnectionLost(str(exc)) from exc
        data = _chunks(reader) if headers.get("transfer-encoding") == "chunked" else _sized(reader, headers)
        if status != 200:
            raise _error(status, b"".join([piece async for piece in data]), headers)
        return headers, data

    async def _send(self) -> asyncio.StreamReader:
        host, port = self._url.hostname or "", self._url.port or 80
        reader, self._writer = await asyncio.open_connection(host, port, limit=LINE_LIMIT)
        if self._aborted:
            self._writer.transport.abort()
        head = [
            "POST /v1/messages?beta=true HTTP/1.1",
            f"host: {self._url.netloc}",
            "content-type: application/json",
            f"content-length: {len(self._body)}",
            "connection: close",
            *(f"{name}: {value}" for name, value in self._headers.items()),
        ]
        self._writer.write("\r\n".join([*head, "", ""]).encode() + self._body)
        await self._writer.drain()
        return reader


async def _head(reader: asyncio.StreamReader) -> tuple[int, Mapping[str, str]]:
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in rest if line)
    return int(first.split(" ")[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _sized(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    try:
        yield await reader.readexactly(int(headers.get("content-length", "0")))
    except (OSError, EOFError) as exc:
        raise ConnectionLost(str(exc)) from exc


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    try:
        while size := int(await reader.readuntil(b"\r\n"), 16):
            yield await reader.readexactly(size)
            await reader.readexactly(2)
    except (OSError, EOFError, ValueError) as exc:
        raise ConnectionLost(str(exc)) from exc


def _event(block: bytes) -> dict[str, Any]:
    data = b"".join(line.removeprefix(b"data:") for line in block.split(b"\n") if line.startswith(b"data:"))
    try:
        value = json.loads(data) if data.strip() else {}
    except ValueError as exc:
        raise ConnectionLost(f"an event that is no JSON: {exc}") from exc
    return value if isinstance(value, dict) else {}


def _error(status: int, body: bytes, headers: Mapping[str, str]) -> ApiError:
    try:
        error = json.loads(body).get("error", {})
    except (ValueError, AttributeError):
        error = {}
    return ApiError(status, str(error.get("type", "api_error")), str(error.get("message", "")), headers)
