"""The server below the scripted model, at its edges."""

import http.client
import logging
import socket
import struct
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from bascule.demo.server import Exchange, Loopback


def address(server: Loopback) -> tuple[str, int]:
    host, _, port = urlsplit(server.url).netloc.partition(":")
    return host, int(port)


def hello(exchange: Exchange) -> None:
    exchange.answer(200, {"length": len(exchange.body)}, {})


def fetch(server: Loopback, headers: dict[str, str]) -> bytes:
    connection = http.client.HTTPConnection(*address(server), timeout=10)
    try:
        connection.request("POST", "/", headers=headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def test_bug_behind_the_server_is_logged_and_the_connection_ends(caplog: pytest.LogCaptureFixture) -> None:
    def broken(exchange: Exchange) -> None:
        raise ZeroDivisionError

    server = Loopback(broken)
    with pytest.raises(http.client.RemoteDisconnected):
        fetch(server, {})
    server.close()
    assert "the scripted model failed at a request" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_client_that_resets_its_connection_is_no_bug(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "bascule.demo"):
        server = Loopback(hello)
        client = socket.create_connection(address(server), timeout=10)
        client.sendall(b"POST /")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert fetch(server, {}) == b'{"length": 0}'
        server.close()
    assert {record.levelname for record in caplog.records} == {"DEBUG"}


@pytest.mark.parametrize("length", ["", "many"])
def test_odd_length_is_read_as_no_body(length: str) -> None:
    server = Loopback(hello)
    assert fetch(server, {"content-length": length}) == b'{"length": 0}'
    server.close()


@pytest.mark.parametrize("connect", [lambda server: None, lambda server: fetch(server, {})])
def test_closed_server_takes_no_connection(connect: Callable[[Loopback], object]) -> None:
    server = Loopback(hello)
    connect(server)
    server.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address(server), timeout=10)
