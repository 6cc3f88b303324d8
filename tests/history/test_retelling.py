"""A conversation of the CLI's, told again, gives the events that it would have given."""

from collections.abc import Iterator
from typing import Any, TypeVar

import pytest

from bascule.events import (
    AnyEvent,
    Compaction,
    Complete,
    Event,
    MessageChunk,
    Notice,
    PromptAccepted,
    Reasoning,
    SessionAsleep,
    ToolCall,
    ToolUpdate,
    TurnStarted,
)
from bascule.history import Called, Compacted, Prompt, Remark, Reply, Thought, read
from bascule.history.entries import Entry, decode
from bascule.history.retelling import retold
from bascule.ids import CliSessionId, SessionId
from bascule.recording import Began, Imported, note_of
from bascule.recording import Entry as Recorded
from bascule.transcript import Fold
from tests.history.shelf import CWD, NAMES, VERSIONS, call, entry, jsonl, prompt, real, reply, result

E = TypeVar("E", bound=Event)

BEGAN_AT = 1_796_040_000_000
"""2026-11-30T12:00:00Z, when all made entries are said."""
LATER = BEGAN_AT + 60_000
IMPORTED = Imported(cli_session_id=CliSessionId("c"), path="/c.jsonl", damaged=(4,))


def recorded(*entries: Entry, began_at: int = BEGAN_AT, now: int = LATER) -> list[Recorded]:
    return list(retold(entries, Began(session=SessionId("s"), at=began_at, cwd=CWD), IMPORTED, now=now))


def folded(entries: list[Recorded]) -> list[AnyEvent]:
    fold = Fold(SessionId("s"))
    return [event for one in entries for event in fold.feed(one)]


def told(*made: dict[str, Any]) -> list[AnyEvent]:
    return folded(recorded(*(decode(line) for line in jsonl(made).splitlines())))


def all_of(events: list[AnyEvent], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def outcomes(events: list[AnyEvent]) -> list[tuple[str, int]]:
    """Of each turn, and how many prompts it was for."""
    return [(end.outcome, len(end.prompt_ids)) for end in all_of(events, Complete)]


def notices(events: list[AnyEvent]) -> list[str]:
    """But for those that tell of the import."""
    return [one.text for one in all_of(events, Notice)[:-2]]


def as_items(events: list[AnyEvent]) -> Iterator[tuple[str, Any]]:
    for event in events:
        match event:
            case PromptAccepted(text=text):
                yield "prompt", text
            case MessageChunk(text=text):
                yield "text", text
            case Reasoning(reasoning_text=text):
                yield "thought", text
            case ToolCall(tool_call_id=id_, tool_title=title):
                yield "call", (id_, title)
            case Compaction(pre_tokens=tokens):
                yield "compacted", tokens


def as_said(items: list[Any]) -> Iterator[tuple[str, Any]]:
    for item in items:
        match item:
            case Prompt(text=text) | Remark(kind="command", text=text):
                yield "prompt", text
            case Reply(text=text) | Remark(kind="output", text=text):
                yield "text", text
            case Thought(text=text):
                yield "thought", text
            case Called(id=id_, title=title):
                yield "call", (id_, title)
            case Compacted(pre_tokens=tokens):
                yield "compacted", tokens


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_a_real_conversation_is_told_as_it_was_said(version: str, name: str) -> None:
    transcript = read(real(version, name))
    events = folded(recorded(*(one.entry for one in transcript.entries()), now=LATER + 86_400_000))
    items = list(transcript.items())
    assert list(as_items(events)) == list(as_said(items))
    ends = {update.tool_call_id: update for update in all_of(events, ToolUpdate)}
    calls = [item for item in items if isinstance(item, Called)]
    assert [ends[one.id].normalized for one in calls if one.status != "open"] == [
        one.payload for one in calls if one.status != "open"
    ]
    assert len(all_of(events, TurnStarted)) == len(all_of(events, Complete))
    assert {prompt_id for end in all_of(events, Complete) for prompt_id in end.prompt_ids} == {
        accepted.prompt_id for accepted in all_of(events, PromptAccepted)
    }


def test_it_says_where_it_comes_from_and_sleeps() -> None:
    entries = recorded(decode(jsonl([prompt("1", None, "Hi")])), decode(jsonl([reply("2", "1", "Hello.")])))
    assert [note_of(entries[0].line), note_of(entries[-3].line)] == [
        Began(session=SessionId("s"), at=BEGAN_AT, cwd=CWD),
        IMPORTED,
    ]
    *_, source, damage, asleep = folded(entries)
    assert isinstance(source, Notice)
    assert isinstance(damage, Notice)
    assert isinstance(asleep, SessionAsleep)
    assert (source.at, asleep.at, asleep.idle_s) == (LATER, LATER, 60.0)
    assert damage.text.endswith("line 4")


def test_a_turn_without_a_last_word_of_the_model_was_stopped() -> None:
    events = told(prompt("1", None, "Run"), call("2", "1", "t"), prompt("3", "2", "Well?"), reply("4", "3", "So."))
    assert outcomes(events) == [("interrupted", 1), ("success", 1)]
    assert [update.tool_status for update in all_of(events, ToolUpdate)] == ["cancelled"]


def test_results_alone_are_no_last_word() -> None:
    events = told(prompt("1", None, "Run"), call("2", "1", "t"), result("3", "2", "t"))
    assert outcomes(events) == [("interrupted", 1)]
    assert [update.tool_status for update in all_of(events, ToolUpdate)] == ["complete"]


def test_prompts_before_any_answer_are_of_one_turn() -> None:
    events = told(prompt("1", None, "This"), prompt("2", "1", "And that"), reply("3", "2", "Both."))
    assert outcomes(events) == [("success", 2)]


def test_the_end_of_a_task_begins_a_turn_of_the_clis_own() -> None:
    events = told(
        prompt("1", None, "Begin"),
        reply("2", "1", "It runs."),
        prompt("3", "2", "<task-notification>done</task-notification>"),
        reply("4", "3", "It is done."),
    )
    assert outcomes(events) == [("success", 1), ("success", 0)]
    assert notices(events) == ["a background task has ended"]


def test_the_end_of_a_task_in_mid_turn_ends_no_turn() -> None:
    note = prompt("3", "2", "<task-notification>done</task-notification>")
    assert outcomes(told(prompt("1", None, "Begin"), call("2", "1", "t"), note, reply("4", "3", "Done."))) == [
        ("success", 1)
    ]
    assert outcomes(told(note)) == []


def test_an_interrupt_of_nothing_is_nothing() -> None:
    assert outcomes(told(prompt("1", None, "[Request interrupted by user]"))) == []


def test_what_the_cli_remarks_is_told() -> None:
    about = {"type": "system", "uuid": "2", "parentUuid": "1", "subtype": "informational"}
    events = told(prompt("1", None, "Hi"), {**about, "content": "a new version is there"}, reply("3", "2", "Hello."))
    assert notices(events) == ["a new version is there"]
    assert outcomes(events) == [("success", 1)]


def test_what_a_command_printed_is_told_wherever_it_stands() -> None:
    text = "<local-command-stdout>42</local-command-stdout>"
    by_system = {"type": "system", "uuid": "3", "parentUuid": "2", "subtype": "local_command", "content": text}
    for output in (by_system, prompt("3", "2", text)):
        events = told(prompt("2", None, "<command-name>/cost</command-name>"), output)
        assert [chunk.text for chunk in all_of(events, MessageChunk)] == ["42"]
        assert outcomes(events) == [("success", 1)]


def test_a_reply_may_be_a_plain_text() -> None:
    events = told(prompt("1", None, "Hi"), entry("2", "1", "assistant", "Hello."))
    assert [end.text for end in all_of(events, Complete)] == ["Hello."]


def test_no_time_goes_back_or_lies_ahead() -> None:
    times = ["2026-11-30T12:00:10Z", "2026-11-30T11:00:00Z", "nonsense", "9999-01-01T00:00:00Z"]
    entries = recorded(*(decode(jsonl([prompt(str(n), None, "Hi", timestamp=at)])) for n, at in enumerate(times)))
    assert [one.t for one in entries if one.dir == "in"] == [10.0, 10.0, 10.0, 60.0]
    assert entries[-1].t == 60.0


def test_what_began_later_than_now_began_now() -> None:
    assert {one.t for one in recorded(decode(jsonl([prompt("1", None, "Hi")])), now=BEGAN_AT - 5)} == {0.0}
