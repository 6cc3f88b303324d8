"""The line to the CLI: what it says is read, kept and passed on; what we say is written; who asked is answered.

One reader, which never waits for a person, and any number of writers, which never wait at all. What the CLI's requests
are answered with is decided elsewhere: here they are only handed on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, TypedDict

from bascule import recording
from bascule.errors import (
    BasculeError,
    LocalProtocolError,
    ProcessLost,
    RequestFailed,
    SessionClosed,
    UnsupportedRequest,
)
from bascule.events import (
    AnyEvent,
    ContextWindow,
    MessageChunk,
    Reasoning,
    SessionEnded,
    Todos,
    ToolCall,
    ToolUpdate,
)
from bascule.ids import SessionId
from bascule.protocol.connection import (
    AnswerReceived,
    Connection,
    ConnectionEvent,
    RequestReceived,
    RequestWithdrawn,
    TooLate,
)
from bascule.recording import Entry, Note
from bascule.session.journal import Journal, JournalPort
from bascule.session.past import Past
from bascule.transcript.fold import Fold
from bascule.transport.pipe import Ours, Pipe, RecordedPipe
from bascule.wire.codec import decode, prepare
from bascule.wire.control import (
    Answer,
    ControlCancel,
    ControlRequest,
    ControlResponse,
    Failed,
    OurRequest,
    Succeeded,
    UnknownRequest,
)
from bascule.wire.messages import User
from bascule.wire.shape import Message

log = logging.getLogger("bascule.session")

_SPOKEN: Final = frozenset(("in", "out"))

CONTROL: Final = (ControlRequest, ControlResponse, ControlCancel)
"""What the connection has to hear of; everything else is the conversation, which is the fold's."""

TELLING: Final = frozenset((MessageChunk, Reasoning, ToolCall, ToolUpdate, ContextWindow, Todos))
"""Events that nobody acts on: those of several lines may be stored and told together, with the fold ahead of them."""

AT_ONCE: Final = 64
"""Events that wait for each other at most."""

REQUEST_S: Final = 60.0
"""How long the CLI may take to answer a request of ours; it takes milliseconds (wire 1.3), unless it hangs."""


class Listener(NamedTuple):
    """Who is told what happens on the line, at once and in order. None of them may raise or wait."""

    happened: Callable[[AnyEvent], None]
    """An event was published."""
    requested: Callable[[ControlRequest], None]
    """The CLI asks; it waits for exactly one answer."""
    withdrawn: Callable[[str], None]
    """The CLI needs no answer to the request of this id any more."""
    caught_up: Callable[[], None]
    """All that was there to read was told."""
    ended: Callable[[], None]
    """The process is gone, and everything that it said was told."""


class LastWords(TypedDict):
    """What a ``ProcessError`` tells of the process."""

    exit_code: int | None
    signal: str | None
    argv: tuple[str, ...]
    stderr_tail: str


class Asking(NamedTuple):
    """A request of ours that was written."""

    request_id: str
    subtype: str


class Line:
    """The line to one CLI process. ``fold``, ``past`` and ``journal`` are read from outside, and written only here."""

    def __init__(
        self,
        pipe: Pipe,
        fold: Fold,
        session: SessionId,
        *,
        past: Past | None = None,
        journal: JournalPort | None = None,
        prefix: str = "bascule",
    ) -> None:
        """``fold`` and ``past`` know what was read before; ``prefix`` begins the ids of our requests."""
        self.log = logging.LoggerAdapter(log, {"session": session})
        """Each record carries the session's id."""
        self.fold = fold
        self.past = Past() if past is None else past
        self.journal = Journal(after=fold.last_seq) if journal is None else journal
        self.over = False
        """Everything that the process said was read; or we left."""
        self.left = False
        """We left the process to itself."""
        self._pipe = pipe
        self._prefix = prefix
        self._connection = Connection(prefix=prefix)
        self._answers: dict[str, asyncio.Future[Succeeded | Failed | None]] = {}
        self._news = asyncio.Event()
        self._at = _line_of(pipe)
        self._reading = asyncio.Lock()
        """Held while what was read is passed on, which may wait for the journal."""
        self._begun = False
        self._closed = False
        """We had the process ended."""
        self._reader: asyncio.Task[object] | None = None
        self.heard_at = asyncio.get_running_loop().time()
        """When the CLI said something of the conversation last, or a request of its was answered; the loop's time."""
        self._now = self.heard_at
        self.has_spoken = False
        """Whether the CLI said anything while it was waited for to start."""
        self._silence: asyncio.Timeout | None = None
        self._silence_s: float | None = None

    async def recall(self, pipe: RecordedPipe) -> None:
        """Read what ``pipe`` has of the past. Nobody is told, nobody is answered; its events come into the journal."""
        while pipe.line < pipe.history_until and (entries := await pipe.read()):
            told = [event for entry in entries for event in self._feed(entry)[1] if event.seq is not None]
            if told:
                await self.journal.store(told, line=told[-1].line)
                self.journal.publish(told, chars=sum(len(entry.line) for entry in entries))
        self.fold.number_after(self.journal.last)
        self._at = pipe.line
        self._connection = self.past.connection.again(prefix=self._prefix)

    def serve_again(self, listener: Listener) -> None:
        """Hand on the requests of the CLI that were open when the past ended."""
        for event in self._connection.recalled():
            listener.requested(event.request)

    def start(self, tasks: asyncio.TaskGroup, listener: Listener, *, name: str) -> None:
        """Have a task ``listen``."""
        self._begun = True
        tasks.create_task(self.listen(listener), name=name)

    async def listen(self, listener: Listener) -> None:
        """Read until the process has ended, or until we leave.

        Cancelled, which a loop does that shuts down, it is over as well: nobody is to wait for a word any more.
        """
        self._reader = asyncio.current_task()
        try:
            prepare()  # the CLI takes longer to start
            while not self.left and (entries := await self._pipe.read()):
                async with self._reading:
                    await self._pass_on(entries, listener)
                    self._at = _line_of(self._pipe)
            if not self.left:
                await self._publish(self._close(), listener)
        finally:
            self._end(listener)

    async def leave(self) -> None:
        """Write nothing any more, read nothing any more, and return once all that waited here knows it.

        Where the process was ended, what it said to the last is still read.
        """
        if not (self.over or self._closed):
            self.left = True
            self.over = not self._begun
            if self._reader is not None:
                self._reader.cancel()
        await self.until(lambda: self.over)

    async def between(self) -> int:
        """The line of the recording up to which all is folded, stored and told: ``fold`` and ``past`` stand there until
        the next wait. What was read since is not counted, which may be more than nothing (the pipe's own ``line``).

        Raises ``LocalProtocolError`` for a pipe without a recording.
        """
        if not isinstance(self._pipe, RecordedPipe):
            raise LocalProtocolError("no recording is kept of this session: open it through a keeper")
        async with self._reading:
            return self._at

    async def stirs(self) -> None:
        """Returns when more was read, or nothing will be any more."""
        if not self.over:
            await self._news.wait()

    async def until(self, happened: Callable[[], bool], *, within_s: float | None = None) -> bool:
        """Wait until ``happened``, asked whenever something was read; False when the time or the line ended first."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not (happened() or self.over):
                    await self._news.wait()
        return happened()

    @asynccontextmanager
    async def unless_silent(self, first_s: float | None, then_s: float | None) -> AsyncIterator[None]:
        """Raises ``TimeoutError`` when the CLI says no word for ``first_s``, or ``then_s`` after the last one.

        One that is busy starting shows it (S26).
        """
        async with asyncio.timeout(first_s) as timeout:
            self._silence, self._silence_s = timeout, then_s
            try:
                yield
            finally:
                self._silence = None

    def note(self, *notes: Note) -> bool:
        """Record what the wire does not tell; False when the recording is over."""
        return self._write(*notes)

    def prompt(self, prompt: User, note: Note) -> bool:
        """Write a prompt; False when the CLI does not take it any more. Raises as ``Connection.prompt``."""
        return self._write(note, line=self._connection.prompt(prompt))

    async def request(
        self,
        body: OurRequest,
        *,
        within_s: float | None = REQUEST_S,
        note: Callable[[str], Note] | None = None,
    ) -> Succeeded:
        """Ask the CLI something. ``note`` makes the note that stands before the request, from the request's id.

        Raises ``RequestFailed`` when it refuses, ``UnsupportedRequest`` when it does not know the request,
        ``ProcessLost`` when it ends first, and ``TimeoutError``. Cancelled, it withdraws the request.
        """
        return await self.answer_to(self.asks(body, note=note), within_s=within_s)

    def asks(self, body: OurRequest, *, note: Callable[[str], Note] | None = None) -> Asking:
        """Write a request at once, for who must not let anything come before it; its answer comes from ``answer_to``.

        Raises ``ProcessLost`` when the process is gone.
        """
        if self.over:
            raise self.loss()
        asked = self._connection.request(body)
        self._answers[asked.request_id] = asyncio.get_running_loop().create_future()
        self._write(*([note(asked.request_id)] if note else []), line=asked.line)
        return Asking(asked.request_id, _subtype(body))

    def adopt(self, request_id: str, subtype: str) -> Asking:
        """A request of the host before that was not answered yet; its answer comes from ``answer_to``."""
        self._connection.adopt(request_id)
        self._answers[request_id] = asyncio.get_running_loop().create_future()
        return Asking(request_id, subtype)

    async def answer_to(self, asking: Asking, *, within_s: float | None = REQUEST_S) -> Succeeded:
        """The answer to a request that was written; raises and is cancelled as ``request``."""
        try:
            async with asyncio.timeout(within_s):
                return self._success(asking.subtype, await self._answers[asking.request_id])
        finally:
            del self._answers[asking.request_id]
            if withdrawal := self._connection.cancel(asking.request_id):
                self._write(line=withdrawal)

    def answer(self, request_id: str, body: Answer | None, *notes: Note) -> bool:
        """Answer a request of the CLI; False when that is too late, by a withdrawal or by the end of the process.

        Raises ``LocalProtocolError`` for a second answer.
        """
        written = [recording.note(note) for note in notes]  # before the request counts as answered
        return self._reply(self._connection.answer(request_id, body), written)

    def fail(self, request_id: str, error: str) -> bool:
        """Refuse a request of the CLI; False and raises as ``answer``. Not for hooks."""
        return self._reply(self._connection.fail(request_id, error), [])

    def signal(self, number: int) -> None:
        """Send a signal to the CLI; nothing when it is gone."""
        if not self.left:
            self._pipe.signal(number)

    async def close(self, *, grace_s: float) -> None:
        """End the process as ``Pipe.close`` does; bounded."""
        if not self.left:
            self._closed = True
            await self._pipe.close(grace_s=grace_s)

    async def drain(self) -> None:
        """Wait until the CLI has room for more."""
        await self._pipe.drain()

    @property
    def farewell(self) -> SessionEnded | None:
        """How the process ended, as the fold tells it."""
        return self.past.farewell

    @property
    def argv(self) -> tuple[str, ...]:
        """What was started, as the recording tells it: without secrets."""
        return self.past.argv

    def loss(self) -> BasculeError:
        """The error that tells how the process ended, or that we left it to itself."""
        if self.left:
            return SessionClosed("the session was left, and its CLI goes on: join it again to hear how")
        words = self.last_words()
        how = f"by {words['signal']}" if words["signal"] else f"with exit code {words['exit_code']}"
        return ProcessLost(f"the CLI process ended {how}; open the session again with resume to go on", **words)

    def last_words(self) -> LastWords:
        """What an error tells of the process; how it ended is not known while it lives."""
        farewell = self.farewell
        return LastWords(
            exit_code=farewell.exit_code if farewell else None,
            signal=farewell.signal if farewell else None,
            argv=self.argv,
            stderr_tail=farewell.stderr_tail if farewell else self.fold.stderr_tail,
        )

    def _write(self, *notes: Note, line: str | None = None) -> bool:
        return self._send([recording.note(note) for note in notes], line)

    def _send(self, notes: list[str], line: str | None) -> bool:
        if self.left:
            return False
        entries: list[Ours] = [("note", note) for note in notes]
        if line is not None:
            self.log.debug("> %s", line)
            entries.append(("in", line))
        return self._pipe.write(*entries)

    def _reply(self, line: str | TooLate, notes: list[str]) -> bool:
        if isinstance(line, TooLate):
            return False
        self.heard_at = asyncio.get_running_loop().time()
        return self._send(notes, line)

    def _trace(self, entries: tuple[Entry, ...]) -> None:
        if self.log.isEnabledFor(logging.DEBUG):
            for entry in entries:
                if entry.dir == "out":
                    self.log.debug("< %s", entry.line)

    async def _pass_on(self, entries: tuple[Entry, ...], listener: Listener) -> None:
        self._now = asyncio.get_running_loop().time()
        self._trace(entries)
        self._break_silence(entries)
        told: list[AnyEvent] = []
        chars = 0
        for entry in entries:
            message, events = self._feed(entry)
            if entry.dir == "out" and type(message) is not ControlResponse:
                self.heard_at = self._now
            told += events
            chars += len(entry.line)
            control = message if entry.dir == "out" and isinstance(message, CONTROL) else None
            if control or len(told) >= AT_ONCE or not all(type(event) in TELLING for event in events):
                await self._publish(told, listener, chars=chars)
                told, chars = [], 0
            if control:
                for event in self._connection.receive(control):
                    self._dispatch(event, listener)
        await self._publish(told, listener, chars=chars)
        listener.caught_up()
        self._tell()

    def _feed(self, entry: Entry) -> tuple[Message | None, list[AnyEvent]]:
        message = decode(entry.line) if entry.dir in _SPOKEN else None
        events = self.fold.feed(entry, message)
        self.past.took(entry, message, events)
        return message, events

    def _break_silence(self, entries: tuple[Entry, ...]) -> None:
        silence = self._silence
        if silence is None or all(entry.dir not in ("out", "err") for entry in entries):
            return
        self.has_spoken = True
        if not silence.expired():
            silence.reschedule(None if self._silence_s is None else self._now + self._silence_s)

    def _dispatch(self, event: ConnectionEvent, listener: Listener) -> None:
        match event:
            case RequestReceived(request):
                listener.requested(request)
            case RequestWithdrawn(request_id):
                listener.withdrawn(request_id)
            case AnswerReceived(answer):
                self._settle(answer.request_id, answer)

    def _close(self) -> list[AnyEvent]:
        events = self.fold.end()
        self.past.happened(events)
        return events

    async def _publish(self, events: Sequence[AnyEvent], listener: Listener, *, chars: int = 0) -> None:
        """Have ``events`` stored, then tell of them, all at once."""
        if not events:
            return
        if any(event.seq is not None for event in events):
            await self.journal.store(events, line=events[-1].line)
        self.journal.publish(events, chars=chars)
        for event in events:
            listener.happened(event)

    def _end(self, listener: Listener) -> None:
        for request_id in self._connection.receive_eof().unanswered:
            self._settle(request_id, None)
        self.over = True
        listener.ended()
        self.journal.close()
        self._tell()

    def _tell(self) -> None:
        """Wake whoever waits in ``until``, this once."""
        self._news.set()
        self._news = asyncio.Event()

    def _settle(self, request_id: str, answer: Succeeded | Failed | None) -> None:
        waiting = self._answers.get(request_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _success(self, subtype: str, answer: Succeeded | Failed | None) -> Succeeded:
        match answer:
            case Succeeded():
                return answer
            case Failed(error=error, error_code=code):
                kind = UnsupportedRequest if answer.unsupported else RequestFailed
                raise kind(subtype, error or "it gave no reason", code)
            case None:
                raise self.loss()


def _line_of(pipe: Pipe) -> int:
    return pipe.line if isinstance(pipe, RecordedPipe) else 0


def _subtype(body: OurRequest) -> str:
    return body.tag or "?" if isinstance(body, UnknownRequest) else str(type(body).__struct_config__.tag)
