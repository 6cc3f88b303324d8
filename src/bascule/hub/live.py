"""One session of a hub: what is known of it, and the owner that its process has.

Nobody else begins, ends or joins a process. The owner is one task, which is woken by what happens and looks what there
is to do: say what waits, put to sleep what rests, tell of what hangs, keep what a restart needs.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from bascule.aio.beside import beside
from bascule.commands import Prompt, Receipt, Refused, Taken
from bascule.conversation import SessionFacts, Status
from bascule.errors import BasculeError, ResumeFailed, SessionClosed, StoreError
from bascule.events import AnyEvent, Complete, Error, QueueChanged, SessionEnded, SessionStatus
from bascule.hub.house import House
from bascule.hub.insisting import insist
from bascule.hub.journal import HubJournal
from bascule.hub.queue import Queue, with_id
from bascule.hub.saying import say
from bascule.hub.sketch import Sketch, sketched
from bascule.hub.spec import Spec, spec_of, with_spec
from bascule.hub.watching import Watch
from bascule.ids import SessionId
from bascule.recording import Failed
from bascule.session.session import Session
from bascule.store.rows import SessionRow

log = logging.getLogger("bascule.hub")

EMPTY: Final = frozenset(("resume_failed", "resume_empty"))
QUARANTINED: Final = Refused(
    reason="its conversation cannot be gone on with: begin a fresh one in its place (fresh), or look at its file"
)
UNRECORDED: Final = Refused(reason="its recording was removed, as too old: fork it to go on with the conversation")
WITHOUT: Final[tuple[Status, ...]] = ("ended", "lost", "asleep")
"""What a session without a process can be."""


class Live:
    """A session. Made by ``loaded``; ``run`` owns its process."""

    def __init__(self, row: SessionRow, house: House, sketch: Sketch, *, last: int) -> None:
        self.row = row
        self.spec: Spec = spec_of(row)
        self.sketch = sketch
        self.session: Session | None = None
        """While it can be spoken to."""
        self.forgotten = False
        """It is taken away: nothing of it is to be kept any more."""
        self.queue = Queue(house.store, row.id, limit=house.settings.queue_limit, changed=self._queue_changed)
        self._house = house
        self._opening = row.keeper is not None
        """Whether nobody knows yet if there will be a session; so it is until what a hub before this one left is
        joined or closed."""
        self._wanted = asyncio.Event()
        self._news = asyncio.Event()
        self._turned = asyncio.Event()
        """Set, and another one, when the session can be spoken to, or cannot any more."""
        self._restarts = False
        self._rested = False
        """Whether it was at rest when its owner looked last."""
        self._watch = Watch(silence_s=house.settings.silence_warn_s)
        self._claimed = False
        """Whether there may be claims that nobody writes: of a hub before this one."""
        self._kept_line = 0
        self._dirty = False
        self.journal = HubJournal(
            house.store, row.id, last=last, placed=house.placed, told=self._told, ended=self._news.set
        )

    @property
    def id(self) -> SessionId:
        """Our id of it."""
        return self.row.id

    @property
    def has_process(self) -> bool:
        """Whether there is a process, or one is being begun."""
        return self._opening or self.session is not None

    @property
    def in_use(self) -> bool:
        """Whether it has a process, or may have one, or somebody waits for one."""
        return self.has_process or self.row.keeper is not None or self.queue.length > 0 or bool(self.sketch.asks)

    @property
    def status(self) -> Status:
        """In one word."""
        if self.spec.quarantined:
            return "quarantined"
        if self.session is not None:
            return self.sketch.status
        if self._opening:
            return "starting"
        return self.sketch.resting if self.sketch.resting in WITHOUT else "asleep"

    def facts(self) -> SessionFacts:
        """As a list shows it."""
        row, sketch = self.row, self.sketch
        return SessionFacts(
            id=row.id,
            cli_session_id=sketch.cli_session_id or row.cli_session_id,
            title=row.title or sketch.title,
            cwd=row.cwd,
            project=row.project,
            branch=row.branch,
            status=self.status,
            since=sketch.since or row.created_at,
            until=sketch.until,
            waits_for=tuple(sketch.asks.values()),
            policy=row.policy,
            mode=sketch.mode or row.mode,
            model=sketch.model or row.model,
            cost_usd=sketch.cost_usd,
            turns=sketch.turns,
            queued=self.queue.length,
            holds_queue=self.spec.holds_queue,
            background=len(sketch.tasks),
            last_seq=self.journal.last,
            created_at=row.created_at,
            updated_at=max(sketch.at, row.updated_at),
            archived=row.archived_at is not None,
            recording_gone=self.spec.recording_gone,
        )

    # What happens.

    def _told(self, event: AnyEvent) -> None:
        if event.seq is None:
            self._house.passed(event)
            return
        self.learn(event)
        self._dirty = True
        self._news.set()

    def learn(self, event: AnyEvent) -> None:
        """Take an event that is stored into what is known."""
        self.sketch = sketched(self.sketch, event)
        match event:
            case SessionStatus(cli_session_id=cli_session_id):
                self.row = replace(self.row, cli_session_id=cli_session_id)
                self.spec = replace(self.spec, resume_at=None)
            case Complete(last_message_uuid=str(uuid)):
                self.row = replace(self.row, last_uuid=uuid)
            case Error(kind=kind) if kind in EMPTY:
                self.spec = replace(self.spec, quarantined=True, holds_queue=True)
            case SessionEnded(cause=cause, exit_code=code, signal=signal):
                self.row = replace(self.row, exit={"exit_code": code, "signal": signal, "cause": cause})
                if cause != "ended":  # L61: nothing goes on by itself after a kill
                    self.spec = replace(self.spec, holds_queue=True)

    def _queue_changed(self) -> None:
        changed = QueueChanged(
            session=self.id,
            after=self.journal.last,
            at=now_ms(),
            queued=self.queue.length,
            held=self.spec.holds_queue,
        )
        self.journal.publish([changed])
        self._news.set()

    async def change(self, row: SessionRow | None = None, **spec: object) -> None:
        """Keep another row, or other things in its spec."""
        self.row = row or self.row
        self.spec = replace(self.spec, **spec)
        await self.save()
        if "holds_queue" in spec:
            self._queue_changed()

    async def save(self) -> None:
        """Keep the row as things stand. Where the store takes nothing, the owner tries again."""
        self._dirty = False
        if self.forgotten:
            return
        sketch = msgspec.to_builtins(self.sketch)
        self.spec = replace(self.spec, sketch=sketch)
        self.row = replace(
            with_spec(self.row, self.spec), status=self.status, updated_at=max(self.sketch.at, self.row.updated_at)
        )
        try:
            await self._house.store.put_session(self.row)
        except StoreError:
            self._dirty = True
            raise

    # What is wanted of it.

    async def prompt(self, prompt: Prompt) -> Receipt:
        """Say something, or have it wait until there is somebody to say it to."""
        if self.spec.quarantined:
            return QUARANTINED
        if self.spec.recording_gone:
            return UNRECORDED
        prompt = with_id(prompt)
        if prompt.prompt_id in self.sketch.said:
            return Taken(prompt_id=prompt.prompt_id)
        session = self.session
        at_once = prompt.when != "queue" or (session is not None and self._free(session) and not self.queue.length)
        if session is not None and at_once and await self._say(session, prompt):
            return Taken(prompt_id=prompt.prompt_id)
        if at_once or not self.has_process:
            row = await self.queue.put_first(prompt, at=now_ms())
        else:
            waits = await self.queue.put(prompt, at=now_ms())
            if isinstance(waits, Refused):
                return waits
            row = waits
        self.want()
        return Taken(prompt_id=prompt.prompt_id, queued=row.id)

    def want(self) -> None:
        """Look what there is to do, and have a process if it needs one."""
        self._wanted.set()
        self._news.set()

    async def ready(self) -> Session | None:
        """The session once it can be spoken to; None: it has no process."""
        while self.session is None and self._opening:
            await self._turned.wait()
        return self.session

    async def put_down(self) -> None:
        """End the process of a session at rest, and return when it is gone. Raises ``LocalProtocolError`` while it
        works."""
        if (session := await self.ready()) is not None:
            with suppress(SessionClosed):  # it is ending as it is
                await session.sleep(idle_s=session.quiet_s)
        await self._gone()

    async def end(self) -> None:
        """End the session: running work is given its grace."""
        if (session := await self.ready()) is not None:
            await session.end()
            await self._gone()
        else:
            self.sketch = replace(self.sketch, resting="ended")
        await self.save()

    async def _gone(self) -> None:
        while self.has_process:
            await self._turned.wait()

    def restart(self) -> None:
        """Have the process begun anew, at rest, with what holds by then."""
        self._restarts = self.has_process
        self._news.set()

    # Its owner.

    async def run(self, *, lives: bool) -> None:
        """Own the process for as long as the hub lives. ``lives``: there is one, of a hub before this one."""
        if lives:
            await self._own()
        elif self.row.keeper is not None:
            await self._contained(self._house.processes.settle(self.row, self.journal))
            await self._put_away()
        self._wanted.set()
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            if self._needs_process():
                await self._own()

    def left(self) -> None:
        """Its owner has ended by a bug: nobody waits for what it would have done."""
        self._opening = False
        self._turn()

    def _needs_process(self) -> bool:
        """Whether something is to be said, and may be."""
        goes_on = not (self.spec.holds_queue or self.spec.quarantined)
        return self.queue.has_due or (goes_on and self.queue.length > 0)

    async def _own(self) -> None:
        last = self.journal.last
        self._opening = True
        failure: BasculeError | OSError | None = None
        try:
            await self.change(replace(self.row, keeper={"since": now_ms()}))
            self._house.admission.take(self.id)
            async with self._house.processes.open(self.row, self.journal) as session:
                self._house.admission.settled(self.id)
                await self._attend(session)
        except (BasculeError, OSError) as exc:
            failure = exc
        finally:
            self.session = None
            self._house.admission.leave(self.id)
        if failure is not None:
            await self._failed(failure, last)
        await self._put_away()

    async def _attend(self, session: Session) -> None:
        if session.ended:
            return
        self.session = session
        self._opening = False
        self._turn()
        self._claimed = True
        async with beside(self._listen(session), name=f"bascule rest of {self.id}"):
            await self._look_after(session)

    async def _listen(self, session: Session) -> None:
        """Wake the owner when the session comes to rest after its last event."""
        while not session.ended:
            if session.at_rest != self._rested:
                self._news.set()
            await session.stirs()

    async def _look_after(self, session: Session) -> None:
        while not session.ended:
            self._news.clear()
            self._rested = session.at_rest
            await self._look(session)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._house.settings.look_every_s):
                    await self._news.wait()

    async def _look(self, session: Session) -> None:
        try:
            await self._write_claims(session)
            await self._say_next(session)
            await self._rest(session)
            if not session.ended:
                self._tell_of_stall(session)
                await self._keep(session)
        except SessionClosed as exc:
            log.info("%s has ended meanwhile: %s", self.id, exc)
        except StoreError as exc:
            log.warning("what the owner of %s does waits for the store: %s", self.id, exc)

    async def _write_claims(self, session: Session) -> None:
        """Write what was claimed before this hub, or this process of its, could write it."""
        if self._claimed:
            await self._house.claims.write_again(session)
            self._claimed = False

    def _turn(self) -> None:
        self._turned.set()
        self._turned = asyncio.Event()

    async def _put_away(self) -> None:
        """There is no process any more; who waits for that need not wait for the store too."""
        self._opening = False
        self._restarts = False
        self._watch.begin()
        self._kept_line = 0
        self.row = replace(self.row, keeper=None)
        self._turn()
        await insist(self.save, f"the end of a process of {self.id}")
        self._wanted.set()

    async def _failed(self, exc: BasculeError | OSError, last: int) -> None:
        """It could not be begun: nothing waits for it any more, and everybody sees why."""
        log.warning("%s could not be begun: %s", self.id, exc)
        self.queue.hold_back()
        self.spec = replace(self.spec, holds_queue=True)
        await self._contained(self._house.processes.settle(self.row, self.journal))
        await self._contained(self._tell_failure(exc, last))

    async def _tell_failure(self, exc: BasculeError | OSError, last: int) -> None:
        told = await self._house.store.events(self.id, after=last)
        if not any(isinstance(event, Error) for event in told):
            kind = "resume_failed" if isinstance(exc, ResumeFailed) else "start_failed"
            await self._house.processes.note(self.row, self.journal, Failed(kind=kind, message=str(exc)))

    async def _contained(self, work: Awaitable[None]) -> None:
        try:
            await work
        except (BasculeError, OSError) as exc:
            log.warning("what a process of %s left is not told: %s", self.id, exc)

    # What its owner does.

    def _free(self, session: Session) -> bool:
        return session.at_rest and not self.spec.holds_queue and not self._restarts

    async def _say_next(self, session: Session) -> None:
        while (row := await self.queue.next(free=self._free(session))) is not None:
            if not await self._say(session, with_id(row.prompt)):
                return
            await self.queue.said(row)

    async def _say(self, session: Session, prompt: Prompt) -> bool:
        """False: it must be said to the next process."""
        return await say(session, prompt, lambda: self.sketch.said)

    async def _rest(self, session: Session) -> None:
        """Let it sleep that rests, or begin it anew."""
        if not session.at_rest or self.sketch.asks:
            return
        idle_s = self._house.settings.idle_sleep_s
        if self._restarts or (idle_s is not None and session.quiet_s >= idle_s and not self.sketch.tasks):
            await session.sleep(idle_s=session.quiet_s)

    def _tell_of_stall(self, session: Session) -> None:
        now = now_ms()
        if (word := self._watch.word(self.sketch, now=now, heard_at=now - round(session.quiet_s * 1000))) is not None:
            session.remark(word, level="warning")

    async def _keep(self, session: Session) -> None:
        """What a restart needs, now and then, and whenever the session comes to rest."""
        ahead = self.journal.line - self._kept_line
        if ahead >= self._house.settings.checkpoint_lines or (ahead and session.at_rest):
            line = self.journal.line
            await self._house.processes.keep(session)
            self._kept_line = line
        if self._dirty and not self.sketch.running:
            await self.save()


async def loaded(row: SessionRow, house: House) -> Live:
    """The session that ``row`` tells of, as far as its journal goes."""
    last = await house.store.last_seq(row.id)
    kept = spec_of(row).sketch
    sketch = Sketch() if kept is None else msgspec.convert(kept, Sketch)
    live = Live(row, house, sketch, last=last)
    while live.sketch.seq < last:
        for event in await house.store.events(row.id, after=live.sketch.seq):
            live.learn(event)
    await live.queue.load()
    return live


def now_ms() -> int:
    """UTC ms."""
    return int(time.time() * 1000)
