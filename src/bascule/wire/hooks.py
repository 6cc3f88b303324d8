"""What a hook is told: the ``input`` of a ``hook_callback``, by event. What it may answer: hook_outputs.py.

Callbacks of some events are not called at all, or not always: ``NEVER_CALLED``, ``CALLED_BETWEEN``.
An event or an input that is not here is an ``UnknownHookInput``; its callback still gets an answer.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, TypeAlias, get_args

from msgspec import field

from bascule.wire.control import Provenance
from bascule.wire.fitting import Misfit, fit
from bascule.wire.permissions import PermissionUpdate
from bascule.wire.shape import UNREAD, Number, Shape, Unread


class Effort(Shape, frozen=True):
    level: str | None = None


class _Hook(Shape, frozen=True, kw_only=True, tag_field="hook_event_name"):
    """What every hook is told."""

    session_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    prompt_id: str | None = None
    permission_mode: str | None = None
    agent_id: str | None = None
    """Set inside a subagent."""
    agent_type: str | None = None
    effort: Effort | None = None


class _ToolHook(_Hook, frozen=True, kw_only=True):
    tool_name: str
    tool_input: Any = None
    tool_use_id: str | None = None
    mcp_server: Provenance | None = None


class PreToolUse(_ToolHook, frozen=True, kw_only=True, tag="PreToolUse"):
    """Before a call, before any ask about it (06_*)."""


class PostToolUse(_ToolHook, frozen=True, kw_only=True, tag="PostToolUse"):
    tool_response: Any = None
    duration_ms: Number | None = None


class PostToolUseFailure(_ToolHook, frozen=True, kw_only=True, tag="PostToolUseFailure"):
    error: str | None = None
    is_interrupt: bool | None = None
    duration_ms: Number | None = None


class PermissionRequest(_ToolHook, frozen=True, kw_only=True, tag="PermissionRequest"):
    """In parallel with ``can_use_tool``; the first answer wins, the other is withdrawn."""

    permission_suggestions: tuple[PermissionUpdate, ...] = ()


class PermissionDenied(_ToolHook, frozen=True, kw_only=True, tag="PermissionDenied"):
    reason: str | None = None


class PreSkillShellCommand(_ToolHook, frozen=True, kw_only=True, tag="PreSkillShellCommand"):
    """A ``!cmd`` line of a skill or a command."""

    command_name: str | None = None
    command_source: str | None = None
    invoked_by: str | None = None


class ToolCall(Shape, frozen=True):
    tool_name: str | None = None
    tool_input: Any = None
    tool_use_id: str | None = None
    tool_response: Any = None


class PostToolBatch(_Hook, frozen=True, kw_only=True, tag="PostToolBatch"):
    tool_calls: tuple[ToolCall, ...] = ()


class Notification(_Hook, frozen=True, kw_only=True, tag="Notification"):
    message: str | None = None
    title: str | None = None
    notification_type: str | None = None


class UserPromptSubmit(_Hook, frozen=True, kw_only=True, tag="UserPromptSubmit"):
    prompt: str | None = None
    source: str | None = None
    session_title: str | None = None


class UserPromptExpansion(_Hook, frozen=True, kw_only=True, tag="UserPromptExpansion"):
    expansion_type: str | None = None
    command_name: str | None = None
    command_args: str | None = None
    command_source: str | None = None
    prompt: str | None = None


class SessionStart(_Hook, frozen=True, kw_only=True, tag="SessionStart"):
    source: str | None = None
    """``startup``, ``resume``, ``clear``, ``compact``, ``fork``."""
    model: str | None = None
    session_title: str | None = None
    seconds_since_last_response: Number | None = None
    context_tokens: int | None = None
    prompt_cache_likely_expired: bool | None = None
    estimated_cache_write_usd: Number | None = None


class SessionEnd(_Hook, frozen=True, kw_only=True, tag="SessionEnd"):
    reason: str | None = None


class BackgroundTask(Shape, frozen=True):
    id: str | None = None
    type: str | None = None
    status: str | None = None
    description: str | None = None
    command: str | None = None
    agent_type: str | None = None
    server: str | None = None
    tool: str | None = None
    name: str | None = None


class SessionCron(Shape, frozen=True):
    id: str | None = None
    schedule: str | None = None
    recurring: bool | None = None
    prompt: str | None = None


class _StopHook(_Hook, frozen=True, kw_only=True):
    stop_hook_active: bool | None = None
    """True: this hook kept the model going before (06_stop_block_once)."""
    last_assistant_message: str | None = None
    background_tasks: tuple[BackgroundTask, ...] = ()
    session_crons: tuple[SessionCron, ...] = ()


class Stop(_StopHook, frozen=True, kw_only=True, tag="Stop"):
    pass


class SubagentStop(_StopHook, frozen=True, kw_only=True, tag="SubagentStop"):
    agent_transcript_path: str | None = None


class StopFailure(_Hook, frozen=True, kw_only=True, tag="StopFailure"):
    error: str | None = None
    error_details: str | None = None
    last_assistant_message: str | None = None


class SubagentStart(_Hook, frozen=True, kw_only=True, tag="SubagentStart"):
    pass


class PreCompact(_Hook, frozen=True, kw_only=True, tag="PreCompact"):
    trigger: str | None = None
    custom_instructions: str | None = None


class PostCompact(_Hook, frozen=True, kw_only=True, tag="PostCompact"):
    trigger: str | None = None
    compact_summary: str | None = None


class _ModelSwitch(_Hook, frozen=True, kw_only=True):
    from_model: str | None = None
    to_model: str | None = None
    requested_model: str | None = None
    source: str | None = None
    context_tokens: int | None = None
    prompt_cache_warm: bool | None = None
    cache_ttl: str | None = None
    estimated_cache_write_usd: Number | None = None
    pricing: str | None = None


class PreModelSwitch(_ModelSwitch, frozen=True, kw_only=True, tag="PreModelSwitch"):
    pass


class PostModelSwitch(_ModelSwitch, frozen=True, kw_only=True, tag="PostModelSwitch"):
    pass


class Setup(_Hook, frozen=True, kw_only=True, tag="Setup"):
    trigger: str | None = None


class TeammateIdle(_Hook, frozen=True, kw_only=True, tag="TeammateIdle"):
    teammate_name: str | None = None
    team_name: str | None = None


class _TaskHook(_Hook, frozen=True, kw_only=True):
    task_id: str | None = None
    task_subject: str | None = None
    task_description: str | None = None
    teammate_name: str | None = None
    team_name: str | None = None


class TaskCreated(_TaskHook, frozen=True, kw_only=True, tag="TaskCreated"):
    pass


class TaskCompleted(_TaskHook, frozen=True, kw_only=True, tag="TaskCompleted"):
    pass


class ElicitationAsked(_Hook, frozen=True, kw_only=True, tag="Elicitation"):
    mcp_server_name: str | None = None
    message: str | None = None
    mode: str | None = None
    url: str | None = None
    elicitation_id: str | None = None
    requested_schema: dict[str, Any] = field(default_factory=dict)


class ElicitationResult(_Hook, frozen=True, kw_only=True, tag="ElicitationResult"):
    mcp_server_name: str | None = None
    elicitation_id: str | None = None
    mode: str | None = None
    action: str | None = None
    content: dict[str, Any] = field(default_factory=dict)


class ConfigChange(_Hook, frozen=True, kw_only=True, tag="ConfigChange"):
    source: str | None = None
    file_path: str | None = None


class WorktreeCreate(_Hook, frozen=True, kw_only=True, tag="WorktreeCreate"):
    name: str | None = None


class WorktreeRemove(_Hook, frozen=True, kw_only=True, tag="WorktreeRemove"):
    worktree_path: str | None = None


class InstructionsLoaded(_Hook, frozen=True, kw_only=True, tag="InstructionsLoaded"):
    file_path: str | None = None
    memory_type: str | None = None
    load_reason: str | None = None
    globs: tuple[str, ...] = ()
    trigger_file_path: str | None = None
    parent_file_path: str | None = None


class CwdChanged(_Hook, frozen=True, kw_only=True, tag="CwdChanged"):
    old_cwd: str | None = None
    new_cwd: str | None = None


class FileChanged(_Hook, frozen=True, kw_only=True, tag="FileChanged"):
    file_path: str | None = None
    event: str | None = None


class DirectoryAdded(_Hook, frozen=True, kw_only=True, tag="DirectoryAdded"):
    directory: str | None = None
    source: str | None = None


class MessageDisplay(_Hook, frozen=True, kw_only=True, tag="MessageDisplay"):
    """One call for each piece of text that is shown."""

    turn_id: str | None = None
    message_id: str | None = None
    index: int | None = None
    final: bool | None = None
    delta: str | None = None


class UnknownHookInput(Unread, frozen=True, kw_only=True, tag_field="hook_event_name", tag=UNREAD):
    tag_key: ClassVar[str] = "hook_event_name"


HookInput: TypeAlias = (
    PreToolUse
    | PostToolUse
    | PostToolUseFailure
    | PermissionRequest
    | PermissionDenied
    | PreSkillShellCommand
    | PostToolBatch
    | Notification
    | UserPromptSubmit
    | UserPromptExpansion
    | SessionStart
    | SessionEnd
    | Stop
    | SubagentStop
    | StopFailure
    | SubagentStart
    | PreCompact
    | PostCompact
    | PreModelSwitch
    | PostModelSwitch
    | Setup
    | TeammateIdle
    | TaskCreated
    | TaskCompleted
    | ElicitationAsked
    | ElicitationResult
    | ConfigChange
    | WorktreeCreate
    | WorktreeRemove
    | InstructionsLoaded
    | CwdChanged
    | FileChanged
    | DirectoryAdded
    | MessageDisplay
    | UnknownHookInput
)

_BY_EVENT: Final[dict[str, type[Any]]] = {
    kind.__struct_config__.tag: kind for kind in get_args(HookInput) if kind is not UnknownHookInput
}

EVENTS: Final = tuple(_BY_EVENT)
"""Every hook event that is known, by the CLI's names."""

NEVER_CALLED: Final = ("Setup", "Notification")
"""Events whose callbacks the CLI takes and does not call (S18); command hooks for them it runs (26_hook_events)."""

CALLED_BETWEEN: Final = ("SessionStart", "SessionEnd")
"""Events that it calls back at ``/compact`` and ``/clear`` only, not when its process starts and ends."""


def decode_hook_input(event: str, raw: Any) -> HookInput:
    """``raw`` as the input of ``event``, the event that the callback was registered for.

    Never raises: an unknown event, an input of another event, or one without its tool's name is an UnknownHookInput.
    """
    kind = _BY_EVENT.get(event)
    if kind is None or not isinstance(raw, dict) or raw.get("hook_event_name", event) != event:
        return UnknownHookInput(raw=raw)
    try:
        known: HookInput = fit({"hook_event_name": event, **raw}, kind)
    except Misfit:
        return UnknownHookInput(raw=raw)
    return known
