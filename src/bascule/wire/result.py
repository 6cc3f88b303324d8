"""The line that ends a turn. How to read it is decided in ``transcript/``; here stand the facts of its fields.

One result per turn, not per prompt: prompts merge, fold, or cause none, and a turn may start by itself (11_*, 15_*).
"""

from typing import Any

from msgspec import field

from bascule.wire.blocks import Usage
from bascule.wire.messages import Origin
from bascule.wire.shape import Number, Said, Shape


class ModelUsage(Shape, frozen=True, rename="camel"):
    """Tokens and money of one model, subagents included."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation_ephemeral_5m_input_tokens: int | None = field(
        name="cacheCreationEphemeral5mInputTokens", default=None
    )
    cache_creation_ephemeral_1h_input_tokens: int | None = field(
        name="cacheCreationEphemeral1hInputTokens", default=None
    )
    web_search_requests: int | None = None
    cost_usd: Number | None = field(name="costUSD", default=None)
    context_window: int | None = None
    max_output_tokens: int | None = None
    canonical_model: str | None = None
    provider: str | None = None
    cost_basis: str | None = None


class PermissionDenial(Shape, frozen=True):
    tool_name: str | None = None
    tool_use_id: str | None = None
    tool_input: dict[str, Any] = field(default_factory=dict)


class DeferredToolUse(Shape, frozen=True):
    """The call that a hook deferred; it has no tool result (07_hook_defer)."""

    id: str | None = None
    name: str | None = None
    input: dict[str, Any] = field(default_factory=dict)


class Result(Said, frozen=True, kw_only=True, tag_field="type", tag="result"):
    subtype: str | None = None
    """``success`` (an API error too), ``error_during_execution`` (an interrupt too), ``error_max_turns``,
    ``error_max_budget_usd``, ``error_max_structured_output_retries``."""
    is_error: bool | None = None
    """The only sound sign of failure (18_*, L13)."""
    terminal_reason: str | None = None
    """``completed``, ``aborted_streaming``, ``aborted_tools``, ``api_error``, ``max_turns``, ``tool_deferred``, ...;
    absent on local commands, and of an API error it is ``completed`` on 2.1.197."""
    result: str | None = None
    """The text of the last assistant message, said before; of an API error its prose."""
    errors: tuple[str, ...] = ()
    """Instead of ``result``; an interrupt's begins with ``[ede_diagnostic]`` and is not for people."""
    stop_reason: str | None = None
    num_turns: int | None = None
    """Of this prompt, not of the session; 0 for local commands and for context without a query."""
    duration_ms: Number | None = None
    duration_api_ms: Number | None = None
    total_cost_usd: Number | None = None
    """Cumulative for the process; on 2.1.332 it goes on over a resume and starts again at ``/clear``."""
    usage: Usage | None = None
    """This turn, main thread only."""
    model_usage: dict[str, ModelUsage] = field(name="modelUsage", default_factory=dict)
    """By model; cumulative like the cost."""
    model_usage_since_last_result: dict[str, ModelUsage] | None = None
    """2.1.332 only."""
    permission_denials: tuple[PermissionDenial, ...] = ()
    structured_output: Any = None
    deferred_tool_use: DeferredToolUse | None = None
    origin: Origin | None = None
    user_message_uuid: str | None = None
    user_message_uuids: tuple[str, ...] = ()
    """The prompts that this turn answered (2.1.332)."""
    begun_message_ids: tuple[str, ...] = ()
    result_index: int | None = None
    """Counts the results of a process, from 0 (2.1.332)."""
    queued_turn_count: int | None = None
    local_command: str | None = None
    api_error: str | None = None
    api_error_status: int | None = None
    api_error_type: str | None = None
    startup_failure_reason: str | None = None
    invalid_config_file: Any = None
    subagent_stats: Any = None
    safety_stops: int | None = None
    resume_reason: str | None = None
    credential_expires_at: str | None = None
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    ttft_ms: Number | None = None
    ttft_stream_ms: Number | None = None
    time_to_request_ms: Number | None = None
    time_to_request_from_spawn_ms: Number | None = None
    request_sent_wall_ms: Number | None = None
    first_content_frame_ms: Number | None = None
    first_request_input_tokens: int | None = None
    first_request_cache_read_input_tokens: int | None = None
    time_origin_ms: Number | None = None
    warm_spare_claimed: bool | None = None
