"""Deny rules that are written while a session runs in which none stood: what they need to hold, and where they cannot.

Where the CLI governs, the policy's hook is registered all the same when rules may yet come, and it is by that hook that
they hold. Whether it is really called is demanded only where something depends on it (``opening.demand_gate``); so when
the first deny rule is there, it is seen to what that demand would have seen to, and told where it would have failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bascule.errors import BasculeError
from bascule.events import AnyEvent, ToolCall, TurnStarted
from bascule.recording import Noticed
from bascule.session import skills
from bascule.session.granted import Spawn
from bascule.session.line import Asking, Line

NO_HOOK: Final = (
    "a deny rule stands, and this Claude Code asks no hook of bascule's about its calls: the rule holds only for what"
    " it asks a person about. End the session and resume it, and the rule holds for every call"
)
SKILLS_RUN: Final = "a deny rule stands, but shell lines of skills still run past it"


class LateRules:
    """Of one session. Looks at the rule files when a turn or a call begins: a ``stat`` each."""

    def __init__(self, line: Line, spawn: Spawn, denies: Callable[[], bool]) -> None:
        """``denies``: whether a deny rule stands by now."""
        self._line = line
        self._spawn = spawn
        self._denies = denies
        self._awaited = False
        self._hooked = False
        self._version: str | None = None

    def may_come(self, *, hooked: bool, version: str | None) -> None:
        """No deny rule stands yet. ``hooked``: the process calls the policy's hook; ``version`` is what it told."""
        self._awaited, self._hooked, self._version = True, hooked, version

    def happened(self, event: AnyEvent) -> None:
        """An event was published."""
        if isinstance(event, ToolCall | TurnStarted):
            self.look()

    def look(self) -> None:
        """See to the first deny rule, if it is there now: before anything that is written to the CLI after this."""
        if not self._awaited or self._line.over or not self._is_there():
            return
        self._awaited = False
        if not self._hooked:
            self._line.note(Noticed(level="warning", text=NO_HOOK))
        elif not skills.are_asked_about(self._version):
            self._spawn(self._held_back(self._line.asks(skills.SWITCHED_OFF)), name="late rules")

    def _is_there(self) -> bool:
        """Rules that cannot be looked at may deny; who reads the CLI's lines is not to end for them."""
        try:
            return self._denies()
        except OSError as exc:
            self._line.log.warning("rules could not be looked at: %s", exc)
            return True

    async def _held_back(self, asking: Asking) -> None:
        try:
            await self._line.answer_to(asking)
        except (BasculeError, TimeoutError) as exc:
            self._line.note(Noticed(level="warning", text=f"{SKILLS_RUN}: {exc}"))
