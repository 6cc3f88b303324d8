"""The ``initialize`` request: what a host registers before the first prompt. Its answer is in answers.py.

Send it once and first. A late or second one is answered with success, and on 2.1.197 its hooks are ignored: a gate that
stands open (21_init_twice). Without it there are no hooks, no in-process servers, no agents.
"""

from typing import Any

from msgspec import UNSET, UnsetType, field

from bascule.errors import LocalProtocolError
from bascule.wire.shape import Number, Shape


class HookMatcher(Shape, frozen=True):
    """Which calls of a hook event come to the host."""

    hook_callback_ids: tuple[str, ...] = field(name="hookCallbackIds")
    """Chosen by the host; a ``hook_callback`` names one of them."""
    matcher: str | None = None
    """A JavaScript regular expression on the tool's name; None: every call."""
    timeout_s: Number | None = field(name="timeout", default=None)
    """After it the CLI withdraws the call and refuses the tool; 600 if none is given."""
    on_failure: str | None = field(name="onFailure", default=None)
    """``block``: an answer that fails stops the tool. Otherwise the tool RUNS. 2.1.197 does not know it."""

    def __post_init__(self) -> None:
        if not self.hook_callback_ids:
            raise LocalProtocolError("a hook matcher names at least one callback id")


class Agent(Shape, frozen=True, rename="camel"):
    """A subagent that the host brings. One that the CLI finds fault with makes it drop all of them, without a word."""

    description: str
    """When to use it: the model reads that. Not empty."""
    prompt: str
    """Its system prompt. Not empty."""
    tools: tuple[str, ...] | None = None
    """None: all tools; an empty tuple: none."""
    disallowed_tools: tuple[str, ...] = ()
    model: str | None = None
    """``haiku``, ``inherit``, a whole id, …; None: the session's, or what the settings say."""
    mcp_servers: tuple[Any, ...] = ()
    """Names of servers, or servers by name in the CLI's own form."""
    skills: tuple[str, ...] = ()
    """Skills that it has read when it begins."""
    initial_prompt: str | None = None
    """The first prompt of a session that is this agent (``Options.agent``)."""
    max_turns: int | None = None
    """Rounds with the model that it may take, 1 or more."""
    background: bool | None = None
    """It always runs beside the turn."""
    omit_claude_md: bool | None = None
    """It does not read the memory files of the project and of the user (not on 2.1.197)."""
    memory: str | None = None
    """Where it keeps notes of its own: ``user``, ``project`` or ``local``."""
    effort: str | int | None = None
    """``low``, ``medium``, ``high``, ``xhigh``, ``max``, or a number; 2.1.197 leaves it aside."""
    permission_mode: str | None = None
    """One of the CLI's modes. Where bascule governs, its policy decides all the same."""
    observer: str | None = None
    """Another agent, by name, that looks on (not on 2.1.197)."""
    observer_message: str | None = None
    """What that one is told."""
    critical_system_reminder: str | None = field(name="criticalSystemReminder_EXPERIMENTAL", default=None)
    """What it shall be reminded of; an experiment of the CLI's, by its name there."""
    auto_compact_window: int | None = None
    """Tokens after which its conversation is compacted, 100,000 or more."""


class Initialize(Shape, frozen=True, tag_field="subtype", tag="initialize"):
    hooks: dict[str, tuple[HookMatcher, ...]] = field(default_factory=dict)
    """By event. SessionStart, SessionEnd and Setup are never called this way (26_hook_events)."""
    sdk_mcp_servers: tuple[str, ...] = field(name="sdkMcpServers", default=())
    """Names of in-process servers; their messages may come before the answer (21_sdk_mcp)."""
    sdk_mcp_server_configs: dict[str, Any] = field(name="sdkMcpServerConfigs", default_factory=dict)
    sdk_mcp_server_manifests: dict[str, Any] = field(name="sdkMcpServerManifests", default_factory=dict)
    mcp_servers: dict[str, Any] = field(name="mcpServers", default_factory=dict)
    """Needs ``--await-initialize``; keeps secrets off the command line."""
    agents: dict[str, Agent] = field(default_factory=dict)
    system_prompt: str | tuple[str, ...] | None = field(name="systemPrompt", default=None)
    append_system_prompt: str | None = field(name="appendSystemPrompt", default=None)
    system_prompt_snapshot: bool | None = field(name="systemPromptSnapshot", default=None)
    """False: the system prompt is made anew for each request (not on 2.1.197, which always does so)."""
    plan_mode_instructions: str | None = field(name="planModeInstructions", default=None)
    json_schema: dict[str, Any] | UnsetType = field(name="jsonSchema", default=UNSET)
    """The shape that ``Result.structured_output`` shall have (20_json_schema_init)."""
    skills: tuple[str, ...] | UnsetType = UNSET
    """The skills that may be used; an empty tuple: none."""
    tool_aliases: dict[str, str] = field(name="toolAliases", default_factory=dict)
    title: str | None = None
    exclude_dynamic_sections: bool | None = field(name="excludeDynamicSections", default=None)
    prompt_suggestions: bool | None = field(name="promptSuggestions", default=None)
    agent_progress_summaries: bool | None = field(name="agentProgressSummaries", default=None)
    forward_subagent_text: bool | None = field(name="forwardSubagentText", default=None)
    """Text of foreground subagents comes too (15_forward_text_init)."""
    supported_dialog_kinds: tuple[str, ...] = field(name="supportedDialogKinds", default=())
    per_task_stop_affordance: bool | None = field(name="perTaskStopAffordance", default=None)
    """True: an interrupt leaves background agents running (2.1.332, 15_per_task_stop)."""
    plugins: tuple[Any, ...] = ()
