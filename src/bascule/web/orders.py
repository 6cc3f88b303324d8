"""Commands of visitors: signed with who sent them, allowed by the role, carried out to their end, written down.

A command that came by a socket outlives it: it is carried out in a task of the server's own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from msgspec.structs import replace

from bascule.commands import Decide, HubCommand, Import, Receipt, Refused, Start, Taken, TooLate
from bascule.conversation import Conversations
from bascule.errors import StoreError
from bascule.web.auth import Door, Visitor, require
from bascule.web.problems import Problem, Refusal, problem_of
from bascule.web.rights import may, needed
from bascule.web.stored import facts_of

log = logging.getLogger("bascule.web")

SURFACES: Final = frozenset(("terminal", "telegram"))
"""What a program with a key may say that it is; any other is ``api``."""


class Orders:
    """The commands that one server carries out."""

    def __init__(self, hub: Conversations, door: Door) -> None:
        self._hub = hub
        self._door = door
        self._group: asyncio.TaskGroup | None = None
        self._open: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the server runs. What is not done when it ends is cancelled; the hub keeps what it took on."""
        async with asyncio.TaskGroup() as self._group:
            yield
            for task in self._open:
                task.cancel()

    def begin(self, visitor: Visitor, command: HubCommand, tell: Callable[[Receipt | Problem], None]) -> None:
        """Carry ``command`` out, and ``tell`` what came of it."""
        assert self._group is not None, "a command came in before the server ran"
        task = self._group.create_task(
            self._answered(visitor, command, tell), name=f"web {type(command).__name__} {command.command_id}"
        )
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _answered(self, visitor: Visitor, command: HubCommand, tell: Callable[[Receipt | Problem], None]) -> None:
        try:
            tell(await self.carry_out(visitor, command))
        except Exception as exc:
            problem = problem_of(exc)
            if problem.kind == "bug":
                log.exception("%s failed", type(command).__name__)
            tell(problem)

    async def carry_out(self, visitor: Visitor, command: HubCommand) -> Receipt:
        """What the hub answers. Raises ``Refusal`` for a role that is too low and for a session that is not there, and
        what the hub raises."""
        await self._check(visitor, command)
        receipt = await self._hub.send(signed(visitor, command))
        try:
            await self._record(visitor, command, _outcome(receipt))
        except StoreError as exc:  # what was done is told as done
            log.warning("%s %s is missing in the audit: %s", _word(command), command.command_id, exc)
        return receipt

    async def _check(self, visitor: Visitor, command: HubCommand) -> None:
        least = needed(command)
        if not may(visitor.key.role, least):
            await self._record(visitor, command, f"needs the role {least}")
        require(visitor, least)
        if isinstance(command, Start | Import):
            return
        if not command.session:
            raise Refusal(400, "malformed", "which session?", field="session")
        await facts_of(self._hub, command.session)

    async def _record(self, visitor: Visitor, command: HubCommand, outcome: str) -> None:
        surface, who = _surface(visitor, command), visitor.key.holder
        await self._door.record(_word(command), who, surface, session=command.session, detail=_detail(command, outcome))


def signed(visitor: Visitor, command: HubCommand) -> HubCommand:
    """The command with who sent it, and from where: what it says of itself about that does not count."""
    return replace(command, by=visitor.key.label or None, surface=_surface(visitor, command))


def _surface(visitor: Visitor, command: HubCommand) -> str:
    named = command.surface if command.surface in SURFACES else None
    return visitor.surface if visitor.by_cookie else named or visitor.surface


def _word(command: HubCommand) -> str:
    return str(command.__struct_config__.tag)


def _detail(command: HubCommand, outcome: str) -> str:
    match command:
        case Decide(pending_id=pending_id, decision=decision):
            return f"{pending_id} {decision.__struct_config__.tag}: {outcome}"
        case _:
            return f"{command.command_id}: {outcome}"


def _outcome(receipt: Receipt) -> str:
    match receipt:
        case Taken():
            return "taken"
        case TooLate(winner=winner):
            return f"too late, {winner}"
        case Refused(reason=reason):
            return f"refused, {reason}"
