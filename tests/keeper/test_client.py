"""One client: what is recorded and what is said reaches it as one stream, however slowly it reads."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bascule.keeper.client import WORDS, Client
from bascule.keeper.record import Record

STEPS = st.lists(
    st.tuples(st.sampled_from(["record", "say", "read"]), st.integers(0, 300_000)), min_size=1, max_size=30
)


@contextmanager
def connected(folder: Path) -> Iterator[tuple[Client, Record, socket.socket]]:
    """A client, what is recorded, and the client's own end of the connection."""
    record = Record(str(folder / "recording.jsonl"), 0.0)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    with ours, theirs:
        yield Client(ours, record), record, theirs


def taken(theirs: socket.socket, limit: int) -> bytes:
    """What can be read now, at most so much."""
    try:
        return theirs.recv(limit) if limit else b""
    except BlockingIOError:
        return b""


def everything(client: Client, theirs: socket.socket) -> bytes:
    """What is still to come."""
    rest = b""
    while not client.has_all:
        client.pump()
        while more := taken(theirs, 1_000_000):
            rest += more
    return rest


@settings(deadline=None, max_examples=50)
@given(before=st.integers(0, 3), steps=STEPS)
def test_what_is_said_stands_after_what_was_recorded(
    tmp_path_factory: pytest.TempPathFactory, before: int, steps: list[tuple[str, int]]
) -> None:
    with connected(tmp_path_factory.mktemp("client")) as (client, record, theirs):
        for number in range(before):
            record.append(0.0, [("out", f"before {number}")])
        client.attach(0)
        expected: list[Any] = [
            {"attached": before},
            *(f"before {number}" for number in range(before)),
            {"live": before},
        ]
        got = b""
        for number, (step, size) in enumerate(steps):
            match step:
                case "record":
                    record.append(0.0, [("out", f"{number}" + "x" * size)])
                    expected.append(f"{number}" + "x" * size)
                case "say":
                    client.say(number=number)
                    expected.append({"number": number})
                case "read":
                    client.pump()
                    got += taken(theirs, size)
        while more := taken(theirs, 1_000_000):
            got += more
        told = [json.loads(line) for line in (got + everything(client, theirs)).splitlines()]
    assert [line.get("line", line) for line in told] == expected


def test_one_who_is_not_attached_gets_words_alone(tmp_path: Path) -> None:
    with connected(tmp_path) as (client, record, theirs):
        record.append(0.0, [("out", "recorded")])
        client.say(hello=1)
        assert everything(client, theirs) == b'{"hello":1}\n'
        assert not client.attached


def test_one_that_asks_and_never_reads_is_given_up(tmp_path: Path) -> None:
    with connected(tmp_path) as (client, _, _):
        for _ in range(WORDS):
            client.say(hello=1)
        assert not client.gone
        client.say(hello=1)
        assert client.gone


def test_what_it_said_before_it_went_is_heard(tmp_path: Path) -> None:
    with connected(tmp_path) as (client, record, theirs):
        client.attach(0)
        theirs.send(b'{"end"')
        theirs.send(b": true}\n[]\n{no json\n{")
        theirs.close()
        record.append(0.0, [("out", "x")])
        assert not client.pump()
        assert not client.gone
        assert client.has_all
        assert list(client.hear()) == [{"end": True}, [], None]
        assert list(client.hear()) == []
        assert client.gone


def test_one_that_says_nothing_is_no_one_that_went(tmp_path: Path) -> None:
    with connected(tmp_path) as (client, _, _):
        assert list(client.hear()) == []
        assert not client.gone
