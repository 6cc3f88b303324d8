"""Conversations of the CLI's that others began: which there are, and one of them taken over as a session of ours.

What was said becomes the recording of a session that sleeps, and is read as that of any other: the owner of the new
session makes its events, also where the hub dies meanwhile. From its first prompt on it is a resumed conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bascule.commands import Import, Receipt, Start, Taken
from bascule.conversation import PastConversation, PastPage
from bascule.errors import OptionError, SessionInUse, StoreError
from bascule.history.listing import find, page
from bascule.history.live import all_running, running
from bascule.history.places import id_of
from bascule.history.retelling import retold
from bascule.history.stored import StoredSession, holder
from bascule.history.transcript import read
from bascule.hub.live import Live, now_ms
from bascule.hub.projects import Place, place_of
from bascule.hub.queue import named_by
from bascule.hub.spec import check_start, conversation_of, local_to
from bascule.ids import SessionId
from bascule.recording import Began, Entry, Imported
from bascule.session.admission import users_folder
from bascule.session.options import environment_of
from bascule.session.ownership import owned, owners_folder
from bascule.store.rows import SessionRow

if TYPE_CHECKING:
    from bascule.hub.hub import Hub


async def past(hub: Hub, *, words: str, after: str | None, limit: int) -> PastPage:
    """As ``Conversations.past``."""
    ours = {conversation: live.id for conversation, live in _ours(hub).items()}
    return await asyncio.to_thread(_page, _config(hub), ours, words, after, limit)


def _config(hub: Hub) -> Path:
    """The folder of the CLI that sessions of this hub are started with."""
    return users_folder(environment_of(hub.settings.options))


def _ours(hub: Hub) -> Mapping[str, Live]:
    """By conversation: the session that can go on with it; of several the one that is still on the list."""
    able = (live for live in hub.lives() if not live.spec.recording_gone)
    lives = sorted(able, key=lambda live: (live.row.archived_at is None, live.row.updated_at))
    named = ((conversation_of(live.row), live) for live in lives)
    return {conversation.lower(): live for conversation, live in named if conversation is not None}


def _page(config: Path, ours: Mapping[str, SessionId], words: str, after: str | None, limit: int) -> PastPage:
    found = page(config, words=words, after=after, limit=limit)
    pids = all_running(config)
    told = tuple(_told(one, ours.get(one.id.lower()), pids.get(one.id)) for one in found.sessions)
    return PastPage(conversations=told, after=found.after)


def _told(one: StoredSession, session: SessionId | None, pid: int | None) -> PastConversation:
    return PastConversation(
        id=one.id,
        title=one.title,
        first_prompt=one.first_prompt,
        cwd=one.cwd,
        branch=one.branch,
        model=one.model,
        started_at=one.started_at,
        changed_at=one.changed_at,
        messages=one.messages,
        bytes=one.bytes,
        damaged=one.damaged,
        session=session,
        pid=pid,
    )


async def bring_in(hub: Hub, command: Import) -> Receipt:
    """A session that goes on with a conversation of the CLI's: the one that does already, or a new one.

    Raises ``OptionError`` for what is none, ``SessionInUse`` for one that somebody else has open, and ``HistoryError``.
    """
    session, config = SessionId(named_by(command.command_id)), _config(hub)
    found = await asyncio.to_thread(_meant, command, config)
    async with hub.imports:
        live = hub.live(session) if hub.has(session) else _ours(hub).get(found.id.lower())
        if live is None:
            live = await _imported(hub, session, command, found)
    if live.row.archived_at is not None:
        await live.change(replace(live.row, archived_at=None))
    await live.ready()
    return Taken(session=live.id)


async def _imported(hub: Hub, session: SessionId, command: Import, found: StoredSession) -> Live:
    place = await _place(hub, command, found)
    now = now_ms()
    row = _row(hub, session, place, found, now)
    began = Began(session=session, at=row.created_at, cwd=place.cwd, policy=row.policy)
    await hub.processes.record(session, _told_again(found, _config(hub), began, now))
    try:
        return await hub.add(row)
    except StoreError:
        await hub.processes.discard(session)  # no session would ever let go of it
        raise


def _meant(command: Import, config: Path) -> StoredSession:
    if (command.path is None) == (command.cli_session_id is None):
        raise OptionError("name a conversation by cli_session_id or by path, and not by both")
    id_ = command.cli_session_id if command.path is None else id_of(Path(command.path))
    found = find(id_ or "", config)
    if found is None:
        raise OptionError(f"there is no conversation {id_} in {config / 'projects'}, or nothing was said in it")
    if command.path is not None and not _same(Path(command.path), found.path):
        raise OptionError(f"{command.path} is not where Claude Code goes on with {id_}: that is {found.path}")
    of = holder(found.path)
    if of is not None and of.lower() != found.id.lower():
        raise OptionError(f"{found.path} is a copy of the conversation {of}: import that")
    return found


def _same(given: Path, found: Path) -> bool:
    try:
        return given.samefile(found)
    except OSError:
        return False


async def _place(hub: Hub, command: Import, found: StoredSession) -> Place:
    cwd = command.cwd or found.cwd
    if cwd is None:
        raise OptionError(f"{found.path} does not say in which folder it was: name one to go on in (cwd)")
    start = Start(command_id=command.command_id, cwd=cwd)
    place = await place_of(hub.store, start)
    here = await asyncio.to_thread(local_to, place, hub.settings)
    check_start(replace(start, cwd=place.cwd), here.options)
    return place._replace(policy=here.options.policy)


def _row(hub: Hub, session: SessionId, place: Place, found: StoredSession, now: int) -> SessionRow:
    """``keeper``: its owner looks at the recording first, as after a process of a hub that died."""
    return SessionRow(
        id=session,
        cwd=place.cwd,
        policy=place.policy or hub.settings.options.policy,
        status="asleep",
        cli_session_id=found.id,
        title=found.title or "",
        model=place.model,
        project=place.project,
        keeper={"since": now},
        created_at=min(now, found.started_at or found.changed_at),
        updated_at=now,
    )


def _told_again(found: StoredSession, config: Path, began: Began, now: int) -> Generator[Entry, None, None]:
    """The recording, while nobody else can open the conversation. Reads files, in whichever thread asks for it."""
    with owned(found.id, owners_folder()):
        pid = running(found.id, config)
        if pid is not None:
            told = f"the conversation {found.id} is open in process {pid}: end that first"
            raise SessionInUse(told, session=found.id, pid=pid)
        transcript = read(found.path)
        damaged = tuple(damage.number for damage in transcript.damage)
        imported = Imported(cli_session_id=found.id, path=str(found.path), damaged=damaged)
        yield from retold((numbered.entry for numbered in transcript.entries()), began, imported, now=now)
