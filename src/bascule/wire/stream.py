"""Stream events: the raw events of the Messages API, with ``--include-partial-messages``.

The whole block comes as an ``Assistant`` line *before* its ``content_block_stop`` (04_partial). A subagent has no
stream events; a message may have none either (18_midstream_cut).
"""

from typing import Any, TypeAlias

from bascule.wire.blocks import ApiMessage, Block, Usage
from bascule.wire.shape import UNREAD, Number, Said, Shape, Unread


class TextDelta(Shape, frozen=True, tag_field="type", tag="text_delta"):
    text: str


class JsonDelta(Shape, frozen=True, tag_field="type", tag="input_json_delta"):
    """A piece of a tool's input as the model wrote it; joined, it is JSON text."""

    partial_json: str


class ThinkingDelta(Shape, frozen=True, tag_field="type", tag="thinking_delta"):
    thinking: str


class SignatureDelta(Shape, frozen=True, tag_field="type", tag="signature_delta"):
    signature: str


class CitationsDelta(Shape, frozen=True, tag_field="type", tag="citations_delta"):
    citation: Any = None


class UnknownDelta(Unread, frozen=True, tag_field="type", tag=UNREAD):
    pass


Delta: TypeAlias = TextDelta | JsonDelta | ThinkingDelta | SignatureDelta | CitationsDelta | UnknownDelta


class MessageStart(Shape, frozen=True, tag_field="type", tag="message_start"):
    message: ApiMessage = ApiMessage()


class BlockStart(Shape, frozen=True, tag_field="type", tag="content_block_start"):
    index: int
    content_block: Block
    """Empty but for its kind, id and name."""


class BlockDelta(Shape, frozen=True, tag_field="type", tag="content_block_delta"):
    index: int
    delta: Delta


class BlockStop(Shape, frozen=True, tag_field="type", tag="content_block_stop"):
    index: int


class MessageEnd(Shape, frozen=True):
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Any = None
    container: Any = None


class MessageDelta(Shape, frozen=True, tag_field="type", tag="message_delta"):
    """Why the message ended, and its final usage."""

    delta: MessageEnd = MessageEnd()
    usage: Usage | None = None
    context_management: Any = None


class MessageStop(Shape, frozen=True, tag_field="type", tag="message_stop"):
    pass


class Ping(Shape, frozen=True, tag_field="type", tag="ping"):
    pass


class StreamError(Shape, frozen=True, tag_field="type", tag="error"):
    error: Any = None


class UnknownEvent(Unread, frozen=True, tag_field="type", tag=UNREAD):
    pass


Event: TypeAlias = (
    MessageStart | BlockStart | BlockDelta | BlockStop | MessageDelta | MessageStop | Ping | StreamError | UnknownEvent
)


class AbandonedBlocks(Shape, frozen=True):
    """Blocks of a broken stream that will not be finished (2.1.332; 2.1.197 leaves them dangling)."""

    api_message_id: str | None = None
    from_block_index: int | None = None


class StreamEvent(Said, frozen=True, kw_only=True, tag_field="type", tag="stream_event"):
    event: Event | None = None
    parent_tool_use_id: str | None = None
    api_message_id: str | None = None
    ttft_ms: Number | None = None
    user_message_uuid: str | None = None
    user_message_uuids: tuple[str, ...] = ()
    thinking_display: str | None = None
    abandoned_blocks: AbandonedBlocks | None = None
    owed_rows: Any = None
    resume_reason: str | None = None
