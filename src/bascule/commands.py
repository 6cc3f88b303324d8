"""What a person, or a program in a person's place, may want; and the receipts that answer.

A command carries a ``command_id`` made by its sender. It is answered by exactly one receipt: ``taken``, ``too_late``
(with who won) or ``refused`` (with why and what to do). The same id sent again gives the same receipt and does nothing
more.

Which commands a conversation takes depends on what it is: a single session refuses those that only a hub can carry out.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.ids import CliSessionId, CommandId, GrantId, PendingId, PromptId, SessionId


class AllowOnce(msgspec.Struct, frozen=True, kw_only=True, tag="allow_once", tag_field="verb"):
    """Let this call run."""

    input: Any = None
    """The edited input; null: as asked."""


class AllowAlways(msgspec.Struct, frozen=True, kw_only=True, tag="allow_always", tag_field="verb"):
    """Let this call run, and those like it from now on."""

    rule: str
    """The rule's text as the person saw, and maybe edited, it."""
    scope: Literal["session", "project", "user", "local"] = "session"
    until: int | None = None
    """UTC ms at which it ends; null: with its scope. Only where bascule keeps it: a rule of the CLI's has no end."""
    input: Any = None


class Deny(msgspec.Struct, frozen=True, kw_only=True, tag="deny", tag_field="verb"):
    """Refuse this call; the turn, its parallel calls and its subagents go on."""

    reason: str | None = None
    """What the model reads."""


class DenyAndStop(msgspec.Struct, frozen=True, kw_only=True, tag="deny_and_stop", tag_field="verb"):
    """Refuse this call and end the turn; its parallel calls are withdrawn.

    The form of an MCP server is cancelled so, where ``Deny`` declines it; what follows is up to the server.
    """

    reason: str | None = None
    """The CLI does not pass it on (08_deny_interrupt): the next prompt can, see ``Prompt.with_reason``."""


class Answers(msgspec.Struct, frozen=True, kw_only=True, tag="answers", tag_field="verb"):
    """Answer questions or a form."""

    answers: dict[str, Any]
    """By question text (or form field): a label, several labels in a list, or free text."""
    notes: dict[str, str] = msgspec.field(default_factory=dict)
    """By question text: a remark that the model reads too."""


class ApprovePlan(msgspec.Struct, frozen=True, kw_only=True, tag="approve_plan", tag_field="verb"):
    """Approve the plan and say how to go on."""

    then: Literal["ask", "accept_edits", "auto"] = "ask"
    plan: str | None = None
    """The plan as edited; null: as shown."""


class OutlinePlan(msgspec.Struct, frozen=True, tag="outline_plan", tag_field="verb"):
    """Pause: have the plan written out as text first."""


class DiscussPlan(msgspec.Struct, frozen=True, tag="discuss_plan", tag_field="verb"):
    """Talk first."""


Decision: TypeAlias = AllowOnce | AllowAlways | Deny | DenyAndStop | Answers | ApprovePlan | OutlinePlan | DiscussPlan


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What all commands carry."""

    command_id: CommandId
    session: SessionId = SessionId("")
    """Empty: the only session there is."""
    by: str | None = None
    """The person; null: whoever owns the surface."""
    surface: str | None = None
    """``terminal``, ``web``, ``telegram``, ``api``."""


class AttachmentData(msgspec.Struct, frozen=True, kw_only=True):
    """A file or an image to go with a prompt."""

    name: str
    data: bytes
    """JSON: base64."""
    sent_as: Literal["block", "file"] = msgspec.field(name="as", default="block")
    """Images can be content blocks; everything else goes as a file in the workspace."""


class Prompt(Command, frozen=True, kw_only=True, tag="prompt"):
    """Say something to the model."""

    text: str
    attachments: tuple[AttachmentData, ...] = ()
    when: Literal["now", "queue", "steer"] = "steer"
    """``steer``: into the running turn at its next tool boundary, else a turn of its own. ``queue``: after the running
    turn. ``now``: cut the running turn. Without a running turn all three start one."""
    query: bool = True
    """False: the model is told this and not asked; it reads it with the next prompt, and the turn ends at once with no
    round (11_noquery)."""
    with_reason: bool = False
    """Tell the model first why it was stopped, where the call before was denied so, with a reason
    (``permission_resolved``, ``denied_stop``); only the next prompt can."""
    prompt_id: PromptId | None = None
    """The prompt's uuid; null: bascule makes one. One that was used before is refused (11_dup_uuid)."""


class Interrupt(Command, frozen=True, kw_only=True, tag="interrupt"):
    """Stop the running turn."""

    drop_queued: bool = False
    """Drop the prompts that wait as well; they are told as cancelled."""


class Decide(Command, frozen=True, kw_only=True, tag="decide"):
    """Answer an ask."""

    pending_id: PendingId
    decision: Decision
    input_hash: str | None = None
    """``permission_request.input_hash`` as seen; a difference is refused. Null: not checked."""
    hold_ms: int = 0
    """A hub claims the ask at once and writes the answer so much later, at most half a minute: until then ``Undo``
    takes it back. A single session does not wait."""


class SetMode(Command, frozen=True, kw_only=True, tag="set_mode"):
    """Change the CLI's permission mode."""

    mode: str


class SetModel(Command, frozen=True, kw_only=True, tag="set_model"):
    """Change the model; null: the default one."""

    model: str | None = None


class Trust(Command, frozen=True, kw_only=True, tag="trust"):
    """Ask less for a while: it ends by itself, and what it covered is on the record."""

    what: Literal["edits", "rule"] = "edits"
    """``edits``: files in the workspace may be written, as after *approve, accept edits*."""
    rule: str | None = None
    """Of ``rule``: what is allowed, as in ``allow_always``."""
    minutes: float = 15
    """Above 0, at most a day."""


class GiveGrant(Command, frozen=True, kw_only=True, tag="grant"):
    """Allow what a rule covers from now on, without an ask that prompts it."""

    rule: str
    scope: Literal["session", "project", "user"] = "session"
    until: int | None = None
    """UTC ms; null: with its scope."""


class RevokeGrant(Command, frozen=True, kw_only=True, tag="revoke_grant"):
    """Take a grant of this session back; what ran since stays as it is."""

    grant_id: GrantId


class Compact(Command, frozen=True, kw_only=True, tag="compact"):
    """Have the conversation put together in fewer words, after the running turn: ``compaction`` tells of it."""

    instructions: str = ""
    """What is to be kept in mind above all."""


class StopTask(Command, frozen=True, kw_only=True, tag="stop_task"):
    """Stop what runs in the background. One that there is not, or not any more, is stopped as well."""

    task_id: str
    """As in ``task_started``."""


class Rewind(Command, frozen=True, kw_only=True, tag="rewind"):
    """Put back the files that were edited since a prompt, and delete those that were made; at rest only. What a shell
    command changed stays, and so does the conversation."""

    at: PromptId
    dry_run: bool = False
    """Only tell what it would do (``Taken.put_back``)."""


class End(Command, frozen=True, kw_only=True, tag="end"):
    """End the session: running work is given its grace, then stopped."""


AnyCommand: TypeAlias = (
    Prompt | Interrupt | Decide | SetMode | SetModel | Trust | GiveGrant | RevokeGrant | Compact | StopTask | Rewind
    | End
)  # fmt: skip
"""Every command a single session takes; tagged by ``type``."""


class Start(Command, frozen=True, kw_only=True, tag="start"):
    """Begin a session. ``session``: its id, if the sender wants to name it: letters, digits, ``-``, ``_`` and ``.``, 64
    at most; one that is there already is refused."""

    cwd: str
    """The workspace, an absolute path or the name of a project."""
    policy: str | None = None
    """Null: the configured one."""
    mode: str | None = None
    model: str | None = None
    title: str = ""
    project: str | None = None
    branch: str | None = None
    """Of a project: the branch whose worktree is the workspace; made if it is not there."""
    resume: str | None = None
    """The CLI's conversation to go on with, by its id."""
    resume_at: str | None = None
    fork: bool = False
    prompt: str | None = None
    """The first one."""
    attachments: tuple[AttachmentData, ...] = ()
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    """More of ``session.options.Options`` by name, as JSON; what has no field there is refused."""


class Import(Command, frozen=True, kw_only=True, tag="import"):
    """Take over a conversation of the CLI's: a session that sleeps, shows what was said, and goes on with it at its
    first prompt. One of ``cli_session_id`` and ``path`` names it. A conversation that a session here goes on with
    already gives that session."""

    cli_session_id: CliSessionId | None = None
    path: str | None = None
    """Of its file, where the CLI keeps it."""
    cwd: str | None = None
    """The workspace to go on in, an absolute path or the name of a project; null: that of the conversation."""


class EditQueued(Command, frozen=True, kw_only=True, tag="edit_queued"):
    """Change a prompt that waits."""

    queued: int
    text: str


class MoveQueued(Command, frozen=True, kw_only=True, tag="move_queued"):
    """Put a prompt that waits before another one; null: at the end."""

    queued: int
    before: int | None = None


class DropQueued(Command, frozen=True, kw_only=True, tag="drop_queued"):
    """Take a prompt that waits out of the queue."""

    queued: int


class SendQueued(Command, frozen=True, kw_only=True, tag="send_queued"):
    """Say a prompt that waits now: into the running turn, or as a turn of its own."""

    queued: int


class HoldQueue(Command, frozen=True, kw_only=True, tag="hold_queue"):
    """Whether the queue waits for a person (after a stop it does), or goes on by itself when a turn ends."""

    hold: bool


class Undo(Command, frozen=True, kw_only=True, tag="undo"):
    """Take a decision back that is not yet written to the CLI."""

    of: CommandId


class Retry(Command, frozen=True, kw_only=True, tag="retry"):
    """Say the last prompt again, from before it: the conversation goes on at the message before (``at``: after that
    turn)."""

    at: int | None = None


class Fork(Command, frozen=True, kw_only=True, tag="fork"):
    """Go on in a copy, which is a session of its own. ``at``: after that turn; null: from where it is."""

    at: int | None = None
    title: str = ""


class Rename(Command, frozen=True, kw_only=True, tag="rename"):
    """Call a session something else."""

    title: str


class SetPolicy(Command, frozen=True, kw_only=True, tag="set_policy"):
    """Put a session under another policy: its process is started anew, at rest, and goes on with the conversation."""

    policy: str


class Sleep(Command, frozen=True, kw_only=True, tag="sleep"):
    """End the process of a session at rest; the next prompt wakes it."""


class Archive(Command, frozen=True, kw_only=True, tag="archive"):
    """End a session and take it off the list, or put it back."""

    archived: bool = True


class Fresh(Command, frozen=True, kw_only=True, tag="fresh"):
    """Of a session whose conversation came back empty: go on with a new one, in the same place."""


HubCommand: TypeAlias = (
    AnyCommand | Start | Import | EditQueued | MoveQueued | DropQueued | SendQueued | HoldQueue | Undo | Retry | Fork
    | Rename | SetPolicy | Sleep | Archive | Fresh
)  # fmt: skip
"""Every command that a hub takes; tagged by ``type``."""


class PutBack(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind does to files, or did."""

    files: tuple[str, ...]
    insertions: int | None = None
    """Of the rewind: a line that it puts back is one. Null: the CLI did not say."""
    deletions: int | None = None


class Taken(msgspec.Struct, frozen=True, kw_only=True, tag="taken", tag_field="receipt"):
    """It is done, or on its way with nothing left that could stop it here."""

    prompt_id: PromptId | None = None
    """Of a prompt: the id its events carry."""
    still_queued: tuple[PromptId, ...] = ()
    """Of an interrupt: prompts that will run all the same."""
    acknowledged: bool = True
    """Of an interrupt: whether the CLI said in time that it heard. It does not when it hangs: the turn, and with it the
    process, is then being stopped by force, and what waits is lost with it."""
    grant_id: GrantId | None = None
    """Of trust and of a grant: the id its events carry, and by which it is taken back."""
    session: SessionId | None = None
    """Of a session that was begun, imported or forked: its id."""
    queued: int | None = None
    """Of a prompt that waits in a hub's queue: what it is changed and dropped by."""
    put_back: PutBack | None = None
    """Of a rewind, tried or done."""


class TooLate(msgspec.Struct, frozen=True, kw_only=True, tag="too_late", tag_field="receipt"):
    """It was settled before."""

    winner: str
    """Who or what settled it, in words for people: ``allowed by Anna (web)``, ``withdrawn``."""


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused", tag_field="receipt"):
    """It was not done."""

    reason: str
    """What is wrong and what to do."""


Receipt: TypeAlias = Taken | TooLate | Refused

_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(AnyCommand)
_hub_decoder: Final = msgspec.json.Decoder(HubCommand)


def to_json(command: Command) -> bytes:
    """One line of JSON without its newline."""
    return _encoder.encode(command)


def from_json(data: bytes | str) -> AnyCommand:
    """The command that ``data`` holds. Raises ``msgspec.DecodeError`` with the field that is wrong."""
    return _decoder.decode(data)


def hub_command(data: bytes | str) -> HubCommand:
    """The command for a hub that ``data`` holds. Raises ``msgspec.DecodeError`` with the field that is wrong."""
    return _hub_decoder.decode(data)
