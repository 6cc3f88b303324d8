"""One client at the socket. What it has not read yet stays in the recording file, so that a slow one costs nothing."""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Iterator

from bascule.keeper.record import Record

AT_ONCE = 64 * 1024
CHUNKS = 16
"""After so many in a row it is another's turn."""
WORDS = 10_000
"""A client that has asked for so much and read none of it is no client."""


class Client:
    """What goes to a client is one stream: the lines of the file, and ours, each in its place between them."""

    def __init__(self, connection: socket.socket, record: Record) -> None:
        connection.setblocking(False)
        self.socket = connection
        self.gone = False
        self.blocked = False
        """The loop wakes when it takes more."""
        self._record = record
        self._at: int | None = None
        """How far the file was sent; None: the client is not attached."""
        self._words: deque[tuple[int, bytes]] = deque()
        """What we say, and after how much of the file."""
        self._out = memoryview(b"")
        self._heard: list[bytes] = []
        self._deaf = False

    @property
    def attached(self) -> bool:
        """It is sent what is recorded."""
        return self._at is not None

    @property
    def has_all(self) -> bool:
        """Everything that is there for it was sent."""
        return self._deaf or (not self._out and not self._words and self._at in (None, self._record.size))

    def hear(self) -> Iterator[object]:
        """What it said, each as its JSON; None for what is no JSON."""
        try:
            chunk = self.socket.recv(AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        self.gone = not chunk
        first, *later = chunk.split(b"\n")
        self._heard.append(first)
        for piece in later:
            line = b"".join(self._heard)
            self._heard = [piece]
            yield _json(line)

    def attach(self, known: int) -> None:
        """Say how many lines there are, send those after the first ``known``, say that this was all; then go on."""
        self._words.append((0, _line(attached=self._record.lines)))
        self._at = self._record.start_of(known)
        self.say(live=self._record.lines)

    def say(self, **message: object) -> None:
        """Tell it something, after all that is in the file now."""
        self.say_line(_line(**message))

    def say_line(self, line: bytes) -> None:
        """The same for a line that is made already."""
        self._words.append((self._record.size, line))
        self.gone = self.gone or len(self._words) > WORDS

    def begin_anew(self) -> None:
        """The file was cut: what it had and was not sent is lost, and what comes goes on."""
        if self._at is not None:
            self._at = self._record.size
        self._words = deque((self._at or 0, word) for _, word in self._words)

    def pump(self) -> bool:
        """Send what it takes; whether there is more that it does not take now."""
        try:
            for _ in range(0 if self._deaf else CHUNKS):
                self._out = self._out or memoryview(self._next())
                if not self._out:
                    return False
                self._out = self._out[self.socket.send(self._out) :]
        except BlockingIOError:
            return True
        except OSError:
            self._deaf = True  # what it said before it went is still to be heard
        return not self.has_all

    def _next(self) -> bytes:
        if self._words and (self._at is None or self._words[0][0] <= self._at):
            return self._words.popleft()[1]
        if self._at is None:
            return b""
        until = self._words[0][0] if self._words else self._record.size
        chunk = self._record.read(self._at, min(AT_ONCE, until - self._at))
        self._at += len(chunk)
        return chunk


def _line(**message: object) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _json(line: bytes) -> object:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value
