"""The first words: what a host registers with ``initialize``, and what the answer tells of the CLI.

There is one handshake for a process, before the first prompt: a later one is answered with success, and 2.1.197 then
calls none of its hooks (21_init_twice). What a CLI can do is read from the keys it sends, never from its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from bascule.errors import LocalProtocolError
from bascule.wire.answers import Account, AgentInfo, Initialized, ModelInfo, read
from bascule.wire.control import Succeeded
from bascule.wire.hooks import NEVER_CALLED
from bascule.wire.initialize import Agent, HookMatcher, Initialize
from bascule.wire.system import SlashCommand

HOOK_TIMEOUT_S: Final = 86_400
"""A day: the CLI refuses the tool when it is over, and a host that restarts must not turn into refusals."""

GATES: Final = frozenset(("PreToolUse", "PermissionRequest", "PreSkillShellCommand", "PreModelSwitch"))
"""Hooks whose failure must not let the call pass."""

BLOCKABLE: Final = GATES | {"UserPromptSubmit", "UserPromptExpansion", "PreCompact"}
"""Hooks that can stop what they are about."""


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A callback to register."""

    event: str
    """``PreToolUse``, ``Stop``, …"""
    callback_id: str
    """What the CLI's request will name."""
    matcher: str | None = None
    """A JavaScript regular expression on the tool's name; None: every call."""
    timeout_s: float = HOOK_TIMEOUT_S
    blocks: bool | None = None
    """Its failure stops what it is about; None: if it is a gate."""


def hello(
    callbacks: Iterable[Hook] = (),
    *,
    agents: Mapping[str, Agent] | None = None,
    sdk_servers: Iterable[str] = (),
    sdk_manifests: Mapping[str, Any] | None = None,
    system_prompt: tuple[str, ...] | None = None,
    append_system_prompt: str | None = None,
    json_schema: Mapping[str, Any] | None = None,
    title: str | None = None,
    dialog_kinds: tuple[str, ...] = (),
    skills: tuple[str, ...] | None = None,
    tool_aliases: Mapping[str, str] | None = None,
    plan_mode_instructions: str | None = None,
    system_prompt_snapshot: bool | None = None,
    exclude_dynamic_sections: bool = False,
    forward_subagent_text: bool = False,
    per_task_stop: bool = False,
) -> Initialize:
    """The ``initialize`` request. ``sdk_servers`` are the names of MCP servers that live in the host; ``sdk_manifests``
    hold, for some of them, what they would answer to ``initialize`` and ``tools/list``. The CLI sends dialogs of the
    ``dialog_kinds`` only. What is False or None is left out, and the CLI decides.

    A hook that blocks is registered with ``onFailure: block``, which 2.1.197 does not know and leaves aside. Raises
    LocalProtocolError for an event that the CLI would never call back, and for a callback id given twice.
    """
    registered = tuple(callbacks)
    _check(registered)
    return Initialize(
        hooks=_by_event(registered),
        agents=dict(agents or {}),
        sdk_mcp_servers=tuple(sdk_servers),
        sdk_mcp_server_manifests=dict(sdk_manifests or {}),
        system_prompt=system_prompt,
        append_system_prompt=append_system_prompt,
        json_schema=msgspec.UNSET if json_schema is None else dict(json_schema),
        title=title,
        supported_dialog_kinds=dialog_kinds,
        skills=msgspec.UNSET if skills is None else skills,
        tool_aliases=dict(tool_aliases or {}),
        plan_mode_instructions=plan_mode_instructions,
        system_prompt_snapshot=system_prompt_snapshot,
        exclude_dynamic_sections=exclude_dynamic_sections or None,
        forward_subagent_text=forward_subagent_text or None,
        per_task_stop_affordance=per_task_stop or None,
    )


def _check(registered: tuple[Hook, ...]) -> None:
    ids = [hook.callback_id for hook in registered]
    for hook in registered:
        if hook.event in NEVER_CALLED:
            raise LocalProtocolError(f"the CLI never calls {hook.event} back")
        if hook.blocks and hook.event not in BLOCKABLE:
            raise LocalProtocolError(f"a {hook.event} hook can stop nothing")
        if ids.count(hook.callback_id) > 1:
            raise LocalProtocolError(f"two hooks have the callback id {hook.callback_id!r}")


def _by_event(registered: tuple[Hook, ...]) -> dict[str, tuple[HookMatcher, ...]]:
    matchers: dict[str, tuple[HookMatcher, ...]] = {}
    for hook in registered:
        matcher = HookMatcher(
            hook_callback_ids=(hook.callback_id,),
            matcher=hook.matcher,
            timeout_s=hook.timeout_s,
            on_failure=_on_failure(hook),
        )
        matchers[hook.event] = (*matchers.get(hook.event, ()), matcher)
    return matchers


def _on_failure(hook: Hook) -> str | None:
    if hook.blocks is None:
        return "block" if hook.event in GATES else None
    return "block" if hook.blocks else "continue"


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the CLI said of itself. A key that it did not send is the default: 2.1.197 sends few."""

    version: str | None = None
    """None: it does not tell before the first turn (2.1.197)."""
    commands: tuple[SlashCommand, ...] = ()
    models: tuple[ModelInfo, ...] = ()
    """What ``set_model`` can choose from, in the CLI's order."""
    agents: tuple[AgentInfo, ...] = ()
    """Subagents: built in, of the settings, and of the options."""
    account: Account = Account()
    output_style: str | None = None
    output_styles: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    """Of requests; another list than that of ``system/init``."""
    mode: str | None = None
    """The permission mode in force."""
    gates_hold: bool = False
    """A gate hook whose answer fails stops the call. Else the call runs (07_hook_result_key)."""
    hooks_applied: bool | None = None
    """None: not told."""
    manifests_taken: frozenset[str] = frozenset()
    """The in-process servers that the CLI knows from their manifests, and so does not ask."""


def welcome(answer: Succeeded) -> Welcome:
    """What the answer to ``initialize`` tells. What does not fit is left out; never raises."""
    body = read(answer.response, Initialized)
    return Welcome(
        version=body.claude_code_version,
        commands=body.commands,
        models=tuple(model for model in body.models if model.value is not None),
        agents=body.agents,
        account=body.account,
        output_style=body.output_style,
        output_styles=body.available_output_styles,
        capabilities=frozenset(body.capabilities or ()),
        mode=body.current_permission_mode,
        gates_hold=bool(body.hook_on_failure_supported),
        hooks_applied=body.hooks_applied,
        manifests_taken=frozenset(name for name, state in body.sdk_mcp_manifests_parked.items() if state == "parked"),
    )
