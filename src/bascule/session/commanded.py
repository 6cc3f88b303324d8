"""What a command is carried out with: the method of a session that it means, and the receipt that tells how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from bascule.commands import (
    AnyCommand,
    Compact,
    Decide,
    End,
    GiveGrant,
    Interrupt,
    Prompt,
    PutBack,
    Receipt,
    Refused,
    RevokeGrant,
    Rewind,
    SetMode,
    SetModel,
    StopTask,
    Taken,
    TooLate,
    Trust,
)
from bascule.errors import BasculeError

if TYPE_CHECKING:
    from bascule.session.session import Session


async def carry_out(session: Session, command: AnyCommand) -> Receipt:
    """Do what ``command`` says; what prevents it is told in the receipt. Never raises but when cancelled."""
    try:
        return await _do(session, command)
    except BasculeError as exc:
        return Refused(reason=str(exc))
    except TimeoutError:
        return Refused(reason=f"the CLI did not answer {type(command).__name__} in time: try again, or end the session")
    except OSError as exc:
        return Refused(reason=f"{exc}: mend it and try again")


async def _do(session: Session, command: AnyCommand) -> Receipt:
    by, surface = command.by, command.surface
    match command:
        case Prompt():
            return await _prompted(session, command)
        case Interrupt(drop_queued=drop_queued):
            return await session.interrupt(drop_queued=drop_queued)
        case Decide(pending_id=pending_id, decision=decision, input_hash=seen):
            return await session.decide(pending_id, decision, input_hash=seen, by=by, surface=surface)
        case SetMode(mode=mode):
            await session.set_mode(mode, by=by, surface=surface)
        case SetModel(model=model):
            await session.set_model(model, by=by, surface=surface)
        case Trust() | GiveGrant() | RevokeGrant():
            return await _granted(session, command)
        case Compact() | StopTask() | Rewind():
            return await _asked(session, command)
        case End():
            await session.end()
        case _:
            assert_never(command)
    return Taken()


async def _granted(session: Session, command: Trust | GiveGrant | RevokeGrant) -> Receipt:
    by, surface = command.by, command.surface
    match command:
        case Trust(what=what, rule=rule) if (what == "rule") != (rule is not None):
            return Refused(reason="trust is for edits, or for a rule: give the rule with what=rule, and only then")
        case Trust(rule=rule, minutes=minutes):
            return Taken(grant_id=await session.trust(rule, minutes=minutes, by=by, surface=surface))
        case GiveGrant(rule=rule, scope=scope, until=until):
            return Taken(grant_id=await session.allow(rule, scope=scope, until=until, by=by, surface=surface))
        case RevokeGrant(grant_id=grant_id):
            ended = await session.revoke(grant_id, by=by)
            return Taken() if ended else TooLate(winner=f"there is no grant {grant_id} any more")


async def _asked(session: Session, command: Compact | StopTask | Rewind) -> Taken:
    match command:
        case Compact(instructions=instructions, by=by, surface=surface):
            return Taken(prompt_id=(await session.compact(instructions, by=by, surface=surface)).prompt_id)
        case StopTask(task_id=task_id):
            await session.cli.stop_task(task_id)
            return Taken()
        case Rewind(at=prompt_id, dry_run=dry_run):
            did = await session.rewind(prompt_id, dry_run=dry_run)
            figures = PutBack(files=did.files_changed, insertions=did.insertions, deletions=did.deletions)
            return Taken(put_back=figures)


async def _prompted(session: Session, command: Prompt) -> Taken:
    handle = await session.prompt(
        command.text,
        attachments=command.attachments,
        when=command.when,
        query=command.query,
        with_reason=command.with_reason,
        prompt_id=command.prompt_id,
        by=command.by,
        surface=command.surface,
    )
    return Taken(prompt_id=handle.prompt_id)
