"""The trace format: a conversation as it was, both directions, one JSON object a line.

``{"t": seconds since the start, "dir": "in|out|err|argv|env|note|exit", "line": "…"}``

``line`` is always a string: what stood on the pipe, without its newline, for ``in`` (host to CLI), ``out`` and ``err``;
JSON text for the rest. ``argv`` begins a process, ``env`` holds the names of its variables and never their values,
``exit`` ends it. A ``note`` is ours: what the wire does not tell, such as who decided (see the classes below).
The same format is a trace, a fixture, and a pipe that can be replayed. Bytes that are no UTF-8 are kept as lone
surrogates.

Reading is total: what is no entry becomes ``Damage``, so that a file that was cut off still tells its story.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import msgspec

from bascule.ids import CliSessionId, GrantId, PendingId, PromptId, SessionId

FORMAT_VERSION: Final = 1

FOREVER_S: Final = 1e10
"""Seconds, some 300 years: no recording is so long."""

Dir: TypeAlias = Literal["in", "out", "err", "argv", "env", "note", "exit"]

_DIRS: Final = frozenset(get_args(Dir))


DIGITS: Final = 6
"""Of a second, in ``t``. Who stamps entries rounds to it, or an event would have one time live, another replayed."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of a recording. ``gc=False``: there are very many, and none holds a cycle."""

    t: float
    """Seconds since the recording began."""
    dir: Dir
    line: str
    """May hold lone surrogates where the CLI wrote bytes that are no UTF-8."""


_plain: Final = msgspec.json.Decoder(Entry)
"""Five times as quick as ``json``, for each line on its way from a keeper."""


class Damage(msgspec.Struct, frozen=True):
    """A line of a file that is no entry."""

    number: int
    """Its line number, from 1."""
    problem: str
    text: str
    """Its beginning, at most 200 characters."""


def encode(entry: Entry) -> bytes:
    """``entry`` as one line with its newline, in ASCII so that lone surrogates survive."""
    text = json.dumps({"t": round(entry.t, DIGITS), "dir": entry.dir, "line": entry.line}, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def decode(line: bytes | str, number: int) -> Entry | Damage:
    """The entry on line ``number`` of a file, or what is wrong with it."""
    try:
        entry = _plain.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _decode_any(line, number)
    return entry if 0 <= entry.t < FOREVER_S else _decode_any(line, number)


def _decode_any(line: bytes | str, number: int) -> Entry | Damage:
    """With lone surrogates too, which the quick decoder does not take, and in words for what is wrong."""
    text = line.decode("utf-8", "surrogateescape") if isinstance(line, bytes) else line
    try:
        return _entry(json.loads(text))
    except (ValueError, RecursionError) as exc:
        return Damage(number=number, problem=str(exc), text=text[:200].rstrip("\n"))


def _entry(value: Any) -> Entry:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    time, direction, line = value.get("t"), value.get("dir"), value.get("line")
    if isinstance(time, bool) or not isinstance(time, int | float) or not 0 <= time < FOREVER_S:
        raise ValueError("`t` is not a number of seconds")
    if not isinstance(direction, str) or direction not in _DIRS:
        raise ValueError(f"`dir` is {direction!r}, not one of {', '.join(sorted(_DIRS))}")
    if not isinstance(line, str):
        raise ValueError("`line` is not a string")
    return Entry(float(time), cast("Dir", direction), line)


def read(lines: Iterable[bytes | str]) -> Iterator[Entry | Damage]:
    """The entries of a file, in order; blank lines are skipped."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield decode(line, number)


HIDDEN: Final = "[redacted]"

_SECRETS: Final = re.compile(
    r"""
    sk-ant-[A-Za-z0-9_-]{8,}                                        # keys of the Anthropic API
    | (?<=Bearer\ )[A-Za-z0-9._~+/=-]{8,}
    | (?<=Basic\ )[A-Za-z0-9+/=]{8,}
    | \b(?:gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{16,})
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bxox[abprs]-[A-Za-z0-9-]{10,}
    | -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?-----END[ A-Z]*PRIVATE\ KEY-----
    | \b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}                             # tokens of Telegram bots
    | (?<=://)[^/\s:@"]+:[^/\s@"]+(?=@)                              # user and password in a URL
    """,
    re.VERBOSE | re.DOTALL,
)

_SECRET_NAMES: Final = re.compile(
    r"""(?ix)
    \b ([A-Z0-9_-]* (?: API_?KEY | ACCESS_?KEY | SECRET_?KEY | PRIVATE_?KEY | TOKEN | SECRET | PASSWORD | PASSWD )
        (?: _[A-Z0-9_]* )?)
    ( \\* ["']? \s* [=:] \s* )             # an assignment, or a key of JSON that may stand inside of JSON
    (?: (\\* ["']) (?! \[redacted ) [^"'\\\s]{3,} | ()(?! \[redacted ) [^\s"'\\,;{}\[\]]{3,} )
    """
)

_SECRET_MAPS: Final = frozenset({"env", "headers"})


def redact(entry: Entry) -> Entry:
    """``entry`` without what looks like a secret: for every recording that leaves bascule's own state.

    Hidden are tokens of known forms, what is assigned to a name such as ``MY_API_KEY`` or ``"apiKey"``, and the values
    in ``env`` and ``headers`` of MCP servers. A pattern cannot know every secret: look before you publish.
    """
    line = _SECRET_NAMES.sub(_without_value, _SECRETS.sub(HIDDEN, entry.line))
    if entry.dir in ("in", "argv") and any(f'"{name}' in line.replace("\\", "") for name in _SECRET_MAPS):
        line = _without_values(line)
    return Entry(entry.t, entry.dir, line)


def _without_value(found: re.Match[str]) -> str:
    """Numbers and words that are no secret, such as ``max_tokens: 300``, are left alone."""
    name, sign, quote = found[1], found[2], found[3] or ""
    value = found[0][len(name) + len(sign) + len(quote) :]
    if value.isdigit() or value in ("true", "false", "null", "None"):
        return found[0]
    return f"{name}{sign}{quote}{HIDDEN}"


def _without_values(line: str) -> str:
    try:
        return json.dumps(_hide(json.loads(line)), separators=(",", ":"))
    except (ValueError, RecursionError):
        return line


def _hide(value: Any) -> Any:
    match value:
        case dict():
            return {k: _hide_map(v) if k in _SECRET_MAPS else _hide(v) for k, v in value.items()}
        case list():
            return [_hide(item) for item in value]
        case str() if "{" in value:
            return _without_values_in(value)
        case _:
            return value


def _without_values_in(text: str) -> str:
    """A word of ``argv`` may carry JSON: ``--mcp-config={…}``."""
    flag, equals, rest = text.partition("=")
    if equals and rest.startswith("{"):
        return f"{flag}={_without_values(rest)}"
    return text


def _hide_map(value: Any) -> Any:
    return dict.fromkeys(value, HIDDEN) if isinstance(value, dict) else _hide(value)


class Exit(msgspec.Struct, frozen=True):
    """How a process ended: a code, or a signal's name such as ``SIGKILL``."""

    code: int | None = None
    signal: str | None = None


_RC: Final = re.compile(r"rc=(-?\d+)")
_SIGNALS: Final = {1: "SIGHUP", 2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}


def signal_name(number: int) -> str:
    """The name of a signal that can end a process, ``SIG<n>`` for a rare one."""
    return _SIGNALS.get(number, f"SIG{number}")


def exit_of(line: str) -> Exit:
    """What an ``exit`` line tells: ours is JSON, foreign recordings say ``rc=N …`` with a negative N for a signal."""
    try:
        return msgspec.json.decode(line, type=Exit)
    except (msgspec.DecodeError, UnicodeEncodeError):
        match = _RC.search(line)
    if match is None:
        return Exit()
    code = int(match[1])
    return Exit(signal=signal_name(-code)) if code < 0 else Exit(code=code)


def argv_of(line: str) -> tuple[str, ...]:
    """The words of an ``argv`` line; none for what is no list of words."""
    try:
        return msgspec.json.decode(line, type=tuple[str, ...])
    except (msgspec.DecodeError, UnicodeEncodeError):
        return ()


class Began(msgspec.Struct, frozen=True, kw_only=True, tag="began", tag_field="note"):
    """The first note of a recording of ours."""

    version: int = FORMAT_VERSION
    session: SessionId
    at: int
    """UTC ms of ``t = 0``."""
    cwd: str | None = None
    policy: str | None = None
    mode: str | None = None
    """The permission mode asked for."""
    cli_path: str | None = None
    cli_version: str | None = None
    ask_timeout_s: float | None = None
    """After so many seconds an ask is denied; null: never."""


class Prompted(msgspec.Struct, frozen=True, kw_only=True, tag="prompted", tag_field="note"):
    """Stands before the prompt's ``in`` line, or alone while the prompt waits in our queue."""

    prompt_id: PromptId
    text: str = ""
    attachments: tuple[dict[str, Any], ...] = ()
    """As in ``prompt_accepted``."""
    by: str | None = None
    surface: str | None = None
    disposition: Literal["sent", "queued", "steered"] = "sent"


class Decided(msgspec.Struct, frozen=True, kw_only=True, tag="decided", tag_field="note"):
    """Stands before the answer's ``in`` line: what a person said, and who."""

    pending_id: PendingId
    outcome: Literal["allowed", "allowed_always", "denied", "denied_stop", "answered"]
    by: str | None = None
    surface: str | None = None
    reason: str | None = None
    rule: str | None = None
    scope: str | None = None
    edited: bool = False
    outlines: bool = False
    """The plan was sent back to be written out first."""


class Expired(msgspec.Struct, frozen=True, kw_only=True, tag="expired", tag_field="note"):
    """Stands before the denial's ``in`` line: an ask's time was over."""

    pending_id: PendingId


class Judged(msgspec.Struct, frozen=True, kw_only=True, tag="judged", tag_field="note"):
    """Stands before the answer's ``in`` line: what the policy said, and by which rule."""

    tool_call_id: str | None = None
    pending_id: PendingId | None = None
    """The ask that the verdict answered; null when a hook was answered."""
    verdict: Literal["allow", "deny", "ask"]
    rule: str
    reason: str = ""
    choosable: bool = False
    """A decision on the ask still counts, for the next one."""


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag="asked", tag_field="note"):
    """Stands before the ``in`` line of a change of mode or model: who wanted it."""

    request_id: str
    by: str | None = None
    surface: str | None = None


GrantCause: TypeAlias = Literal["always", "plan", "trust", "grant"]
"""An *always*, an approved plan that accepts edits, trust for a time, or a grant given by itself."""
GrantEnd: TypeAlias = Literal["revoked", "expired", "mode"]


class Granted(msgspec.Struct, frozen=True, kw_only=True, tag="granted", tag_field="note"):
    """Calls are judged with a grant from here on; as in ``grant_given``."""

    grant_id: GrantId
    rules: tuple[str, ...]
    scope: Literal["session", "project", "user", "local"]
    cause: GrantCause
    edits: bool = False
    by: str | None = None
    surface: str | None = None
    until: int | None = None


class GrantOver(msgspec.Struct, frozen=True, kw_only=True, tag="grant_over", tag_field="note"):
    """A grant ended; as in ``grant_ended``."""

    grant_id: GrantId
    cause: GrantEnd
    by: str | None = None
    covered: int = 0


class Slept(msgspec.Struct, frozen=True, kw_only=True, tag="slept", tag_field="note"):
    """The process is being stopped for idleness."""

    idle_s: float


class Ending(msgspec.Struct, frozen=True, kw_only=True, tag="ending", tag_field="note"):
    """We end the process, so that its exit is no crash."""

    cause: Literal["ended", "killed"]


class Noticed(msgspec.Struct, frozen=True, kw_only=True, tag="noticed", tag_field="note"):
    """Something of ours that is worth a line."""

    level: Literal["info", "notice", "warning"]
    text: str


class Imported(msgspec.Struct, frozen=True, kw_only=True, tag="imported", tag_field="note"):
    """What stands before was not recorded: it is told again, from the CLI's own file of that conversation."""

    cli_session_id: CliSessionId
    path: str
    """The file, as it was then."""
    damaged: tuple[int, ...] = ()
    """Its lines that could not be read, from 1; of very many the first."""


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed", tag_field="note"):
    """A failure on our side that a person should see."""

    kind: str
    message: str
    hint: str = ""
    detail: str | None = None


Note: TypeAlias = (
    Began | Prompted | Decided | Expired | Judged | Asked | Granted | GrantOver | Slept | Ending | Noticed | Imported
    | Failed
)  # fmt: skip

_notes: Final = msgspec.json.Decoder(Note)
_encoder: Final = msgspec.json.Encoder()


def note(value: Note) -> str:
    """The ``line`` of a note entry. A lone surrogate in it becomes U+FFFD: a note is never refused."""
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def note_of(line: str) -> Note | None:
    """The note on ``line``; None for the free text that foreign recordings hold."""
    try:
        return _notes.decode(line)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
