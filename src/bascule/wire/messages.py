"""The lines of the conversation itself: what was said, by whom, and what surrounds it. Both directions.

Not here: ``system`` lines (system.py), results (result.py), stream events (stream.py), control traffic (control.py).
"""

from typing import Any, Final, Literal, TypeAlias

from msgspec import field

from bascule.errors import LocalProtocolError
from bascule.wire.blocks import ApiMessage, Block
from bascule.wire.shape import Number, Said, Shape


class Origin(Shape, frozen=True):
    """Who started a prompt or a turn. No origin: our prompt, or a cron job (26_cron)."""

    kind: str | None = None
    """``human``, ``task-notification``, ``channel``, ``peer``, ``coordinator``, ``auto-continuation``, ..."""
    producer: str | None = None
    run_id: str | None = field(name="runId", default=None)
    server: str | None = None
    sender: str | None = field(name="from", default=None)
    subkind: str | None = None
    fire_reason: str | None = field(name="fireReason", default=None)
    sender_task_id: str | None = field(name="senderTaskId", default=None)


class ToolUseMeta(Shape, frozen=True):
    """How an MCP tool of the message is called on its server and for people."""

    id: str | None = None
    display_name: str | None = None
    server_display_name: str | None = None
    tool_name: str | None = None


class LocalCommand(Shape, frozen=True):
    command: str | None = None
    args: str | None = None


class Assistant(Said, frozen=True, kw_only=True, tag_field="type", tag="assistant"):
    """One finished block of the model's reply; blocks of one reply share ``message.id`` (03_*, 05_parallel_tools)."""

    message: ApiMessage = ApiMessage()
    parent_tool_use_id: str | None = None
    """Set on lines of a subagent: the call that started it."""
    error: str | None = None
    """An API error that the CLI tells as text; not final for the turn (18_midstream_cut)."""
    aborted: bool | None = None
    """True: cut by an interrupt; the text is what had arrived. Not on 2.1.197."""
    supersedes: tuple[str, ...] = ()
    """Uuids of messages that this one replaces."""
    request_id: str | None = None
    """The API's request, not a control request."""
    user_message_uuid: str | None = None
    user_message_uuids: tuple[str, ...] = ()
    """The prompts that this turn answers; on its first line (not on 2.1.197)."""
    agent_id: str | None = None
    subagent_type: str | None = None
    task_description: str | None = None
    timestamp: str | None = None
    tool_use_meta: tuple[ToolUseMeta, ...] = ()
    is_api_error_message: bool | None = None
    api_error: str | None = None
    api_error_status: int | None = None
    api_error_type: str | None = None
    api_error_params: Any = None
    """With ``usage_limit_reached``: ``rate_limit_info`` as in a ``rate_limit_event``."""
    local_command_source: str | None = None
    local_command_run: LocalCommand | None = None
    local_command_outcome: Any = None
    """A slash command that the CLI answered itself (19_*)."""
    thinking_duration_ms: Number | None = None
    thinking_display: str | None = None
    resume_reason: str | None = None
    resumed_from_incomplete_thinking: bool | None = None
    context_usage: Any = None
    usage_report: Any = None


class UserBody(Shape, frozen=True):
    role: str | None = None
    content: str | tuple[Block, ...] = ()


class PermissionDecision(Shape, frozen=True):
    decision: str | None = None
    """``accept``, ``reject``."""
    source: str | None = None
    """``user_temporary``, ``user_permanent``, ``user_reject``, ``hook``, ``config``, ..."""
    reason_type: str | None = None


class ToolResultMeta(Shape, frozen=True):
    """Who decided about a call (not on 2.1.197)."""

    id: str | None = None
    permission_decision: PermissionDecision | None = None
    non_execution_kind: str | None = None


class User(Said, frozen=True, kw_only=True, tag_field="type", tag="user"):
    """A prompt that goes in; a tool's result, a synthetic text, or the echo of a prompt that comes out."""

    message: UserBody = UserBody()
    parent_tool_use_id: str | None = None
    tool_use_result: Any = None
    """The tool's structured output; text on failure; absent on a subagent's lines (17_edit_write)."""
    tool_result_meta: tuple[ToolResultMeta, ...] = ()
    is_synthetic: bool | None = field(name="isSynthetic", default=None)
    """Made by the CLI: feedback of a stop hook, summary of a compaction, a nudge."""
    is_replay: bool | None = field(name="isReplay", default=None)
    """The echo of a line of ours, or the trace of ``set_model`` and of local commands."""
    priority: str | None = None
    """``now`` cuts the running turn, ``next`` (and none) joins it at the next tool, ``later`` waits for its end."""
    should_query: bool | None = field(name="shouldQuery", default=None)
    """False: adds context without asking the model; a result of no turns comes back."""
    client_composed: bool | None = None
    """True: no slash command and no @-mention is expanded (not on 2.1.197)."""
    origin: Origin | None = None
    timestamp: str | None = None
    agent_id: str | None = None
    subagent_type: str | None = None
    task_description: str | None = None
    pasted_content: Any = None
    inline_pastes: tuple[str, ...] = ()
    file_attachments: Any = None
    refusal_retry: bool | None = None
    refused_message_id: str | None = None


Priority: TypeAlias = Literal["now", "next", "later"]

PRIORITIES: Final = ("now", "next", "later")


def user_prompt(
    content: str | tuple[Block, ...],
    *,
    uuid: str,
    priority: Priority | None = None,
    should_query: bool = True,
    verbatim: bool = False,
) -> User:
    """A prompt to write to stdin. ``uuid`` is how the turn, its result and its lifecycle will name it.

    The uuid must be new: one that was used in this session is echoed and never run (11_dup_uuid). ``verbatim`` keeps
    slash commands and @-mentions unexpanded. Raises LocalProtocolError for what would kill or stall the CLI: a content
    that is neither text nor blocks (24_user_num_content), an unknown priority.
    """
    if not isinstance(content, str | tuple):
        raise LocalProtocolError(f"a prompt is text or a tuple of blocks, not {type(content).__name__}")
    if priority is not None and priority not in PRIORITIES:
        raise LocalProtocolError(f"priority {priority!r} is none of {', '.join(PRIORITIES)}")
    return User(
        message=UserBody(role="user", content=content),
        uuid=uuid,
        priority=priority,
        should_query=None if should_query else False,
        client_composed=True if verbatim else None,
    )


def compacting(instructions: str = "") -> str:
    """The prompt that has the conversation compacted, with what is to be kept in mind (19_compact)."""
    return f"/compact {instructions}".strip()


class CommandLifecycle(Said, frozen=True, kw_only=True, tag_field="type", tag="command_lifecycle"):
    """Where a prompt stands. ``completed`` of the opening prompt comes after the result (02_two_prompts_at_once)."""

    command_uuid: str | None = None
    state: str | None = None
    """``queued``, ``started``, ``completed``, ``cancelled``."""
    wakeup_source: str | None = None
    """Set when the CLI started by itself, for a uuid we never sent (26_cron)."""


class ToolProgress(Said, frozen=True, kw_only=True, tag_field="type", tag="tool_progress"):
    """A sign of life from a running tool, every 30 s (30_tool_progress).

    Of an open hook: ``tool_use_id`` is ``hook-PreToolUse-...`` and ``parent_tool_use_id`` the tool's, no subagent link.
    """

    tool_use_id: str | None = None
    tool_name: str | None = None
    parent_tool_use_id: str | None = None
    elapsed_time_seconds: Number | None = None
    task_id: str | None = None
    heartbeat: bool | None = None
    subagent_type: str | None = None
    subagent_retry: Any = None


class ToolUseSummary(Said, frozen=True, kw_only=True, tag_field="type", tag="tool_use_summary"):
    summary: str | None = None
    preceding_tool_use_ids: tuple[str, ...] = ()


class RateLimitInfo(Shape, frozen=True, rename="camel"):
    """The state of one window of a claude.ai subscription. Only ``rejected`` stops anything (L5)."""

    status: str | None = None
    """``allowed``, ``allowed_warning``, ``rejected``."""
    resets_at: Number | None = None
    """Unix seconds."""
    rate_limit_type: str | None = None
    """``five_hour``, ``seven_day``, ``seven_day_opus``, ``seven_day_sonnet``, ``overage``, ..."""
    utilization: Number | None = None
    """0 to 1."""
    surpassed_threshold: Number | None = None
    overage_status: str | None = None
    overage_resets_at: Number | None = None
    overage_disabled_reason: str | None = None
    is_using_overage: bool | None = None
    overage_in_use: bool | None = None
    overage_enabled: bool | None = None
    limit_scope: str | None = None
    error_code: str | None = None
    can_user_purchase_credits: bool | None = None
    has_chargeable_saved_payment_method: bool | None = None
    unified_windows: Any = None


class RateLimitEvent(Said, frozen=True, kw_only=True, tag_field="type", tag="rate_limit_event"):
    """Sent when a limit changed, never with an API key (18_ratelimit_apikey)."""

    rate_limit_info: RateLimitInfo = RateLimitInfo()


class AuthStatus(Said, frozen=True, kw_only=True, tag_field="type", tag="auth_status"):
    is_authenticating: bool | None = field(name="isAuthenticating", default=None)
    output: tuple[str, ...] = ()
    error: str | None = None


class PromptSuggestion(Said, frozen=True, kw_only=True, tag_field="type", tag="prompt_suggestion"):
    """What the person may want to say next; comes after the result."""

    suggestion: str | None = None


class ConversationReset(Said, frozen=True, kw_only=True, tag_field="type", tag="conversation_reset"):
    """``/clear`` and the like: later lines have another ``session_id``, running totals start again (2.1.332)."""

    new_conversation_id: str | None = None
    trigger: str | None = None
    user_message_uuid: str | None = None
    timestamp: str | None = None


class Goal(Shape, frozen=True):
    condition: str | None = None
    iterations: int | None = None
    set_at: Number | None = None
    tokens_at_start: int | None = None
    last_reason: str | None = None


class ActiveGoal(Said, frozen=True, kw_only=True, tag_field="type", tag="active_goal"):
    value: Goal | None = None


class TranscriptMirror(Said, frozen=True, kw_only=True, tag_field="type", tag="transcript_mirror"):
    """Lines of the CLI's session file, with ``--session-mirror`` (30_mirror). Never has a uuid."""

    file_path: str | None = field(name="filePath", default=None)
    entries: tuple[Any, ...] = ()


class KeepAlive(Said, frozen=True, kw_only=True, tag_field="type", tag="keep_alive"):
    """Means nothing, in either direction."""

    startup_mark: str | None = None


class UpdateEnvironment(Said, frozen=True, kw_only=True, tag_field="type", tag="update_environment_variables"):
    """A host's line; no effect on a local CLI was seen (24_update_env)."""

    variables: dict[str, str] = field(default_factory=dict)
