"""How a session is opened, as one frozen value that is checked before anything starts."""

from __future__ import annotations

import os
import re
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
from bascule.protocol.handshake import BLOCKABLE
from bascule.session.emulated import EMULATED
from bascule.session.hooks import Keep, OnAsk, UserHook
from bascule.session.mcp import Serve
from bascule.session.rewinding import CHECKPOINTS
from bascule.session.stopping import Patience
from bascule.session.watch import Limits
from bascule.tools.names import STRUCTURED_OUTPUT
from bascule.transport.argv import BYPASS, Arguments, argv
from bascule.transport.environment import environment
from bascule.wire.hooks import EVENTS
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
    on_ask: OnAsk | None = None
    """Answers in a person's place; whoever decides first wins. What it raises denies."""
    dialog_kinds: tuple[str, ...] = ()
    """Dialogs of the CLI that somebody here knows how to answer, by its names; it shows no others. The answer, whatever
    such a dialog wants, goes into ``commands.Answers``."""
    ask_timeout_s: float | None = None
    """An ask that nobody answered in this time is denied; None: it waits."""
    keep_grant: Keep | None = None
    """Keeps an *always* that outlives the session; None: such scopes are refused."""
    hooks: tuple[UserHook, ...] = ()
    """Functions that are called at certain moments; see ``UserHook``."""
    stop_git_check: bool | Literal["pushed"] | None = None
    """Hold uncommitted work up to the agent when it wants to stop, with ``pushed`` also commits that its branch's
    upstream has not; None: as the policy says."""

    session_id: str | None = None
    """The CLI's id of a new conversation, a UUID; None: bascule makes one."""
    resume: str | None = None
    """The conversation to go on with: its id, of whichever workspace, or the path of its file. One that is not there
    raises ``ResumeFailed``: never an empty new one."""
    resume_at: str | None = None
    """The uuid of its last message to keep."""
    fork: bool = False
    """Go on in a copy."""
    continue_last: bool = False
    """Go on with the newest conversation of the workspace; where there is none, begin one."""

    model: str | None = None
    """``haiku``, ``opus``, a whole id, …; None: the account's default. A name that is none fails in the first turn."""
    fallback_models: tuple[str, ...] = ()
    """Models to go on with, in this order, when the chosen one is overloaded."""
    effort: str | None = None
    """``low``, ``medium``, ``high``, ``xhigh``, ``max``; None: the model's default."""
    agent: str | None = None
    """The agent that the session itself is, by its name: one of ``agents``, of the settings, or built in."""
    agents: Mapping[str, Agent] = {}
    """Subagents by name, beside those of the settings."""
    system_prompt: str | None = None
    """In place of the CLI's own; None: that."""
    append_system_prompt: str | None = None
    """Behind the system prompt."""
    json_schema: Mapping[str, Any] | None = None
    """What ``complete.structured`` shall look like, an object; a success without it raises
    ``StructuredOutputMissing``. ``schema_of`` makes one of a type."""
    max_turns: int | None = None
    """Rounds with the model that one prompt may take; the turn then ends with the outcome ``max_turns``."""
    max_budget_usd: float | None = None
    """What the session may cost, as the CLI reckons; then each turn ends with the outcome ``budget``."""

    tools: tuple[str, ...] | None = None
    """The CLI's own tools that there are, by name; ``()``: none, None: its default ones."""
    allowed_tools: tuple[str, ...] = ()
    """What the CLI allows by itself. Where bascule governs it is not sent: it would go past the person (L42)."""
    disallowed_tools: tuple[str, ...] = ()
    """What the CLI refuses by itself, in its own rules: ``WebFetch``, ``Bash(curl *)``."""
    mcp_servers: Mapping[str, Mapping[str, Any]] = {}
    """By name, in the CLI's own form; they go through a file that only the owner can read."""
    sdk_servers: Mapping[str, Serve] = {}
    """MCP servers that live in this program, by name: JSON-RPC messages in and out."""
    tool_servers: tuple[ToolServer, ...] = ()
    """Tools that live in this program; see ``tool``. The policy asks about them as about any other."""
    strict_mcp_config: bool = False
    """No MCP servers but those given here."""
    setting_sources: tuple[str, ...] | None = None
    """Of ``user``, ``project`` and ``local``; ``()`` for none, None: all."""
    settings: str | None = None
    """Settings of the CLI's, as a file's path or as JSON, over those of the sources."""
    add_dirs: tuple[str, ...] = ()
    """Folders beside the workspace that the CLI's own tools may work in."""
    plugin_dirs: tuple[str, ...] = ()
    """Folders of plugins to load."""
    partial_messages: bool = True
    """Text as it is written; else only whole messages."""
    include_hook_events: bool = False
    """Tell of the command hooks of the settings, as ``hook`` events."""
    extra_args: tuple[str, ...] = ()
    """Flags for the CLI that have no option here; checked (see ``transport/extra.py``)."""

    checkpoints: bool = False
    """Keep what each prompt's edits replace, for ``Session.rewind``."""

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
        _check(self)
        argv(arguments(self))
        environment({}, passed=self.pass_env, given=self.env)
        policy_of(self)


def policy_of(options: Options) -> Policy:
    """The policy with all its rules. Raises ``OptionError`` for a name or a rule that says nothing."""
    allowed = [parse(text, "allow", source="option allow") for text in options.allow]
    if options.json_schema is not None:
        allowed.append(parse(STRUCTURED_OUTPUT, "allow", source="option json_schema"))
    return policies.named(options.policy, rules=(*options.rules, *allowed))


def mode_of(options: Options) -> str:
    """The permission mode at the start, in a word that every tested version knows (26_mode_manual)."""
    mode = options.mode or policy_of(options).mode
    return "default" if mode == MANUAL else mode


def arguments(options: Options, *, mcp_configs: tuple[str, ...] = ()) -> Arguments:
    """The command line of ``options``; what goes into the handshake is not in it."""
    policy = policy_of(options)
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
        effort=options.effort,
        agent=options.agent,
        system_prompt=options.system_prompt,
        append_system_prompt=options.append_system_prompt,
        max_turns=options.max_turns,
        max_budget_usd=options.max_budget_usd,
        mcp_configs=mcp_configs,
        strict_mcp_config=options.strict_mcp_config,
        settings=options.settings,
        setting_sources=options.setting_sources,
        plugin_dirs=options.plugin_dirs,
        add_dirs=options.add_dirs,
        extra=options.extra_args,
    )


def _check(options: Options) -> None:
    if options.mode is not None and options.mode not in (*MODES, MANUAL):
        raise OptionError(f"mode is {options.mode!r}: the CLI knows {', '.join(MODES)}")
    if not options.attended and options.on_ask is not None:
        raise OptionError("attended=False answers every ask with a denial: leave it out where on_ask answers")
    limits = {f"limits.{name}": getattr(options.limits, name) for name in Limits.__struct_fields__}
    for name, seconds in {"ask_timeout_s": options.ask_timeout_s, **limits}.items():
        if seconds is not None and not seconds > 0:
            raise OptionError(f"{name} is {seconds}: it must be a number of seconds above 0")
    if not options.grace_s >= 0:
        raise OptionError(f"grace_s is {options.grace_s}: it must be a number of seconds, 0 or more")
    for hook in options.hooks:
        _check_hook(hook)
    _check_servers((*options.mcp_servers, *options.sdk_servers, *(server.name for server in options.tool_servers)))


def _check_servers(names: tuple[str, ...]) -> None:
    for name in names:
        if not name.strip():
            raise OptionError("mcp_servers: a server needs a name")
        if names.count(name) > 1:
            raise OptionError(f"two MCP servers are called {name}: rename one of them")


def _check_hook(hook: UserHook) -> None:
    if hook.event not in EVENTS:
        raise OptionError(f"hooks: there is no event {hook.event!r}; there are {', '.join(EVENTS)}")
    if not hook.timeout_s > 0:
        raise OptionError(f"hooks: timeout_s of {hook.event} is {hook.timeout_s}: it must be above 0")
    if hook.on_failure == "block" and hook.event not in BLOCKABLE:
        raise OptionError(
            f"hooks: a {hook.event} hook can stop nothing; those that can: {', '.join(sorted(BLOCKABLE))}"
        )
    if hook.event in EMULATED and hook.matcher is not None:
        _check_pattern(hook.event, hook.matcher)


def _check_pattern(event: str, pattern: str) -> None:
    try:
        re.compile("" if pattern == "*" else pattern)
    except re.error as exc:
        raise OptionError(f"hooks: matcher of {event} is {pattern!r}, which is no regular expression: {exc}") from exc


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
