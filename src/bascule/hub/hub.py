"""Many sessions that outlive whoever looks at them, and the hub itself.

It knows which sessions there are, and is what a surface speaks to. A command is carried out in a task of the hub's, so
that it matters to nobody whether its sender is still there; what a session does is its owner's (``live.py``).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from bascule.aio.unwrapped import only_error
from bascule.commands import AnyCommand, HubCommand, Receipt
from bascule.conversation import (
    Conversation,
    Explained,
    Figures,
    Found,
    GitState,
    Health,
    OpenAsk,
    PastPage,
    Placed,
    Queued,
    RulePreview,
    SessionFacts,
    Spent,
)
from bascule.errors import OptionError, RecordingGone, StoreError
from bascule.events import AnyEvent
from bascule.hub import asking, importing, workspace
from bascule.hub.admission import Admission, free_mb
from bascule.hub.claims import Claims, who
from bascule.hub.commanded import carry_out
from bascule.hub.counting import Counts
from bascule.hub.health import Checkup
from bascule.hub.house import House
from bascule.hub.live import Live, loaded, now_ms
from bascule.hub.processes import Processes
from bascule.hub.pruning import keep_within
from bascule.hub.queue import with_id
from bascule.hub.receipts import Receipts
from bascule.hub.retention import Limits
from bascule.hub.settings import Settings
from bascule.hub.tail import Tail
from bascule.ids import CommandId, PendingId, SessionId
from bascule.store.rows import SessionRow
from bascule.store.store import Store

log = logging.getLogger("bascule.hub")

MEMINFO: Final = Path("/proc/meminfo")


@asynccontextmanager
async def open_hub(store: Store, processes: Processes, settings: Settings) -> AsyncIterator[Hub]:
    """The hub of ``store``. Sessions whose processes went on are joined before anything new is begun.

    When the block is left their processes go on; another hub joins them. ``store`` is not closed.
    """
    with only_error():
        async with asyncio.TaskGroup() as tasks:
            hub = Hub(store, processes, settings, tasks, position=await store.position())
            try:
                await hub.begin()
                yield hub
            finally:
                hub.shut()


class Hub:
    """As ``conversation.Conversations``. Made by ``open_hub``."""

    def __init__(
        self, store: Store, processes: Processes, settings: Settings, tasks: asyncio.TaskGroup, *, position: int
    ) -> None:
        self.store = store
        self.settings = settings
        self.processes = processes
        self._tasks = tasks
        self._running: set[asyncio.Task[Any]] = set()
        self._lives: dict[SessionId, Live] = {}
        self._owners: dict[SessionId, asyncio.Task[None]] = {}
        self._carried: dict[CommandId, asyncio.Task[Receipt]] = {}
        self._under_way: Counter[SessionId] = Counter()
        """How many commands are, by the session that they are for."""
        self._feed = Tail[Placed](self._fetch, lambda placed: placed.position, last=position)
        self._receipts = Receipts(store)
        self._counts = Counts()
        self._checkup = Checkup(store, processes)
        self._began_at = now_ms()
        self.imports = asyncio.Lock()
        """So that of two imports of one conversation the second finds the session of the first."""
        self._house = House(
            store=store,
            processes=processes,
            admission=Admission(free_mb=_free_mb, max_live=settings.max_live, reserve_mb=settings.memory_reserve_mb),
            claims=Claims(store, self._receipts),
            settings=settings,
            placed=self._came,
            passed=lambda event: self._feed.came([Placed(None, event)]),
        )

    def _came(self, placed: Sequence[Placed]) -> None:
        for one in placed:
            self._counts.add(one.event)
        self._feed.came(placed)

    async def _fetch(self, after: int, limit: int) -> Sequence[Placed]:
        """Empty where the sessions are forgotten whose events came last."""
        return await self.store.events_of_all(after=after, limit=limit)

    async def begin(self) -> None:
        """Take over what the store and a hub before this one left."""
        living = await self.processes.living()
        for row in await self.store.sessions(archived=True):
            self._own(await loaded(row, self._house), lives=row.id in living)
        if self.settings.limits != Limits():
            self._spawn(self._pruned(), name="bascule retention")
        log.info("the hub has begun, with %d sessions, %d of them alive", len(self._lives), len(living))

    def shut(self) -> None:
        """Let go of everything: processes go on, readers end."""
        for task in self._running:
            task.cancel()
        for live in self._lives.values():
            live.journal.shut()
        self._feed.close()

    def _own(self, live: Live, *, lives: bool = False) -> None:
        self._lives[live.id] = live
        self._owners[live.id] = self._spawn(self._contained(live, lives=lives), name=f"bascule owner {live.id}")

    async def _contained(self, live: Live, *, lives: bool) -> None:
        """A bug in what one owner does is not to end the others."""
        try:
            await live.run(lives=lives)
        except Exception:
            log.exception("the owner of %s has ended by a bug: start the hub anew to go on with that session", live.id)
            live.left()

    async def _pruned(self) -> None:
        """A bug in what takes away the old is not to end what goes on."""
        try:
            await keep_within(self, self.settings.limits)
        except Exception:
            log.exception("nothing is removed any more that is past its limits, by a bug")

    def _spawn(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
        task = self._tasks.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    # What is known.

    @property
    def claims(self) -> Claims:
        """The answers that are on their way."""
        return self._house.claims

    @property
    def epoch(self) -> str:
        """As ``Conversations.epoch``."""
        return self.store.epoch

    def live(self, session: SessionId) -> Live:
        """The session of that id. Raises ``OptionError`` when there is none."""
        live = self._lives.get(session)
        if live is None:
            raise OptionError(f"there is no session {session}")
        return live

    async def add(self, row: SessionRow) -> Live:
        """A new session; nothing runs yet."""
        await self.store.put_session(row)
        live = await loaded(row, self._house)
        self._own(live)
        return live

    def is_busy(self, session: SessionId) -> bool:
        """Whether it has a process, or something is wanted of it."""
        return self._under_way[session] > 0 or self.live(session).in_use

    async def forget(self, session: SessionId) -> None:
        """Take a session that is not busy out of the store, with all that is kept of it; its readers end."""
        live = self.live(session)
        live.forgotten = True
        try:
            await self.store.forget_session(session)
        except StoreError:
            live.forgotten = False
            raise
        del self._lives[session]
        self._owners.pop(session).cancel()
        live.journal.shut()

    def lives(self) -> tuple[Live, ...]:
        """All sessions."""
        return tuple(self._lives.values())

    def has(self, session: SessionId) -> bool:
        """Whether there is such a session."""
        return session in self._lives

    async def sessions(self, *, archived: bool = False) -> tuple[SessionFacts, ...]:
        """As ``Conversations.sessions``."""
        facts = [live.facts() for live in self._lives.values()]
        wanted = [one for one in facts if archived or not one.archived]
        return tuple(sorted(wanted, key=lambda one: (-one.updated_at, one.id)))

    async def session(self, session: SessionId) -> SessionFacts | None:
        """As ``Conversations.session``."""
        live = self._lives.get(session)
        return live.facts() if live else None

    def conversation(self, session: SessionId) -> Conversation:
        """As ``Conversations.conversation``."""
        return _OfHub(self, self.live(session))

    def all_events(self, after: int | None = None) -> AsyncIterator[Placed]:
        """As ``Conversations.all_events``."""
        return self._feed.read(self._feed.last if after is None else after)

    async def window(self, session: SessionId, *, before: int | None = None, limit: int = 500) -> tuple[AnyEvent, ...]:
        """As ``Conversations.window``."""
        end = self.live(session).journal.last + 1
        if before is not None:
            end = min(before, end)
        after = max(0, end - 1 - limit)
        return await self.store.events(session, after=after, limit=max(0, end - 1 - after))

    async def asks(self) -> tuple[OpenAsk, ...]:
        """As ``Conversations.asks``."""
        rows = [(row, self._lives.get(row.session)) for row in await self.store.asks()]
        return tuple(
            OpenAsk(
                session=row.session,
                title=live.facts().title,
                request=row.request,
                claimed_by=who(row.by, row.surface) if row.state == "claimed" else None,
                claimed_until=self.claims.until(row),
            )
            for row, live in rows
            if live is not None
        )

    async def queue(self, session: SessionId) -> tuple[Queued, ...]:
        """As ``Conversations.queue``. One that was just said leaves the store's a moment later."""
        live = self.live(session)
        return tuple(
            Queued(id=row.id, client_id=row.client_id, prompt=row.prompt, created_at=row.created_at)
            for row in await live.queue.rows()
            if with_id(row.prompt).prompt_id not in live.sketch.said
        )

    async def search(self, words: str, *, session: SessionId | None = None, limit: int = 50) -> tuple[Found, ...]:
        """As ``Conversations.search``."""
        rows = await self.store.search(words, session=session, limit=limit)
        return tuple(
            Found(
                session=row.session,
                title=self.live(row.session).facts().title,
                seq=row.seq,
                at=row.at,
                kind=row.kind,
                snippet=row.snippet,
            )
            for row in rows
            if self.has(row.session)
        )

    async def past(self, *, words: str = "", after: str | None = None, limit: int = 50) -> PastPage:
        """As ``Conversations.past``."""
        return await importing.past(self, words=words, after=after, limit=limit)

    async def spent(
        self, *, session: SessionId | None = None, since: int = 0, until: int | None = None
    ) -> tuple[Spent, ...]:
        """As ``Conversations.spent``."""
        return asking.spent(await self.store.turns(session, since=since, until=until), self._lives)

    async def preview(self, session: SessionId, pending_id: PendingId | None, rule: str) -> RulePreview:
        """As ``Conversations.preview``."""
        return await asking.preview(self.store, self.live(session), self.settings, pending_id, rule)

    async def explain(self, session: SessionId, pending_id: PendingId) -> Explained:
        """As ``Conversations.explain``."""
        row = await asking.asked(self.store, session, pending_id)
        return await asyncio.to_thread(asking.explain, row, self.live(session), self.settings)

    async def git(self, session: SessionId) -> GitState:
        """As ``Conversations.git``."""
        live = self.live(session)
        return await workspace.state(live.row.cwd, await asking.environment_here(live, self.settings))

    async def files(self, session: SessionId, beginning: str, *, limit: int = 50) -> tuple[str, ...]:
        """As ``Conversations.files``."""
        live = self.live(session)
        env = await asking.environment_here(live, self.settings)
        return await workspace.beginning_with(live.row.cwd, env, beginning, limit=limit)

    async def file(self, session: SessionId, path: str) -> str:
        """As ``Conversations.file``."""
        return await asyncio.to_thread(workspace.inside, self.live(session).row.cwd, path)

    async def health(self) -> Health:
        """As ``Conversations.health``."""
        return await self._checkup.look()

    async def figures(self) -> Figures:
        """As ``Conversations.figures``."""
        lives = self._lives.values()
        return Figures(
            began_at=self._began_at,
            sessions=tuple(live.facts() for live in lives),
            processes=self._house.admission.live,
            open_asks=len(await self.store.asks()),
            readers=self._feed.readers + sum(live.journal.readers for live in lives),
            health=await self.health(),
            events=dict(self._counts.events),
            turns=dict(self._counts.turns),
            asks=dict(self._counts.asks),
            cost_usd=dict(self._counts.cost_usd),
            tokens=dict(self._counts.tokens),
        )

    async def recording(self, session: SessionId) -> str:
        """As ``Conversations.recording``."""
        live = self.live(session)
        path = self.processes.recording(session)
        if live.spec.recording_gone:
            raise RecordingGone(f"the recording of {session} was removed, as too old; its events are there", str(path))
        if not await asyncio.to_thread(path.is_file):
            raise OptionError(f"nothing was recorded of {session} yet: say something first")
        return str(path)

    # What is wanted.

    async def send(self, command: HubCommand) -> Receipt:
        """As ``Conversations.send``. A cancelled sender undoes nothing."""
        task = self._carried.get(command.command_id)
        if task is None:
            task = self._spawn(self._carry(command), name=f"bascule {type(command).__name__} {command.command_id}")
            self._carried[command.command_id] = task
            task.add_done_callback(lambda _: self._carried.pop(command.command_id, None))
        return await asyncio.shield(task)

    async def _carry(self, command: HubCommand) -> Receipt:
        self._under_way[command.session] += 1
        try:
            return await self._carried_out(command)
        finally:
            self._under_way[command.session] -= 1

    async def _carried_out(self, command: HubCommand) -> Receipt:
        known = await self._receipts.of(command.command_id)
        if known is not None:
            return known
        receipt = await carry_out(self, command)
        await self._receipts.keep(command.command_id, receipt)
        return receipt


class _OfHub:
    """One session of a hub, as ``Conversation``."""

    def __init__(self, hub: Hub, live: Live) -> None:
        self._hub = hub
        self._live = live

    def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        """As ``Conversation.events``; past the ends of its processes."""
        return self._live.journal.read(after)

    async def send(self, command: AnyCommand) -> Receipt:
        """As ``Conversation.send``."""
        return await self._hub.send(replace(command, session=self._live.id))


def _free_mb() -> int | None:
    with suppress(OSError):
        return free_mb(MEMINFO.read_text("utf-8"))
    return None
