"""The command line, as strictly as the CLI takes it: what is wrong ends the program with one line on stderr.

The texts are those of the CLI. A flag that the CLI knows and the fake does not play is refused as well, in words that
say so: a test must not pass because a flag was quietly left out.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from bascule.testing.fake_cli.versions import Version

_SWITCHES: Final = frozenset(
    "--print --verbose --replay-user-messages --include-partial-messages --include-hook-events --continue"
    " --dangerously-skip-permissions --allow-dangerously-skip-permissions --fork-session --strict-mcp-config"
    " --no-session-persistence --await-initialize --version".split()
)
_VALUES: Final[Mapping[str, str]] = {
    "--output-format": "<format>",
    "--input-format": "<format>",
    "--permission-mode": "<mode>",
    "--permission-prompt-tool": "<tool>",
    "--session-id": "<uuid>",
    "--resume": "[value]",
    "--resume-session-at": "<message id>",
    "--model": "<model>",
    "--effort": "<level>",
    "--max-turns": "<turns>",
    "--setting-sources": "<sources>",
    "--settings": "<file-or-json>",
    "--append-system-prompt": "<prompt>",
    "--system-prompt": "<prompt>",
    "--allowedTools": "<tools...>",
    "--disallowedTools": "<tools...>",
    "--add-dir": "<directories...>",
}
_SHORT: Final[Mapping[str, str]] = {
    "-p": "--print",
    "-c": "--continue",
    "-r": "--resume",
    "-v": "--version",
    "--allowed-tools": "--allowedTools",
    "--disallowed-tools": "--disallowedTools",
}
_NOT_PLAYED: Final = frozenset(
    "--agent --agents --autocompact --betas --debug --debug-file --fallback-model --forward-subagent-text --json-schema"
    " --max-budget-usd --mcp-config --permission-prompts --plugin-dir --prompt-suggestions --tools".split()
)
_FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "--output-format": ("text", "json", "stream-json"),
    "--input-format": ("text", "stream-json"),
}
_SOURCES: Final = ("user", "project", "local")
STREAM: Final = "stream-json"

ROOT: Final = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons"
_SOURCE: Final = (
    "Error processing --setting-sources: Invalid setting source: {}. Valid options are: user, project, local"
)
_SESSION_AND_RESUME: Final = "Error: --session-id with --continue or --resume also needs --fork-session."
_INPUT: Final = "Error: --input-format=stream-json requires output-format=stream-json."
_PARTIAL: Final = "Error: --include-partial-messages requires --print and --output-format=stream-json."
_REPLAY: Final = (
    "Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json."
)
_VERBOSE: Final = "Error: When using --print, --output-format=stream-json requires --verbose"
_ONLY_STREAMS: Final = "fake claude: only --input-format=stream-json with --output-format=stream-json is played"


class Refused(Exception):
    """The command line is wrong; the message goes to stderr and the program ends with 1."""


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    """A command line that the CLI takes. Names are those of the flags."""

    version: bool = False
    verbose: bool = False
    output_format: str = "text"
    input_format: str = "text"
    permission_mode: str = "default"
    permission_prompt_tool: str | None = None
    dangerously_skip_permissions: bool = False
    allow_dangerously_skip_permissions: bool = False
    replay_user_messages: bool = False
    include_partial_messages: bool = False
    session_id: str | None = None
    resume: str | None = None
    resume_session_at: str | None = None
    continue_: bool = False
    fork_session: bool = False
    no_session_persistence: bool = False
    model: str | None = None
    max_turns: int | None = None
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()


def read(argv: Sequence[str], version: Version, *, root: bool, sandboxed: bool) -> Flags:
    """The flags of ``argv``. Raises ``Refused`` with what the CLI would say."""
    given = _given(argv, version)
    flags = _flags(given, version)
    if not flags.version:
        _check(flags, given, root=root, sandboxed=sandboxed)
    return flags


def _given(argv: Sequence[str], version: Version) -> dict[str, str]:
    """The value of each flag by its long name, empty for a switch; the words of a prompt are passed over."""
    given: dict[str, str] = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("-") and word != "-":
            _take(word, rest, given, version)
    return given


def _take(word: str, rest: list[str], given: dict[str, str], version: Version) -> None:
    spelt, equals, value = word.partition("=")
    name = _SHORT.get(spelt, spelt)
    if name in _NOT_PLAYED - version.unknown_flags:
        raise Refused(f"fake claude: {name} is not played; use the real CLI for it")
    if name in _VALUES:
        given[name] = value if equals else _next(name, rest)
    elif name in _SWITCHES - version.unknown_flags and not equals:
        given[name] = ""
    else:
        hint = f"\n(Did you mean {name}?)" if name in _SWITCHES - version.unknown_flags else ""
        raise Refused(f"error: unknown option '{word}'{hint}")


def _next(name: str, rest: list[str]) -> str:
    """The words that belong to the flag: one, or for some all up to the next flag."""
    placeholder = _VALUES[name]
    words: list[str] = []
    while rest and not rest[0].startswith("-") and (not words or placeholder.endswith("...>")):
        words.append(rest.pop(0))
    if not words and placeholder.startswith("<"):
        raise Refused(f"error: option '{_spelling(name)}' argument missing")
    return ",".join(words)


def _spelling(name: str) -> str:
    return f"{name} {_VALUES[name]}"


def _flags(given: Mapping[str, str], version: Version) -> Flags:
    for name, choices in (*_FORMATS.items(), ("--permission-mode", version.modes)):
        if name in given and given[name] not in choices:
            offered = version.offered_modes if name == "--permission-mode" else choices
            wrong = f"argument '{given[name]}' is invalid. Allowed choices are {', '.join(offered)}."
            raise Refused(f"error: option '{_spelling(name)}' {wrong}")
    return Flags(
        version="--version" in given,
        verbose="--verbose" in given,
        output_format=given.get("--output-format", "text"),
        input_format=given.get("--input-format", "text"),
        permission_mode=given.get("--permission-mode", "default").replace("manual", "default"),
        permission_prompt_tool=given.get("--permission-prompt-tool"),
        dangerously_skip_permissions="--dangerously-skip-permissions" in given,
        allow_dangerously_skip_permissions="--allow-dangerously-skip-permissions" in given,
        replay_user_messages="--replay-user-messages" in given,
        include_partial_messages="--include-partial-messages" in given,
        session_id=given.get("--session-id"),
        resume=given.get("--resume"),
        resume_session_at=given.get("--resume-session-at"),
        continue_="--continue" in given,
        fork_session="--fork-session" in given,
        no_session_persistence="--no-session-persistence" in given,
        model=given.get("--model"),
        max_turns=_number("--max-turns", given),
        allowed_tools=_listed(given.get("--allowedTools", "")),
        disallowed_tools=_listed(given.get("--disallowedTools", "")),
    )


def _number(name: str, given: Mapping[str, str]) -> int | None:
    if name not in given:
        return None
    if not given[name].isdecimal():
        raise Refused(f"error: option '{_spelling(name)}' argument '{given[name]}' is invalid. must be a number")
    return int(given[name])


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (word.strip() for word in text.split(","))))


def _check(flags: Flags, given: Mapping[str, str], *, root: bool, sandboxed: bool) -> None:
    """What contradicts itself, in the order in which the CLI notices it."""
    resumes = flags.resume is not None or flags.continue_
    streams_out = flags.output_format == STREAM
    for wrong, words in (
        (bad_source := _bad_source(given.get("--setting-sources", "")), _SOURCE.format(bad_source)),
        (_bypasses(flags) and root and not sandboxed, ROOT),
        (flags.session_id and not is_uuid(flags.session_id), "Error: Invalid session ID. Must be a valid UUID."),
        (flags.session_id and resumes and not flags.fork_session, _SESSION_AND_RESUME),
        (flags.resume_session_at and flags.resume is None, "Error: --resume-session-at requires --resume"),
        (flags.input_format == STREAM and not streams_out, _INPUT),
        (flags.include_partial_messages and not streams_out, _PARTIAL),
        (flags.replay_user_messages and not (streams_out and flags.input_format == STREAM), _REPLAY),
        (streams_out and not flags.verbose, _VERBOSE),
        (not streams_out or flags.input_format != STREAM, _ONLY_STREAMS),
    ):
        if wrong:
            raise Refused(words)


def _bypasses(flags: Flags) -> bool:
    return flags.dangerously_skip_permissions or flags.permission_mode == "bypassPermissions"


def _bad_source(sources: str) -> str | None:
    return next((source for source in _listed(sources) if source not in _SOURCES), None)


def is_uuid(text: str) -> bool:
    """Whether the CLI would take ``text`` for a session's id."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
