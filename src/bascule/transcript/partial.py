"""Streamed deltas and the whole blocks that replace them, told as one text per block.

An item is one block of one API message: ``<message id>:<block number>``. Deltas carry its id while it streams, and
the whole block, which comes before its ``content_block_stop`` (04_partial), carries the same. A message may have no
deltas at all, and a stream that breaks leaves deltas that never become whole (18_midstream_cut): a reader drops them
when the next message of the thread begins, or the turn completes. Subagents have no deltas.
"""

from __future__ import annotations

from typing import Final

from bascule.events import MessageChunk, Reasoning
from bascule.wire.blocks import RedactedThinking, Text, Thinking
from bascule.wire.messages import Assistant
from bascule.wire.stream import BlockDelta, Delta, Event, MessageStart, TextDelta, ThinkingDelta

UNFINISHED: Final = 256
"""Messages of which more blocks may come; a turn can have any number, one after the other."""


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
            case BlockDelta():
                return _piece(event.delta, item=f"{message_id or self._message}:{event.index}")
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
            index = _counted(whole, key)
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


def _counted(whole: dict[str, int], key: str) -> int:
    """How many blocks of that message came before."""
    before = whole.get(key, 0)
    whole[key] = before + 1
    if len(whole) > UNFINISHED:
        del whole[next(iter(whole))]
    return before


def _piece(delta: Delta, *, item: str) -> MessageChunk | Reasoning | None:
    """What a delta adds to its block, for people to read."""
    match delta:
        case TextDelta() if delta.text:
            return MessageChunk(item=item, text=delta.text, partial=True)
        case ThinkingDelta() if delta.thinking:
            return Reasoning(item=item, reasoning_text=delta.thinking, partial=True)
    return None
