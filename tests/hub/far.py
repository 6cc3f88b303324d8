"""Processes of a hub that are far ends: they outlive the hub, as those behind keepers do."""

import io
import itertools
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from bascule.conversation import Status
from bascule.errors import StartFailed
from bascule.events import AnyEvent
from bascule.hub.hub import Hub, open_hub
from bascule.hub.journal import HubJournal
from bascule.hub.recorded import AtRest
from bascule.hub.settings import Settings
from bascule.hub.spec import options_of
from bascule.ids import CommandId, SessionId
from bascule.recording import Entry, Note, encode, note
from bascule.session.journal import Journal, JournalPort
from bascule.session.keeping import Kept
from bascule.session.line import Line
from bascule.session.opening import session_over
from bascule.session.options import Options
from bascule.session.rejoining import rejoin
from bascule.session.session import Session
from bascule.store.memory import MemoryStore
from bascule.store.rows import Checkpoint, SessionRow
from bascule.store.store import Store
from bascule.transcript.fold import Fold
from bascule.transport.pipe import RecordedPipe
from tests.session.far_end import FarEnd
from tests.transport.programs import steps

E = TypeVar("E", bound=AnyEvent)
S = SessionId("s")
CALM = Settings(options=Options(stop_git_check=False), look_every_s=60.0)


def _as_is(pipe: RecordedPipe) -> RecordedPipe:
    return pipe


class FarProcesses:
    """As `Processes`, each of them the far end of a MemoryPipe."""

    def __init__(
        self, store: Store, settings: Settings = CALM, *, wrap: Callable[[RecordedPipe], RecordedPipe] = lambda p: p
    ) -> None:
        """`wrap`: what stands between a session and its pipe."""
        self.settings = settings
        self._store = store
        self._wrap = wrap
        self.begun_with: list[Options] = []
        """What each process was begun with."""
        self.refuses: Exception | None = None
        """What the next start fails with."""
        self.bytes: dict[SessionId, int] = {}
        """What the recordings take, where that matters."""
        self.free = 10**12
        """Bytes that are free."""
        self.stuck = False
        """Whether nothing that was recorded can be removed."""
        self._recorded: dict[SessionId, list[FarEnd | tuple[Entry, ...]]] = {}
        """By session: its processes and what was noted between them."""

    def all_of(self, session: SessionId) -> list[FarEnd]:
        """All its processes, the newest last."""
        return [part for part in self._recorded.get(session, ()) if isinstance(part, FarEnd)]

    def of(self, session: SessionId = S) -> FarEnd:
        """Its newest process."""
        return self.all_of(session)[-1]

    async def living(self) -> frozenset[SessionId]:
        return frozenset(filter(self._lives, self._recorded))

    def _lives(self, session: SessionId) -> bool:
        far = self.all_of(session)
        return bool(far) and not any(entry.dir == "exit" for entry in far[-1].pipe.recorded)

    @asynccontextmanager
    async def open(self, row: SessionRow, journal: HubJournal) -> AsyncIterator[Session]:
        if self.refuses is not None:
            error, self.refuses = self.refuses, None
            raise error
        options, parts = options_of(row, self.settings), self._recorded.setdefault(row.id, [])
        if self._lives(row.id):
            kept = await self._past(row, Journal(), parts[:-1])  # told when the newest was begun
            pipe = self._wrap(self.of(row.id).pipe.attach())
            opened = rejoin(pipe, options, kept=kept, journal=journal)
        else:
            kept = await self._past(row, journal, parts)
            parts.append(FarEnd(*((f"--resume={options.resume}",) if options.resume else ())))
            self.begun_with.append(options)
            pipe = self._wrap(self.of(row.id).pipe.attach())
            opened = session_over(pipe, options, began_at=0.0, kept=kept, journal=journal, leaves=True)
        async with opened as session:
            yield session

    async def _past(self, row: SessionRow, journal: JournalPort, parts: Sequence[FarEnd | tuple[Entry, ...]]) -> Kept:
        """What was recorded, folded anew."""
        entries = [e for part in parts for e in (part.pipe.recorded if isinstance(part, FarEnd) else part)]
        past = AtRest(io.BytesIO(b"".join(map(encode, entries))), 0)
        line = Line(past, Fold(row.id), row.id, journal=journal)
        await line.recall(past)
        return Kept(0, line.fold, line.past)

    async def keep(self, session: Session) -> None:
        """What is kept says nothing: the past is folded anew."""
        await self._store.put_checkpoint(session.id, Checkpoint(0, "far processes", b""))

    async def record(self, session: SessionId, entries: Generator[Entry, None, None]) -> None:
        self._recorded[session] = [tuple(entries)]

    async def settle(self, row: SessionRow, journal: HubJournal) -> None:
        await self.note(row, journal)

    async def note(self, row: SessionRow, journal: HubJournal, *notes: Note) -> None:
        parts = self._recorded.setdefault(row.id, [])
        parts.append(tuple(Entry(0.0, "note", note(one)) for one in notes))
        await self._past(row, journal, parts)

    async def recorded(self) -> dict[SessionId, int]:
        return {session: self.bytes.get(session, 1) for session in self._recorded}

    async def discard(self, session: SessionId) -> None:
        if self.stuck or self._lives(session):
            raise StartFailed(f"{session} has a keeper that lives: join it")
        self._recorded.pop(session, None)

    async def room(self) -> int:
        return self.free

    def recording(self, session: SessionId) -> Path:
        return Path("/nowhere", session)


class House:
    """A store and processes that outlive the hubs in it."""

    def __init__(
        self,
        *,
        store: Store | None = None,
        wrap: Callable[[RecordedPipe], RecordedPipe] = _as_is,
        **settings: Any,
    ) -> None:
        self.settings = replace(CALM, **settings)
        self.store = store or MemoryStore()
        self.processes = FarProcesses(self.store, self.settings, wrap=wrap)
        self._commands = itertools.count(1)

    @asynccontextmanager
    async def hub(self) -> AsyncIterator[Hub]:
        async with open_hub(self.store, self.processes, self.settings) as hub:
            yield hub

    @asynccontextmanager
    async def killed(self) -> AsyncIterator[Hub]:
        """A hub that is killed where the block ends: nothing of what it would still do is done."""
        async with self.hub() as hub:
            yield hub

    def id(self) -> CommandId:
        """Of a new command."""
        return CommandId(f"c{next(self._commands)}")


async def seen(hub: Hub, kind: type[E], where: Callable[[E], bool] = lambda event: True, *, of: SessionId = S) -> E:
    """The first event of this kind, past or to come."""
    async for event in hub.conversation(of).events():
        if isinstance(event, kind) and where(event):
            return event
    raise AssertionError(f"the hub ended and there was no {kind.__name__}")


async def until(hub: Hub, status: Status, *, of: SessionId = S) -> None:
    """Returns when the session is that."""
    while hub.live(of).status != status:
        await steps(1)
