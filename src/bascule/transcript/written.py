"""What we said: the ``in`` lines and the notes of a recording, read into the story.

A recording of others has no notes, and many hold deliberate nonsense: what the CLI would not take makes no event.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from bascule import recording
from bascule.events import (
    Attachment,
    Error,
    GrantEnded,
    GrantGiven,
    Notice,
    PolicyDecided,
    PromptAccepted,
)
from bascule.ids import PromptId
from bascule.recording import Asked, Decided, Expired, Judged, Prompted
from bascule.transcript.calls import Move
from bascule.transcript.story import Story
from bascule.wire.blocks import Block, Document, Image, Text
from bascule.wire.control import ControlRequest, ControlResponse, Failed, Succeeded
from bascule.wire.fitting import Misfit, fit
from bascule.wire.hook_outputs import HookOutput, PreToolUseOutput
from bascule.wire.initialize import Initialize
from bascule.wire.messages import User
from bascule.wire.permissions import Allow, Deny, decision_of
from bascule.wire.prose import text_of
from bascule.wire.requests import CancelAsyncMessage, Interrupt, SetModel, SetPermissionMode
from bascule.wire.shape import Message

_LINES_NAMED: Final = 20
"""Damaged lines of an imported file that are told one by one."""


class Written:
    """Reads our side."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._note: recording.Note | None = None
        self._accepted: set[PromptId] = set()

    def note(self, line: str) -> None:
        """A note of ours; most tell of the ``in`` line that follows. The free text of others says nothing."""
        note = recording.note_of(line)
        self._note = note
        story = self._story
        match note:
            case recording.Began():
                story.numbering.begin(note.session, note.at)
                story.ask_timeout_s = note.ask_timeout_s
                story.standing.asked_for(mode=note.mode, cwd=note.cwd)
            case Prompted(disposition="queued"):
                self._accept(note.prompt_id, note.text, (), note)
            case Judged(verdict="allow" | "deny" as verdict):
                if verdict == "deny":
                    story.calls.move(note.tool_call_id, Move.DENIED)
                story.say(
                    PolicyDecided(tool_call_id=note.tool_call_id, verdict=verdict, rule=note.rule, reason=note.reason)
                )
            case recording.Granted() | recording.GrantOver():
                self._granted(note)
            case recording.Noticed():
                story.say(Notice(level=note.level, text=note.text))
            case recording.Imported():
                story.say_all([*_imported(note)])
            case recording.Failed():
                story.say(Error(kind=note.kind, message=note.message, hint=note.hint, detail=note.detail))
            case recording.Slept() | recording.Ending():
                story.farewell = note

    def _granted(self, note: recording.Granted | recording.GrantOver) -> None:
        if isinstance(note, recording.GrantOver):
            self._story.say(GrantEnded(grant_id=note.grant_id, cause=note.cause, by=note.by, covered=note.covered))
            return
        self._story.say(
            GrantGiven(
                grant_id=note.grant_id,
                rules=note.rules,
                scope=note.scope,
                cause=note.cause,
                edits=note.edits,
                by=note.by,
                surface=note.surface,
                until=note.until,
            )
        )

    def line(self, message: Message) -> None:
        """A line that went to the CLI."""
        note, self._note = self._note, None
        match message:
            case User(message=body) if body.role == "user":
                self._prompt(message, note if isinstance(note, Prompted) else None)
            case ControlRequest(request_id=request_id, request=request):
                self._request(request_id, request, note.by if isinstance(note, Asked) else None)
            case ControlResponse(response=response):
                self._answer(response, note if isinstance(note, Decided | Expired | Judged) else None)

    def _prompt(self, message: User, note: Prompted | None) -> None:
        story = self._story
        prompt_id = PromptId(message.uuid or f"line-{story.line}")
        waits = story.turns.running
        later = message.priority == "later"
        content = message.message.content
        blocks: tuple[Block, ...] = (Text(text=content),) if isinstance(content, str) else content
        text = text_of(blocks)
        command = text.startswith("/")
        known = story.turns.prompts.state(prompt_id) is not None
        began = story.turns.prompted(
            prompt_id,
            line=story.line,
            named=message.uuid is not None,
            priority=message.priority or "next",
            command=command,
        )
        if known:
            story.say(Notice(level="warning", text=f"the CLI ignores a prompt whose id was used before: {prompt_id}"))
            return
        if message.should_query is not False and not command:
            story.questions.add(prompt_id)
        said = note or Prompted(
            prompt_id=prompt_id, disposition="sent" if not waits else "queued" if later else "steered"
        )
        self._accept(prompt_id, text, blocks, said)
        story.begin(began)

    def _accept(self, prompt_id: PromptId, text: str, blocks: tuple[Block, ...], note: Prompted) -> None:
        """A prompt is told once, when it is queued or when it is written."""
        if prompt_id in self._accepted:
            return
        self._accepted.add(prompt_id)
        self._story.say(
            PromptAccepted(
                prompt_id=prompt_id,
                text=note.text or text,
                attachments=_attachments(note, blocks),
                by=note.by,
                surface=note.surface,
                disposition=note.disposition,
            )
        )

    def _request(self, request_id: str, request: Any, by: str | None) -> None:
        match request:
            case Initialize() | SetModel() | SetPermissionMode() | CancelAsyncMessage():
                self._story.requests[request_id] = (request, by)
            case Interrupt():
                self._story.requests[request_id] = (request, by)
                self._story.turns.interrupt()

    def _answer(self, response: Succeeded | Failed, note: Decided | Expired | Judged | None) -> None:
        story = self._story
        answer = response.response if isinstance(response, Succeeded) else None
        if response.request_id in story.hooks:
            self._hook_answer(story.hooks.pop(response.request_id), answer)
            return
        ask = story.asks.open.get(response.request_id)  # type: ignore[call-overload]
        story.say(story.asks.answered(response.request_id, answer, t=story.t, note=note))
        if ask is None:
            return
        if ask.request.ask == "plan":
            story.outline.decided(note)
        decision = decision_of(answer)
        denied = not isinstance(answer, dict) or decision is None or isinstance(decision, Deny)
        story.calls.move(ask.request.tool_call_id, Move.DENIED if denied else Move.ALLOWED)
        if isinstance(decision, Allow) and decision.updated_input not in ({}, ask.request.input):
            story.calls.edited(ask.request.tool_call_id, decision.updated_input)
        story.stopping = story.stopping or (isinstance(decision, Deny) and decision.interrupt)

    def _hook_answer(self, call_id: str | None, answer: Any) -> None:
        output = _hook_output(answer)
        specific = output.specific if isinstance(output.specific, PreToolUseOutput) else PreToolUseOutput()
        if specific.permission_decision == "deny" or output.decision == "block":
            self._story.calls.move(call_id, Move.DENIED)
        elif specific.updated_input is not None:
            self._story.calls.edited(call_id, specific.updated_input)


def _imported(note: recording.Imported) -> Iterator[Notice]:
    yield Notice(level="info", text=f"what stands above was said elsewhere, and is told from {note.path}")
    if note.damaged:
        lines = ", ".join(map(str, note.damaged[:_LINES_NAMED]))
        more = f" and {len(note.damaged) - _LINES_NAMED} more" if len(note.damaged) > _LINES_NAMED else ""
        told = f"that file is damaged, and the CLI passes over what it cannot read: line {lines}{more}"
        yield Notice(level="warning", text=told)


def _attachments(note: Prompted, blocks: tuple[Block, ...]) -> tuple[Attachment, ...]:
    """As noted, else as the prompt's own blocks tell."""
    if note.attachments:
        try:
            return msgspec.convert(note.attachments, tuple[Attachment, ...])
        except msgspec.ValidationError:
            return ()
    inline = [b for b in blocks if isinstance(b, Image | Document)]
    return tuple(_attachment(number, block) for number, block in enumerate(inline, 1))


def _attachment(number: int, block: Image | Document) -> Attachment:
    kind = "image" if isinstance(block, Image) else "document"
    try:
        data = base64.b64decode(block.source.data or "", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    digest = hashlib.sha256(data).hexdigest()
    return Attachment(
        id=digest[:12],
        name=f"{kind}-{number}",
        media_type=block.source.media_type or block.source.type,
        bytes=len(data),
        sha256=digest,
        sent_as="block",
    )


def _hook_output(answer: Any) -> HookOutput:
    """A callback's answer; an empty one where the CLI cannot read it, and lets the tool run (07_hook_*)."""
    try:
        return fit(answer or {}, HookOutput)
    except Misfit:
        return HookOutput()
