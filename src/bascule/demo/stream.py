"""One reply in the words of the Messages API: as an event stream, or as one body.

Everything here is computed; who plays it (`model`) does the waiting and the writing. The order of events is the
API's: `message_start`, `ping`, then for each block `content_block_start`, deltas, `content_block_stop`, and at the
end `message_delta` with the stop reason and the final usage, then `message_stop`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from bascule.demo.asked import Asked
from bascule.demo.script import Block, Call, Cut, Drop, Fail, Headers, Pause, Reply, Say, Stop, Think, Usage, Wait

CHARACTERS_PER_TOKEN: Final = 4
"""The rule of thumb behind every estimated count."""

Written: TypeAlias = Say | Think | Call
"""Content that streams in deltas."""
Content: TypeAlias = Written | Block
Act: TypeAlias = Content | Wait | Pause | Cut | Drop | Fail
Frame: TypeAlias = bytes | Wait | Pause | Cut
"""Bytes to send, or what happens between them; nothing follows a `Cut`."""


class Sheet(msgspec.Struct, frozen=True):
    """A reply taken apart: what holds for the whole response, and what happens in it, in order."""

    headers: Mapping[str, str]
    usage: Usage
    stop_reason: str
    opening: tuple[Wait | Pause, ...]
    """What is waited for before the first byte."""
    acts: tuple[Act, ...]

    @property
    def failure(self) -> Fail | Drop | None:
        """The error that is the whole answer."""
        first = self.acts[0] if self.acts else None
        return first if isinstance(first, Fail | Drop) else None


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What a message has beside its content. `usage` lacks no count; `chunk` and `delay_s` are the script's pace."""

    message_id: str
    model: str
    usage: Usage
    chunk: int
    delay_s: float


def sheet(reply: Reply) -> Sheet:
    """The reply taken apart. Where the script gives no stop reason it is `tool_use` or `end_turn`."""
    headers: dict[str, str] = {}
    usage = Usage()
    stop_reason = "tool_use" if any(isinstance(part, Call) for part in reply.parts) else "end_turn"
    acts: list[Act] = []
    for part in reply.parts:
        match part:
            case Headers(values=values):
                headers.update(values)
            case Usage():
                usage = part
            case Stop(reason=reason):
                stop_reason = reason
            case _:
                acts.append(part)
    opening = _opening(acts)
    return Sheet(headers, usage, stop_reason, opening, tuple(acts[len(opening) :]))


def _opening(acts: Sequence[Act]) -> tuple[Wait | Pause, ...]:
    waits: list[Wait | Pause] = []
    for act in acts:
        if not isinstance(act, Wait | Pause):
            break
        waits.append(act)
    return tuple(waits)


def frames(sheet: Sheet, envelope: Envelope) -> Iterator[Frame]:
    """The response as a stream. `sheet.opening` and `sheet.failure` come before it and are not in it."""
    yield event("message_start", message=_message(envelope, [], None, {**_counts(envelope.usage), "output_tokens": 1}))
    yield event("ping")
    index = 0
    for act, coming in zip(sheet.acts, (*sheet.acts[1:], None), strict=False):
        match act:
            case Wait() | Pause():
                yield act
            case Cut() | Drop():
                yield Cut()
                return
            case Fail(message=message):
                yield event("error", error={"type": act.kind, "message": message})
                return
            case _:
                yield from _block(act, index, envelope)
                if coming != Cut("inside"):
                    yield event("content_block_stop", index=index)
                index += 1
    ending = {"stop_reason": sheet.stop_reason, "stop_sequence": None}
    yield event("message_delta", delta=ending, usage=_counts(envelope.usage))
    yield event("message_stop")


def whole(sheet: Sheet, envelope: Envelope) -> dict[str, Any]:
    """The response as one body; what happens between the blocks is the caller's business."""
    contents = [_content(act, envelope, index) for index, act in enumerate(written(sheet))]
    return _message(envelope, contents, sheet.stop_reason, _counts(envelope.usage))


def written(sheet: Sheet) -> tuple[Content, ...]:
    """The content blocks, in order."""
    return tuple(act for act in sheet.acts if isinstance(act, Content))


def counted(sheet: Sheet, asked: Asked) -> Usage:
    """The token counts of a message, estimated where the script gives none.

    What the conversation held before counts as read from the cache, its newest message as input. Raises what
    `json` raises for content that is no JSON.
    """
    given = sheet.usage
    newest = tokens(asked.messages[-1]) if asked.messages else 1
    output = tokens([_plain(act) for act in written(sheet)])
    return Usage(
        input=newest if given.input is None else given.input,
        output=output if given.output is None else given.output,
        cache_read=max(tokens(asked.body) - newest, 0) if given.cache_read is None else given.cache_read,
        cache_creation=given.cache_creation or 0,
    )


def tokens(value: object) -> int:
    """A rough count for anything that is JSON; at least one."""
    return max(1, len(json.dumps(value)) // CHARACTERS_PER_TOKEN)


def event(kind: str, **fields: Any) -> bytes:
    """One server-sent event; its data repeats the kind as `type`, as the API does."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def error_body(kind: str, message: str, request_id: str) -> dict[str, Any]:
    """An error in the API's form."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def _message(envelope: Envelope, content: list[Any], stop_reason: str | None, usage: dict[str, int]) -> dict[str, Any]:
    return {
        "id": envelope.message_id,
        "type": "message",
        "role": "assistant",
        "model": envelope.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _counts(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input or 0,
        "cache_creation_input_tokens": usage.cache_creation or 0,
        "cache_read_input_tokens": usage.cache_read or 0,
        "output_tokens": usage.output or 0,
    }


def _block(act: Content, index: int, envelope: Envelope) -> Iterator[Frame]:
    """A block from its start up to its last delta."""
    match act:
        case Block(content={"input": given, **others}):
            # The API streams every tool's input, a server tool's too; the CLI reads it nowhere else.
            yield event("content_block_start", index=index, content_block={**others, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
            yield event("content_block_delta", index=index, delta=delta)
        case Block(content=content):
            yield event("content_block_start", index=index, content_block=content)
        case _:
            yield event("content_block_start", index=index, content_block=_empty(act, envelope, index))
            for delta in _deltas(act, act.chunk or envelope.chunk):
                yield event("content_block_delta", index=index, delta=delta)
                if delay_s := envelope.delay_s if act.delay_s is None else act.delay_s:
                    yield Pause(delay_s)


def _empty(act: Written, envelope: Envelope, index: int) -> dict[str, Any]:
    match act:
        case Say():
            return {"type": "text", "text": ""}
        case Think():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case Call():
            return {**_content(act, envelope, index), "input": {}}


def _deltas(act: Written, chunk: int) -> Iterator[dict[str, str]]:
    match act:
        case Say(text=text):
            yield from ({"type": "text_delta", "text": piece} for piece in _pieces(text, chunk))
        case Think(text=text, signature=signature):
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in _pieces(text, chunk))
            yield {"type": "signature_delta", "signature": signature}
        case Call(input=given, raw=raw):
            text = json.dumps(given) if raw is None else raw
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in _pieces(text, chunk))


def _pieces(text: str, chunk: int) -> Iterator[str]:
    return (text[start : start + chunk] for start in range(0, len(text), chunk))


def _content(act: Content, envelope: Envelope, index: int) -> dict[str, Any]:
    match act:
        case Call(tool=tool, id=id, input=given):
            id = id or f"toolu_{envelope.message_id.removeprefix('msg_')}_{index}"
            return {"type": "tool_use", "id": id, "name": tool, "input": dict(given)}
        case _:
            return _plain(act)


def _plain(act: Content) -> dict[str, Any]:
    match act:
        case Say(text=text):
            return {"type": "text", "text": text}
        case Think(text=text, signature=signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Call(tool=tool, input=given):
            return {"type": "tool_use", "name": tool, "input": dict(given)}
        case Block(content=content):
            return dict(content)
