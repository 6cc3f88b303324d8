"""Which arguments a user may add to the CLI's command line, told by reading them as the CLI would.

Refused is what touches our streams, widens what happens without asking, starts something else than a session, or has
an option of its own (so that it is checked and on the record). The reader over-reports on purpose: an abbreviation,
another spelling or a value that might be read as a flag is refused as well. Flags that it does not know pass, since
every CLI release brings some; what follows one must be attached (``--flag=value``), as nobody knows whether it takes a
value. Still, a flag that is allowed here may name a file that widens rights: extra arguments are the user's own doing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from bascule.errors import OptionError

Takes: TypeAlias = Literal["nothing", "one", "maybe one", "many"]

_STREAMS: Final = "bascule speaks over these streams itself"
_RIGHTS: Final = "it widens what happens without asking"
_ELSE: Final = "it starts something else than a session"


def _option(name: str) -> str:
    return f"use the option `{name}`"


REFUSED: Final[Mapping[str, str]] = {
    "print": _STREAMS,
    "output-format": _STREAMS,
    "input-format": _STREAMS,
    "verbose": _STREAMS,
    "include-partial-messages": _STREAMS,
    "replay-user-messages": _STREAMS,
    "permission-prompt-tool": _STREAMS,
    "permission-prompts": _STREAMS,
    "await-initialize": _STREAMS,
    "await-claim": _STREAMS,
    "initialize-fields": _STREAMS,
    "sdk-url": _STREAMS,
    "session-mirror": _STREAMS,
    "dangerously-skip-permissions": _option("policy"),
    "allow-dangerously-skip-permissions": _RIGHTS,
    "inherit-permission-mode": _RIGHTS,
    "managed-settings": _RIGHTS,
    "managed-settings-in-initialize": _RIGHTS,
    "plugin-url": _RIGHTS,
    "channels": _RIGHTS,
    "chrome": _RIGHTS,
    "ide": _RIGHTS,
    "permission-mode": _option("mode"),
    "allowed-tools": _option("allowed_tools"),
    "disallowed-tools": _option("disallowed_tools"),
    "tools": _option("tools"),
    "mcp-config": _option("mcp_servers"),
    "strict-mcp-config": _option("strict_mcp_config"),
    "settings": _option("settings"),
    "setting-sources": _option("setting_sources"),
    "plugin-dir": _option("plugin_dirs"),
    "plugin-dir-no-mcp": _option("plugin_dirs"),
    "add-dir": _option("add_dirs"),
    "project-config-root": _option("project_config_root"),
    "session-id": _option("session_id"),
    "resume": _option("resume"),
    "continue": _option("continue_last"),
    "fork-session": _option("fork"),
    "resume-session-at": _option("resume_at"),
    "resume-drops-turn": _option("resume_at"),
    "from-pr": _option("resume"),
    "model": _option("model"),
    "fallback-model": _option("fallback_models"),
    "effort": _option("effort"),
    "agent": _option("agent"),
    "agents": _option("agents"),
    "json-schema": _option("json_schema"),
    "betas": _option("betas"),
    "max-turns": _option("max_turns"),
    "max-budget-usd": _option("max_budget_usd"),
    "system-prompt": _option("system_prompt"),
    "system-prompt-file": _option("system_prompt_file"),
    "append-system-prompt": _option("append_system_prompt"),
    "append-system-prompt-file": _option("append_system_prompt"),
    "include-hook-events": _option("include_hook_events"),
    "exclude-dynamic-system-prompt-sections": _option("exclude_dynamic_sections"),
    "forward-subagent-text": _option("forward_subagent_text"),
    "max-thinking-tokens": _option("thinking"),
    "no-session-persistence": _option("persist_session"),
    "system-prompt-snapshot": _option("system_prompt_snapshot"),
    "task-budget": _option("task_budget"),
    "thinking": _option("thinking"),
    "thinking-display": _option("thinking_display"),
    "debug": _option("debug_file"),
    "debug-file": _option("debug_file"),
    "background": _ELSE,
    "bg": _ELSE,
    "cloud": _ELSE,
    "environment": _ELSE,
    "desktop": _ELSE,
    "remote-control": _ELSE,
    "remote-control-session-name-prefix": _ELSE,
    "teleport": _ELSE,
    "tmux": _ELSE,
    "worktree": _ELSE,
    "workload": _ELSE,
    "help": _ELSE,
    "version": _ELSE,
}
"""Why a flag is refused (flags of CLI 2.1.332)."""

ALLOWED: Final[Mapping[str, Takes]] = {
    "autocompact": "one",
    "ax-screen-reader": "nothing",
    "bare": "nothing",
    "brief": "nothing",
    "disable-slash-commands": "nothing",
    "file": "many",
    "name": "one",
    "no-chrome": "nothing",
    "prompt-suggestions": "maybe one",
    "restricted": "nothing",
    "safe-mode": "nothing",
}
"""What a flag takes that passes (flags of CLI 2.1.332)."""

SHORT: Final[Mapping[str, str]] = {
    "c": "continue",
    "d": "debug",
    "h": "help",
    "n": "name",
    "p": "print",
    "r": "resume",
    "v": "version",
    "w": "worktree",
}

_SMELLS: Final = ("permission", "dangerous", "bypass", "allow", "unsafe")
_FLAG: Final = re.compile(r"--([A-Za-z][\w-]*)(=?)|-([A-Za-z])(.?)", re.ASCII | re.DOTALL)


def _spelling(name: str) -> str:
    """One form for ``allowedTools``, ``allowed-tools`` and ``ALLOWED_TOOLS``."""
    return name.lower().replace("-", "").replace("_", "")


_REFUSED: Final = {_spelling(name): reason for name, reason in REFUSED.items()}
_ALLOWED: Final = {_spelling(name): takes for name, takes in ALLOWED.items()}


def checked_extra(extra: Sequence[str]) -> tuple[str, ...]:
    """``extra`` as it was, when every argument may pass.

    Raises ``OptionError`` with all that may not and why; it names flags and positions, and never repeats a value.
    """
    wrong = dict.fromkeys(_wrongs(extra))
    if wrong:
        raise OptionError(f"extra_args: {'; '.join(wrong)}")
    return tuple(extra)


def _wrongs(extra: Sequence[str]) -> Iterator[str]:
    takes: Takes = "nothing"
    for position, token in enumerate(extra, 1):
        if token.startswith("-"):
            if takes == "one":
                yield f"argument {position} stands where a value must: attach it (--flag=value)"
            wrong, takes = _read(token, position)
            yield from wrong
        elif takes == "nothing":
            yield f"argument {position} belongs to no flag: prompts go over stdin, values are attached (--flag=value)"
        elif takes != "many":
            takes = "nothing"
    if takes == "one":
        yield "the last flag lacks its value"


def _read(token: str, position: int) -> tuple[list[str], Takes]:
    """What is wrong with a token that begins with a dash, and what may follow it."""
    match = _FLAG.match(token)
    if match is None:
        return [f"argument {position} is no flag"], "nothing"
    long, equals, letter, rest = match.groups()
    name, shown = (long, f"--{long}") if long else (SHORT.get(letter, ""), f"-{letter}")
    if why := _why_not(name):
        return [f"{shown} is refused: {why}"], "maybe one"
    return [], "nothing" if equals or rest else _ALLOWED.get(_spelling(name), "nothing")


def _why_not(name: str) -> str | None:
    key = _spelling(name)
    if key in _ALLOWED:
        return None
    if key in _REFUSED:
        return _REFUSED[key]
    if not key:
        return "no such flag is known"
    for refused, why in _REFUSED.items():
        if refused.startswith(key) or key == f"no{refused}":
            return why
    return _RIGHTS if any(smell in key for smell in _SMELLS) else None
