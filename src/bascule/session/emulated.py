"""The hooks that the CLI does not call back, called by bascule at the moments that they are for (S18).

The CLI takes callbacks for every event. It never calls those of Setup and Notification; those of SessionStart and
SessionEnd it calls at ``/compact`` and ``/clear``, and not when its process starts and ends. Command hooks in the
settings it runs at all of these moments.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Iterator
from typing import Any, Final, NamedTuple, Protocol

from bascule.events import AnyEvent, Complete, PermissionRequest
from bascule.recording import Noticed
from bascule.session.hooks import UserHook, call_hook
from bascule.session.line import Line
from bascule.wire.hook_outputs import HookOutput, SessionStartOutput
from bascule.wire.hooks import HookInput, Notification, SessionEnd, SessionStart, Setup

EMULATED: Final = frozenset(("SessionStart", "SessionEnd", "Setup", "Notification"))

STARTS: Final = frozenset(("startup", "resume", "fork"))
"""The sources of SessionStart that are the start of a process."""

REST_S: Final = 60.0
"""At rest for so long, a session waits for its person: as the CLI's own ``idle_prompt``."""

END_S: Final = 5.0
"""How long the SessionEnd hooks together may hold the end of a session up."""


class Spawn(Protocol):
    """Runs something beside the reader."""

    def __call__(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """``name``: of its task."""
        ...


class Facts(NamedTuple):
    """What the hooks are told of the session. The CLI's own hooks are told ``transcript_path`` as well."""

    session_id: str | None
    """None: the CLI knows which conversation it goes on with, and has not told yet."""
    cwd: str
    mode: str | None
    model: str | None
    agent: str | None
    source: str
    """``startup``, ``resume``, ``fork``."""
    setup: str | None
    """``maintenance`` when the process was started for it."""


class Opening(NamedTuple):
    """What the SessionStart hooks want."""

    context: str | None = None
    """For the model."""
    title: str | None = None
    first_prompt: str | None = None


class Emulated:
    """These hooks of one session."""

    def __init__(
        self,
        hooks: tuple[UserHook, ...],
        facts: Facts,
        line: Line,
        *,
        rest_s: float = REST_S,
        end_s: float = END_S,
    ) -> None:
        self._hooks = hooks
        self._facts = facts
        self._line = line
        self._rest_s = rest_s
        self._end_s = end_s
        self._notifies = any(hook.event == "Notification" for hook in hooks)
        self._begun = False

    async def begin(self) -> Opening:
        """The process has started: Setup, if it was started for that, then SessionStart."""
        self._begun = True
        base = self._base()
        if self._facts.setup is not None:
            await self._call(Setup(trigger=self._facts.setup, **base), "Setup", self._facts.setup)
        told = SessionStart(source=self._facts.source, model=self._facts.model, agent_type=self._facts.agent, **base)
        return _opening(await self._call(told, "SessionStart", self._facts.source))

    def goes_on(self) -> None:
        """After another host, which told of the start."""
        self._begun = True

    async def end(self) -> None:
        """The process has ended. Bounded; nothing when it never began, and the second time."""
        if not self._begun:
            return
        self._begun = False
        try:
            async with asyncio.timeout(self._end_s):
                await self._call(SessionEnd(reason="other", **self._base()), "SessionEnd", "other")
        except TimeoutError:
            self._line.log.warning("a SessionEnd hook took longer than %g s and was left", self._end_s)

    def asked(self, event: PermissionRequest, spawn: Spawn) -> None:
        """A person is asked."""
        if event.ask in ("elicitation", "dialog"):
            told = self._notification("elicitation_dialog", f"{event.tool_name} asks you something")
        else:
            told = self._notification("permission_prompt", f"Claude needs your permission to use {event.tool_name}")
        self._notify(told, spawn)

    def happened(self, event: AnyEvent, spawn: Spawn) -> None:
        """An event was published."""
        if self._notifies and isinstance(event, Complete):
            spawn(self._rest(), name="rest")

    def knows(self, told: HookInput) -> bool:
        """Whether the CLI calls back for what was called here already: a newer one may."""
        return isinstance(told, SessionStart) and told.source in STARTS

    async def _rest(self) -> None:
        """Background agents that are at work, or ask, are no rest."""
        goes_on = await self._line.until(lambda: self._line.fold.turn_running, within_s=self._rest_s)
        if self._line.fold.idle and not (goes_on or self._line.over):
            told = self._notification("idle_prompt", "Claude is waiting for your input")
            await self._call(told, "Notification", "idle_prompt")

    def _notify(self, told: Notification, spawn: Spawn) -> None:
        if self._notifies:
            kind = told.notification_type or ""
            spawn(self._call_only(told, "Notification", kind), name=f"Notification {kind}")

    def _notification(self, kind: str, message: str) -> Notification:
        return Notification(notification_type=kind, message=message, **self._base())

    def _base(self) -> dict[str, Any]:
        return {
            "session_id": self._line.fold.cli_session_id or self._facts.session_id,
            "cwd": self._facts.cwd,
            "permission_mode": self._facts.mode,
        }

    async def _call_only(self, told: HookInput, event: str, kind: str) -> None:
        await self._call(told, event, kind)

    async def _call(self, told: HookInput, event: str, kind: str) -> list[HookOutput]:
        """What each hook for ``event`` says, one after the other; one that takes too long says nothing."""
        said = []
        for hook in self._of(event, kind):
            try:
                async with asyncio.timeout(hook.timeout_s):
                    said.append(await call_hook(hook, told))
            except TimeoutError:
                self._line.log.warning("the %s hook took longer than %g s and was left", event, hook.timeout_s)
        for output in said:
            if output.system_message:
                self._line.note(Noticed(level="notice", text=output.system_message))
        return said

    def _of(self, event: str, kind: str) -> Iterator[UserHook]:
        """Those whose matcher, where they have one, is for ``kind``; none but a word or some are of use here."""
        return (
            hook
            for hook in self._hooks
            if hook.event == event and (hook.matcher in (None, "", "*") or re.fullmatch(hook.matcher or "", kind))
        )


def _opening(said: list[HookOutput]) -> Opening:
    """All contexts together; of the rest the first."""
    starts = [output.specific for output in said if isinstance(output.specific, SessionStartOutput)]
    contexts = [start.additional_context for start in starts if start.additional_context]
    return Opening(
        context="\n\n".join(contexts) or None,
        title=next((start.session_title for start in starts if start.session_title), None),
        first_prompt=next((start.initial_user_message for start in starts if start.initial_user_message), None),
    )
