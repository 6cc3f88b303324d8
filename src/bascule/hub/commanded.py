"""What a hub does for each command, and the receipt that tells how it went. Run in a task of the hub's own."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from bascule.commands import (
    Archive,
    Compact,
    Decide,
    DropQueued,
    EditQueued,
    End,
    Fork,
    Fresh,
    GiveGrant,
    HoldQueue,
    HubCommand,
    Import,
    Interrupt,
    MoveQueued,
    Prompt,
    Receipt,
    Refused,
    Rename,
    Retry,
    RevokeGrant,
    Rewind,
    SendQueued,
    SetMode,
    SetModel,
    SetPolicy,
    Sleep,
    Start,
    StopTask,
    Taken,
    Trust,
    Undo,
)
from bascule.errors import BasculeError, OptionError, StoreError
from bascule.hub import importing, starting
from bascule.hub.live import now_ms
from bascule.policy import policies
from bascule.wire.messages import compacting

if TYPE_CHECKING:
    from bascule.hub.hub import Hub
    from bascule.hub.live import Live


async def carry_out(hub: Hub, command: HubCommand) -> Receipt:
    """Do what ``command`` says; what prevents it is told in the receipt. Never raises but when cancelled."""
    try:
        return await _do(hub, command)
    except BasculeError as exc:
        return Refused(reason=str(exc))
    except OSError as exc:
        return Refused(reason=f"{exc}: mend it and try again")


async def _do(hub: Hub, command: HubCommand) -> Receipt:
    match command:
        case Start():
            return await starting.start(hub, command)
        case Import():
            return await importing.bring_in(hub, command)
        case Undo():
            return hub.claims.undo(command)
        case Fork():
            return await starting.fork(hub, command)
        case Decide():
            return await hub.claims.decide(command, hub.live(command.session).ready)
        case EditQueued() | MoveQueued() | DropQueued() | SendQueued() | HoldQueue():
            return await _queue(hub.live(command.session), command)
        case Compact() | StopTask() | Rewind():
            return await _ask(hub.live(command.session), command)
        case Prompt() | Interrupt() | SetMode() | SetModel() | Trust() | GiveGrant() | RevokeGrant():
            return await _talk(hub.live(command.session), command)
        case End() | Sleep() | Archive() | Retry() | Rename() | SetPolicy() | Fresh():
            return await _keep(hub, hub.live(command.session), command)
        case _:
            assert_never(command)


async def _queue(live: Live, command: EditQueued | MoveQueued | DropQueued | SendQueued | HoldQueue) -> Receipt:
    if isinstance(command, HoldQueue):
        await live.change(holds_queue=command.hold)
        if not command.hold and live.queue.length:
            live.want()
        return Taken()
    receipt = await live.queue.change(command)
    if isinstance(command, SendQueued):
        live.want()
    return receipt


async def _talk(
    live: Live, command: Prompt | Interrupt | SetMode | SetModel | Trust | GiveGrant | RevokeGrant
) -> Receipt:
    if isinstance(command, Prompt):
        return await live.prompt(command)
    if isinstance(command, Interrupt):
        return await _interrupt(live, command)
    session = await live.ready()
    if isinstance(command, SetMode | SetModel):
        receipt = await session.send(command) if session is not None else Taken()
        if isinstance(receipt, Taken):
            named = {"mode": command.mode} if isinstance(command, SetMode) else {"model": command.model}
            await live.change(replace(live.row, **named))
        return receipt
    if session is None:
        return Refused(reason="the session sleeps, and what is granted holds in a process: say something first")
    return await session.send(command)


async def _compact(live: Live, command: Compact) -> Receipt:
    """It goes the way of prompts, and wakes a session that sleeps, which has what is to be put together."""
    prompt = Prompt(
        command_id=command.command_id,
        session=command.session,
        text=compacting(command.instructions),
        when="queue",
        by=command.by,
        surface=command.surface,
    )
    return await live.prompt(prompt)


async def _ask(live: Live, command: Compact | StopTask | Rewind) -> Receipt:
    if isinstance(command, Compact):
        return await _compact(live, command)
    session = await live.ready()
    if session is not None:
        return await session.send(command)
    if isinstance(command, StopTask):
        return Taken()
    return Refused(reason="the session sleeps, and its process is what puts files back: say something first")


async def _interrupt(live: Live, command: Interrupt) -> Receipt:
    """Stop the turn, and hold what waits (F32): a person says whether it is still wanted."""
    if command.drop_queued:
        await live.queue.clear()
    elif live.queue.length:
        with suppress(StoreError):  # it is held all the same, and kept once there is room: the stop comes first
            await live.change(holds_queue=True)
    session = await live.ready()
    return Taken() if session is None else await session.send(command)


async def _keep(hub: Hub, live: Live, command: End | Sleep | Archive | Retry | Rename | SetPolicy | Fresh) -> Receipt:
    match command:
        case End():
            await live.end()
        case Sleep():
            await live.put_down()
        case Archive(archived=archived):
            if archived:
                await live.end()
            await live.change(replace(live.row, archived_at=now_ms() if archived else None, updated_at=now_ms()))
        case Retry():
            return await starting.retry(hub, live, command)
        case Rename(title=title):
            await live.change(replace(live.row, title=title, updated_at=now_ms()))
        case SetPolicy(policy=policy):
            policies.named(policy)
            await live.change(replace(live.row, policy=policy, mode=None, updated_at=now_ms()))
            live.restart()
        case Fresh():
            await _begin_anew(live)
        case _:
            assert_never(command)
    return Taken()


async def _begin_anew(live: Live) -> None:
    """Go on with a new conversation, in the same place; what waits may be said."""
    if not live.spec.quarantined:
        raise OptionError("its conversation can be gone on with: fork it, or start another session")
    await live.put_down()
    row = replace(live.row, cli_session_id=None)
    await live.change(row, origin=None, resume_at=None, quarantined=False, holds_queue=False)
    if live.queue.length:
        live.want()
