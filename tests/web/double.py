"""The port of a hub in memory: sessions as lists of events, asks that one answer settles, receipts by command id.

What a test wants to happen it says with ``tell``; the double numbers it, keeps it, and hands it to whoever listens, in
that order, as a hub does.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from bascule.commands import (
    AllowAlways,
    AllowOnce,
    AnyCommand,
    Decide,
    Decision,
    Deny,
    DropQueued,
    EditQueued,
    End,
    HoldQueue,
    HubCommand,
    Import,
    Interrupt,
    MoveQueued,
    Prompt,
    PutBack,
    Receipt,
    Refused,
    RevokeGrant,
    Rewind,
    SendQueued,
    Start,
    Taken,
    TooLate,
    Trust,
)
from bascule.conversation import (
    Explained,
    Figures,
    Found,
    GitState,
    Health,
    OpenAsk,
    PastConversation,
    PastPage,
    Placed,
    Queued,
    RulePreview,
    SessionFacts,
    Spent,
)
from bascule.errors import OptionError, SessionClosed, StoreError
from bascule.events import (
    AnyEvent,
    AskOption,
    Complete,
    GrantEnded,
    GrantGiven,
    MessageChunk,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    QueueChanged,
    SessionEnded,
    TurnStarted,
    is_passing,
)
from bascule.ids import CommandId, GrantId, PendingId, PromptId, SessionId
from bascule.payload import ShellExec
from bascule.web.keys import Deed, Key


def ask(pending: str, command: str = "make") -> PermissionRequest:
    """An ask for a command."""
    return PermissionRequest(
        pending_id=PendingId(pending),
        ask="tool",
        tool_call_id=f"call-{pending}",
        tool_name="Shell",
        title=command,
        normalized=ShellExec(command=command),
        input={"command": command},
        input_hash=f"hash of {command}",
        options=(AskOption("allow_once", "Allow once", "allow"), AskOption("deny", "Deny", "deny")),
    )


class Session:
    """One session; it implements ``Conversation``."""

    def __init__(self, hub: "Hub", facts: SessionFacts) -> None:
        self.hub = hub
        self.facts = facts
        self.kept: list[AnyEvent] = []
        self.queue: list[Queued] = []
        self.asks: dict[PendingId, PermissionRequest] = {}
        self.winners: dict[PendingId, str] = {}
        self.ended = False
        self.readers = 0
        self.passing: list[tuple[int, AnyEvent]] = []
        """Passing events with the number of lasting ones that they follow."""
        self.news = asyncio.Condition()

    async def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        """As the port says: a reader loses passing events only when it was not there."""
        self.readers += 1
        heard = len(self.passing)
        try:
            while True:
                while heard < len(self.passing) and self.passing[heard][0] <= after:
                    yield self.passing[heard][1]
                    heard += 1
                if after < len(self.kept):
                    after += 1
                    yield self.kept[after - 1]
                    continue
                if self.ended:
                    return
                async with self.news:
                    known = (len(self.kept), len(self.passing))
                    if after == known[0] and heard == known[1]:
                        await self.news.wait()
        finally:
            self.readers -= 1

    async def send(self, command: AnyCommand) -> Receipt:
        """Through the hub."""
        return await self.hub.send(replace(command, session=self.facts.id))

    async def tell(self, *events: AnyEvent) -> None:
        """Have it happen."""
        for event in events:
            await self._tell(event)

    async def _tell(self, event: AnyEvent) -> None:
        if is_passing(event):
            event = replace(event, session=self.facts.id, after=len(self.kept))
            self.passing.append((len(self.kept), event))
            position = None
        else:
            event = replace(event, session=self.facts.id, seq=len(self.kept) + 1)
            self.kept.append(event)
            self._follow(event)
            position = self.hub.next_position()
        await self.hub.publish(Placed(position, event))
        async with self.news:
            self.news.notify_all()

    def _follow(self, event: AnyEvent) -> None:
        self.facts = replace(self.facts, last_seq=len(self.kept), updated_at=event.at or self.facts.updated_at)
        match event:
            case PermissionRequest(pending_id=pending_id):
                self.asks[pending_id] = event
            case PermissionResolved(pending_id=pending_id):
                self.asks.pop(pending_id, None)
            case SessionEnded():
                self.ended = True
                self.facts = replace(self.facts, status="ended")


class Hub:
    """Many of them; it implements ``Conversations``."""

    def __init__(self, workspace: Path, *, epoch: str = "epoch-1") -> None:
        self.epoch = epoch
        self.workspace = workspace
        self.all: dict[SessionId, Session] = {}
        self.sent: list[HubCommand] = []
        """Commands that were carried out, each once."""
        self.receipts: dict[CommandId, Receipt] = {}
        self.elsewhere: list[PastConversation] = []
        """Conversations of the CLI's, the newest first."""
        self.broken: BaseException | None = None
        """What the next command raises."""
        self.answers: dict[type[HubCommand], Receipt] = {}
        """What commands of a kind are answered, where a test wants something else."""
        self.refuses: Refused | None = None
        """What the next imports are answered."""
        self.workspace_in_git = GitState(branch="main", files=("a.txt",), diff="+1")
        """What git says of every workspace."""
        self.held: asyncio.Event | None = None
        """What commands wait for, where a test wants them slow."""
        self.found = Health(store_ms=2.0, room=10**9)
        """Whether it can work."""
        self._placed: list[Placed] = []
        self._position = 0
        self._news = asyncio.Condition()

    # What a test does.

    def add(self, name: str = "s1", **facts: Any) -> Session:
        """A session at rest."""
        given: dict[str, Any] = {"title": f"About {name}", "policy": "supervised", "status": "idle", **facts}
        session = Session(
            self,
            SessionFacts(
                id=SessionId(name), cwd=str(self.workspace), since=1, created_at=1_000, updated_at=1_000, **given
            ),
        )
        self.all[session.facts.id] = session
        return session

    def next_position(self) -> int:
        """Over all sessions."""
        self._position += 1
        return self._position

    async def publish(self, placed: Placed) -> None:
        """To those who hear all."""
        async with self._news:
            self._placed.append(placed)
            self._news.notify_all()

    # The port.

    async def sessions(self, *, archived: bool = False) -> tuple[SessionFacts, ...]:
        shown = (one.facts for one in self.all.values() if archived or not one.facts.archived)
        return tuple(sorted(shown, key=lambda facts: -facts.updated_at))

    async def session(self, session: SessionId) -> SessionFacts | None:
        found = self.all.get(session)
        return found.facts if found else None

    def conversation(self, session: SessionId) -> Session:
        if session not in self.all:
            raise OptionError(f"there is no session {session}")
        return self.all[session]

    async def all_events(self, after: int | None = None) -> AsyncIterator[Placed]:
        known = len(self._placed)
        if after is not None:
            known = next((i for i, one in enumerate(self._placed) if (one.position or 0) > after), known)
        while True:
            async with self._news:
                while known == len(self._placed):
                    await self._news.wait()
            known += 1
            yield self._placed[known - 1]

    async def window(self, session: SessionId, *, before: int | None = None, limit: int = 500) -> tuple[AnyEvent, ...]:
        kept = self.all[session].kept
        return tuple((kept if before is None else kept[: max(0, before - 1)])[-limit:])

    async def asks(self) -> tuple[OpenAsk, ...]:
        return tuple(
            OpenAsk(session=one.facts.id, title=one.facts.title, request=request)
            for one in self.all.values()
            for request in one.asks.values()
        )

    async def queue(self, session: SessionId) -> tuple[Queued, ...]:
        return tuple(self.all[session].queue)

    async def send(self, command: HubCommand) -> Receipt:
        if self.held is not None:
            await self.held.wait()
        if self.broken is not None:
            raise self.broken
        if command.command_id not in self.receipts:
            self.sent.append(command)
            told = self.answers.get(type(command))
            self.receipts[command.command_id] = told or await self._carry_out(command)
        return self.receipts[command.command_id]

    async def _carry_out(self, command: HubCommand) -> Receipt:
        if isinstance(command, Start | Import):
            return self._begin(command)
        one = self.all[command.session]
        if one.ended:
            raise SessionClosed(f"the session {command.session} has ended: fork it to go on")
        match command:
            case Decide():
                return await self._decide(one, command)
            case Prompt(when="queue"):
                number = 1 + max((queued.id for queued in one.queue), default=0)
                one.queue.append(Queued(id=number, client_id=command.command_id, prompt=command, created_at=1))
                await self._queue_changed(one)
                return Taken(queued=number)
            case EditQueued() | MoveQueued() | DropQueued() | SendQueued() | HoldQueue():
                return await self._change_queue(one, command)
            case Prompt(text=text):
                prompt = PromptId(f"prompt {command.command_id}")
                await one.tell(PromptAccepted(prompt_id=prompt, text=text, by=command.by, surface=command.surface))
                await one.tell(TurnStarted(cause="prompt", prompt_ids=(prompt,)))
                await one.tell(MessageChunk(item="m1", text=f"You said: {text}"))
                await one.tell(Complete(outcome="success", cost_usd=0.25, prompt_ids=(prompt,)))
                return Taken(prompt_id=prompt)
            case End():
                await one.tell(SessionEnded(cause="ended", exit_code=0))
                return Taken()
            case Interrupt():
                return Refused(reason="no turn runs: there is nothing to stop")
            case Trust() | RevokeGrant() | Rewind():
                return await self._beside(one, command)
        return Taken()

    async def _beside(self, one: Session, command: Trust | RevokeGrant | Rewind) -> Receipt:
        if isinstance(command, Rewind):
            return Taken(put_back=PutBack(files=(f"{self.workspace}/src/outbox.py",), insertions=2, deletions=3))
        return await self._trust(one, command)

    async def _trust(self, one: Session, command: Trust | RevokeGrant) -> Receipt:
        if isinstance(command, RevokeGrant):
            await one.tell(GrantEnded(grant_id=command.grant_id, cause="revoked", by=command.by, covered=0))
            return Taken()
        grant = GrantId(f"g{len(one.kept)}")
        until = int(time.time() * 1000 + command.minutes * 60_000)
        rules = (command.rule or "Edit(./**)",)
        given = GrantGiven(
            grant_id=grant, rules=rules, scope="session", cause="trust", edits=command.what == "edits", by=command.by,
            surface=command.surface, until=until, at=int(time.time() * 1000),
        )  # fmt: skip
        await one.tell(given)
        return Taken(grant_id=grant)

    async def _change_queue(
        self, one: Session, command: EditQueued | MoveQueued | DropQueued | SendQueued | HoldQueue
    ) -> Receipt:
        if isinstance(command, HoldQueue):
            one.facts = replace(one.facts, holds_queue=command.hold)
            await self._queue_changed(one)
            return Taken()
        found = next((queued for queued in one.queue if queued.id == command.queued), None)
        if found is None:
            return TooLate(winner="it waits no more")
        place = one.queue.index(found)
        one.queue.remove(found)
        match command:
            case EditQueued(text=text):
                one.queue.insert(place, replace(found, prompt=replace(found.prompt, text=text)))
            case MoveQueued(before=before):
                ids = [queued.id for queued in one.queue]
                one.queue.insert(len(ids) if before is None else ids.index(before), found)
            case SendQueued():
                await self._carry_out(replace(found.prompt, when="steer"))
        await self._queue_changed(one)
        return Taken(queued=found.id)

    async def _queue_changed(self, one: Session) -> None:
        one.facts = replace(one.facts, queued=len(one.queue))
        await one.tell(QueueChanged(queued=len(one.queue), held=one.facts.holds_queue))

    def _begin(self, command: Start | Import) -> Receipt:
        if isinstance(command, Import) and self.refuses is not None:
            return self.refuses
        title = command.title if isinstance(command, Start) else "Taken over"
        session = self.add(command.session or f"s{len(self.all) + 1}", title=title)
        return Taken(session=session.facts.id)

    async def _decide(self, one: Session, command: Decide) -> Receipt:
        """Compare and set, with no await between."""
        request = one.asks.get(command.pending_id)
        if request is None:
            winner = one.winners.get(command.pending_id)
            return TooLate(winner=winner) if winner else Refused(reason="there is no such ask")
        if command.input_hash not in (None, request.input_hash):
            return Refused(reason="the ask is another one now: look again")
        outcome = _outcome(command.decision)
        one.winners[command.pending_id] = f"{outcome} by {command.by} ({command.surface})"
        one.asks.pop(command.pending_id)
        resolved = PermissionResolved(
            pending_id=command.pending_id, outcome=outcome, by=command.by, surface=command.surface, waited_ms=5
        )
        await one.tell(resolved)
        return Taken()

    async def search(self, words: str, *, session: SessionId | None = None, limit: int = 50) -> tuple[Found, ...]:
        found = [
            Found(
                session=one.facts.id,
                title=one.facts.title,
                seq=event.seq or 0,
                at=event.at,
                kind="answer",
                snippet=text,
            )
            for one in self.all.values()
            for event in one.kept
            if isinstance(event, MessageChunk) and words in (text := event.text) and session in (None, one.facts.id)
        ]
        return tuple(found[-limit:])

    async def past(self, *, words: str = "", after: str | None = None, limit: int = 50) -> PastPage:
        placed = [
            (f"{place:04}", one)
            for place, one in enumerate(self.elsewhere)
            if words.lower() in f"{one.title} {one.id}".lower()
        ]
        found = [one for one in placed if after is None or one[0] > after]
        more = found[limit - 1][0] if len(found) > limit else None
        return PastPage(conversations=tuple(one for _, one in found[:limit]), after=more)

    async def spent(
        self, *, session: SessionId | None = None, since: int = 0, until: int | None = None
    ) -> tuple[Spent, ...]:
        return tuple(
            Spent(
                session=one.facts.id,
                title=one.facts.title,
                project=None,
                turn=event.turn,
                started_at=event.at,
                ended_at=event.at,
                by=None,
                surface=None,
                complete=event,
            )
            for one in self.all.values()
            for event in one.kept
            if isinstance(event, Complete)
            if session in (None, one.facts.id) and since <= event.at < (until or 2**60)
        )

    async def preview(self, session: SessionId, pending_id: PendingId | None, rule: str) -> RulePreview:
        if not rule.strip():
            raise OptionError("a rule says something: Bash(git status)")
        return RulePreview(rule=rule.strip(), also=("make test",), asked=1)

    async def explain(self, session: SessionId, pending_id: PendingId) -> Explained:
        if pending_id not in self.all[session].asks:
            raise OptionError(f"there is no ask {pending_id}")
        return Explained(verdict="ask", rule=None, reason="no rule covers it", trail=({"step": "rules"},))

    async def git(self, session: SessionId) -> GitState:
        return self.workspace_in_git

    async def files(self, session: SessionId, beginning: str, *, limit: int = 50) -> tuple[str, ...]:
        names = sorted(path.relative_to(self.workspace).as_posix() for path in self.workspace.rglob("*"))
        return tuple(name for name in names if name.startswith(beginning))[:limit]

    async def file(self, session: SessionId, path: str) -> str:
        found = os.path.realpath(self.workspace / path)  # noqa: ASYNC240
        if not Path(found).is_relative_to(os.path.realpath(self.workspace)):  # noqa: ASYNC240
            raise OptionError(f"{path} is outside the workspace")
        return found

    async def health(self) -> Health:
        return self.found

    async def figures(self) -> Figures:
        return Figures(
            began_at=1_790_000_000_000,
            sessions=tuple(one.facts for one in self.all.values()),
            processes=1,
            open_asks=sum(len(one.asks) for one in self.all.values()),
            readers=sum(one.readers for one in self.all.values()),
            health=self.found,
            events={"complete": 3, "notice": 2},
            turns={"success": 2, "error": 1},
            asks={"allowed": 4},
            cost_usd={"opus": 0.5},
            tokens={("opus", "input"): 7},
        )

    async def recording(self, session: SessionId) -> str:
        return str(self.workspace.parent / f"{session}.jsonl")


def _outcome(decision: Decision) -> Any:
    match decision:
        case AllowOnce():
            return "allowed"
        case AllowAlways():
            return "allowed_always"
        case Deny():
            return "denied"
        case _:
            return "answered"


class MemoryKeys:
    """Implements ``Keys``."""

    def __init__(self) -> None:
        self.kept: dict[str, Key] = {}
        self.deeds: list[Deed] = []
        self.full = False
        """Nothing more can be recorded."""

    async def put(self, key: Key) -> None:
        self.kept[key.id] = key

    async def find(self, hash: str) -> Key | None:
        return next((key for key in self.kept.values() if key.hash == hash), None)

    async def list(self) -> tuple[Key, ...]:
        return tuple(self.kept.values())

    async def revoke(self, key_id: str, at: int) -> bool:
        if key_id in self.kept:
            self.kept[key_id] = replace(self.kept[key_id], revoked_at=at)
        return key_id in self.kept

    async def record(self, deed: Deed) -> None:
        if self.full:
            raise StoreError("the disk is full")
        self.deeds.append(deed)

    def told(self, what: str) -> tuple[Deed, ...]:
        """The deeds of one kind."""
        return tuple(deed for deed in self.deeds if deed.what == what)


def decoded(data: bytes | str) -> Any:
    """JSON as Python has it."""
    return msgspec.json.decode(data)
