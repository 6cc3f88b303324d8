"""The command line of the CLI, from typed values. Pure: paths are looked at elsewhere.

Foreign values are always attached (``--flag=value``), so that one that begins with a dash is never a flag. A prompt is
never an argument: with stream input the CLI ignores it (26_prompt_arg_and_stdin).
"""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from bascule.errors import OptionError
from bascule.transport.extra import checked_extra

BYPASS: Final = "bypassPermissions"
_JSON_FLAGS: Final = re.compile(r"--(mcp-config|settings|managed-settings|agents)\Z")
_SECRET_NAME: Final = re.compile(r"--?[\w-]*(token|secret|password|credential|api-?key|auth)[\w-]*\Z", re.IGNORECASE)
_MASK: Final = "…"


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is started with. None and empty: the flag is left out and the CLI decides."""

    print_mode: bool = True
    """``-p``. Without it the CLI behaves the same while its stdout is a pipe (26_no_p)."""
    partial_messages: bool = True
    include_hook_events: bool = False
    await_initialize: bool = False
    """Start-up waits for our ``initialize``, which must be the first line and may carry MCP servers and plugins.

    CLI 2.1.332 knows it; 2.1.197 ends with "unknown option".
    """

    permission_mode: str = "default"
    """Any mode of the CLI, by its own name; always sent, since a CLI may start in another one by itself."""
    dangerously_skip_permissions: bool = False
    """Replaces the mode; as root the CLI wants ``IS_SANDBOX=1`` with it."""
    allow_skip_permissions: bool = False
    """Permits the mode to become ``bypassPermissions`` later."""
    tools: tuple[str, ...] | None = None
    """The built-in tools on offer; ``()`` for none."""
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()

    session_id: str | None = None
    """A UUID of ours for the new conversation."""
    resume: str | None = None
    continue_last: bool = False
    fork: bool = False
    resume_at: str | None = None
    """The uuid of the last message to keep."""
    persist: bool = True
    """Keep the conversation on the disk."""

    model: str | None = None
    fallback_models: tuple[str, ...] = ()
    effort: str | None = None
    thinking: str | None = None
    """``adaptive``, ``enabled``, ``disabled``."""
    max_thinking_tokens: int | None = None
    thinking_display: str | None = None
    """``summarized``, ``omitted``, and on 2.1.332 ``highlights``; 2.1.197 does not start with that."""
    betas: tuple[str, ...] = ()
    agent: str | None = None
    agents: str | None = None
    """JSON text."""
    json_schema: str | None = None
    """JSON text."""
    system_prompt: str | None = None
    """``""``: none at all."""
    system_prompt_file: str | None = None
    append_system_prompt: str | None = None
    max_turns: int | None = None
    max_budget_usd: float | None = None
    task_budget: int | None = None
    """Tokens."""

    mcp_configs: tuple[str, ...] = ()
    """Paths of files, since secrets on a command line are seen by everybody."""
    strict_mcp_config: bool = False
    settings: str | None = None
    """A path, or JSON text without secrets."""
    setting_sources: tuple[str, ...] | None = None
    """Of ``user``, ``project`` and ``local``; ``()`` for none."""
    plugin_dirs: tuple[str, ...] = ()
    add_dirs: tuple[str, ...] = ()
    project_config_root: str | None = None
    """The folder of the project's settings. 2.1.332 knows it; 2.1.197 ends with "unknown option"."""
    debug_file: str | None = None
    debug: str | None = None
    """``""`` for everything, or a filter."""
    extra: tuple[str, ...] = ()
    """Added at the end; see ``extra``."""


def argv(arguments: Arguments) -> list[str]:
    """The arguments after the program's name. Raises ``OptionError`` for what cannot be or contradicts itself."""
    items = [
        *(("-p",) if arguments.print_mode else ()),
        "--output-format=stream-json",
        "--input-format=stream-json",
        "--verbose",
        "--permission-prompt-tool=stdio",
        *_rights(arguments),
        "--replay-user-messages",
        *_switches(arguments),
        *_conversation(arguments),
        *_model(arguments),
        *_surroundings(arguments),
        *checked_extra(arguments.extra),
    ]
    for item in items:
        if "\0" in item:
            raise OptionError(f"{item.partition('=')[0]}: a NUL character cannot be part of an argument")
    return items


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """``argv`` for a recording: without values that may be or hold secrets."""
    shown, hide_next = [], False
    for item in argv:
        name, equals, value = item.partition("=")
        secret = _SECRET_NAME.match(name) is not None
        hides = secret or (_JSON_FLAGS.match(name) is not None and value.lstrip().startswith("{"))
        shown.append(
            _MASK if hide_next and not item.startswith("-") else f"{name}={_MASK}" if equals and hides else item
        )
        hide_next = secret and not equals
    return tuple(shown)


def _rights(arguments: Arguments) -> Iterator[str]:
    if not arguments.dangerously_skip_permissions:
        yield f"--permission-mode={_text('permission_mode', arguments.permission_mode)}"
    elif arguments.permission_mode in ("default", BYPASS):
        yield "--dangerously-skip-permissions"
    else:
        raise OptionError(
            f"dangerously_skip_permissions contradicts permission_mode={arguments.permission_mode!r}: leave one out"
        )
    if arguments.allow_skip_permissions:
        yield "--allow-dangerously-skip-permissions"
    if arguments.tools is not None:
        yield f"--tools={_list('tools', arguments.tools)}"
    yield from _joined("allowedTools", "allowed_tools", arguments.allowed_tools)
    yield from _joined("disallowedTools", "disallowed_tools", arguments.disallowed_tools)


def _switches(arguments: Arguments) -> Iterator[str]:
    if arguments.partial_messages:
        yield "--include-partial-messages"
    if arguments.include_hook_events:
        yield "--include-hook-events"
    if arguments.await_initialize:
        yield "--await-initialize"
    if arguments.debug is not None:
        yield f"--debug={arguments.debug}" if arguments.debug else "--debug"


def _conversation(arguments: Arguments) -> Iterator[str]:
    old = arguments.resume is not None or arguments.continue_last
    if arguments.resume is not None and arguments.continue_last:
        raise OptionError("resume and continue_last name two conversations: leave one out")
    if arguments.fork and not old:
        raise OptionError("fork needs a conversation to fork: give resume or continue_last")
    if arguments.resume_at is not None and arguments.resume is None:
        raise OptionError("resume_at needs the conversation that holds the message: give resume")
    if arguments.session_id is not None and old and not arguments.fork:
        raise OptionError("session_id is for a new conversation: leave it out, or fork")
    if arguments.session_id is not None:
        yield f"--session-id={_uuid(arguments.session_id)}"
    yield from _attached("resume", "resume", arguments.resume)
    if arguments.continue_last:
        yield "--continue"
    if arguments.fork:
        yield "--fork-session"
    yield from _attached("resume-session-at", "resume_at", arguments.resume_at)
    if not arguments.persist:
        yield "--no-session-persistence"


def _model(arguments: Arguments) -> Iterator[str]:
    yield from _attached("model", "model", arguments.model)
    yield from _joined("fallback-model", "fallback_models", arguments.fallback_models)
    yield from _attached("effort", "effort", arguments.effort)
    yield from _thinking(arguments)
    for beta in arguments.betas:  # A list with commas is read as one name (CLI 2.1.332 and 2.1.197).
        yield from _attached("betas", "betas", beta)
    yield from _attached("agent", "agent", arguments.agent)
    yield from _attached("agents", "agents", arguments.agents)
    yield from _attached("json-schema", "json_schema", arguments.json_schema)
    yield from _system_prompt(arguments)
    yield from _positive("max-turns", "max_turns", arguments.max_turns)
    yield from _positive("max-budget-usd", "max_budget_usd", arguments.max_budget_usd)
    yield from _positive("task-budget", "task_budget", arguments.task_budget)


def _thinking(arguments: Arguments) -> Iterator[str]:
    yield from _attached("thinking", "thinking", arguments.thinking)
    yield from _positive("max-thinking-tokens", "max_thinking_tokens", arguments.max_thinking_tokens)
    yield from _attached("thinking-display", "thinking_display", arguments.thinking_display)


def _system_prompt(arguments: Arguments) -> Iterator[str]:
    if arguments.system_prompt is not None and arguments.system_prompt_file is not None:
        raise OptionError("system_prompt and system_prompt_file are two system prompts: leave one out")
    if arguments.system_prompt is not None:
        yield f"--system-prompt={arguments.system_prompt}"
    yield from _attached("system-prompt-file", "system_prompt_file", arguments.system_prompt_file)
    yield from _attached("append-system-prompt", "append_system_prompt", arguments.append_system_prompt)


def _surroundings(arguments: Arguments) -> Iterator[str]:
    for path in arguments.mcp_configs:
        if path.lstrip().startswith("{"):
            raise OptionError("mcp_configs takes paths: write the JSON to a file that only you can read")
        yield from _attached("mcp-config", "mcp_configs", path)
    if arguments.strict_mcp_config:
        yield "--strict-mcp-config"
    yield from _attached("settings", "settings", arguments.settings)
    if arguments.setting_sources is not None:
        yield f"--setting-sources={_list('setting_sources', arguments.setting_sources)}"
    for path in arguments.plugin_dirs:
        yield from _attached("plugin-dir", "plugin_dirs", path)
    for path in arguments.add_dirs:
        yield from _attached("add-dir", "add_dirs", path)
    yield from _attached("project-config-root", "project_config_root", arguments.project_config_root)
    yield from _attached("debug-file", "debug_file", arguments.debug_file)


def _attached(flag: str, option: str, value: str | None) -> Iterator[str]:
    if value is not None:
        yield f"--{flag}={_text(option, value)}"


def _joined(flag: str, option: str, values: tuple[str, ...]) -> Iterator[str]:
    if values:
        yield f"--{flag}={_list(option, values)}"


def _positive(flag: str, option: str, value: float | None) -> Iterator[str]:
    if value is not None:
        if not 0 < value < math.inf:
            raise OptionError(f"{option} is {value}: it must be a number above 0")
        yield f"--{flag}={value}"


def _list(option: str, values: tuple[str, ...]) -> str:
    return ",".join(_text(option, value) for value in values)


def _text(option: str, value: str) -> str:
    if not value.strip():
        raise OptionError(f"{option} is empty: leave it out, or give a value")
    return value


def _uuid(value: str) -> str:
    try:
        return str(uuid.UUID(value))
    except ValueError:
        raise OptionError(f"session_id is {value!r}: the CLI takes a UUID only") from None
