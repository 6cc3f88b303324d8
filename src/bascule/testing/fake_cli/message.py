"""One message of the model, from the stream of the API to the lines of stdout.

A block is said as a line of its own as soon as it is whole: before its ``content_block_stop``, with the usage that the
message began with, and without a stop reason (04_partial).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bascule.testing.fake_cli.inputs import UNPARSED
from bascule.testing.fake_cli.said import new_uuid, now
from bascule.testing.fake_cli.talk import Talk
from bascule.testing.fake_cli.usage import Count


class Message:
    """What came of one request so far."""

    def __init__(self, talk: Talk, prompts: Sequence[str], on_call: Callable[[dict[str, Any]], None]) -> None:
        self._talk = talk
        self._prompts = prompts
        self._on_call = on_call
        self._head: dict[str, Any] = {}
        self._open: dict[str, Any] | None = None
        self._open_index: int | None = None
        self._typed = ""
        self.blocks: list[dict[str, Any]] = []
        self.stop_reason: str | None = None
        self.count = Count()

    @property
    def text(self) -> str:
        """What a reader sees of it."""
        return "".join(block.get("text", "") for block in self.blocks if block.get("type") == "text")

    @property
    def model(self) -> str:
        """Who wrote it."""
        return str(self._head.get("model", ""))

    @property
    def begun(self) -> bool:
        """Something of it has come."""
        return bool(self._head)

    def take(self, event: Mapping[str, Any]) -> None:
        """The next event of the stream."""
        match event:
            case {"type": "message_start", "message": dict(head)}:
                self._head, self.count = head, Count.of(head.get("usage"))
            case {"type": "content_block_start", "content_block": dict(block)}:
                self._open, self._typed, self._open_index = dict(block), "", event.get("index")
            case {"type": "content_block_delta", "delta": dict(delta)} if self._open is not None:
                self._grow(self._open, delta)
            case {"type": "content_block_stop"} if self._open is not None:
                self._open_index = None
                self._close(self._open)
            case {"type": "message_delta", "delta": dict(delta)}:
                self.stop_reason, self.count = delta.get("stop_reason"), self.count.updated(event.get("usage"))
            case _:
                pass
        if event.get("type") != "ping":
            self._pass_on(event)

    def take_whole(self, message: Mapping[str, Any]) -> None:
        """An answer that did not stream: its lines carry the final usage and the stop reason (18_midstream_cut)."""
        self._head = {key: value for key, value in message.items() if key != "content"}
        self.stop_reason, self.count = message.get("stop_reason"), Count.of(message.get("usage"))
        for block in message.get("content", []):
            self._finish(dict(block), stop_reason=self.stop_reason)

    def abort(self) -> None:
        """The host cut the stream: text that stands there is said, any other block is not (10_stream_text_partial)."""
        block, self._open = self._open, None
        if block is not None and block.get("type") == "text" and block.get("text"):
            fields: dict[str, Any] = {"aborted": True} if self._talk.version.closes_streams else {}
            self._finish(block, **fields)

    def close(self, *, aborted: bool) -> None:
        """The events that end a cut stream in order; the older version lets it dangle."""
        if not self._talk.version.closes_streams or not self.begun:
            return
        if self._open_index is not None:
            self._pass_on({"type": "content_block_stop", "index": self._open_index})
        if aborted:
            self._pass_on({"type": "message_delta", "delta": {"stop_reason": None, "stop_sequence": None}, "usage": {}})
        dropped = {"api_message_id": self._head.get("id"), "from_block_index": len(self.blocks)}
        self._pass_on({"type": "message_stop"}, abandoned_blocks=dropped)

    def _grow(self, block: dict[str, Any], delta: Mapping[str, Any]) -> None:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                block["text"] = block.get("text", "") + text
            case {"type": "thinking_delta", "thinking": str(text)}:
                self._count_thinking(text)
                block["thinking"] = block.get("thinking", "") + text
            case {"type": "signature_delta", "signature": str(text)}:
                block["signature"] = block.get("signature", "") + text
            case {"type": "input_json_delta", "partial_json": str(text)}:
                self._typed += text

    def _count_thinking(self, text: str) -> None:
        tokens = max(1, len(text) // 4)
        line = self._talk.lines.system("thinking_tokens", estimated_tokens=tokens, estimated_tokens_delta=tokens)
        self._talk.say(line)

    def _close(self, block: dict[str, Any]) -> None:
        self._open = None
        if block.get("type") == "tool_use" and self._typed:
            block["input"] = _parsed(self._typed)
        self._finish(block)

    def _finish(self, block: dict[str, Any], *, stop_reason: str | None = None, **fields: Any) -> None:
        if block.get("type") == "tool_use":
            block["input"] = normalised(str(block.get("name")), block.get("input"))
        self.blocks.append(block)
        message = {**self._head, "content": [block], "stop_reason": stop_reason, "stop_sequence": None}
        line = self._talk.lines.assistant(message, self._take_prompts(), timestamp=now(), **fields)
        self._talk.say(line)
        self._talk.keep(line["uuid"], "assistant", [block], str(self._head.get("id")))
        if block.get("type") == "tool_use":
            self._on_call(block)

    def _take_prompts(self) -> Sequence[str]:
        """The first line of a turn names the prompts that it answers."""
        prompts, self._prompts = self._prompts, ()
        return prompts

    def _pass_on(self, event: Mapping[str, Any], **fields: Any) -> None:
        if self._talk.flags.include_partial_messages:
            self._talk.say(self._talk.lines.line("stream_event", event=event, parent_tool_use_id=None, **fields))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {UNPARSED: {"raw": text, "len": len(text.encode("utf-8", "surrogatepass"))}}


def normalised(tool: str, tool_input: Any) -> dict[str, Any]:
    """The input as the CLI shows it: with the defaults that it fills in (17_edit_write)."""
    given = tool_input if isinstance(tool_input, dict) else {}
    return {"replace_all": False, **given} if tool == "Edit" and UNPARSED not in given else given


def synthetic(words: str) -> dict[str, Any]:
    """A message that the CLI says in the model's place."""
    return {
        "id": new_uuid(),
        "model": "<synthetic>",
        "role": "assistant",
        "type": "message",
        "stop_reason": "stop_sequence",
        "stop_sequence": "",
        "content": [{"type": "text", "text": words}],
        "usage": Count().as_usage(),
    }
