"""The pipe to a CLI through its keeper: the other end of what ``bascule.keeper.keeper`` says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

import msgspec

from bascule.aio.finish import finish
from bascule.errors import ProcessLost, RecordingError
from bascule.recording import Damage, Entry, Exit, decode, exit_of
from bascule.transport.ends import Limits
from bascule.transport.pipe import GRACE_S, Ours, checked
from bascule.wire.codec import decode as message_of
from bascule.wire.control import ControlResponse

log = logging.getLogger("bascule.transport")

VERSION: Final = 1
"""Of what is said at the socket; a keeper of another version is refused."""
ANSWER_S: Final = 10.0
"""A keeper that lives answers at once; the machine may be busy."""


class Written(msgspec.Struct, frozen=True):
    """It is recorded and on its way to the CLI."""

    line: int | None
    """The number of its first entry; None while the disk is full."""


class Refused(msgspec.Struct, frozen=True):
    """Nothing of it was recorded, nothing sent."""

    reason: str
    """``duplicate``: that key was used; ``closed``: the CLI takes no more; ``full``: it reads nothing, and too much
    waits; ``malformed``; ``lost``: the keeper died before it said."""
    at: int | None = None
    """Of a duplicate: the line of what was written under that key."""


class Cable(asyncio.Protocol):
    """Our end of the socket, as asyncio calls it: lines come out of it, messages go in."""

    def __init__(self, hear: Callable[[bytes], None], cut: Callable[[], None]) -> None:
        self._hear = hear
        self._cut = cut
        self._pieces: list[bytes] = []
        self._held = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is plugged in."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Something came."""
        first, *later = data.split(b"\n")
        self._pieces.append(first)
        if later:
            *lines, begun = b"".join(self._pieces), *later
            self._pieces = [begun]
            for line in lines:
                self._hear(line)

    def connection_lost(self, exc: Exception | None) -> None:
        """The keeper is gone, or we are."""
        self._transport = None
        self._cut()

    def say(self, **message: Any) -> None:
        """Send a message; nothing when nobody is there."""
        if self._transport is not None:
            self._transport.write(json.dumps(message).encode("ascii") + b"\n")

    def hold(self, *, held: bool) -> None:
        """Leave what comes to the keeper, or take it again."""
        if self._transport is None or held == self._held:
            return
        self._held = held
        if held:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def unplug(self) -> None:
        """Once what was said is sent; nothing is heard any more."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None


class KeeperPipe:
    """A ``Pipe`` through a keeper; see ``bascule.transport.keeper.attach``, which alone makes one.

    An answer to a request of the CLI reaches the CLI once, whoever sends it how often: the keeper takes the second for
    a duplicate. ``write`` cannot tell, since it does not wait; who must know asks ``send``. In the stream stands what
    holds: the answer that the CLI was given.
    """

    def __init__(self, after: int, limits: Limits, *, within_s: float, bury: Callable[[], Awaitable[None]]) -> None:
        self.line = after
        """The number of the last entry that ``read`` gave. What a full disk left out has none."""
        self.history_until = after
        """The line at which the past ended when we came. One ``read`` never gives entries of both sides of it."""
        self.lost = 0
        """Entries that were not recorded, as told last; ``read`` gave them, if it was not very far behind."""
        self._limits = limits
        self._within_s = within_s
        self._bury = bury
        self._cable = Cable(self._hear, self._cut)
        self._attached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unread: deque[tuple[int, Entry | Damage]] = deque()
        self._received = after
        self._now = 0.0
        self._size = 0
        self._exit: Exit | None = None
        self._asked: deque[asyncio.Future[Written | Refused]] = deque()
        self._takes_lines = True
        self._has_ended = False
        """The CLI had ended when we came."""
        self._is_closing = False
        self._all_ended = False
        self._has_left = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._over = asyncio.Event()
        """The keeper told that all is ended, or is not there any more."""

    async def connect(self, path: str, folder: str) -> None:
        """Attach at the socket ``path``. Raises ``OSError``, or as ``attach`` does."""
        await asyncio.get_running_loop().create_unix_connection(lambda: self._cable, path)
        self._cable.say(attach=self.line)
        try:
            async with asyncio.timeout(self._within_s):
                await self._attached
        except TimeoutError as exc:
            raise ProcessLost(f"the keeper in {folder} does not answer: look whether it is stopped") from exc
        if self.history_until < self.line:
            raise RecordingError(f"the recording in {folder} has {self.history_until} lines, not {self.line}", folder)

    def detach(self) -> None:
        """Leave; the CLI goes on, and nothing more is read."""
        self._has_left = True
        self._finish(Exit())
        self._cable.unplug()

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``. When the keeper dies without a word of the CLI's end, the exit is an unknown one."""
        while self._unread or self._exit is None:
            if taken := self._taken():
                return taken
            if not self._unread:
                self._news.clear()
                await self._news.wait()
        return ()

    def _taken(self) -> tuple[Entry, ...]:
        """What is there of the past; once that was given, what came since."""
        until = self.history_until if self.line < self.history_until else sys.maxsize
        taken = []
        while self._unread and self._unread[0][0] <= until:
            self.line, entry = self._unread.popleft()
            if isinstance(entry, Entry):
                self._size -= len(entry.line)
                taken.append(entry)
        self._regulate()
        return tuple(taken)

    def write(self, *entries: Ours) -> bool:
        """As ``Pipe.write``; true means that it was sent to the keeper, which may yet refuse it (see ``send``)."""
        checked(entries)
        if self._exit is not None or (not self._takes_lines and any(direction == "in" for direction, _ in entries)):
            return False
        self._ask(entries, _answered(entries)).add_done_callback(_complain)
        return True

    async def send(self, *entries: Ours, key: str | None = None) -> Written | Refused:
        """As ``write``, and what the keeper says to it. ``key``: by default the id of the request that it answers.

        What it says comes after all that was recorded before, so somebody must be reading. Cancelled, it may have been
        written or not: send it again, under its key.
        """
        checked(entries)
        if self._over.is_set():
            return Refused("lost")
        return await asyncio.shield(self._ask(entries, key or _answered(entries)))

    async def drain(self) -> None:
        """As ``Pipe.drain``."""
        await self._room.wait()

    def end(self) -> None:
        """As ``Pipe.end``."""
        self._takes_lines = False
        self._room.set()
        self._cable.say(end=True)

    def signal(self, number: int) -> None:
        """As ``Pipe.signal``."""
        self._cable.say(signal=number)

    async def close(self, *, grace_s: float = GRACE_S) -> Exit:
        """As ``Pipe.close``: the CLI and all that it started is ended, and the keeper ends too.

        Where the keeper has died, what it left is ended.
        """
        return await finish(self._close(grace_s))

    async def _close(self, grace_s: float) -> Exit:
        self._is_closing = True
        self._regulate()
        self._takes_lines = False
        self._cable.say(close=grace_s)
        limits = self._limits
        patience_s = grace_s + limits.term_s + limits.kill_s + 2 * limits.orphans_s + self._within_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._over.wait()
        if not self._all_ended and not self._has_left:
            await self._bury()
            self._finish(Exit())
        return self._exit or Exit()

    def _ask(self, entries: tuple[Ours, ...], key: str | None) -> asyncio.Future[Written | Refused]:
        asked: asyncio.Future[Written | Refused] = asyncio.get_running_loop().create_future()
        self._asked.append(asked)
        self._room.clear()
        self._cable.say(write=entries, key=key)
        return asked

    def _hear(self, line: bytes) -> None:
        if not line.startswith(b'{"t":'):
            self._obey(json.loads(line))
            return
        self._received += 1
        entry = decode(line, self._received)
        self._take(entry)
        if self._received > self.history_until - self._has_ended:
            self._end_with(entry)

    def _take(self, entry: Entry | Damage) -> None:
        """What is no entry is a line of the file all the same: it counts, and is left out."""
        self._unread.append((self._received, entry))
        if isinstance(entry, Entry):
            self._now = entry.t
            self._size += len(entry.line)
        self._news.set()
        self._regulate()

    def _end_with(self, entry: Entry | Damage) -> None:
        """Of the CLI that runs now: the recording may tell the ends of earlier ones."""
        if isinstance(entry, Entry) and entry.dir == "exit":
            self._finish(exit_of(entry.line))

    def _obey(self, message: dict[str, Any]) -> None:
        match message:
            case {"hello": {"version": version, "exit": how}, "shut": shut}:
                self._greet(version)
                self._has_ended = how is not None
                self._takes_lines = not shut
            case {"attached": int(lines)} | {"refused": "attach", "lines": int(lines)}:
                self.history_until = lines
                if not self._attached.done():
                    self._attached.set_result(None)
            case {"written": line, "room": room}:
                self._answer(Written(line), room=room)
            case {"refused": str(reason), "key": _, **rest}:
                self._answer(Refused(reason, rest.get("at")), room=reason != "full")
            case _:
                self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        match message:
            case {"unkept": told}:
                entry = Entry(told["t"], told["dir"], told["line"])
                self._take(entry)
                self._end_with(entry)
            case {"lost": int(count)}:
                self.lost = count
            case {"room": _} if not self._asked:
                self._room.set()
            case {"shut": _}:
                self._takes_lines = False
                self._room.set()
            case {"closed": _}:
                self._all_ended = True
                self._over.set()

    def _greet(self, version: object) -> None:
        if version != VERSION and not self._attached.done():
            why = f"the keeper speaks version {version}, this bascule {VERSION}: attach with the one that started it"
            self._attached.set_exception(ProcessLost(why))

    def _answer(self, said: Written | Refused, *, room: bool) -> None:
        asked = self._asked.popleft()
        if not asked.done():
            asked.set_result(said)
        if room and not self._asked:
            self._room.set()

    def _finish(self, how: Exit) -> None:
        self._exit = self._exit or how
        self._takes_lines = False
        self._room.set()
        self._news.set()
        self._regulate()

    def _cut(self) -> None:
        """The keeper is not there any more: after the exit that is well; else nobody can tell how the CLI ended."""
        if not self._attached.done():
            self._attached.set_exception(ProcessLost("the keeper is gone: its recording tells what happened"))
        if self._exit is None:
            self._take(Entry(self._now, "exit", msgspec.json.encode(Exit()).decode()))
        self._finish(Exit())
        while self._asked:
            self._answer(Refused("lost"), room=True)
        self._over.set()

    def _regulate(self) -> None:
        """Above the high-water mark leave it to the keeper, which reads it back from the file; not once it is over."""
        self._cable.hold(held=self._size > self._limits.high_water and not self._is_closing and self._exit is None)


def _answered(entries: tuple[Ours, ...]) -> str | None:
    """The id of the CLI's request that is answered there."""
    for direction, line in entries:
        if direction == "in" and '"control_response"' in line:
            message = message_of(line)
            if isinstance(message, ControlResponse):
                return message.response.request_id
    return None


def _complain(asked: asyncio.Future[Written | Refused]) -> None:
    """A duplicate is in the stream already, and a CLI that takes no more is about to end; the rest is told nowhere."""
    match asked.result():
        case Refused("full" | "malformed" as reason):
            log.warning("the keeper refused to write: %s", reason)
