"""A conversation as a reader wants it: who said what, which tools were called and how that ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import msgspec

from bascule.history.entries import AssistantEntry, AttachmentEntry, Entry, SystemEntry, UserEntry
from bascule.history.nodes import blocks
from bascule.payload import Payload
from bascule.tools.describe import describe, finish
from bascule.tools.titles import title
from bascule.wire.blocks import Block, Document, Image, Text, Thinking, ToolResult, ToolUse
from bascule.wire.fitting import fit
from bascule.wire.messages import UserBody
from bascule.wire.prose import INTERRUPTED, NOTIFICATION, command, printed, text_of


class Item(msgspec.Struct, frozen=True, kw_only=True, tag_field="item"):
    """What one entry tells, or a part of it."""

    uuid: str
    """The entry's: ``resume_at`` and ``fork`` take it."""
    at: int | None = None
    """UTC, in milliseconds."""


class Prompt(Item, frozen=True, tag="prompt"):
    """What the person said, or the program in a person's place."""

    text: str
    attachments: int = 0
    """Images and documents beside the text."""


class Reply(Item, frozen=True, tag="reply"):
    """A text of the model."""

    text: str


class Thought(Item, frozen=True, tag="thought"):
    """What the model thought, as far as it is told."""

    text: str


class Called(Item, frozen=True, tag="called"):
    """A tool call and its end."""

    id: str
    name: str
    title: str
    """One line for people."""
    payload: Payload
    status: Literal["complete", "error", "denied", "open"]
    """``denied`` is told by CLI 2.1.332 alone; with 2.1.197 it is an ``error``. ``open``: no result is in the file."""


class Compacted(Item, frozen=True, tag="compacted"):
    """From here on the model knows what came before by a summary alone; the next remark is that summary."""

    trigger: str | None = None
    """``manual``, ``auto``."""
    pre_tokens: int | None = None
    post_tokens: int | None = None


class Remark(Item, frozen=True, tag="remark"):
    """What the CLI itself put into the conversation."""

    kind: Literal["command", "output", "error", "interrupted", "task", "summary", "notice"]
    text: str


AnyItem: TypeAlias = Prompt | Reply | Thought | Called | Compacted | Remark

Results: TypeAlias = Callable[[str], tuple[UserEntry, ToolResult] | None]
"""The result of the call with this id, and the entry that it stands in."""


def items_of(entry: Entry, results: Results) -> Iterator[AnyItem]:
    """What an entry tells; results are told with their calls, and what the CLI hides is left out."""
    match entry:
        case UserEntry(is_meta=False):
            yield from _user(entry)
        case AssistantEntry():
            yield from _assistant(entry, results)
        case SystemEntry(is_meta=False):
            yield from _system(entry)
        case AttachmentEntry(attachment={"type": "queued_command", "prompt": prompt}):
            yield from _said(entry, fit({"content": prompt}, UserBody).content)


def when(entry: Entry) -> int | None:
    """The entry's time in UTC milliseconds; null when it has none that can be read."""
    try:
        at = datetime.fromisoformat(entry.timestamp or "")
    except ValueError:
        return None
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def prompt_of(entry: Entry) -> str | None:
    """What a person says in this entry; null when nobody does."""
    told = list(items_of(entry, lambda _: None))
    return next((item.text for item in told if isinstance(item, Prompt)), None)


def _user(entry: UserEntry) -> Iterator[AnyItem]:
    if entry.is_compact_summary:
        yield _remark(entry, "summary", text_of(entry.message.content))
    else:
        yield from _said(entry, entry.message.content)


def _said(entry: Entry, content: str | tuple[Block, ...]) -> Iterator[AnyItem]:
    attachments = sum(isinstance(block, Image | Document) for block in blocks(content))
    text = text_of(content)
    if text or attachments:
        yield from _told(entry, text, attachments)


def _told(entry: Entry, text: str, attachments: int) -> Iterator[AnyItem]:
    """A text in the user's place, which may be the CLI's."""
    task = isinstance(entry, UserEntry) and entry.origin is not None and entry.origin.kind == "task-notification"
    if task or text.startswith(NOTIFICATION):
        yield _remark(entry, "task", text)
    elif text.startswith(INTERRUPTED):
        yield _remark(entry, "interrupted", text)
    elif words := command(text):
        yield _remark(entry, "command", words)
    elif text.startswith("<local-command-"):
        yield from _output(entry, text)
    else:
        yield Prompt(**_common(entry), text=text, attachments=attachments)


def _output(entry: Entry, text: str) -> Iterator[AnyItem]:
    if words := printed(text):
        yield _remark(entry, "output", words)


def _assistant(entry: AssistantEntry, results: Results) -> Iterator[AnyItem]:
    for block in _spoken(entry):
        match block:
            case Text(text=text) if entry.is_api_error_message:
                yield _remark(entry, "error", text)
            case Text(text=text):
                yield Reply(**_common(entry), text=text)
            case Thinking(thinking=text):
                yield Thought(**_common(entry), text=text)
            case ToolUse():
                yield _called(entry, block, results(block.id))


def _spoken(entry: AssistantEntry) -> tuple[Any, ...]:
    content = entry.message.content
    return (Text(text=content),) if isinstance(content, str) else content


def _called(entry: AssistantEntry, call: ToolUse, found: tuple[UserEntry, ToolResult] | None) -> Called:
    payload = describe(call.name, call.input)
    status: Literal["complete", "error", "denied", "open"] = "open"
    if found is not None:
        answer, result = found
        failed = bool(result.is_error)
        given = answer.tool_use_result
        payload = finish(payload, call.name, call.input, content=result.content, result=given, is_error=failed)
        status = "denied" if answer.is_denial else "error" if failed else "complete"
    words = title(call.name, call.input, entry.cwd)
    return Called(**_common(entry), id=call.id, name=call.name, title=words, payload=payload, status=status)


def _system(entry: SystemEntry) -> Iterator[AnyItem]:
    match entry:
        case SystemEntry(subtype="compact_boundary"):
            about = entry.compact_metadata
            if about is None:
                yield Compacted(**_common(entry))
            else:
                yield Compacted(
                    **_common(entry),
                    trigger=about.trigger,
                    pre_tokens=about.pre_tokens,
                    post_tokens=about.post_tokens,
                )
        case SystemEntry(subtype="local_command", content=str(text)) if text.startswith("/"):
            yield _remark(entry, "command", text)
        case SystemEntry(subtype="local_command", content=str(text)):
            yield from _output(entry, text)
        case SystemEntry(content=str(text)) if text:
            yield _remark(entry, "notice", text)


def _remark(
    entry: Entry,
    kind: Literal["command", "output", "error", "interrupted", "task", "summary", "notice"],
    text: str,
) -> Remark:
    return Remark(**_common(entry), kind=kind, text=text)


def _common(entry: Entry) -> dict[str, Any]:
    return {"uuid": entry.uuid or "", "at": when(entry)}
