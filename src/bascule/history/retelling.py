"""A conversation of the CLI's told again as a recording of ours, which then is read as any other. Pure.

A session file holds what was said, and not what passed. No result ends a turn in it: one is made here, which tells how
the turn ended and neither costs nor times, since nobody knows them. A turn that ends without a word of the model was
stopped. Who decided about a call is told where the file does (2.1.332). Subagents have files of their own: of them the
call that started one is told, and its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from bascule import recording
from bascule.history.entries import AssistantEntry, AttachmentEntry, Entry, SystemEntry, UserEntry
from bascule.history.items import AnyItem, Compacted, Prompt, Remark, items_of, when
from bascule.history.nodes import blocks
from bascule.recording import Began, Exit, Imported, Note, Noticed, Slept
from bascule.wire.blocks import Block, Text, ToolResult, ToolUse
from bascule.wire.codec import encode
from bascule.wire.fitting import fit
from bascule.wire.messages import (
    Assistant,
    PermissionDecision,
    ToolResultMeta,
    User,
    UserBody,
    user_prompt,
)
from bascule.wire.result import Result
from bascule.wire.shape import Message
from bascule.wire.system import CompactBoundary, CompactMetadata

_TASK: Final = "a background task has ended"


def retold(entries: Iterable[Entry], began: Began, imported: Imported, *, now: int) -> Iterator[recording.Entry]:
    """The recording of a session that said ``entries``, in order, and sleeps since.

    ``began`` tells whose it is and when it began, ``imported`` where it comes from. ``now``, in UTC ms, is when it is
    told: nothing in it is later. What ``entries`` raises is passed on.
    """
    telling = _Telling(began, now)
    yield telling.note(began)
    for entry in entries:
        yield from telling.entry(entry)
    yield from telling.end(imported)


class _Turn(msgspec.Struct):
    """The turn that is being told."""

    prompts: tuple[str, ...] = ()
    heard: bool = False
    """Something was said or done in it."""
    text: str | None = None
    """What the model said last, if nothing came behind it."""
    over: bool = False
    """If nothing more comes, it ended well."""
    failed: bool = False
    """The last that was said is an error of the API."""


class _Telling:
    def __init__(self, began: Began, now: int) -> None:
        self._began_at = began.at
        self._end = max(0.0, (now - began.at) / 1000)
        self._t = 0.0
        self._turn: _Turn | None = None

    def note(self, value: Note) -> recording.Entry:
        return self._recorded("note", recording.note(value))

    def entry(self, entry: Entry) -> Iterator[recording.Entry]:
        at = when(entry)
        if at is not None:
            self._t = max(self._t, min(self._end, (at - self._began_at) / 1000))
        match entry:
            case AssistantEntry():
                yield self._reply(entry)
            case UserEntry() if results := _results(entry):
                yield self._ended_calls(entry, results)
        for item in items_of(entry, lambda _: None):
            yield from self._item(entry, item)

    def end(self, imported: Imported) -> Iterator[recording.Entry]:
        yield from self._turn_ended()
        idle_s = round(self._end - self._t, 3)
        self._t = self._end
        yield self.note(imported)
        yield self.note(Slept(idle_s=idle_s))
        yield self._recorded("exit", msgspec.json.encode(Exit(code=0)).decode())

    def _recorded(self, direction: recording.Dir, line: str) -> recording.Entry:
        return recording.Entry(round(self._t, recording.DIGITS), direction, line)

    def _passed(self, direction: recording.Dir, message: Message) -> recording.Entry:
        return self._recorded(direction, encode(message).decode().removesuffix("\n"))

    def _running(self) -> _Turn:
        """The turn that something was said in; one begins if there is none."""
        self._turn = self._turn or _Turn()
        self._turn.heard = True
        return self._turn

    def _reply(self, entry: AssistantEntry) -> recording.Entry:
        turn = self._running()
        for block in _spoken(entry):
            match block:
                case Text(text=text):
                    turn.text, turn.over = text, True
                case ToolUse():
                    turn.text, turn.over = None, False
        turn.failed = entry.is_api_error_message or entry.error is not None
        error = (entry.error or "unknown") if turn.failed else None
        return self._passed("out", Assistant(message=entry.message, uuid=entry.uuid, error=error))

    def _ended_calls(self, entry: UserEntry, results: tuple[ToolResult, ...]) -> recording.Entry:
        turn = self._running()
        turn.text, turn.over = None, False
        decided = entry.permission_decision
        decision = None if decided is None else PermissionDecision(decision=decided.decision, source=decided.source)
        told = User(
            message=UserBody(role="user", content=results),
            uuid=entry.uuid,
            tool_use_result=entry.tool_use_result,
            tool_result_meta=tuple(ToolResultMeta(id=one.tool_use_id, permission_decision=decision) for one in results),
        )
        return self._passed("out", told)

    def _item(self, entry: Entry, item: AnyItem) -> Iterator[recording.Entry]:
        match item:
            case Prompt():
                yield from self._prompt(item.uuid, _said(entry), steered=isinstance(entry, AttachmentEntry))
            case Compacted():
                about = CompactMetadata(trigger=item.trigger, pre_tokens=item.pre_tokens, post_tokens=item.post_tokens)
                yield self._passed("out", CompactBoundary(compact_metadata=about, uuid=item.uuid))
            case Remark():
                yield from self._remark(entry, item)

    def _prompt(
        self, uuid: str, content: str | tuple[Block, ...], *, steered: bool = False
    ) -> Iterator[recording.Entry]:
        """One that comes before anything was heard of the turn is of the same turn: the CLI merges them."""
        if self._turn is not None and self._turn.heard and not steered:
            yield from self._turn_ended()
        turn = self._turn = self._turn or _Turn()
        turn.prompts = (*turn.prompts, uuid)
        turn.text, turn.over = None, False
        yield self._passed("in", user_prompt(content, uuid=uuid))

    def _remark(self, entry: Entry, remark: Remark) -> Iterator[recording.Entry]:
        match remark.kind:
            case "command":
                yield from self._prompt(remark.uuid, remark.text)
                self._running().over = True
            case "output":
                self._running().over = True
                text = entry.content if isinstance(entry, SystemEntry) else _said(entry)
                yield self._passed("out", User(message=UserBody(role="user", content=text), is_replay=True))
            case "interrupted":
                if self._turn is not None:
                    self._turn.over = False
                yield from self._turn_ended()
            case "task":
                if self._turn is not None and self._turn.over:
                    yield from self._turn_ended()
                yield self.note(Noticed(level="info", text=_TASK))
            case "notice":
                yield self.note(Noticed(level="info", text=remark.text))

    def _turn_ended(self) -> Iterator[recording.Entry]:
        turn, self._turn = self._turn, None
        if turn is not None:
            yield self._passed("out", _result(turn))


def _result(turn: _Turn) -> Result:
    if not turn.over:
        return Result(
            subtype="error_during_execution",
            is_error=True,
            terminal_reason="aborted_streaming",
            user_message_uuids=turn.prompts,
        )
    return Result(subtype="success", is_error=turn.failed, result=turn.text, user_message_uuids=turn.prompts)


def _results(entry: UserEntry) -> tuple[ToolResult, ...]:
    return tuple(block for block in blocks(entry.message.content) if isinstance(block, ToolResult))


def _spoken(entry: AssistantEntry) -> tuple[Block, ...]:
    content = entry.message.content
    return (Text(text=content),) if isinstance(content, str) else content


def _said(entry: Entry) -> Any:
    """What a person said in it, without what tools gave."""
    if isinstance(entry, AttachmentEntry):
        return fit({"content": entry.attachment["prompt"]}, UserBody).content
    assert isinstance(entry, UserEntry)
    content = entry.message.content
    return content if isinstance(content, str) else tuple(b for b in content if not isinstance(b, ToolResult))
