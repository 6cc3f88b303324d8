"""What is said on a socket: one JSON object a message, told apart by ``type``; docs/reference/socket.md shows them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.commands import HubCommand, Receipt
from bascule.conversation import OpenAsk, Placed, SessionFacts
from bascule.events import AnyEvent, to_json
from bascule.ids import CommandId, SessionId
from bascule.web.keys import Role
from bascule.web.problems import Problem
from bascule.web.settings import MIB

# From the client.


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag="hello", tag_field="type"):
    """What the client wants to hear. A second one takes the place of the first."""

    session: SessionId
    """``all``: every session, with positions in place of numbers."""
    after: int | None = None
    """The number, or position, of the last event that it has; null: from now on, of one session from its beginning."""
    epoch: str | None = None
    """Of the welcome that ``after`` belongs to."""


class Send(msgspec.Struct, frozen=True, kw_only=True, tag="command", tag_field="type"):
    """A command."""

    command: HubCommand


class Beat(msgspec.Struct, frozen=True, kw_only=True, tag="beat", tag_field="type"):
    """I am here. Either side says so when it has nothing else to say."""


ClientFrame: TypeAlias = Hello | Send | Beat

# From the server.


class Welcome(msgspec.Struct, frozen=True, kw_only=True, tag="welcome", tag_field="type"):
    """The answer to a hello: what follows are the events after ``after``, in order."""

    session: SessionId
    epoch: str
    after: int | None
    role: Role
    """What the client's key may do."""
    beat_s: float
    """How often the server says something; twice that without a word, and the connection is dead."""
    silent_s: float
    """How long the client may say nothing."""
    facts: SessionFacts | None = None
    """Of one session."""
    asks: tuple[OpenAsk, ...] = ()
    """Those that are open: of the session, or all."""


class Resync(msgspec.Struct, frozen=True, kw_only=True, tag="resync", tag_field="type"):
    """No more events follow: what the client has no longer fits. It fetches the last window and says hello again."""

    reason: Literal["epoch", "position", "slow"]
    """Another store; a number that does not exist here; too slow a reader."""
    epoch: str


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended", tag_field="type"):
    """The session has ended, and all its events were told."""

    session: SessionId


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="receipt", tag_field="type"):
    """What came of a command."""

    command_id: CommandId
    receipt: Receipt


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="problem", tag_field="type"):
    """A frame that was refused."""

    problem: Problem
    command_id: CommandId | None = None
    """Of a command that could be read."""


ServerFrame: TypeAlias = Welcome | Resync | Ended | Answered | Failed | Beat

EVENTS: Final = b'{"type":"events","events":['
PLACED: Final = b'{"type":"placed","placed":['
END: Final = b"]}"

_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(ClientFrame)


class CommandOf(msgspec.Struct):
    """As much of a command as tells whom to answer."""

    command_id: str | None = None


class _Envelope(msgspec.Struct):
    command: CommandOf | None = None


def read(data: bytes | str) -> ClientFrame:
    """The frame that ``data`` holds. Raises ``msgspec.DecodeError`` with the field that is wrong."""
    return _decoder.decode(data)


def sender_of(data: bytes | str) -> CommandId | None:
    """The id of a command that could not be read, where that much of it can."""
    try:
        envelope = msgspec.json.decode(data, type=_Envelope)
    except msgspec.DecodeError:
        return None
    found = envelope.command.command_id if envelope.command else None
    return None if found is None else CommandId(found)


def written(frame: ServerFrame) -> bytes:
    """The frame as JSON."""
    return _encoder.encode(frame)


def placed(position: int | None, event: bytes) -> bytes:
    """An event that is JSON already, with its position over all sessions."""
    return b'{"position":%s,"event":%s}' % (b"null" if position is None else str(position).encode(), event)


class Written:
    """Events as JSON, kept for the next reader of the same one: of many readers only the first pays."""

    def __init__(self, limit_bytes: int = 8 * MIB) -> None:
        self._limit = limit_bytes
        self._bytes = 0
        self._kept: OrderedDict[int, tuple[AnyEvent, bytes]] = OrderedDict()

    def json(self, event: AnyEvent) -> bytes:
        """The event as JSON. It is known by being the same object, which is kept so that no other takes its place."""
        kept = self._kept.get(id(event))
        if kept is not None:
            return kept[1]
        text = to_json(event)
        self._kept[id(event)] = (event, text)
        self._bytes += len(text)
        while self._bytes > self._limit:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._bytes -= len(oldest)
        return text


def event_of(item: AnyEvent | Placed) -> AnyEvent:
    """The event, wherever it stands."""
    return item.event if isinstance(item, Placed) else item
