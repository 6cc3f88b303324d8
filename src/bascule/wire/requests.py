"""What the host may ask of the CLI: the requests of ``control_request`` lines that we write. Answers: answers.py.

Those that need Anthropic's servers, a browser or a desktop surface are not here; nor is ``initialize`` (initialize.py).
A CLI that does not know one answers ``unsupported_request``, so asking is safe (21_control_requests).
"""

from typing import Any, TypeAlias

from msgspec import field

from bascule.wire.shape import Number, Shape


class _Request(Shape, frozen=True, tag_field="subtype"):
    """A request without fields of its own."""


class Interrupt(_Request, frozen=True, tag="interrupt"):
    """Ends the running turn; success also when nothing runs. Queued prompts stay and run next (10_*, 11_*)."""

    cancel_queued: bool = False
    """True drops queued prompts, without a result for them; 2.1.197 ignores it."""


class SetPermissionMode(_Request, frozen=True, tag="set_permission_mode"):
    """2.1.197 acknowledges a mode that does not exist; check against ``permissions.MODES`` before."""

    mode: str


class SetModel(_Request, frozen=True, tag="set_model"):
    """From the next API call on (2.1.332) or the next turn (2.1.197). Any name is taken; a wrong one fails later."""

    model: str | None
    """None: the default model. Always written."""


class SetMaxThinkingTokens(_Request, frozen=True, tag="set_max_thinking_tokens"):
    max_thinking_tokens: int | None
    """None: the default. Always written."""
    thinking_display: str | None = None


class RenameSession(_Request, frozen=True, tag="rename_session"):
    title: str
    source: str | None = None


class GenerateSessionTitle(_Request, frozen=True, tag="generate_session_title"):
    description: str
    persist: bool


class McpStatus(_Request, frozen=True, tag="mcp_status"):
    live_reply: bool | None = field(name="liveReply", default=None)


class McpSetServers(_Request, frozen=True, tag="mcp_set_servers"):
    """Replaces the servers that were set this way before."""

    servers: dict[str, Any]


class McpReconnect(_Request, frozen=True, tag="mcp_reconnect"):
    server_name: str = field(name="serverName")


class McpToggle(_Request, frozen=True, tag="mcp_toggle"):
    server_name: str = field(name="serverName")
    enabled: bool = field()


class McpCall(_Request, frozen=True, tag="mcp_call"):
    """Calls a tool of a connected server, past the model."""

    tool: str
    """Its whole name, ``mcp__server__tool``."""
    arguments: dict[str, Any] = field(default_factory=dict)
    timeout_ms: Number | None = None
    """1000 at least."""
    check_permissions: bool | None = None
    """Go by the CLI's rules first, and ask as about a call of the model's (``can_use_tool``)."""
    soft_error_result: bool | None = None
    """What the tool calls an error is a result with ``isError``; else the request fails with its text."""


class SetMcpPermissionModeOverride(_Request, frozen=True, tag="set_mcp_permission_mode_override"):
    """Another mode for the calls of one server, than which the session's is not stricter."""

    server_name: str = field(name="serverName")
    mode: str | None = field()
    """``default``, ``auto``, or None: the session's. Always written."""


class McpReadResource(_Request, frozen=True, tag="mcp_read_resource"):
    """Resources with a ``ui://`` address only."""

    server_name: str = field(name="serverName")
    uri: str = field()


class GetContextUsage(_Request, frozen=True, tag="get_context_usage"):
    detail: str | None = None
    """``summary`` or ``full``."""


class GetSessionCost(_Request, frozen=True, tag="get_session_cost"):
    pass


class GetUsage(_Request, frozen=True, tag="get_usage"):
    skip_behaviors: bool | None = None


class ListModels(_Request, frozen=True, tag="list_models"):
    pass


class GetBinaryVersion(_Request, frozen=True, tag="get_binary_version"):
    pass


class GetSettings(_Request, frozen=True, tag="get_settings"):
    pass


class UpdateSettings(_Request, frozen=True, tag="update_settings"):
    """Writes the settings file; each file has its own list of keys that may be written."""

    source: str
    settings: dict[str, Any]


class ApplyFlagSettings(_Request, frozen=True, tag="apply_flag_settings"):
    """All or nothing, in memory only."""

    settings: dict[str, Any]


class GetHooksListing(_Request, frozen=True, tag="get_hooks_listing"):
    pass


class ListPermissionRules(_Request, frozen=True, tag="list_permission_rules"):
    pass


class ReadFile(_Request, frozen=True, tag="read_file"):
    """Within the directories that the CLI may read."""

    path: str
    max_bytes: int | None = None
    encoding: str | None = None


class SeedReadState(_Request, frozen=True, tag="seed_read_state"):
    path: str
    mtime: Number


class FileSuggestions(_Request, frozen=True, tag="file_suggestions"):
    query: str


class RewindFiles(_Request, frozen=True, tag="rewind_files"):
    """Files as they were before that prompt; needs ``CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true``."""

    user_message_id: str
    dry_run: bool = False


class CancelAsyncMessage(_Request, frozen=True, tag="cancel_async_message"):
    """Takes a queued prompt back (11_cancel_async)."""

    message_uuid: str


class StopTask(_Request, frozen=True, tag="stop_task"):
    """Success for an unknown id too; the task's end is told before the answer (15_stop_task)."""

    task_id: str


class BackgroundTasks(_Request, frozen=True, tag="background_tasks"):
    """Moves running foreground work to the background: one call, or all."""

    tool_use_id: str | None = None


class GetTaskOutput(_Request, frozen=True, tag="get_task_output"):
    task_id: str


class RegisterRepoRoot(_Request, frozen=True, tag="register_repo_root"):
    directory: str
    reload_claude_md: bool | None = None
    reload_plugins: bool | None = None
    reload_skills: bool | None = None


class ReloadPlugins(_Request, frozen=True, tag="reload_plugins"):
    refuse_if_busy: bool | None = None
    hold_on_cache_impact: bool | None = None
    """Change nothing where that would spoil what the API has cached, and say what it would be."""
    add_plugins: tuple[dict[str, Any], ...] | None = None
    """``{"type": "local", "path": …}``"""


class ReloadSkills(_Request, frozen=True, tag="reload_skills"):
    pass


class ReloadOutputStyles(_Request, frozen=True, tag="reload_output_styles"):
    pass


class SideQuestion(_Request, frozen=True, tag="side_question"):
    """Answered beside the running turn, with its context."""

    question: str


class GetStatus(_Request, frozen=True, tag="get_status"):
    pass


class GetPlan(_Request, frozen=True, tag="get_plan"):
    pass


class ExportConversation(_Request, frozen=True, tag="export_conversation"):
    pass


class GetMemoryDialog(_Request, frozen=True, tag="get_memory_dialog"):
    pass


class GetSkillsDialog(_Request, frozen=True, tag="get_skills_dialog"):
    pass


class GetSandboxDialog(_Request, frozen=True, tag="get_sandbox_dialog"):
    pass


class SetPromptSuggestionsPaused(_Request, frozen=True, tag="set_prompt_suggestions_paused"):
    paused: bool


class SetCwd(_Request, frozen=True, tag="set_cwd"):
    """Not in a turn. A folder that was never trusted is named back first, and has to be given again."""

    path: str
    trust_accepted: bool | None = None
    trusted_directory: str | None = None
    """``CwdSet.directory`` of the answer before; needed with ``trust_accepted``."""


class EndSession(_Request, frozen=True, tag="end_session"):
    """Acknowledged, then the process exits with 0."""


CliRequest: TypeAlias = (
    Interrupt
    | SetPermissionMode
    | SetModel
    | SetMaxThinkingTokens
    | RenameSession
    | GenerateSessionTitle
    | McpStatus
    | McpSetServers
    | McpReconnect
    | McpToggle
    | McpCall
    | SetMcpPermissionModeOverride
    | McpReadResource
    | GetContextUsage
    | GetSessionCost
    | GetUsage
    | ListModels
    | GetBinaryVersion
    | GetSettings
    | UpdateSettings
    | ApplyFlagSettings
    | GetHooksListing
    | ListPermissionRules
    | ReadFile
    | SeedReadState
    | FileSuggestions
    | RewindFiles
    | CancelAsyncMessage
    | StopTask
    | BackgroundTasks
    | GetTaskOutput
    | RegisterRepoRoot
    | ReloadPlugins
    | ReloadSkills
    | ReloadOutputStyles
    | SideQuestion
    | GetStatus
    | GetPlan
    | ExportConversation
    | GetMemoryDialog
    | GetSkillsDialog
    | GetSandboxDialog
    | SetPromptSuggestionsPaused
    | SetCwd
    | EndSession
)
