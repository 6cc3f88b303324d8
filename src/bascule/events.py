"""What happened, in our words: the events that every surface, log and test reads.

Lasting events are numbered (``seq`` from 1, no gaps) and stored; passing ones (deltas, progress) go to whoever listens
now and carry the number they follow (``after``). Both are made from the lines of a recording by ``transcript/`` and by
nothing else, so that a live session, its replay and its restoration after a crash give the same events.

JSON: ``type`` tells the event, names are in snake_case, every field is present, null means *not known*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.ids import CliSessionId, GrantId, PendingId, PromptId, SessionId
from bascule.payload import Mark, Part, Payload, TodoItem

SCHEMA_VERSION: Final = 1
"""Raised when a field changes its meaning or goes; new fields and new events do not raise it."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", gc=False):
    """What all events carry. Whoever makes one leaves these to ``transcript/numbering.py``.

    ``gc=False``: a frozen tree of values holds no cycle, and a long session keeps very many.
    """

    session: SessionId = SessionId("")
    """Our id of the session."""
    seq: int | None = None
    """Number within the session, from 1 without a gap; null for a passing event."""
    after: int | None = None
    """The ``seq`` that a passing event follows; null for a lasting one."""
    at: int = 0
    """UTC, milliseconds: start of the recording plus the line's time."""
    turn: int = 0
    """The turn it belongs to, from 1; 0 outside of a turn."""
    line: int = 0
    """The line of the recording it came from, from 1; of the last line for what the end of it closed."""


class McpServer(msgspec.Struct, frozen=True):
    """An MCP server as the CLI sees it."""

    name: str
    status: str
    """``connected``, ``failed``, ``needs-auth``, ``pending``, ``disabled`` or newer."""


class SessionStatus(Event, frozen=True, kw_only=True, tag="session_status"):
    """Who and where the session is: at the first ``init`` of a process, later only if a fact changed."""

    cli_session_id: CliSessionId
    session_status: Literal["new", "resumed", "forked", "changed"]
    model: str | None = None
    cwd: str | None = None
    permission_mode: str | None = None
    """The mode in force, in the CLI's words."""
    requested_mode: str | None = None
    """The mode asked for at launch; null when none was named. A difference is worth showing."""
    tools: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    cli_version: str | None = None
    capabilities: tuple[str, ...] = ()
    api_key_source: str | None = None


class AvailableCommand(msgspec.Struct, frozen=True):
    """A slash command."""

    name: str
    description: str = ""
    argument_hint: str = ""


class AvailableCommands(Event, frozen=True, kw_only=True, tag="available_commands"):
    """The whole list of slash commands; sent when it changed."""

    available_commands: tuple[AvailableCommand, ...]


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """Something that went with a prompt."""

    id: str
    name: str
    media_type: str
    bytes: int
    sha256: str
    sent_as: Literal["block", "file"] = msgspec.field(name="as")
    """A content block of the prompt, or a file in the workspace that the prompt names."""
    path: str | None = None
    """Where the file lies, below the workspace."""


class PromptAccepted(Event, frozen=True, kw_only=True, tag="prompt_accepted"):
    """A prompt was written to the CLI, or put in our queue."""

    prompt_id: PromptId
    text: str
    attachments: tuple[Attachment, ...] = ()
    by: str | None = None
    """The person; null when the recording does not tell."""
    surface: str | None = None
    disposition: Literal["sent", "queued", "steered"] = "sent"
    """``steered``: into the running turn. ``queued``: it waits for the turn to end."""


class TurnStarted(Event, frozen=True, kw_only=True, tag="turn_started"):
    """A turn began: by prompts, or by the CLI itself."""

    cause: Literal["prompt", "task", "wakeup", "cron", "hook", "unknown"]
    prompt_ids: tuple[PromptId, ...] = ()


class MessageChunk(Event, frozen=True, kw_only=True, tag="message_chunk"):
    """Text of the assistant. A whole chunk (lasting) replaces the deltas (passing) of its ``item``."""

    item: str
    """Which text: the same for all deltas and the whole chunk of one block."""
    text: str
    partial: bool = False
    parent_tool_call_id: str | None = None


class Reasoning(Event, frozen=True, kw_only=True, tag="reasoning"):
    """Thinking of the assistant; deltas and whole as with ``message_chunk``."""

    item: str
    reasoning_text: str
    partial: bool = False
    parent_tool_call_id: str | None = None


class ToolCall(Event, frozen=True, kw_only=True, tag="tool_call"):
    """The model calls a tool."""

    tool_call_id: str
    parent_tool_call_id: str | None = None
    """The call of the subagent it happens in."""
    tool_name: str
    tool_title: str
    """Short and for people: ``Edit src/app.py``."""
    tool_status: Literal["running"] = "running"
    normalized: Payload


class ToolUpdate(Event, frozen=True, kw_only=True, tag="tool_update"):
    """A call went on (``running``, passing) or came to its end (lasting, once per call)."""

    tool_call_id: str
    parent_tool_call_id: str | None = None
    tool_status: Literal["running", "complete", "error", "denied", "cancelled", "lost"]
    elapsed_s: float | None = None
    normalized: Payload


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that *allow always* could make."""

    rule: str
    """Its text, editable: ``Bash(git status)``."""
    scope: Literal["session", "project", "user", "local"] = "session"
    source: Literal["bascule", "cli"] = "bascule"
    update: Any = None
    """The CLI's own suggestion, word for word, to hand back; null for one of ours."""


class AskOption(msgspec.Struct, frozen=True):
    """One way to answer, in the order in which it is shown."""

    id: str
    label: str
    kind: Literal["allow", "allow_always", "deny", "deny_and_stop", "answer", "plan"]


class PermissionRequest(Event, frozen=True, kw_only=True, tag="permission_request"):
    """An ask opened: the CLI waits for a person. Several may be open at once."""

    pending_id: PendingId
    ask: Literal["tool", "plan", "question", "elicitation", "dialog"]
    tool_call_id: str | None = None
    agent_id: str | None = None
    """The subagent that asks; null for the main thread."""
    tool_name: str
    title: str
    normalized: Payload
    input: Any
    """The raw input, for editing."""
    input_hash: str
    """An answer names it, so that nobody allows what he did not see."""
    marks: tuple[Mark, ...] = ()
    parts: tuple[Part, ...] = ()
    says: str | None = None
    """The model's own description: a claim, not a fact."""
    reason: str | None = None
    """Why it asks."""
    reason_type: str | None = None
    """The same in a word of the CLI's: ``rule``, ``mode``, ``hook``, ``workingDir``, ``safetyCheck``, …"""
    matched_rule: str | None = None
    """The CLI's own rule that wants it asked: ``Bash(git push *)``."""
    blocked_path: str | None = None
    """The path that the CLI does not let the call touch unasked."""
    mcp_server: str | None = None
    """The server whose tool it is, or that asks."""
    needs_person: bool = False
    """A plan, a question, a form: no program can answer it in a person's place."""
    default_no: bool = False
    """The CLI holds it for so grave that *no* is to be the first answer."""
    suggestions: tuple[Suggestion, ...] = ()
    """The narrowest first."""
    options: tuple[AskOption, ...] = ()
    expires_at: int | None = None
    """UTC ms at which it is denied by itself; null: never."""


class PermissionResolved(Event, frozen=True, kw_only=True, tag="permission_resolved"):
    """An ask was answered."""

    pending_id: PendingId
    outcome: Literal["allowed", "allowed_always", "denied", "denied_stop", "answered"]
    by: str | None = None
    surface: str | None = None
    reason: str | None = None
    rule: str | None = None
    scope: str | None = None
    edited: bool = False
    waited_ms: int
    choosable: bool = False
    """Denied at once, as a plan to be written out first: a decision on it still counts, for the next request."""


class PermissionCancelled(Event, frozen=True, kw_only=True, tag="permission_cancelled"):
    """An ask is gone without an answer; a late answer is too late."""

    pending_id: PendingId
    cause: Literal["withdrawn", "expired", "lost", "interrupted"]


class PolicyDecided(Event, frozen=True, kw_only=True, tag="policy_decided"):
    """A policy answered without a person."""

    tool_call_id: str | None
    verdict: Literal["allow", "deny"]
    rule: str
    reason: str


class GrantGiven(Event, frozen=True, kw_only=True, tag="grant_given"):
    """From here on calls are judged with what a person allowed beyond one call."""

    grant_id: GrantId
    rules: tuple[str, ...]
    """What it allows: one rule, or several where edits are accepted."""
    scope: Literal["session", "project", "user", "local"]
    cause: Literal["always", "plan", "trust", "grant"]
    edits: bool = False
    """Files in the workspace may be written: it ends with the CLI's mode for that."""
    by: str | None = None
    surface: str | None = None
    until: int | None = None
    """UTC ms at which it ends by itself; null: with its scope."""


class GrantEnded(Event, frozen=True, kw_only=True, tag="grant_ended"):
    """A grant of this session holds no more. A grant that holds at the session's end has no such event."""

    grant_id: GrantId
    cause: Literal["revoked", "expired", "mode"]
    """``mode``: the CLI left the one that accepts edits."""
    by: str | None = None
    covered: int = 0
    """Calls that ran without an ask since it was given: each has its ``policy_decided``, which names the rule."""


class ModeChanged(Event, frozen=True, kw_only=True, tag="mode_changed"):
    """The permission mode in force changed."""

    mode: str
    by: str | None = None
    """Who asked for it; null when the CLI did it by itself or it is not known."""


class ModelChanged(Event, frozen=True, kw_only=True, tag="model_changed"):
    """The model changed."""

    model: str
    by: str | None = None


class ContextWindow(Event, frozen=True, kw_only=True, tag="context_window"):
    """How full the main thread's context is, in tokens; sent when it changed."""

    context_window_size: int | None = None
    context_window_used: int
    context_window_remaining: int | None = None
    context_efficiency: float | None = None
    """Used of size, in percent."""


class Todos(Event, frozen=True, kw_only=True, tag="todos"):
    """The whole to-do list, after a change."""

    items: tuple[TodoItem, ...]


class TaskUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What a background task has used so far."""

    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: int | None = None


class TaskStarted(Event, frozen=True, kw_only=True, tag="task_started"):
    """Work beside the turn began: a subagent, a shell, a monitor."""

    task_id: str
    kind: str
    """In the CLI's words: ``local_agent``, ``local_bash``, …"""
    title: str
    tool_call_id: str | None = None
    background: bool | None = None
    """False: the turn waits for it. Null when the CLI does not tell."""


class TaskProgress(Event, frozen=True, kw_only=True, tag="task_progress"):
    """A task went on."""

    task_id: str
    kind: str
    title: str
    tool_call_id: str | None = None
    usage: TaskUsage | None = None


class TaskEnded(Event, frozen=True, kw_only=True, tag="task_ended"):
    """A task ended; once per task."""

    task_id: str
    kind: str
    title: str
    tool_call_id: str | None = None
    outcome: str | None = None
    """``completed``, ``failed``, ``stopped``, ``lost``."""
    usage: TaskUsage | None = None


class RateLimit(Event, frozen=True, kw_only=True, tag="rate_limit"):
    """Where the account stands in a usage window; one per window and status."""

    rate_limit_message: str
    status: Literal["allowed", "allowed_warning", "rejected"]
    window: str | None = None
    """``five_hour``, ``seven_day``, …"""
    utilization: float | None = None
    resets_at: int | None = None
    """UTC, seconds."""
    overage: str | None = None
    waiting: bool = False
    """Only when rejected and not covered by overage."""


class Retrying(Event, frozen=True, kw_only=True, tag="retrying"):
    """The CLI waits before it asks the API again; the first of a row is lasting, the rest passes."""

    attempt: int
    max_retries: int
    delay_ms: float
    error_status: int | None = None
    """HTTP status; null when there was no answer at all."""
    error: str


class Compaction(Event, frozen=True, kw_only=True, tag="compaction"):
    """The conversation is being summarised; once per phase."""

    phase: Literal["started", "finished", "failed"]
    trigger: str | None = None
    """``manual`` or ``auto``; null while not told."""
    pre_tokens: int | None = None
    post_tokens: int | None = None


class Hook(Event, frozen=True, kw_only=True, tag="hook"):
    """A command hook of the user's settings ran."""

    hook_event: str
    name: str
    outcome: str
    """``started``, ``success``, ``error``, ``cancelled``."""
    output: str | None = None


class ModelUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and money of one model, in this turn, all threads."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cost_usd: float = 0.0
    context_window: int | None = None


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was refused in the turn, as its result lists it."""

    tool_name: str
    tool_call_id: str
    input: Any = None


class Complete(Event, frozen=True, kw_only=True, tag="complete"):
    """The end of a turn: exactly one per turn, always."""

    outcome: Literal["success", "error", "interrupted", "max_turns", "budget", "refused", "lost"]
    text: str | None = None
    """The result's text: a double of what was shown, or of the error."""
    structured: Any = None
    """Structured output, when a schema was asked for and met."""
    cost_usd: float | None = None
    """Of this turn: the difference of the cumulative figure; null when lost."""
    total_cost_usd: float | None = None
    duration_ms: int | None = None
    duration_api_ms: int | None = None
    num_turns: int | None = None
    """Rounds with the model, as the CLI counts them."""
    input_tokens: int | None = None
    """This and the three below: the main thread's, this turn."""
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None
    models: dict[str, ModelUsage] = msgspec.field(default_factory=dict)
    """All threads, this turn, by model."""
    permission_denials: tuple[Denial, ...] = ()
    last_message_uuid: str | None = None
    """Where a resume can go on: the main thread's last message that holds."""
    prompt_ids: tuple[PromptId, ...] = ()
    """The prompts that this turn settled."""


class Error(Event, frozen=True, kw_only=True, tag="error"):
    """A failure that a person should see."""

    kind: str
    """Of a turn: ``account``, ``api``, ``authentication``, ``billing``, ``budget``, ``cloud_credentials``,
    ``connection``, ``context``, ``invalid_request``, ``max_turns``, ``model``, ``output_limit``, ``overloaded``,
    ``rate_limit``, ``refused``, ``structured_output``, ``too_large``, ``usage_limit``, ``error``. Of a session:
    ``start_failed``, ``resume_failed``, ``resume_empty``, ``timeout``, ``process_lost``, ``recording``, …"""
    message: str
    hint: str = ""
    """What to do about it; empty when we know nothing better."""
    detail: str | None = None


class SessionAsleep(Event, frozen=True, kw_only=True, tag="session_asleep"):
    """The process was stopped for idleness; the next prompt wakes the session."""

    idle_s: float


class SessionEnded(Event, frozen=True, kw_only=True, tag="session_ended"):
    """The process is gone."""

    exit_code: int | None = None
    signal: str | None = None
    cause: Literal["ended", "killed", "crashed", "start_failed", "resume_failed"]
    stderr_tail: str = ""


class Notice(Event, frozen=True, kw_only=True, tag="notice"):
    """Something worth a line."""

    level: Literal["info", "notice", "warning"]
    text: str


class QueueChanged(Event, frozen=True, kw_only=True, tag="queue_changed"):
    """Other prompts wait in the hub's queue than before, or it is held: passing, and made by the hub."""

    queued: int
    held: bool


class Unrecognised(Event, frozen=True, kw_only=True, tag="unrecognised"):
    """The CLI said something that bascule does not know; the recording holds it."""

    message_type: str
    subtype: str | None = None


AnyEvent: TypeAlias = (
    SessionStatus | AvailableCommands | PromptAccepted | TurnStarted | MessageChunk | Reasoning | ToolCall
    | ToolUpdate | PermissionRequest | PermissionResolved | PermissionCancelled | PolicyDecided | ModeChanged
    | ModelChanged | ContextWindow | Todos | TaskStarted | TaskProgress | TaskEnded | RateLimit | Retrying | Compaction
    | GrantGiven | GrantEnded | Hook | Complete | Error | SessionAsleep | SessionEnded | Notice | Unrecognised
    | QueueChanged
)  # fmt: skip
"""Every event there is; tagged by ``type``."""


_PASSES: Final[dict[type[Event], Callable[[Any], bool]]] = {
    MessageChunk: lambda chunk: chunk.partial,
    Reasoning: lambda reasoning: reasoning.partial,
    ToolUpdate: lambda update: update.tool_status == "running",
    Retrying: lambda retry: retry.attempt > 1,
    TaskProgress: lambda _: True,
    QueueChanged: lambda _: True,
}


def is_passing(event: Event) -> bool:
    """Whether ``event`` is neither numbered nor stored: deltas, progress, repeated retries. It is asked of each event,
    and to tell that a struct is none of six classes would take half a microsecond."""
    passes = _PASSES.get(type(event))
    return passes is not None and passes(event)


_encoder: Final = msgspec.json.Encoder()


@cache
def _decoder() -> msgspec.json.Decoder[AnyEvent]:
    """Made for the first who reads events back, since it takes 6 ms to make and most programs only write them."""
    return msgspec.json.Decoder(AnyEvent)


def to_json(event: Event) -> bytes:
    """One line of JSON without its newline."""
    return _encoder.encode(event)


def from_json(data: bytes | str) -> AnyEvent:
    """The event that ``to_json`` wrote. Raises ``msgspec.DecodeError`` on anything else."""
    return _decoder().decode(data)


def to_json_lines(events: Sequence[Event]) -> bytes:
    """Each of them as ``to_json`` writes it, with its newline."""
    return _encoder.encode_lines(events)


def from_json_lines(data: bytes) -> list[AnyEvent]:
    """The events that ``to_json_lines`` wrote. Raises as ``from_json``."""
    return _decoder().decode_lines(data)
