"""What stands on a line of a session file, as structs. The file's words are here; no other room knows them.

What the two tested CLI versions write is modelled as far as somebody reads it; an entry of another type is an
``UnknownEntry`` with its line. As on the wire, every field is optional, and one that does not fit is left out. The
blocks inside messages are the wire's. The file is written in camel case where the wire is in snake case.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Union

import msgspec
from msgspec import field
from msgspec.structs import replace

from bascule.errors import LocalProtocolError
from bascule.wire.blocks import ApiMessage
from bascule.wire.fitting import fit
from bascule.wire.json_text import NotJson, clean, parse
from bascule.wire.messages import Origin, UserBody
from bascule.wire.shape import Number, Shape


class Entry(Shape, frozen=True, rename="camel"):
    """What any line may say. The conversation's have a ``uuid`` and name the one before; others are about it."""

    uuid: str | None = None
    """The same as on the wire, so that a resume can start there. One entry may stand in the file twice (2.1.197)."""
    parent_uuid: str | None = None
    """The entry before; null at the beginning, and at a compaction."""
    logical_parent_uuid: str | None = None
    """Of a compaction: what came before it."""
    is_sidechain: bool = False
    """Of a subagent's entries."""
    session_id: str | None = None
    timestamp: str | None = None
    """ISO 8601, UTC, in milliseconds. What is only about the conversation often has none."""
    cwd: str | None = None
    git_branch: str | None = None
    """``HEAD`` outside of a repository as well."""
    version: str | None = None
    """The CLI's."""
    agent_id: str | None = None
    is_meta: bool = False
    """The CLI put it in by itself, and does not show it."""


class Decision(Shape, frozen=True, rename="camel"):
    """Who decided about a call (2.1.332)."""

    decision: str | None = None
    """``accept``, ``reject``."""
    source: str | None = None


class UserEntry(Entry, frozen=True, tag_field="type", tag="user"):
    """A prompt, results of tools, or a text of the CLI's own."""

    message: UserBody = UserBody()
    tool_use_result: Any = None
    """As on the wire: the tool's structured output, or the text of its failure."""
    is_compact_summary: bool = False
    """What a compaction left for the model."""
    origin: Origin | None = None
    prompt_source: str | None = None
    permission_mode: str | None = None
    permission_decision: Decision | None = None

    @property
    def is_denial(self) -> bool:
        """Whether the call that it answers was refused."""
        return self.permission_decision is not None and self.permission_decision.decision == "reject"


class AssistantEntry(Entry, frozen=True, tag_field="type", tag="assistant"):
    """One block of a reply, as a rule; blocks of one reply share ``message.id`` and follow each other."""

    message: ApiMessage = ApiMessage()
    request_id: str | None = None
    is_api_error_message: bool = False
    """The text is an error of the API."""
    error: str | None = None


class Compaction(Shape, frozen=True, rename="camel"):
    """What is told of a compaction; ``preserved_segment`` names the messages that the model kept as they were."""

    trigger: str | None = None
    """``manual``, ``auto``."""
    pre_tokens: int | None = None
    post_tokens: int | None = None
    preserved_segment: Any = None


class SystemEntry(Entry, frozen=True, tag_field="type", tag="system"):
    """``compact_boundary``, ``local_command``, notices of the CLI."""

    subtype: str | None = None
    content: Any = None
    level: str | None = None
    compact_metadata: Compaction | None = None


class AttachmentEntry(Entry, frozen=True, tag_field="type", tag="attachment"):
    """What the CLI tells the model beside the messages; a prompt that came during a turn too (``queued_command``)."""

    attachment: dict[str, Any] = field(default_factory=dict)


class ProgressEntry(Entry, frozen=True, tag_field="type", tag="progress"):
    """A sign of life, linked into the chain by older versions."""


class SummaryEntry(Entry, frozen=True, tag_field="type", tag="summary"):
    """A title that older versions made up."""

    summary: str | None = None
    leaf_uuid: str | None = None


class CustomTitleEntry(Entry, frozen=True, tag_field="type", tag="custom-title"):
    """The title that a person gave; the last one counts. The CLI repeats it so that it stands near the end."""

    custom_title: str | None = None


class AiTitleEntry(Entry, frozen=True, tag_field="type", tag="ai-title"):
    """A title that the CLI made up."""

    ai_title: str | None = None


class TagEntry(Entry, frozen=True, tag_field="type", tag="tag"):
    """A word that a person filed the session under; the last one counts."""

    tag: str | None = None
    """Empty: the tag was taken away."""


class AgentNameEntry(Entry, frozen=True, tag_field="type", tag="agent-name"):
    """What 2.1.332 calls the session among others of the machine; a rename there changes it too."""

    agent_name: str | None = None


class LastPromptEntry(Entry, frozen=True, tag_field="type", tag="last-prompt"):
    """Where the conversation stands: of several branches a resume takes the one with this entry (measured)."""

    last_prompt: str | None = None
    leaf_uuid: str | None = None


class QueueEntry(Entry, frozen=True, tag_field="type", tag="queue-operation"):
    """A prompt came, and was taken up."""

    operation: str | None = None
    """``enqueue``, ``dequeue``, ``remove``."""
    content: Any = None
    reason: str | None = None


class CostEntry(Entry, frozen=True, tag_field="type", tag="cost-state"):
    """What the conversation cost so far (2.1.332); a resume counts on from it."""

    total_cost_usd: Number | None = field(name="totalCostUSD", default=None)
    total_duration: Number | None = None
    """Milliseconds."""
    model_usage: Any = None


class ModeEntry(Entry, frozen=True, tag_field="type", tag="mode"):
    """``normal``."""

    mode: str | None = None


class PermissionModeEntry(Entry, frozen=True, tag_field="type", tag="permission-mode"):
    """The permission mode that was last chosen."""

    permission_mode: str | None = None


class FileSnapshotEntry(Entry, frozen=True, tag_field="type", tag="file-history-snapshot"):
    """The files as they were at a message; the copies lie in ``CONFIG/file-history/ID``."""

    message_id: str | None = None
    snapshot: Any = None
    is_snapshot_update: bool = False


class ReplacementEntry(Entry, frozen=True, tag_field="type", tag="content-replacement"):
    """Results that the model no longer sees whole."""

    replacements: Any = None


class RelocatedEntry(Entry, frozen=True, tag_field="type", tag="relocated"):
    """The session was moved to another workspace."""

    relocated_cwd: str | None = None


class RequestEntry(Entry, frozen=True, tag_field="type", tag="api-request"):
    """How the CLI asked the API (2.1.332); what is in it stands elsewhere, and is most of the file."""


class RequestShapeEntry(Entry, frozen=True, tag_field="type", tag="api-request-shape"):
    """The system prompt and the tools of a request, 70 kB."""


class RequestBlobEntry(Entry, frozen=True, tag_field="type", tag="api-request-blob"):
    """A message of a request."""


class UnknownEntry(Entry, frozen=True):
    """An entry of a type that is not here. Its links are known all the same."""

    type: str = ""
    raw: str = ""
    """The line, without its newline."""


_KINDS: Final[dict[str, type[Entry]]] = {
    str(kind.__struct_config__.tag): kind for kind in Entry.__subclasses__() if kind.__struct_config__.tag is not None
}


def decode(line: bytes) -> Entry:
    """The entry on ``line``. Raises ``NotJson`` for what is none: no JSON, no object, no ``type``."""
    entry = known(line)
    return entry if entry is not None else _decode_slowly(line)


def known(line: bytes) -> Entry | None:
    """The entry on ``line`` when it is of a type that is here, and fits it; quick to say that it is not."""
    try:
        return _decoder().decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, LocalProtocolError, RecursionError):
        return None


@cache
def _decoder() -> msgspec.json.Decoder[Entry]:
    """Made at the first line and not at import: the wire's blocks have to be looked through."""
    return msgspec.json.Decoder(Union[tuple(_KINDS.values())])  # noqa: UP007


def _decode_slowly(line: bytes) -> Entry:
    text = clean(line)
    entry = fitted(parse(text))
    return replace(entry, raw=text) if isinstance(entry, UnknownEntry) else entry


def fitted(value: Any) -> Entry:
    """The entry in a line that was parsed already; ``raw`` stays empty. Raises ``NotJson`` as ``decode`` does."""
    match value:
        case {"type": str(type_)}:
            return fit(value, _KINDS.get(type_, UnknownEntry))
    raise NotJson("no JSON object with a type")
