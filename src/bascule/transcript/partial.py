"""Streamed deltas and the whole blocks that replace them, told as one text per block.

An item is one block of one API message: ``<message id>:<block number>``. Deltas carry its id while it streams, and
the whole block, which comes before its ``content_block_stop`` (04_partial), carries the same. A message may have no
deltas at all, and a stream that breaks leaves deltas that never become whole (18_midstream_cut): a reader drops them
when the next message of the thread begins, or the turn completes. Subagents have no deltas.
"""

from __future__ import annotations

from bascule.events import MessageChunk, Reasoning
from bascule.wire.blocks import RedactedThinking, Text, Thinking
from bascule.wire.messages import Assistant
from bascule.wire.stream import BlockDelta, Event, MessageStart, TextDelta, ThinkingDelta


class Partials:
    """What streams now, and how many blocks of each message came whole."""

    def __init__(self) -> None:
        self._message: str | None = None
        self._whole: dict[str, int] = {}
        self._nested: dict[str, int] = {}
        self.shown = False
        """Whether a whole text of the main thread was told since ``turn_began``."""

    def turn_began(self) -> None:
        """A new turn has shown nothing yet. A subagent's message may go on in it (15_bg_agent)."""
        self.shown = False
        self._whole.clear()

    def streamed(self, event: Event | None, message_id: str | None) -> MessageChunk | Reasoning | None:
        """A stream event of the main thread."""
        match event:
            case BlockDelta(index=index, delta=TextDelta(text=text)) if text:
                return MessageChunk(item=f"{message_id or self._message}:{index}", text=text, partial=True)
            case BlockDelta(index=index, delta=ThinkingDelta(thinking=text)) if text:
                return Reasoning(item=f"{message_id or self._message}:{index}", reasoning_text=text, partial=True)
            case MessageStart(message=message):
                self._message = message.id
        return None

    def whole(self, message: Assistant) -> list[MessageChunk | Reasoning]:
        """The texts of an assistant line, which holds one block or more of its message."""
        parent = message.parent_tool_use_id
        key = message.message.id or message.uuid or ""
        content = message.message.content
        blocks = (Text(text=content),) if isinstance(content, str) else content
        told: list[MessageChunk | Reasoning] = []
        whole = self._whole if parent is None else self._nested
        for block in blocks:
            index = whole.get(key, 0)
            whole[key] = index + 1
            item = f"{key}:{index}"
            match block:
                case Text(text=text) if text:
                    told.append(MessageChunk(item=item, text=text, parent_tool_call_id=parent))
                    self.shown = self.shown or parent is None
                case Thinking(thinking=text) if text:
                    told.append(Reasoning(item=item, reasoning_text=text, parent_tool_call_id=parent))
                case RedactedThinking():
                    told.append(Reasoning(item=item, reasoning_text="[redacted]", parent_tool_call_id=parent))
        return told
