"""What happens at a terminal, in one line: events, keys, receipts, signals and the clock.

One task takes from it, so that whatever decides needs no lock and sees everything in one order.
"""

from __future__ import annotations

import asyncio
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.commands import AnyCommand, Receipt, Refused
from bascule.conversation import Conversation
from bascule.errors import BasculeError
from bascule.events import AnyEvent
from bascule.ids import CommandId
from bascule.terminal.keys import Key

INBOX: Final = 1_000
"""Happenings that wait. When it is full, the events wait at their source, and keys are dropped."""
BEAT_S: Final = 0.1
"""How often what moves is drawn anew when nothing happens."""


class Told(NamedTuple):
    """What came of a command."""

    command: AnyCommand
    receipt: Receipt


Sign: TypeAlias = Literal["interrupt", "terminate", "suspend", "deadline", "beat", "ended"]
Happening: TypeAlias = AnyEvent | Key | Told | Sign


def new_id() -> CommandId:
    """An id for a command of ours."""
    return CommandId(str(uuid.uuid4()))


def now_ms() -> int:
    """The clock of the events."""
    return time.time_ns() // 1_000_000


class Inbox:
    """What happens, in one line, from the conversation, the keyboard, the clock and the system."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._queue: asyncio.Queue[Happening] = asyncio.Queue(INBOX)
        self._last: list[Sign] = []
        """Why it is to end; not in the queue, which may be full."""
        self.ending = asyncio.Event()
        """The system or the clock wants the end, for whoever keeps the one who takes from the line waiting."""

    async def next(self) -> list[Happening]:
        """What has happened since, at least one thing, the signs of the end last."""
        happened = [await self._queue.get()]
        while not self._queue.empty():
            happened.append(self._queue.get_nowait())
        last, self._last = self._last, []
        return [*happened, *last]

    def offer(self, happening: Key | Sign) -> None:
        """A key or a sign. Dropped when the line is full, but for what ends all: a person or the clock comes again."""
        if happening == "terminate" or happening == "deadline":
            self._last.append(happening)
            self.ending.set()
            happening = "beat"  # whoever waits for the next thing is woken, and given the last ones too
        if not self._queue.full():
            self._queue.put_nowait(happening)

    async def listen(self) -> None:
        """Put in whatever the conversation tells, until it ends."""
        async for event in self._conversation.events():
            await self._queue.put(event)
        await self._queue.put("ended")

    async def send(self, command: AnyCommand) -> None:
        """Send a command, and put in what came of it."""
        try:
            receipt = await self._conversation.send(command)
        except BasculeError as exc:
            receipt = Refused(reason=str(exc))
        await self._queue.put(Told(command, receipt))

    async def beat(self) -> None:
        """Put in a beat, again and again."""
        while True:
            await asyncio.sleep(BEAT_S)
            self.offer("beat")


@contextmanager
def signals(inbox: Inbox) -> Iterator[None]:
    """Ctrl-C and the signals that end a program come in as signs."""
    loop = asyncio.get_running_loop()
    signs: dict[signal.Signals, Sign] = {
        signal.SIGINT: "interrupt",
        signal.SIGTERM: "terminate",
        signal.SIGHUP: "terminate",
    }
    for number, sign in signs.items():
        loop.add_signal_handler(number, inbox.offer, sign)
    try:
        yield
    finally:
        for number in signs:
            loop.remove_signal_handler(number)


@contextmanager
def deadline(inbox: Inbox, after_s: float | None) -> Iterator[None]:
    """A sign comes in when the time is over; None: it never is."""
    timer = None if after_s is None else asyncio.get_running_loop().call_later(after_s, inbox.offer, "deadline")
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
