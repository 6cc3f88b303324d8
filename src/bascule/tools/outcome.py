"""How a call ended: what the model was told and what the CLI adds for programs."""

from __future__ import annotations

from typing import Any

import msgspec

from bascule.tools.fields import Fields


class Outcome(msgspec.Struct, frozen=True):
    """A tool result and the ``tool_use_result`` beside it."""

    content: Any
    """Of the tool_result block: a text, or a list of blocks; any other JSON is borne (L2)."""
    result: Any
    """Structured: an object, for MCP tools a list; a text when the call failed; null in subagents (15_env_nobg)."""
    is_error: bool

    @property
    def fields(self) -> Fields:
        return Fields(self.result)

    @property
    def text(self) -> str:
        """What the model was told, with a word in brackets for what is no text."""
        return content_text(self.content)

    @property
    def error(self) -> str | None:
        """Why it failed, as the model was told, without the tags that it gets around it; null when it did not."""
        if not self.is_error:
            return None
        return untagged(self.text) or (self.result if isinstance(self.result, str) else "")


def untagged(text: str) -> str:
    """``text`` without the ``<tool_use_error>`` around it (17_bad_tool)."""
    return text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def content_text(content: Any) -> str:
    """The text of content in any shape: blocks one below the other, media named in brackets."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(map(_block_text, content))
        case dict():
            return _block_text(content)
        case _:
            return ""


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    fields = Fields(block)
    if "text" in fields:
        return fields.text("text")
    return f"[{fields.inner('source').text('media_type') or fields.text('type') or 'unknown content'}]"
