"""Sessions: the list, one of them, what happened in it, and the same as a document."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, Literal

import msgspec
from litestar import get
from litestar.params import FromQuery
from litestar.response import Stream

from bascule.conversation import Conversations, Found, OpenAsk, PastPage, Queued, SessionFacts
from bascule.events import AnyEvent
from bascule.ids import SessionId
from bascule.web import export
from bascule.web.auth import require, visitor_of
from bascule.web.problems import PROBLEMS
from bascule.web.routes.parameters import LARGEST, Asked, Hub, Limit, Number, Session
from bascule.web.stored import between, facts_of, pages, recorded
from bascule.web.usage import Calls, ToolUsage


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader begins with; a socket's hello with ``after`` goes on from there."""

    epoch: str
    facts: SessionFacts
    events: tuple[AnyEvent, ...]
    """The last ones, in order."""
    after: int
    """The number of the newest of them; with ``before``, of the newest there is."""
    asks: tuple[OpenAsk, ...]
    queue: tuple[Queued, ...]


class Events(msgspec.Struct, frozen=True, kw_only=True):
    """Some events of a session."""

    epoch: str
    events: tuple[AnyEvent, ...]
    last_seq: int
    """The newest there is."""


@get("/sessions", responses=PROBLEMS)
async def sessions(hub: Hub, archived: FromQuery[bool] = False) -> tuple[SessionFacts, ...]:
    """All sessions, the newest change first; those that are archived only when wanted."""
    return await hub.sessions(archived=archived)


@get("/sessions/{session:str}", responses=PROBLEMS)
async def session(hub: Hub, session: Session) -> SessionFacts:
    """One session."""
    return await facts_of(hub, session)


@get("/sessions/{session:str}/view", responses=PROBLEMS)
async def view(hub: Hub, session: Session, before: Number = LARGEST, limit: Limit = 500) -> View:
    """The last ``limit`` events (before the one numbered ``before``), with what is open: it costs what it shows,
    however long the session is."""
    facts = await facts_of(hub, session)
    events = await hub.window(session, before=before, limit=limit)
    newest = events[-1].seq if events and before == LARGEST else None
    return View(
        epoch=hub.epoch,
        facts=facts,
        events=events,
        after=facts.last_seq if newest is None else newest,
        asks=tuple(ask for ask in await hub.asks() if ask.session == session),
        queue=await hub.queue(session),
    )


@get("/sessions/{session:str}/events", responses=PROBLEMS)
async def events(hub: Hub, session: Session, after: Number = 0, limit: Limit = 500) -> Events:
    """At most ``limit`` events after the one numbered ``after``, in order."""
    facts = await facts_of(hub, session)
    found = await between(hub, facts, after, limit)
    return Events(epoch=hub.epoch, events=found, last_seq=facts.last_seq)


@get("/sessions/{session:str}/queue", responses=PROBLEMS)
async def queue(hub: Hub, session: Session) -> tuple[Queued, ...]:
    """The prompts that wait for their turn, in order."""
    await facts_of(hub, session)
    return await hub.queue(session)


@get("/sessions/{session:str}/tools", responses=PROBLEMS)
async def tools(hub: Hub, session: Session) -> tuple[ToolUsage, ...]:
    """Calls and time of each tool, the one that took longest first."""
    calls = Calls()
    async for page in pages(hub, await facts_of(hub, session)):
        for event in page:
            calls.feed(event)
    return calls.tools()


@get("/sessions/{session:str}/export", responses=PROBLEMS)
async def exported(hub: Hub, session: Session, form: FromQuery[Literal["markdown", "json"]] = "markdown") -> Stream:
    """The whole session as a document, without what looks like a secret."""
    facts = await facts_of(hub, session)
    kind, ending = ("application/json", "json") if form == "json" else ("text/markdown", "md")
    told = _as_json(hub, facts) if form == "json" else _as_markdown(hub, facts)
    return Stream(told, media_type=kind, headers=_saved_as(f"{session}.{ending}"))


async def _as_markdown(hub: Conversations, facts: SessionFacts) -> AsyncIterator[str]:
    yield export.markdown_head(facts)
    async for page in pages(hub, facts):
        yield "".join(map(export.markdown_event, page))


async def _as_json(hub: Conversations, facts: SessionFacts) -> AsyncIterator[str]:
    yield export.json_head(facts)
    comma = ""
    async for page in pages(hub, facts):
        yield comma + ",\n".join(map(export.json_event, page))
        comma = ",\n"
    yield export.JSON_TAIL


@get("/sessions/{session:str}/recording", responses=PROBLEMS)
async def recording(request: Asked, hub: Hub, session: Session, raw: FromQuery[bool] = False) -> Stream:
    """The recording, one JSON object a line, without what looks like a secret; ``raw``, which is an owner's, as it
    is."""
    if raw:
        require(visitor_of(request), "owner")
    await facts_of(hub, session)
    lines = await recorded(await hub.recording(session), raw=raw)
    return Stream(lines, media_type="application/jsonl", headers=_saved_as(f"{session}.jsonl"))


@get("/search", responses=PROBLEMS)
async def search(
    hub: Hub, words: FromQuery[str], session: FromQuery[SessionId | None] = None, limit: Limit = 50
) -> tuple[Found, ...]:
    """Where all these words stand, the newest first."""
    return await hub.search(words, session=session, limit=limit)


@get("/past", role="owner", responses=PROBLEMS)
async def past(
    hub: Hub, words: FromQuery[str] = "", after: FromQuery[str | None] = None, limit: Limit = 50
) -> PastPage:
    """Conversations of the CLI's on this machine, whoever began them, the newest change first, and which session goes
    on with each. Those with all ``words`` in their title, first prompt, folder or branch; ``after`` is told by the page
    before. The command ``import`` takes one over."""
    return await hub.past(words=words, after=after, limit=limit)


def _saved_as(name: str) -> dict[str, str]:
    """A file to be saved. Our ids are plain letters; what is none is left out, so that no name ends the header."""
    plain = "".join(char for char in name if char.isascii() and (char.isalnum() or char in "-_."))
    return {"Content-Disposition": f'attachment; filename="{plain}"'}


ROUTES: Final = (sessions, session, view, events, queue, tools, exported, recording, search, past)
