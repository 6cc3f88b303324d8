"""Calls what others wrote: a user's hooks and servers, the person's callback, the policy. None can fail open.

Whatever raises here, ``SystemExit`` as well, is logged with its traceback and answers its one request: a hook that
blocks with *deny* (to a CLI an error would let the tool run, 07_hook_result_key), any other hook with *no opinion*, the
person's callback with a denial.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args, runtime_checkable

import msgspec

from bascule.aio.called import called
from bascule.commands import Decision, Deny
from bascule.errors import BasculeError, OptionError
from bascule.events import PermissionRequest
from bascule.policy import verdict
from bascule.policy.grants import Grant
from bascule.protocol.handshake import GATES, HOOK_TIMEOUT_S
from bascule.session.mcp import Serve, acknowledged, failure
from bascule.wire.control import McpAnswer, McpMessage
from bascule.wire.hook_outputs import (
    HookOutput,
    PermissionRequestOutput,
    PermissionWord,
    PreModelSwitchOutput,
    PreSkillShellCommandOutput,
    PreToolUseOutput,
)
from bascule.wire.hooks import HookInput, UnknownHookInput
from bascule.wire.permissions import Deny as WireDeny

log = logging.getLogger("bascule.session")

HookFunction: TypeAlias = Callable[[Any], Awaitable[HookOutput | None]]
"""A user's hook: what its event tells (``hooks.PreToolUse`` for ``PreToolUse``, …) in, its answer out. None: no
opinion."""

Keep: TypeAlias = Callable[[Grant], Awaitable[None]]
"""Keeps a grant; when it has come back, later calls are judged with it."""


@runtime_checkable
class KeptGrants(Protocol):
    """Where grants are kept that outlive sessions. Asked for each call that is judged."""

    def holding(self) -> Sequence[Grant]:
        """Those that hold in the session's workspace now; at once. With an ``OptionError`` there are none."""
        ...

    async def used(self, grants: Sequence[Grant]) -> None:
        """They have allowed a call."""
        ...

    async def revoke(self, grant: Grant) -> None:
        """Keep it no longer. Raises ``OptionError`` when that cannot be."""
        ...


OnAsk: TypeAlias = Callable[[PermissionRequest], Awaitable[Decision | None]]
"""A program in a person's place. None: it leaves the ask to others."""

FAILED: Final = "bascule could not judge this call, so it does not run. This is a fault of the bridge, not of the call."


KEEP_S: Final = 10.0
"""Who keeps a grant writes a file or a row. The person waits for it, and the CLI, and nobody else can answer then."""


class UserHook(msgspec.Struct, frozen=True, kw_only=True):
    """A Python callback for a hook event of the CLI."""

    event: str
    """``PreToolUse``, ``PostToolUse``, ``Stop``, …: any of ``hooks.EVENTS``."""
    function: HookFunction
    """Is called with what the event tells, and gives what shall follow from it."""
    matcher: str | None = None
    """A JavaScript regular expression on the tool's name, or on what else the event is of (the source of a
    SessionStart); None: every one."""
    timeout_s: float = HOOK_TIMEOUT_S
    """After it the CLI gives the hook up; a gate then denies."""
    on_failure: Literal["block", "continue"] | None = None
    """What follows when the function raises, or gives what is no answer to its event: ``block`` stops what it is about,
    ``continue`` goes on without the hook. None: ``block`` for a gate (PreToolUse, PermissionRequest,
    PreSkillShellCommand, PreModelSwitch), else ``continue``."""

    @property
    def blocks(self) -> bool:
        """Whether its failure stops what it is about."""
        return self.on_failure == "block" or (self.on_failure is None and self.event in GATES)


async def call_hook(hook: UserHook, told: HookInput) -> HookOutput:
    """What ``hook`` says about ``told``."""
    try:
        if isinstance(told, UnknownHookInput):
            raise TypeError("bascule could not read what the CLI tells it")
        said = await called(hook.function(told))
        _check(said, HookOutput)
        return _of_event(hook.event, said or HookOutput())
    except (Exception, SystemExit):
        log.exception("the %s hook failed: %s", hook.event, "that is refused" if hook.blocks else "it is left out")
        return denial(hook.event, f"the {hook.event} hook failed") if hook.blocks else HookOutput()


def _of_event(event: str, said: HookOutput) -> HookOutput:
    """``said``; raises ``TypeError`` for what is said to another event, which the CLI would not read so."""
    other = None if said.specific is None else type(said.specific).__struct_config__.tag
    if other not in (None, event):
        raise TypeError(f"it answered with what is for {other}")
    return said


async def consult(on_ask: OnAsk, event: PermissionRequest) -> Decision | None:
    """What the person's callback decides."""
    try:
        decision = await called(on_ask(event))
        _check(decision, *get_args(Decision))
        return decision
    except (Exception, SystemExit):
        log.exception("on_ask failed about %s; it is denied", event.tool_name)
        return Deny(reason="the program that answers for the user failed, so nobody allowed this")


async def keep(keep_grant: Keep, grant: Grant, *, within_s: float = KEEP_S) -> None:
    """Hand ``grant`` to who keeps it. Raises ``OptionError`` when that fails or hangs, and then nothing was allowed.

    A write that took too long may still be done afterwards: nothing stops a thread.
    """
    patience = asyncio.timeout(within_s)
    try:
        async with patience:
            await called(keep_grant(grant))
    except BasculeError:
        raise
    except (Exception, SystemExit) as exc:
        log.exception("keep_grant failed; the ask stays open")
        why = (
            f"it took longer than {within_s:g} s; it may yet be, as the list of grants tells"
            if patience.expired()
            else exc
        )
        raise OptionError(f"{grant.rule} could not be kept ({why}): allow it once, or for the session") from exc


async def tell_used(kept: KeptGrants, grants: Sequence[Grant]) -> None:
    """Tell who keeps ``grants`` that they allowed a call; when that fails, they are used all the same."""
    try:
        await called(kept.used(grants))
    except (Exception, SystemExit):
        log.exception("the use of %s could not be counted", ", ".join(str(grant.rule) for grant in grants))


async def call_server(serve: Serve, said: McpMessage) -> McpAnswer:
    """What a server of this program answers."""
    try:
        response = await called(serve(said.message))
        _check(response, dict)
        return acknowledged(said, response)
    except (Exception, SystemExit) as exc:
        log.exception("the MCP server %s failed; its caller is told", said.server_name)
        return failure(said, f"{said.server_name} failed: {exc}")


def _check(value: object, *kinds: type) -> None:
    """Raises ``TypeError`` unless ``value`` is None or of one of the kinds, and can be written as JSON."""
    if value is not None and not isinstance(value, kinds):
        raise TypeError(f"it gave back {value!r}, which is none of {', '.join(kind.__name__ for kind in kinds)}")
    with contextlib.suppress(UnicodeEncodeError):  # a lone surrogate, which has an escape on the wire
        msgspec.json.encode(value)


def judged(judge: Callable[[], verdict.Verdict]) -> verdict.Verdict:
    """What a policy says; a policy that fails denies."""
    try:
        return judge()
    except (Exception, SystemExit):
        log.exception("the policy raised; the call is denied")
        return verdict.Deny(rule="bascule failed", reason=FAILED)


def denial(event: str, reason: str) -> HookOutput:
    """The output that stops what the event is about, in the exact shape of it; of any other event, no opinion."""
    match event:
        case "PreToolUse":
            return _decided("deny", reason)
        case "PreSkillShellCommand":
            return HookOutput(specific=PreSkillShellCommandOutput(permission_decision="deny", reason=reason))
        case "PreModelSwitch":
            return HookOutput(specific=PreModelSwitchOutput(permission_decision="deny", reason=reason))
        case "PermissionRequest":
            return HookOutput(specific=PermissionRequestOutput(decision=WireDeny(message=reason)))
        case "UserPromptSubmit" | "UserPromptExpansion" | "PreCompact":
            return HookOutput(decision="block", reason=reason)
        case _:
            return HookOutput()


def output(said: verdict.Verdict) -> HookOutput:
    """A verdict as the answer to ``PreToolUse``. Its reason is what the model, or the person, reads; never empty."""
    match said:
        case verdict.Pass():
            return HookOutput()
        case verdict.Allow():
            return _decided("allow", said.reason)
        case verdict.Deny():
            return _decided("deny", said.reason)
        case verdict.Ask():
            return _decided("ask", said.reason)


def _decided(word: PermissionWord, reason: str) -> HookOutput:
    return HookOutput(specific=PreToolUseOutput(permission_decision=word, reason=reason or "no reason was given"))
