"""The ``system`` lines: what the CLI says about itself, its tasks, hooks, limits and mode.

A line is told by its ``subtype``; ``type`` is ``system`` for all and is put in by the codec. A subtype that is not here
is an ``Unknown``: the set grows in most releases.
"""

from typing import Any

from msgspec import field

from bascule.wire.shape import Number, Said, Shape


class System(Said, frozen=True, kw_only=True, tag_field="subtype"):
    """The root of the lines below; the codec reads each class that stands under it."""


class ServerState(Shape, frozen=True):
    """An MCP server at the start of a turn."""

    name: str | None = None
    status: str | None = None
    """``connected``, ``failed``, ``needs-auth``, ``pending``, ``disabled``."""
    source: str | None = None


class ServerError(Shape, frozen=True):
    """A server whose configuration was refused (22_bad_config)."""

    name: str | None = None
    type: str | None = None
    message: str | None = None


class Plugin(Shape, frozen=True):
    name: str | None = None
    path: str | None = None
    source: str | None = None
    version: str | None = None


class Init(System, frozen=True, kw_only=True, tag="init"):
    """The start of a turn, each turn; the newest wins. Never before the first prompt (02_multi_turn)."""

    cwd: str | None = None
    model: str | None = None
    permission_mode: str | None = field(name="permissionMode", default=None)
    tools: tuple[str, ...] = ()
    """The subagent tool is ``Task`` here and ``Agent`` everywhere else."""
    mcp_servers: tuple[ServerState, ...] = ()
    mcp_server_errors: tuple[ServerError, ...] = ()
    slash_commands: tuple[str, ...] = ()
    terminal_slash_commands: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    plugin_errors: tuple[Any, ...] = ()
    capabilities: tuple[str, ...] | None = None
    """None on a CLI that does not tell (2.1.197)."""
    claude_code_version: str | None = None
    api_key_source: str | None = field(name="apiKeySource", default=None)
    output_style: str | None = None
    effort: str | None = None
    view_mode: str | None = None
    betas: tuple[str, ...] = ()
    original_cwd: str | None = None
    additional_directories: tuple[str, ...] = ()
    memory_paths: dict[str, Any] = field(default_factory=dict)
    messaging_socket_path: str | None = None
    user_message_uuids: tuple[str, ...] = ()
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    sandbox_enabled: bool | None = None
    per_turn_effort_active: bool | None = None
    ultrathink_available: bool | None = None
    ultrathink_typed_raises: bool | None = None
    served_by_anthropic: bool | None = None
    analytics_disabled: bool | None = None
    product_feedback_disabled: bool | None = None


class Status(System, frozen=True, kw_only=True, tag="status"):
    """``compacting`` comes again every 30 s on 2.1.332 (31_slow_compact); a changed mode comes here (13_*)."""

    status: str | None = None
    permission_mode: str | None = field(name="permissionMode", default=None)
    compact_result: str | None = None
    compact_error: str | None = None
    compact_output_chars: int | None = None
    user_message_uuids: tuple[str, ...] = ()


class SessionStateChanged(System, frozen=True, kw_only=True, tag="session_state_changed"):
    """``idle`` ends a run; a result only ends a turn. Needs ``CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1``."""

    state: str | None = None
    """``running``, ``requires_action``, ``idle``."""
    sdk_host_only: bool | None = None


class Segment(Shape, frozen=True):
    head_uuid: str | None = None
    anchor_uuid: str | None = None
    tail_uuid: str | None = None


class PreservedMessages(Shape, frozen=True):
    anchor_uuid: str | None = None
    uuids: tuple[str, ...] = ()
    all_uuids: tuple[str, ...] = ()


class CompactMetadata(Shape, frozen=True):
    trigger: str | None = None
    """``manual`` or ``auto``."""
    pre_tokens: int | None = None
    post_tokens: int | None = None
    cumulative_dropped_tokens: int | None = None
    duration_ms: Number | None = None
    preserved_segment: Segment | None = None
    preserved_messages: PreservedMessages | None = None


class CompactBoundary(System, frozen=True, kw_only=True, tag="compact_boundary"):
    compact_metadata: CompactMetadata = CompactMetadata()
    logical_parent_uuid: str | None = None


class ApiRetry(System, frozen=True, kw_only=True, tag="api_retry"):
    attempt: int | None = None
    max_retries: int | None = None
    retry_delay_ms: Number | None = None
    """A float on 2.1.197."""
    error_status: int | None = None
    """None: no HTTP answer."""
    error: str | None = None
    no_response: Any = None


class TaskUsage(Shape, frozen=True):
    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: Number | None = None


class TaskStarted(System, frozen=True, kw_only=True, tag="task_started"):
    """A subagent, a shell, a monitor; also a foreground shell after about 3 s, which is no background task."""

    task_id: str | None = None
    run_id: str | None = None
    tool_use_id: str | None = None
    task_type: str | None = None
    """``local_agent``, ``local_bash``, ``local_workflow``, ``remote_agent``, ``mcp_task``, ``monitor``, ..."""
    description: str | None = None
    subagent_type: str | None = None
    prompt: str | None = None
    is_backgrounded: bool | None = None
    """None on 2.1.197."""
    spawn_depth: int | None = None
    parent_task_id: str | None = None
    owned_by_subagent: bool | None = None
    workflow_name: str | None = None
    skip_transcript: bool | None = None
    ambient: bool | None = None


class TaskProgress(System, frozen=True, kw_only=True, tag="task_progress"):
    task_id: str | None = None
    run_id: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    subagent_type: str | None = None
    usage: TaskUsage | None = None
    last_tool_name: str | None = None
    summary: str | None = None


class TaskPatch(Shape, frozen=True):
    status: str | None = None
    """``pending``, ``running``, ``completed``, ``failed``, ``killed``, ``paused``."""
    description: str | None = None
    end_time: Number | None = None
    """Unix milliseconds."""
    total_paused_ms: Number | None = None
    error: str | None = None
    is_backgrounded: bool | None = None


class TaskUpdated(System, frozen=True, kw_only=True, tag="task_updated"):
    """The end of a task may be told only here; ``killed`` here is ``stopped`` in the notification."""

    task_id: str | None = None
    run_id: str | None = None
    patch: TaskPatch = TaskPatch()


class TaskNotification(System, frozen=True, kw_only=True, tag="task_notification"):
    task_id: str | None = None
    run_id: str | None = None
    tool_use_id: str | None = None
    status: str | None = None
    """``completed``, ``failed``, ``stopped``."""
    summary: str | None = None
    summary_is_report: bool | None = None
    """True: the summary is the subagent's whole report (15_bg_agent)."""
    output_file: str | None = None
    """May be an empty text."""
    usage: TaskUsage | None = None
    reason: str | None = None
    resource_links: Any = None
    owned_by_subagent: bool | None = None
    skip_transcript: bool | None = None
    ambient: bool | None = None


class BackgroundTask(Shape, frozen=True):
    task_id: str | None = None
    run_id: str | None = None
    task_type: str | None = None
    subagent_type: str | None = None
    description: str | None = None
    parent_task_id: str | None = None
    ambient: bool | None = None


class BackgroundTasksChanged(System, frozen=True, kw_only=True, tag="background_tasks_changed"):
    """The whole set, to replace what was known."""

    tasks: tuple[BackgroundTask, ...] = ()


class HookStarted(System, frozen=True, kw_only=True, tag="hook_started"):
    """A command hook of the settings; a host's callback shows as a control request only (26_hook_events)."""

    hook_id: str | None = None
    hook_name: str | None = None
    hook_event: str | None = None


class HookProgress(System, frozen=True, kw_only=True, tag="hook_progress"):
    hook_id: str | None = None
    hook_name: str | None = None
    hook_event: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    output: str | None = None


class HookResponse(System, frozen=True, kw_only=True, tag="hook_response"):
    hook_id: str | None = None
    hook_name: str | None = None
    hook_event: str | None = None
    output: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = None
    outcome: str | None = None
    """``success``, ``error``, ``cancelled``."""


class PermissionDenied(System, frozen=True, kw_only=True, tag="permission_denied"):
    """A denial nobody was asked about (26_dontask). The record is ``Result.permission_denials``."""

    tool_name: str | None = None
    tool_use_id: str | None = None
    agent_id: str | None = None
    decision_reason_type: str | None = None
    decision_reason_code: str | None = None
    decision_reason: str | None = None
    message: str | None = None


class Informational(System, frozen=True, kw_only=True, tag="informational"):
    content: str | None = None
    level: str | None = None
    """``info``, ``notice``, ``suggestion``, ``warning``."""
    tag: str | None = None
    """``hook_callback_failed``: our answer to a hook was not understood, and the tool may have run (07_hook_*)."""
    tool_use_id: str | None = None
    prevent_continuation: bool | None = None
    prompt_submit_outcome: str | None = None
    is_meta: bool | None = field(name="isMeta", default=None)
    timestamp: str | None = None


class Notification(System, frozen=True, kw_only=True, tag="notification"):
    key: str | None = None
    text: str | None = None
    priority: str | None = None
    color: str | None = None
    timeout_ms: Number | None = None


class LocalCommandOutput(System, frozen=True, kw_only=True, tag="local_command_output"):
    """Declared, never seen: 2.1.332 answers as a synthetic assistant line (19_cost)."""

    content: str | None = None


class ThinkingTokens(System, frozen=True, kw_only=True, tag="thinking_tokens"):
    estimated_tokens: int | None = None
    estimated_tokens_delta: int | None = None
    user_message_uuid: str | None = None


class SlashCommand(Shape, frozen=True):
    name: str | None = None
    description: str | None = None
    argument_hint: str | None = field(name="argumentHint", default=None)
    aliases: tuple[str, ...] = ()
    builtin: bool | None = None


class CommandsChanged(System, frozen=True, kw_only=True, tag="commands_changed"):
    """The whole list, to replace what was known."""

    commands: tuple[SlashCommand, ...] = ()


class ModelFallback(System, frozen=True, kw_only=True, tag="model_fallback"):
    trigger: str | None = None
    original_model: str | None = None
    fallback_model: str | None = None
    content: str | None = None


class ModelRefusalFallback(System, frozen=True, kw_only=True, tag="model_refusal_fallback"):
    """``retracted_message_uuids`` name messages that no longer count."""

    trigger: str | None = None
    direction: str | None = None
    scope: str | None = None
    original_model: str | None = None
    fallback_model: str | None = None
    request_id: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    retracted_message_uuids: tuple[str, ...] = ()
    refused_user_message_uuid: str | None = None
    content: str | None = None


class ModelRefusalNoFallback(System, frozen=True, kw_only=True, tag="model_refusal_no_fallback"):
    original_model: str | None = None
    request_id: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    refused_user_message_uuid: str | None = None
    content: str | None = None


class ControlRequestProgress(System, frozen=True, kw_only=True, tag="control_request_progress"):
    """A long request of ours is being worked on; its answer still comes (side_question)."""

    request_id: str | None = None
    status: str | None = None
    attempt: int | None = None
    max_retries: int | None = None
    retry_delay_ms: Number | None = None
    error_status: int | None = None


class SessionTitleChanged(System, frozen=True, kw_only=True, tag="session_title_changed"):
    title: str | None = None


class MemoryRecall(System, frozen=True, kw_only=True, tag="memory_recall"):
    mode: str | None = None
    memories: tuple[Any, ...] = ()


class FilesPersisted(System, frozen=True, kw_only=True, tag="files_persisted"):
    files: tuple[Any, ...] = ()
    failed: tuple[Any, ...] = ()
    processed_at: str | None = None


class ElicitationComplete(System, frozen=True, kw_only=True, tag="elicitation_complete"):
    mcp_server_name: str | None = None
    elicitation_id: str | None = None


class PluginInstall(System, frozen=True, kw_only=True, tag="plugin_install"):
    status: str | None = None
    name: str | None = None
    error: str | None = None


class SessionWritesLost(System, frozen=True, kw_only=True, tag="session_writes_lost"):
    """The disk was full; comes at exit, after the last result."""

    error_code: str | None = None
    lost: tuple[str, ...] = ()
    transcript_session_ids: tuple[str, ...] = ()


class WorkerShuttingDown(System, frozen=True, kw_only=True, tag="worker_shutting_down"):
    reason: str | None = None


class MirrorError(System, frozen=True, kw_only=True, tag="mirror_error"):
    error: str | None = None
    key: Any = None
