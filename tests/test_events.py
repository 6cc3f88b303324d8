"""Events, commands and receipts: their JSON, and which events pass."""

import msgspec
import pytest

from bascule import commands, events
from bascule.commands import AllowOnce, Command, Decide, End, Interrupt, Prompt, SetMode, SetModel
from bascule.events import AnyEvent, Event, MessageChunk, Reasoning, Retrying, TaskProgress, ToolUpdate
from bascule.ids import CommandId, PendingId, PromptId
from bascule.payload import Generic

ID = CommandId("c1")


def test_an_event_tells_its_type_and_leaves_no_field_out() -> None:
    event = MessageChunk(item="m:0", text="hi")
    assert msgspec.json.decode(events.to_json(event)) == {
        "type": "message_chunk",
        "session": "",
        "seq": None,
        "after": None,
        "at": 0,
        "turn": 0,
        "line": 0,
        "item": "m:0",
        "text": "hi",
        "partial": False,
        "parent_tool_call_id": None,
    }


def test_an_event_survives_writing_and_reading() -> None:
    attachment = events.Attachment(id="a", name="x.png", media_type="image/png", bytes=3, sha256="0", sent_as="block")
    event = events.PromptAccepted(prompt_id=PromptId("p"), text="look", attachments=(attachment,))
    assert b'"as":"block"' in events.to_json(event)
    assert events.from_json(events.to_json(event)) == event


def test_many_events_survive_writing_and_reading_at_once() -> None:
    kept = [events.Notice(level="info", text=text, seq=seq) for seq, text in enumerate("a\nb", 1)]
    assert events.to_json_lines(kept).count(b"\n") == 3
    assert events.from_json_lines(events.to_json_lines(kept)) == kept


def test_every_event_is_in_the_union() -> None:
    members = {kind.__name__ for kind in AnyEvent.__args__}
    assert members == {kind.__name__ for kind in Event.__subclasses__()}


@pytest.mark.parametrize(
    ("event", "passing"),
    [
        (MessageChunk(item="i", text="t", partial=True), True),
        (MessageChunk(item="i", text="t"), False),
        (Reasoning(item="i", reasoning_text="t", partial=True), True),
        (ToolUpdate(tool_call_id="c", tool_status="running", normalized=Generic(name="n")), True),
        (ToolUpdate(tool_call_id="c", tool_status="complete", normalized=Generic(name="n")), False),
        (Retrying(attempt=1, max_retries=10, delay_ms=500, error="overloaded"), False),
        (Retrying(attempt=2, max_retries=10, delay_ms=500, error="overloaded"), True),
        (TaskProgress(task_id="t", kind="local_agent", title="x"), True),
        (events.Notice(level="info", text="x"), False),
    ],
)
def test_deltas_and_progress_pass(event: Event, passing: bool) -> None:
    assert events.is_passing(event) is passing


@pytest.mark.parametrize(
    "command",
    [
        Prompt(command_id=ID, text="hi", attachments=(commands.AttachmentData(name="a.png", data=b"\x89PNG"),)),
        Interrupt(command_id=ID, drop_queued=True),
        Decide(command_id=ID, pending_id=PendingId("r"), decision=AllowOnce(input={"command": "ls"})),
        SetMode(command_id=ID, mode="plan"),
        SetModel(command_id=ID),
        End(command_id=ID, by="Anna", surface="web"),
    ],
)
def test_a_command_survives_writing_and_reading(command: Command) -> None:
    assert commands.from_json(commands.to_json(command)) == command


def test_an_unknown_decision_is_refused_and_not_taken_for_an_allow() -> None:
    with pytest.raises(msgspec.ValidationError, match="verb"):
        commands.from_json('{"type":"decide","command_id":"1","pending_id":"r","decision":{"verb":"allow"}}')
