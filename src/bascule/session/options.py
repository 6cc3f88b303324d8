"""How a session is opened, as one frozen value that is checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from bascule.errors import OptionError
from bascule.ids import SessionId
from bascule.mcp.server import ToolServer
from bascule.policy import policies
from bascule.policy.policies import Policy
from bascule.policy.rules import Rule, parse
from bascule.session import checks
from bascule.session.fields import check_fields, freeze_lists
from bascule.session.hooks import Keep, KeptGrants, OnAsk, UserHook
from bascule.session.mcp import Serve
from bascule.session.rewinding import CHECKPOINTS
from bascule.session.stopping import Patience
from bascule.session.trust import Trust
from bascule.session.watch import Limits
from bascule.tools.names import STRUCTURED_OUTPUT
from bascule.transport.argv import BYPASS, Arguments, argv
from bascule.transport.environment import environment
from bascule.wire.initialize import Agent
from bascule.wire.permissions import MODES

MANUAL: Final = "manual"
"""The newest CLI's other word for the mode ``default``."""

GRACE_S: Final = 5.0
"""How long the CLI may take to end by itself: it writes its session file then."""

SANDBOX: Final = "IS_SANDBOX"
"""The CLI's own word for "root may do anything here"."""

NO_TIMERS: Final = "CLAUDE_CODE_DISABLE_CRON"
"""Takes away the CLI's timers, the tools that set them, and those that a conversation or a workspace still holds."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is. Raises ``OptionError`` for a value that cannot be, and says what to do."""

    cwd: str | Path = "."
    """The workspace; the CLI and its tools run in it."""
    cli: str | Path | None = None
    """The CLI's path or name; None: it is looked for (see ``transport/locate.py``)."""
    id: SessionId | None = None
    """Our id of the session, for its events; None: the id of the conversation, or a new one."""

    policy: str = policies.DEFAULT
    """``supervised``, ``plan``, ``rules``, ``autonomous``, or a mode of the CLI's."""
    mode: str | None = None
    """The CLI's permission mode at the start; None: the policy's."""
    rules: tuple[Rule, ...] = ()
    """For the policy, beside its own."""
    allow: tuple[str, ...] = ()
    """Rules in their short form, for this session: ``Bash(pytest *)``."""
    attended: bool = True
    """Somebody can answer: whoever reads the events, or ``on_ask``. False: what would ask is denied at once."""
    auto_approve_plan: bool | None = None
    """Approve a plan without a person; None: as the policy says, and only ``plan-auto`` does."""
    rearm_plan: bool | None = None
    """After the turn of an approved plan the mode is plan again; None: as the policy says."""
    outline_min_chars: int = policies.OUTLINE_CHARS
    """Visible characters that a plan must have once you want it written out; a shorter one is sent back unasked."""
    on_ask: OnAsk | None = None
    """Answers in a person's place; whoever decides first wins. What it raises denies."""
    dialog_kinds: tuple[str, ...] = ()
    """Dialogs of the CLI that somebody here knows how to answer, by its names; it shows no others. The answer, whatever
    such a dialog wants, goes into ``commands.Answers``."""
    ask_timeout_s: float | None = None
    """An ask that nobody answered in this time is denied; None: it waits."""
    keep_grant: Keep | None = None
    """Keeps an *always* that outlives the session; None: such scopes are refused."""
    kept_grants: KeptGrants | None = None
    """Grants from before this session, looked at for each call; None: there are none. Where one is taken back, it is
    gone here from the next call on."""
    rule_files: tuple[str | Path, ...] | None = None
    """Files of rules beside ``rules``, read again when they change; ``()``: none, None: the user's
    (``~/.config/bascule/rules.toml``) and the workspace's (``.bascule/rules.toml``), which until it was accepted can
    only deny and ask."""
    closed: tuple[str | Path, ...] = ()
    """Places that no rule opens, beside bascule's own folders: files, or folders with all that is in them."""
    trust: Trust = "known"
    """What the workspace brings that runs or widens something (hooks, MCP servers, settings, skills, rules that allow):
    ``known`` leaves it out unless a person has accepted it as it is (``bascule trust``), and a notice says so; ``all``
    takes it, as the CLI does; ``none`` leaves it out."""
    hooks: tuple[UserHook, ...] = ()
    """Functions that are called at certain moments; see ``UserHook``."""
    stop_git_check: bool | Literal["pushed"] | None = None
    """Hold uncommitted work up to the agent when it wants to stop, with ``pushed`` also commits that its branch's
    upstream has not; None: as the policy says."""

    session_id: str | None = None
    """The CLI's id of a new conversation, a UUID; None: bascule makes one."""
    resume: str | None = None
    """The conversation to go on with: its id, of whichever workspace, the path of its file, or its title. If it is not
    there ``ResumeFailed`` is raised: never an empty new one; so it is for a copy of its file without ``fork``."""
    resume_at: str | None = None
    """The uuid of its last message to keep."""
    fork: bool = False
    """Go on in a copy."""
    continue_last: bool = False
    """Go on with the newest conversation of the workspace; where there is none, begin one."""
    title: str | None = None
    """What the conversation is called in lists; a SessionStart hook that gives one wins."""
    persist_session: bool = True
    """False: the CLI keeps nothing of the conversation on the disk, and it cannot be resumed."""
    verbatim_prompts: bool = False
    """Prompts are text and nothing else: no slash command runs, no @-mention is replaced by its file. 2.1.197 does not
    know that; a notice says so."""

    model: str | None = None
    """``haiku``, ``opus``, a whole id, …; None: the account's default. A name that is none fails in the first turn."""
    fallback_models: tuple[str, ...] = ()
    """Models to go on with, in this order, when the chosen one is overloaded."""
    effort: str | None = None
    """``low``, ``medium``, ``high``, ``xhigh``, ``max``; None: the model's default."""
    thinking: Literal["adaptive", "disabled"] | int | None = None
    """``adaptive``: as much as the prompt needs; ``disabled``; or so many tokens at most, 1024 or more. Which of them a
    model takes is up to it, and the CLI says nothing: the newest always think as they like, and only the older
    (``claude-haiku-4-5``) take a number. None: the model's default."""
    thinking_display: str | None = None
    """How much of its thoughts the model tells: ``summarized``, ``omitted``, or ``highlights``, with which 2.1.197 does
    not start. 2.1.332 sends short updates for ``omitted`` too; None: as the CLI says."""
    betas: tuple[str, ...] = ()
    """Names of beta features of the API, for those who pay by key. The CLI knows the one ``context-1m-2025-08-07``, and
    leaves aside any other with a warning on stderr."""
    agent: str | None = None
    """The agent that the session itself is, by its name: one of ``agents``, of the settings, or built in."""
    agents: Mapping[str, Agent] = {}
    """Subagents by name, beside those of the settings. Where the CLI takes them not, the start fails."""
    forward_subagent_text: bool = False
    """Tell also what subagents say that the turn waits for; those in the background always tell."""
    interrupt_spares_agents: bool = False
    """Interrupting a turn leaves the agents in the background running (``cli.stop_task`` stops one). 2.1.197 stops them
    all the same; a notice says so."""
    system_prompt: str | None = None
    """In place of the CLI's own; ``""``: none, None: the CLI's own."""
    system_prompt_file: str | Path | None = None
    """The same from a file, which is read in the workspace."""
    append_system_prompt: str | None = None
    """Behind the system prompt."""
    exclude_dynamic_sections: bool = False
    """What differs by machine (folder, date, memory) goes into the first prompt, so that many users share one cached
    system prompt. Only for the CLI's own."""
    system_prompt_snapshot: bool | None = None
    """False: the system prompt is made anew for each request and resume; True or None: the first one is kept until the
    conversation is compacted, whatever later starts say. 2.1.197 keeps none, and a notice says so."""
    plan_mode_instructions: str | None = None
    """What the model is told to do in the mode ``plan``, in place of the CLI's own words."""
    json_schema: Mapping[str, Any] | None = None
    """What ``complete.structured`` shall look like, an object; a success without it raises
    ``StructuredOutputMissing``. ``schema_of`` makes one of a type."""
    max_turns: int | None = None
    """Rounds with the model that one prompt may take; the turn then ends with the outcome ``max_turns``."""
    max_budget_usd: float | None = None
    """What the session may cost, as the CLI reckons; then each turn ends with the outcome ``budget``."""
    task_budget: int | None = None
    """Tokens with which the model is told to make do for a task. Nothing stops it that spends more."""

    tools: tuple[str, ...] | None = None
    """The CLI's own tools that there are, by name; ``()``: none, None: its default ones."""
    allowed_tools: tuple[str, ...] = ()
    """What the CLI allows by itself. Where bascule governs it is not sent: it would go past the person (L42)."""
    disallowed_tools: tuple[str, ...] = ()
    """What the CLI refuses by itself, in its own rules: ``WebFetch``, ``Bash(curl *)``."""
    tool_aliases: Mapping[str, str] = {}
    """Tools by whose name another one is called: ``{"Bash": "mcp__box__run"}``. The model sees no difference; policy,
    hooks and events are told of the one that runs."""
    skills: tuple[str, ...] | None = None
    """The skills that the model is told of, by name; ``()``: none, None: all."""
    sandbox: Mapping[str, Any] | None = None
    """How the CLI shuts shell commands in, as its setting of that name: ``{"enabled": True}``. It is laid over
    ``settings``. Where the machine has no sandbox the start fails, unless ``failIfUnavailable`` is False."""
    mcp_servers: Mapping[str, Mapping[str, Any]] = {}
    """By name, in the CLI's own form; they go through a file that only the owner can read. With ``alwaysLoad`` the
    model sees a server's tools from the start and need not search for them; ``timeout`` bounds each of its calls, in
    milliseconds."""
    sdk_servers: Mapping[str, Serve] = {}
    """MCP servers that live in this program, by name: JSON-RPC messages in and out."""
    tool_servers: tuple[ToolServer, ...] = ()
    """Tools that live in this program; see ``tool``. The policy asks about them as about any other."""
    strict_mcp_config: bool = False
    """No MCP servers but those given here."""
    setting_sources: tuple[str, ...] | None = None
    """Of ``user``, ``project`` and ``local``; ``()`` for none, None: all."""
    settings: str | Mapping[str, Any] | None = None
    """Settings of the CLI's over those of the sources: the path of a file, JSON, or what the JSON would say. The last
    goes through a file that only the owner can read."""
    add_dirs: tuple[str, ...] = ()
    """Folders beside the workspace that the CLI's own tools may work in."""
    project_config_root: str | Path | None = None
    """The folder whose project settings and skills count as well, such as the checkout that a worktree is of. 2.1.197
    does not start with it."""
    plugin_dirs: tuple[str, ...] = ()
    """Folders of plugins to load."""
    partial_messages: bool = True
    """Text as it is written; else only whole messages."""
    include_hook_events: bool = False
    """Tell of the command hooks of the settings, as ``hook`` events."""
    extra_args: tuple[str, ...] = ()
    """Flags for the CLI that have no option here; checked (see ``transport/extra.py``)."""
    debug_file: str | Path | None = None
    """A file for what the CLI tells of its own doings, in great detail."""

    checkpoints: bool = False
    """Keep what each prompt's edits replace, for ``Session.rewind``."""

    unproven: bool = False
    """Start a CLI that was not shown to ask before it writes, also where bascule governs: for doubles of it in tests.
    Otherwise a CLI that was not seen before is tested first, on a scripted model, which takes a second or two."""
    env: Mapping[str, str] = {}
    """Variables for the CLI, beside the few that pass by themselves."""
    pass_env: tuple[str, ...] = ()
    """Names of ours that pass as well."""
    use_api_key: bool = False
    """Pass ``ANTHROPIC_API_KEY``: the CLI bills it in place of the user's login."""

    record: str | Path | None = None
    """A file to which the conversation is appended, raw and readable by its owner only."""
    redact: bool = False
    """Keep out of ``record`` what looks like a secret (see ``recording.redact``)."""
    limits: Limits = Limits()
    """How long the start, a turn, a silence and the whole session may take."""
    patience: Patience = Patience()
    """How long a turn that shall stop is given before each stronger means."""
    grace_s: float = GRACE_S
    """How long running work, and then the CLI, may take to end when the session ends, in seconds."""

    def __post_init__(self) -> None:
        freeze_lists(self)
        check_fields(self)
        _check(self)
        argv(arguments(self))
        environment({}, passed=self.pass_env, given=self.env)
        policy_of(self)


def policy_of(options: Options) -> Policy:
    """The policy with all its rules. Raises ``OptionError`` for a name or a rule that says nothing."""
    allowed = [parse(text, "allow", source="option allow") for text in options.allow]
    if options.json_schema is not None:
        allowed.append(parse(STRUCTURED_OUTPUT, "allow", source="option json_schema"))
    policy = policies.named(options.policy, rules=(*options.rules, *allowed))
    plans = {"approves_plans": options.auto_approve_plan, "rearms_plan": options.rearm_plan}
    said = {name: value for name, value in plans.items() if value is not None}
    return msgspec.structs.replace(policy, outline_chars=options.outline_min_chars, **said)


def mode_of(options: Options) -> str:
    """The permission mode at the start, in a word that every tested version knows (26_mode_manual)."""
    mode = options.mode or policy_of(options).mode
    return "default" if mode == MANUAL else mode


def arguments(options: Options, *, mcp_configs: tuple[str, ...] = (), settings: str | None = None) -> Arguments:
    """The command line of ``options``; what goes into the handshake is not in it. ``settings``: in place of theirs."""
    policy = policy_of(options)
    budget = options.thinking if isinstance(options.thinking, int) else None
    return Arguments(
        partial_messages=options.partial_messages,
        include_hook_events=options.include_hook_events,
        permission_mode=mode_of(options),
        dangerously_skip_permissions=policy.skip_permissions and options.mode in (None, BYPASS),
        tools=options.tools,
        allowed_tools=() if policy.governs else options.allowed_tools,
        disallowed_tools=options.disallowed_tools,
        session_id=options.session_id,
        resume=options.resume,
        continue_last=options.continue_last,
        fork=options.fork,
        resume_at=options.resume_at,
        model=options.model,
        fallback_models=options.fallback_models,
        persist=options.persist_session,
        effort=options.effort,
        thinking=None if isinstance(options.thinking, int) else options.thinking,
        max_thinking_tokens=budget,
        thinking_display=options.thinking_display,
        betas=options.betas,
        agent=options.agent,
        system_prompt=options.system_prompt,
        system_prompt_file=_path(options.system_prompt_file),
        append_system_prompt=options.append_system_prompt,
        max_turns=options.max_turns,
        max_budget_usd=options.max_budget_usd,
        task_budget=options.task_budget,
        mcp_configs=mcp_configs,
        strict_mcp_config=options.strict_mcp_config,
        settings=options.settings if settings is None and isinstance(options.settings, str) else settings,
        setting_sources=options.setting_sources,
        plugin_dirs=options.plugin_dirs,
        add_dirs=options.add_dirs,
        project_config_root=_path(options.project_config_root),
        debug_file=_path(options.debug_file),
        extra=options.extra_args,
    )


def _check(options: Options) -> None:
    if options.mode is not None and options.mode not in (*MODES, MANUAL):
        raise OptionError(f"mode is {options.mode!r}: the CLI knows {', '.join(MODES)}")
    if not options.attended and options.on_ask is not None:
        raise OptionError("attended=False answers every ask with a denial: leave it out where on_ask answers")
    if not options.grace_s >= 0:
        raise OptionError(f"grace_s is {options.grace_s}: it must be a number of seconds, 0 or more")
    if options.outline_min_chars < 0:
        raise OptionError(f"outline_min_chars is {options.outline_min_chars}: it must be a number of characters")
    if options.exclude_dynamic_sections and (options.system_prompt, options.system_prompt_file) != (None, None):
        raise OptionError(
            "exclude_dynamic_sections is for the CLI's own system prompt: leave it out beside another one"
        )
    limits = {f"limits.{name}": getattr(options.limits, name) for name in Limits.__struct_fields__}
    checks.check_times({"ask_timeout_s": options.ask_timeout_s, **limits})
    checks.check_thinking(options.thinking, options.thinking_display)
    checks.check_hooks(options.hooks)
    checks.check_agents(options.agents)
    ours = (*options.sdk_servers, *(server.name for server in options.tool_servers))
    checks.check_servers((*options.mcp_servers, *ours))


def _path(given: str | Path | None) -> str | None:
    return None if given is None else str(given)


def refuse_root(asked: Arguments, env: Mapping[str, str], *, euid: int) -> None:
    """Raises ``OptionError`` for what the CLI refuses as root with a line on stderr (26_bypass_root_nosandbox)."""
    bypass = asked.dangerously_skip_permissions or asked.permission_mode == BYPASS
    if euid == 0 and bypass and env.get(SANDBOX) != "1":
        raise OptionError(
            "as root the CLI does not skip permissions: run it as another user, choose the policy supervised,"
            f" or, inside a sandbox only, give env={{{SANDBOX!r}: '1'}}"
        )


def environment_of(options: Options) -> dict[str, str]:
    """The whole environment of the CLI.

    It has no timers where bascule governs, since ``.claude/scheduled_tasks.json`` of a workspace fires in new sessions
    too, nor in a conversation that goes on: its timers come back with it, and looking through it for them would miss
    those of its copies. Whoever gives ``CLAUDE_CODE_DISABLE_CRON`` in ``env`` decides that instead.
    """
    goes_on = options.resume is not None or options.continue_last
    quiet = {NO_TIMERS: "1"} if goes_on or policy_of(options).governs else {}
    given = {**quiet, **options.env, **({CHECKPOINTS: "true"} if options.checkpoints else {})}
    return environment(os.environ, passed=options.pass_env, given=given, use_api_key=options.use_api_key)
