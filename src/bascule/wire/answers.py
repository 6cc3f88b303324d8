"""What the CLI answers to our requests: the bodies of ``Succeeded``. Read them with ``read``.

Many acknowledgements have no body at all, some of them on one version only (``interrupt`` and ``set_model`` on
2.1.197), so every field here may be missing.
"""

from typing import Any, TypeVar

from msgspec import field

from bascule.wire.fitting import Misfit, fit
from bascule.wire.result import ModelUsage
from bascule.wire.shape import Number, Shape
from bascule.wire.system import Plugin, SlashCommand

AnswerT = TypeVar("AnswerT", bound=Shape)


def read(body: Any, kind: type[AnswerT]) -> AnswerT:
    """``body``, a ``Succeeded.response``, as ``kind``; what is missing or does not fit is at its default."""
    try:
        return fit(body, kind)
    except Misfit:
        return kind()


class AgentInfo(Shape, frozen=True):
    name: str | None = None
    description: str | None = None
    model: str | None = None


class ModelInfo(Shape, frozen=True, rename="camel"):
    value: str | None = None
    """For ``SetModel``."""
    resolved_model: str | None = None
    display_name: str | None = None
    description: str | None = None
    supports_effort: bool | None = None
    supported_effort_levels: tuple[str, ...] = ()
    supports_adaptive_thinking: bool | None = None
    supports_fast_mode: bool | None = None
    supports_auto_mode: bool | None = None
    supports_thinking_off: bool | None = None


class Account(Shape, frozen=True, rename="camel"):
    email: str | None = None
    organization: str | None = None
    subscription_type: str | None = None
    token_source: str | None = None
    api_key_source: str | None = None
    api_provider: str | None = None


class Initialized(Shape, frozen=True):
    """To ``initialize``. It has no session id. The open asks are beside it, in ``Succeeded``."""

    commands: tuple[SlashCommand, ...] = ()
    agents: tuple[AgentInfo, ...] = ()
    models: tuple[ModelInfo, ...] = ()
    account: Account = Account()
    output_style: str | None = None
    available_output_styles: tuple[str, ...] = ()
    pid: int | None = None
    claude_code_version: str | None = None
    """None on 2.1.197."""
    current_permission_mode: str | None = None
    session_state: str | None = None
    capabilities: tuple[str, ...] | None = None
    """Another list than ``Init.capabilities``; None on 2.1.197."""
    hook_on_failure_supported: bool | None = None
    """None: a hook that fails lets the tool run, whatever its matcher says (2.1.197)."""
    hooks_applied: bool | None = None
    plugins_applied: bool | None = None
    mcp_servers_applied: bool | None = None
    sdk_mcp_manifests_parked: dict[str, str] = field(default_factory=dict)
    """By in-process server, what became of its manifest: ``parked``, ``protocol_version_mismatch``, ``malformed``, ...;
    a CLI that does not know manifests says nothing (2.1.197)."""
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    sandbox_enabled: bool | None = None
    analytics_disabled: bool | None = None


class Interrupted(Shape, frozen=True):
    """To ``interrupt``; comes before the result of the turn that it ends (10_*)."""

    still_queued: tuple[str, ...] | None = None
    """Uuids of prompts that run next; None: the CLI does not tell (2.1.197). The prompt that was meant to stop may be
    among them, and then the interrupt is lost (10_interrupt_race_warm)."""
    cancelled: tuple[str, ...] = ()


class ModeSet(Shape, frozen=True):
    mode: str | None = None


class ModelSet(Shape, frozen=True):
    model: str | None = None
    """As resolved (2.1.332)."""


class ServerInfo(Shape, frozen=True):
    name: str | None = None
    version: str | None = None


class ServerTool(Shape, frozen=True):
    name: str | None = None
    description: str | None = None
    annotations: dict[str, Any] = field(default_factory=dict)


class ServerStatus(Shape, frozen=True):
    name: str | None = None
    status: str | None = None
    """``connected``, ``failed``, ``needs-auth``, ``pending``, ``disabled``."""
    error: str | None = None
    server_info: ServerInfo | None = field(name="serverInfo", default=None)
    config: Any = None
    transport: str | None = None
    scope: str | None = None
    source: str | None = None
    tools: tuple[ServerTool, ...] = ()


class Servers(Shape, frozen=True):
    """To ``mcp_status``; may be empty until the first connection stands."""

    mcp_servers: tuple[ServerStatus, ...] = field(name="mcpServers", default=())


class ServersSet(Shape, frozen=True):
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    errors: dict[str, str] = field(default_factory=dict)


class ContextCategory(Shape, frozen=True):
    id: str | None = None
    name: str | None = None
    tokens: int | None = None
    kind: str | None = None
    """``used``, ``free``, ``buffer``, ``deferred``."""


class ContextUsage(Shape, frozen=True, rename="camel"):
    categories: tuple[ContextCategory, ...] = ()
    total_tokens: int | None = None
    max_tokens: int | None = None
    raw_max_tokens: int | None = None
    percentage: Number | None = None
    model: str | None = None
    auto_compact_threshold: int | None = None
    is_auto_compact_enabled: bool | None = None


class SessionUsage(Shape, frozen=True):
    total_cost_usd: Number | None = None
    total_api_duration_ms: Number | None = None
    total_duration_ms: Number | None = None
    total_lines_added: int | None = None
    total_lines_removed: int | None = None
    model_usage: dict[str, ModelUsage] = field(default_factory=dict)


class UsageReport(Shape, frozen=True):
    session: SessionUsage = SessionUsage()
    subscription_type: str | None = None
    rate_limits_available: bool | None = None
    rate_limits: Any = None


class Cost(Shape, frozen=True):
    text: str | None = None
    """For people."""


class Models(Shape, frozen=True):
    models: tuple[ModelInfo, ...] = ()


class BinaryVersion(Shape, frozen=True, rename="camel"):
    version: str | None = None
    build_time: str | None = None


class HookEvent(Shape, frozen=True, rename="camel"):
    name: str | None = None
    summary: str | None = None
    supports_matcher: bool | None = None


class HooksListing(Shape, frozen=True, rename="camel"):
    """To ``get_hooks_listing`` (21_control_requests, CLI 2.1.332)."""

    event_catalog: tuple[HookEvent, ...] = ()
    """Every hook event that this CLI has."""
    events: tuple[Any, ...] = ()
    hooks: tuple[Any, ...] = ()
    policy: Any = None


class RuleEntry(Shape, frozen=True, rename="camel"):
    behavior: str | None = None
    source: str | None = None
    rule: str | None = None
    editability: str | None = None
    not_in_effect: bool | None = None


class RulesState(Shape, frozen=True, rename="camel"):
    rules: tuple[RuleEntry, ...] = ()
    workspace_directories: tuple[Any, ...] = ()
    original_cwd: str | None = None
    managed_only: bool | None = None


class PermissionRules(Shape, frozen=True):
    state: RulesState = RulesState()


class FileContents(Shape, frozen=True):
    contents: str | None = None
    abs_path: str | None = field(name="absPath", default=None)
    requested_path: str | None = None
    encoding: str | None = None
    truncated: bool | None = None
    lossy: bool | None = None


class FileSuggestion(Shape, frozen=True):
    path: str | None = None
    """Below ``FileSuggestions.cwd``, or absolute; a folder ends with a separator."""
    score: Number | None = None


class FileSuggestions(Shape, frozen=True):
    suggestions: tuple[FileSuggestion, ...] = ()
    cwd: str | None = None


class Resource(Shape, frozen=True):
    uri: str | None = None
    mime_type: str | None = field(name="mimeType", default=None)
    text: str | None = None
    blob: str | None = None
    """Base64."""


class ResourceContents(Shape, frozen=True):
    """To ``mcp_read_resource``."""

    contents: tuple[Resource, ...] = ()


class SettingsSource(Shape, frozen=True):
    source: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


class Settings(Shape, frozen=True):
    effective: dict[str, Any] = field(default_factory=dict)
    """All sources laid over each other."""
    sources: tuple[SettingsSource, ...] = ()
    applied: dict[str, Any] = field(default_factory=dict)
    """What is in force now, whoever set it: ``model``, ``effort``, ..."""


class StatusRow(Shape, frozen=True):
    label: str | None = None
    value: Any = None


class StatusSection(Shape, frozen=True):
    title: str | None = None
    rows: tuple[StatusRow, ...] = ()


class StatusReport(Shape, frozen=True):
    """To ``get_status``; for people."""

    sections: tuple[StatusSection, ...] = ()


class Plan(Shape, frozen=True):
    """To ``get_plan``."""

    exists: bool | None = None
    content: str | None = None
    """Markdown."""
    path: str | None = None


class CwdSet(Shape, frozen=True):
    """To ``set_cwd``."""

    status: str | None = None
    """``ok``; ``needs_trust``: ask again and name ``directory``; ``rejected``."""
    cwd: str | None = None
    changed: bool | None = None
    transcript_relocated: bool | None = None
    directory: str | None = None
    reason: str | None = None
    message: str | None = None


class RepoRoot(Shape, frozen=True):
    """To ``register_repo_root``."""

    directory: str | None = None


class Rewound(Shape, frozen=True, rename="camel"):
    """To ``rewind_files``. Files that a shell changed are not among them."""

    can_rewind: bool | None = None
    error: str | None = None
    files_changed: tuple[str, ...] = ()
    insertions: int | None = None
    deletions: int | None = None
    skipped_links: int | None = None


class MessageCancelled(Shape, frozen=True):
    cancelled: bool | None = None
    message_uuid: str | None = None


class TaskOutput(Shape, frozen=True):
    output: str | None = None
    total_bytes: int | None = None
    truncated: bool | None = None


class Reloaded(Shape, frozen=True):
    """To ``reload_plugins``."""

    commands: tuple[SlashCommand, ...] = ()
    agents: tuple[AgentInfo, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    mcp_servers: tuple[ServerStatus, ...] = field(name="mcpServers", default=())
    error_count: int | None = None
    held: bool | None = None
    """Nothing was changed, since ``cache_impact`` would have come of it (``hold_on_cache_impact``)."""
    cache_impact: Any = None


class Staging(Shape, frozen=True):
    """How a call went that was given a time (2.1.332)."""

    ok: bool | None = None
    error_code: str | None = None
    """``timeout``"""
    detail: str | None = None


class Called(Shape, frozen=True):
    """To ``mcp_call``, beside the result of MCP."""

    staging: Staging | None = None


class ModeOverridden(Shape, frozen=True):
    """To ``set_mcp_permission_mode_override``."""

    warning: str | None = None
    """It will hold once a server of that name connects; null: it holds."""


class MemoryPlace(Shape, frozen=True):
    """A file or a folder that the model's memory is read from."""

    kind: str | None = None
    """``project``, ``user``, ``auto``, …"""
    path: str | None = None
    label: str | None = None
    description: str | None = None
    exists: bool | None = None
    """Of a file."""


class Memory(Shape, frozen=True):
    """To ``get_memory_dialog``: what ``/memory`` shows."""

    files: tuple[MemoryPlace, ...] = ()
    folders: tuple[MemoryPlace, ...] = ()
    memories: tuple[Any, ...] = ()
    auto_memory: Any = None
    """Whether the model writes down by itself what it should remember."""
    auto_dream: Any = None


class SkillState(Shape, frozen=True):
    """A skill as ``/skills`` shows it."""

    name: str | None = None
    display_name: str | None = None
    description: str | None = None
    source: str | None = None
    """``project``, ``user``, a plugin's name, …"""
    tokens: Number | None = None
    """What it takes of the context."""
    state: str | None = None
    """``on``, ``off``, …"""
    advertised: bool | None = None
    """Whether the model is told of it."""
    handles: Any = None


class SkillStates(Shape, frozen=True):
    """To ``get_skills_dialog``."""

    skills: tuple[SkillState, ...] = ()


class SandboxState(Shape, frozen=True):
    """To ``get_sandbox_dialog``: what ``/sandbox`` shows."""

    supported: bool | None = None
    """This machine could have one."""
    enabled: bool | None = None
    enabled_in_settings: bool | None = None
    mode: str | None = None
    """``disabled``, ``regular``, ``auto-allow``"""
    locked: bool | None = None
    """It stands in settings that the user cannot change."""
    overrides_locked: bool | None = None
    policy_origins: tuple[str, ...] = ()
    auto_allow_available: bool | None = None
    no_sandbox_allowed: bool | None = None
    unsandboxed_fallback: bool | None = None
    dependencies: Any = None
    """``errors`` and ``warnings`` about the programs that it needs."""
    excluded_commands: tuple[str, ...] = ()
    restrictions: Any = None
    """What may be read, written and reached, by name."""


class Skills(Shape, frozen=True):
    """To ``reload_skills``."""

    skills: tuple[SlashCommand, ...] = ()


class OutputStyles(Shape, frozen=True):
    """To ``reload_output_styles``."""

    available_output_styles: tuple[str, ...] = ()


class SideAnswer(Shape, frozen=True):
    response: str | None = None
    synthetic: bool | None = None


class Title(Shape, frozen=True):
    title: str | None = None
    """None: there was nothing to make one of."""


class Exported(Shape, frozen=True):
    text: str | None = None
    default_filename: str | None = None
