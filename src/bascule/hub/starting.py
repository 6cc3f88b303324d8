"""Sessions that begin: new, from a conversation of before, or as a copy; and one that goes back to where it was."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from bascule.commands import Fork, Prompt, Receipt, Refused, Retry, Start, Taken
from bascule.errors import LocalProtocolError, OptionError
from bascule.events import PromptAccepted
from bascule.hub.live import UNRECORDED, Live, now_ms
from bascule.hub.projects import Place, place_of
from bascule.hub.queue import named_by
from bascule.hub.spec import Origin, Spec, check_start, local_to, with_spec
from bascule.ids import CommandId, PromptId, SessionId
from bascule.store.rows import SessionRow, TurnRow

if TYPE_CHECKING:
    from bascule.hub.hub import Hub

PAGE: Final = 500
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""What a sender may call a session: a folder is named so."""


async def start(hub: Hub, command: Start) -> Receipt:
    """A session; its process begins with its first prompt. Raises ``OptionError`` for what cannot be."""
    if command.session and not _ID.fullmatch(command.session):
        return Refused(reason=f"session is {command.session!r}: letters, digits, - _ and . make an id, 64 at most")
    session = command.session or SessionId(named_by(command.command_id))
    if hub.has(session):
        live = hub.live(session)
        if command.session and live.spec.begun_by != command.command_id:
            return Refused(reason=f"there is a session {session}")
        return await _begun(live, command)
    place = await place_of(hub.store, command)
    here = await asyncio.to_thread(local_to, place, hub.settings, command.policy)
    check_start(replace(command, cwd=place.cwd), here.options)
    origin = None
    if command.resume is not None:
        origin = Origin(resume=command.resume, resume_at=command.resume_at, fork=command.fork)
    row = _row(session, place, command, policy=here.options.policy)
    spec = Spec(options=command.options, origin=origin, begun_by=command.command_id)
    return await _begun(await hub.add(with_spec(row, spec)), command)


async def _begun(live: Live, command: Start) -> Receipt:
    """What follows once the session is kept; again too, where a hub died in between."""
    if command.prompt is None:
        return Taken(session=live.id)
    said = await live.prompt(_first(command, live.id))
    return replace(said, session=live.id) if isinstance(said, Taken) else said


def _row(session: SessionId, place: Place, command: Start, *, policy: str) -> SessionRow:
    now = now_ms()
    return SessionRow(
        id=session,
        cwd=place.cwd,
        policy=command.policy or policy,
        status="asleep",
        title=command.title,
        mode=command.mode,
        model=command.model or place.model,
        project=place.project,
        branch=place.branch,
        created_at=now,
        updated_at=now,
    )


def _first(command: Start, session: SessionId) -> Prompt:
    return Prompt(
        command_id=CommandId(f"{command.command_id}/prompt"),
        session=session,
        by=command.by,
        surface=command.surface,
        text=command.prompt or "",
        attachments=command.attachments,
    )


async def fork(hub: Hub, command: Fork) -> Receipt:
    """A session that goes on in a copy. Raises ``OptionError`` where there is nothing to copy."""
    live = hub.live(command.session)
    session = SessionId(named_by(command.command_id))
    if hub.has(session):
        return Taken(session=session)
    if live.row.cli_session_id is None:
        raise OptionError("nothing was said in this session yet: start another one")
    at = live.row.last_uuid if command.at is None else _end_of(await _turns(hub, live), command.at)
    now = now_ms()
    spec = Spec(options=live.spec.options, origin=Origin(resume=live.row.cli_session_id, resume_at=at, fork=True))
    row = SessionRow(
        id=session,
        cwd=live.row.cwd,
        policy=live.row.policy,
        status="asleep",
        title=command.title or f"{live.facts().title} (fork)",
        mode=live.row.mode,
        model=live.row.model,
        project=live.row.project,
        branch=live.row.branch,
        created_at=now,
        updated_at=now,
    )
    await hub.add(with_spec(row, spec))
    return Taken(session=session)


async def retry(hub: Hub, live: Live, command: Retry) -> Receipt:
    """Say the last prompt again, from before it. Raises ``LocalProtocolError`` while a turn runs."""
    if live.spec.recording_gone:
        return UNRECORDED
    if (retried := await _retried(live, command)) is not None:
        return retried
    turns = await _turns(hub, live)
    if not turns or turns[-1].complete is None:
        raise LocalProtocolError("there is no turn to be tried again: wait for its end, or say something")
    prompt = await _said(hub, live, turns[-1].complete.prompt_ids)
    at = _before_last(turns) if command.at is None else _end_of(turns, command.at)
    await live.put_down()
    row = live.row if at is not None else replace(live.row, cli_session_id=None)
    await live.change(row, resume_at=at, quarantined=False)
    said = Prompt(
        command_id=command.command_id,
        session=live.id,
        by=command.by,
        surface=command.surface,
        text=prompt.text,
    )
    return await live.prompt(said)


async def _retried(live: Live, command: Retry) -> Taken | None:
    """What a hub did that died before it could say so."""
    prompt_id = PromptId(named_by(command.command_id))
    waits = next((row.id for row in await live.queue.rows() if row.client_id == command.command_id), None)
    said = waits is not None or prompt_id in live.sketch.said
    return Taken(prompt_id=prompt_id, queued=waits) if said else None


async def _turns(hub: Hub, live: Live) -> tuple[TurnRow, ...]:
    return await hub.store.turns(live.id)


def _before_last(turns: tuple[TurnRow, ...]) -> str | None:
    ends = (row.complete.last_message_uuid for row in reversed(turns[:-1]) if row.complete is not None)
    return next(filter(None, ends), None)


def _end_of(turns: tuple[TurnRow, ...], turn: int) -> str | None:
    """The message to go on from after that turn; None: from the beginning."""
    if turn == 0:
        return None
    row = next((row for row in turns if row.turn == turn), None)
    if row is None or row.complete is None or row.complete.last_message_uuid is None:
        raise OptionError(f"nothing can be gone on with after turn {turn}: name another one")
    return row.complete.last_message_uuid


async def _said(hub: Hub, live: Live, prompts: tuple[PromptId, ...]) -> PromptAccepted:
    """The last of them, as it was said."""
    end = live.journal.last
    while end > 0:
        after = max(0, end - PAGE)
        for event in reversed(await hub.store.events(live.id, after=after, limit=end - after)):
            if isinstance(event, PromptAccepted) and event.prompt_id in prompts:
                return event
        end = after
    raise OptionError("that turn answered no prompt: say something instead")
