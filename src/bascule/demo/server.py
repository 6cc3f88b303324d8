"""HTTP on loopback in threads, with an end: when `close` returns, no thread and no socket of it is left.

Here: connections, whole answers, chunked answers, broken answers. What is answered is the caller's.
"""

from __future__ import annotations

import json
import logging
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

log = logging.getLogger("bascule.demo")

LOOPBACK: Final = "127.0.0.1"
POLL_S: Final = 0.05
"""How soon the accepting thread notices that it shall end."""
CLOSE_S: Final = 5.0
"""How long `close` waits for threads. They end by themselves, since their sockets are shut and their waits over."""


class Exchange(BaseHTTPRequestHandler):
    """One connection; for each request on it `serve` is called with the exchange, and answers by its verbs."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, serve: Callable[[Exchange], None], *connection: Any) -> None:
        self._serve = serve
        super().__init__(*connection)

    def _exchange(self) -> None:
        length = str(self.headers.get("content-length", ""))
        try:
            self.body = self.rfile.read(int(length) if length.isdecimal() else 0)
            self._serve(self)
        except ConnectionError:
            log.debug("the client left before its answer was complete")
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _exchange

    def answer(self, status: int, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> None:
        """The whole answer: a JSON body, or none."""
        data = b"" if body is None else json.dumps(body).encode()
        self._head(status, {"content-type": "application/json", "content-length": str(len(data)), **headers})
        if self.command != "HEAD":
            self.wfile.write(data)

    def begin(self, headers: Mapping[str, str]) -> None:
        """The head of a chunked answer with status 200; `send` and `finish` follow."""
        self._head(200, {"transfer-encoding": "chunked", **headers})

    def send(self, data: bytes) -> None:
        """One chunk, on the wire at once."""
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def finish_chunks(self) -> None:
        """The end of a chunked answer; without it the client sees a broken one."""
        self.wfile.write(b"0\r\n\r\n")

    def abort(self) -> None:
        """The connection ends here, whatever the client still waits for."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Requests go to the log and not to stderr, where the demo draws."""
        log.debug(format, *args)


class Loopback(socketserver.ThreadingTCPServer):
    """A server on 127.0.0.1; port 0 takes a free one. Not `HTTPServer`, which looks its own name up when it binds."""

    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, serve: Callable[[Exchange], None], port: int = 0) -> None:
        super().__init__((LOOPBACK, port), partial(Exchange, serve))
        self._guard = threading.Lock()  # over the two below
        self._connections: set[socket.socket] = set()
        self._serving: list[threading.Thread] = []
        self._accepting = threading.Thread(
            target=self.serve_forever, args=(POLL_S,), name="scripted model", daemon=True
        )
        self._accepting.start()

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://{LOOPBACK}:{self.server_address[1]}"

    def close(self) -> None:
        """Stops accepting, shuts every connection, waits for the threads. Called twice it does nothing."""
        self.shutdown()
        self._accepting.join(CLOSE_S)
        with self._guard:
            connections, serving = tuple(self._connections), tuple(self._serving)
        for connection in connections:
            _shut(connection)
        deadline = time.monotonic() + CLOSE_S
        for thread in serving:
            thread.join(max(0.0, deadline - time.monotonic()))
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Each connection has its thread, and both are known to `close`."""
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), name="scripted reply", daemon=True
        )
        with self._guard:
            self._connections.add(request)
            self._serving = [*(one for one in self._serving if one.is_alive()), thread]
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is a normal end; anything else is a bug of ours."""
        if isinstance(sys.exc_info()[1], OSError):
            log.debug("a connection ended early", exc_info=True)
        else:
            log.exception("the scripted model failed at a request")


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        log.debug("the connection was closed already")
