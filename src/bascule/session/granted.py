"""What a person allowed beyond one call, in one session: while it holds, when it ends, and what it covered meanwhile.

A grant ends when it is taken back, at its time, or, where it accepts edits, when the CLI leaves the mode that says so.
Grants that are kept for longer than the session are kept elsewhere (``Options.keep_grant``).
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Final, Literal, Protocol

from bascule.errors import BasculeError, OptionError
from bascule.events import AnyEvent, ModeChanged
from bascule.ids import GrantId
from bascule.policy.grants import Grant, granted
from bascule.policy.matching import Cover
from bascule.policy.rules import Rule
from bascule.recording import Asked, GrantCause, Granted, GrantEnd, GrantOver, Noticed
from bascule.session.held import Held, edits_accepted, ending
from bascule.session.line import Line
from bascule.session.past import Past
from bascule.wire.permissions import ACCEPT_EDITS
from bascule.wire.requests import SetPermissionMode

DEFAULT: Final = "default"
PLAN: Final = "plan"

TRUST_MINUTES: Final = 24 * 60
PLAN_EDITS_MS: Final = 60 * 60_000


class Spawn(Protocol):
    """Runs something beside the reader, while the process lives."""

    def __call__(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """``name``: of its task."""
        ...


class GrantsHeld:
    """The grants of one session."""

    def __init__(self, line: Line, spawn: Spawn) -> None:
        self._line = line
        self._spawn = spawn
        self._held: dict[GrantId, Held] = {}
        self._covered: dict[GrantId, int] = {}
        self._numbers = itertools.count(1)
        self.overstays = False
        """Edits are trusted no more, and the CLI is still in the mode for that, or was not heard to have left it."""

    @property
    def held(self) -> tuple[Held, ...]:
        """What holds now, the oldest first."""
        return tuple(self._held.values())

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What calls are judged with. The end of each stands in its rule, so that it is kept to the millisecond."""
        return tuple(grant for held in self._held.values() for grant in held.grants)

    @property
    def edits(self) -> tuple[Rule, ...]:
        """What accepted edits allow now; empty: they are not accepted."""
        return tuple(grant.rule for held in self._held.values() if held.edits for grant in held.grants)

    def give(
        self,
        grants: Sequence[Grant],
        *,
        cause: GrantCause,
        edits: bool = False,
        by: str | None = None,
        surface: str | None = None,
        until: int | None = None,
    ) -> GrantId:
        """From now on calls are judged with ``grants``, at least one, until then (UTC ms).

        What is given again takes the place of what was given, which ends: else an end that is new would end nothing.
        """
        if not edits:
            self._replace(grants, by)
        held = Held(
            id=GrantId(f"g{next(self._numbers)}"),
            cause=cause,
            grants=tuple(ending(grant, until) for grant in grants),
            edits=edits,
            by=by,
            until=until,
        )
        self._hold(held)
        self._line.note(
            Granted(
                grant_id=held.id,
                rules=tuple(str(grant.rule) for grant in grants),
                scope=grants[0].scope,
                cause=cause,
                edits=edits,
                by=by,
                surface=surface,
                until=until,
            )
        )
        return held.id

    def _replace(self, grants: Sequence[Grant], by: str | None) -> None:
        given = [(str(grant.rule), grant.scope) for grant in grants]
        for held in self.held:
            if not held.edits and all((str(grant.rule), grant.scope) in given for grant in held.grants):
                self._end(held, "revoked", by)

    def goes_on(self, past: Past, began_in: str | None = None) -> None:
        """After another host: with what still holds. What accepted edits in a mode that was left ends now.

        ``began_in``: the mode that a new process begins in; None: it is the same process.
        """
        self._numbers = itertools.count(past.granted + 1)
        for held in past.grants.values():
            self._hold(held, covered=past.covered[held.id])
            if held.id in past.left or (held.edits and began_in not in (None, ACCEPT_EDITS)):
                self._end(held, "mode", past.left.get(held.id))

    def accept_edits(
        self, *, cause: Literal["plan", "trust"], by: str | None, surface: str | None, until: int | None = None
    ) -> GrantId:
        """From now on files in the workspace may be written, until then (UTC ms), at the latest when the CLI leaves
        its mode for that; ``until`` None: for an hour, the longest that work on one plan may take unlooked at."""
        self.overstays = False
        end = _now_ms() + PLAN_EDITS_MS if until is None else until
        return self.give(edits_accepted(), cause=cause, edits=True, by=by, surface=surface, until=end)

    async def trust(
        self, rule: str | None, *, minutes: float, by: str | None = None, surface: str | None = None
    ) -> GrantId:
        """Allow what ``rule`` covers for a time; None: edits, for which the CLI gets its own mode as well.

        Raises ``OptionError`` for a time or a rule that is none, and where the CLI's mode asks about no edit anyway.
        """
        if not 0 < minutes <= TRUST_MINUTES:
            raise OptionError(f"minutes is {minutes:g}: it is above 0 and at most {TRUST_MINUTES}, which is a day")
        until = _now_ms() + round(minutes * 60_000)
        if rule is not None:
            return self.give((granted(rule, by=by, until=until),), cause="trust", by=by, surface=surface, until=until)
        mode = self._line.fold.mode or DEFAULT
        if mode == PLAN:
            raise OptionError("the session plans, and writes nothing yet: approve its plan with accept_edits")
        if mode not in (DEFAULT, ACCEPT_EDITS) or (mode == ACCEPT_EDITS and not any(h.edits for h in self.held)):
            raise OptionError(f"in the mode {mode} Claude Code asks about no edit: there is nothing to trust it with")
        await self._set_mode(ACCEPT_EDITS, by=by, surface=surface)
        if self._line.fold.mode != ACCEPT_EDITS:
            raise OptionError(f"the mode was changed to {self._line.fold.mode} meanwhile: edits are not trusted")
        return self.accept_edits(cause="trust", by=by, surface=surface, until=until)

    async def revoke(self, grant_id: GrantId, *, by: str | None = None) -> bool:
        """Take a grant back; False when there is none of that id, or no more."""
        held = self._held.get(grant_id)
        if held is not None:
            await self._see_off(held, "revoked", by)
        return held is not None

    def covered(self, covers: Iterable[Cover]) -> None:
        """A call runs since these rules allow it: each grant among them has covered one more."""
        used = {cover.rule.named for cover in covers if cover.rule is not None}
        for held in self._held.values():
            self._covered[held.id] += any(grant.rule.named in used for grant in held.grants)

    def happened(self, event: AnyEvent) -> None:
        """An event was published."""
        if isinstance(event, ModeChanged) and event.mode != ACCEPT_EDITS:
            self.overstays = False
            for held in self.held:
                if held.edits:
                    self._end(held, "mode", event.by)

    def _hold(self, held: Held, *, covered: int = 0) -> None:
        self._held[held.id] = held
        self._covered[held.id] = covered
        if held.until is not None:
            self._spawn(self._expire(held, held.until), name=f"end of the grant {held.id}")

    async def _expire(self, held: Held, until: int) -> None:
        await asyncio.sleep(max(0.0, until / 1000 - time.time()))
        if held.id in self._held:
            await self._see_off(held, "expired", None)

    async def _see_off(self, held: Held, cause: GrantEnd, by: str | None) -> None:
        self._end(held, cause, by)
        if held.edits and not any(other.edits for other in self.held):
            await self._leave_mode()

    async def _leave_mode(self) -> None:
        """The CLI shall ask again. Until it does, and where it will not, our hook does."""
        if self._line.fold.mode == ACCEPT_EDITS and not self._line.over:
            self.overstays = True
            try:
                await self._set_mode(DEFAULT, by="bascule", surface=None)
            except (BasculeError, TimeoutError) as exc:
                self._line.note(Noticed(level="warning", text=f"Claude Code stays in the mode {ACCEPT_EDITS}: {exc}"))

    async def _set_mode(self, mode: str, *, by: str | None, surface: str | None) -> None:
        await self._line.request(
            SetPermissionMode(mode=mode), note=lambda request_id: Asked(request_id=request_id, by=by, surface=surface)
        )

    def _end(self, held: Held, cause: GrantEnd, by: str | None) -> None:
        del self._held[held.id]
        self._line.note(GrantOver(grant_id=held.id, cause=cause, by=by, covered=self._covered.pop(held.id)))


def _now_ms() -> int:
    return int(time.time() * 1000)
