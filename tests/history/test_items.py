"""A conversation as a reader wants it."""

from typing import Any

import pytest

from bascule.history.entries import AttachmentEntry, decode
from bascule.history.items import (
    AnyItem,
    Called,
    Compacted,
    Prompt,
    Remark,
    Reply,
    Thought,
    items_of,
    prompt_of,
    when,
)
from bascule.history.transcript import read
from bascule.payload import AskUser, ModifyFile, ShellExec, SubagentTask
from tests.history.shelf import entry, jsonl, prompt, real, reply


def told(item: AnyItem) -> tuple[str, ...]:
    match item:
        case Called(title=title, status=status):
            return ("called", title, status)
        case Remark(kind=kind, text=text):
            return (kind, text)
        case Compacted(trigger=trigger):
            return ("compacted", trigger or "")
        case Prompt(text=text) | Reply(text=text) | Thought(text=text):
            return (type(item).__name__.lower(), text)


def items(made: dict[str, Any]) -> list[tuple[str, ...]]:
    return [told(item) for item in items_of(decode(jsonl([made])), lambda _: None)]


def test_turns_of_the_real_cli(version: str) -> None:
    found = list(read(real(version, "turns")).items())
    assert [told(item) for item in found] == [
        ("prompt", "Hello"),
        ("thought", "A greeting."),
        ("reply", "Hello there."),
        ("prompt", "Look twice"),
        ("reply", "I look."),
        ("called", "echo one", "complete"),
        ("called", "cat nothing", "error"),
        ("reply", "One of two."),
        ("prompt", "Write what you see"),
        ("called", "Write x.py", "complete"),
        ("called", "Read x.py", "complete"),
        ("called", "Edit x.py", "complete"),
        ("reply", "Edited."),
        ("prompt", "Fail"),
        ("error", "API Error: 400 scripted failure"),
        ("prompt", "Go on"),
        ("reply", "Renamed."),
    ]
    assert [item.attachments for item in found if isinstance(item, Prompt)] == [0, 0, 1, 0, 0]
    assert all(item.at is not None and item.at > 1_790_000_000_000 for item in found)
    assert len({item.uuid for item in found}) == len(found)


def test_a_call_comes_with_its_result(version: str) -> None:
    calls = [item for item in read(real(version, "turns")).items() if isinstance(item, Called)]
    printed, failed, _, _, edited = (call.payload for call in calls)
    assert isinstance(printed, ShellExec)
    assert isinstance(failed, ShellExec)
    assert isinstance(edited, ModifyFile)
    assert printed.output is not None
    assert failed.output is not None
    assert (printed.output.stdout, failed.output.exit_code) == ("one", 1)
    assert (edited.added, edited.removed, edited.mutations[0].hunks is not None) == (1, 1, True)


def test_what_people_do_to_a_turn(version: str) -> None:
    found = [told(item) for item in read(real(version, "killed")).items()]
    newer = version == "2.1.332"
    begun = [("reply", "Once upon")] if newer else []
    model = "`claude-haiku-4-5`" if newer else "claude-haiku-4-5"
    assert found == [
        ("prompt", "Ask me"),
        ("called", "Ask: W", "complete"),
        ("reply", "A, then."),
        ("prompt", "Touch it"),
        ("called", "touch denied", "denied" if newer else "error"),
        ("reply", "As you like."),
        ("prompt", "Slowly"),
        ("called", "touch slow; sleep 2", "complete"),
        ("prompt", "And this too"),
        ("reply", "Both."),
        ("prompt", "Tell me"),
        *begun,
        ("interrupted", "[Request interrupted by user]"),
        ("command", "/model claude-haiku-4-5"),
        ("output", f"Set model to {model}"),
        ("prompt", "Touch it again"),
        ("called", "touch asked", "open"),
    ]


def test_answers_to_a_question_are_told(version: str) -> None:
    asked = next(item for item in read(real(version, "killed")).items() if isinstance(item, Called))
    assert isinstance(asked.payload, AskUser)
    assert asked.payload.answers == {"Which?": "A"}


def test_a_compaction_and_a_subagent(version: str) -> None:
    found = list(read(real(version, "compacted")).items())
    assert [told(item) for item in found if not isinstance(item, Remark)] == [
        ("prompt", "Delegate"),
        ("called", "Agent: Look around", "complete"),
        ("reply", "It looked."),
        ("compacted", "manual"),
        ("prompt", "Go on"),
        ("reply", "After it."),
    ]
    assert [item.kind for item in found if isinstance(item, Remark)] == ["summary", "command", "output"]
    (delegated,) = (item.payload for item in found if isinstance(item, Called))
    assert isinstance(delegated, SubagentTask)
    assert delegated.output is not None
    assert delegated.output.text == "Seen."
    (cut,) = (item for item in found if isinstance(item, Compacted))
    assert cut.pre_tokens is not None
    assert cut.post_tokens is not None
    assert cut.pre_tokens > cut.post_tokens


def test_what_clear_began(version: str) -> None:
    found = [told(item) for item in read(real(version, "cleared")).items()]
    assert found == [("command", "/clear"), ("prompt", "After"), ("reply", "c2")]


def test_the_end_of_a_task_is_nobodys_prompt() -> None:
    text = "<task-notification>\n<task-id>a</task-id>\n</task-notification>"
    assert items(prompt("u", None, text)) == [("task", text)]
    assert items(prompt("u", None, "in other words", origin={"kind": "task-notification"})) == [
        ("task", "in other words")
    ]


@pytest.mark.parametrize(
    "made",
    [
        prompt("u", None, "hidden", isMeta=True),
        entry("u", None, "user", []),
        entry("u", None, "user", [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]),
        prompt("u", None, "<local-command-stdout></local-command-stdout>"),
        {"type": "system", "subtype": "turn_duration", "uuid": "u"},
        {"type": "system", "subtype": "local_command", "content": "<local-command-stdout></local-command-stdout>"},
        {"type": "attachment", "attachment": {"type": "date", "date": "2026-11-30"}},
        {"type": "last-prompt", "lastPrompt": "x"},
    ],
)
def test_what_nobody_shall_read_is_left_out(made: dict[str, Any]) -> None:
    assert items(made) == []


def test_what_the_cli_says_by_itself() -> None:
    notice = {"type": "system", "subtype": "informational", "content": "Look out", "uuid": "u"}
    assert items(notice) == [("notice", "Look out")]
    typed = {"type": "system", "subtype": "local_command", "content": "/rename Some name", "uuid": "u"}
    assert items(typed) == [("command", "/rename Some name")]
    assert items({"type": "system", "subtype": "compact_boundary", "uuid": "u"}) == [("compacted", "")]


def test_a_block_that_is_nothing_to_read_is_left_out() -> None:
    hidden = {"type": "redacted_thinking", "data": "AA=="}
    assert items(entry("u", None, "assistant", [hidden, {"type": "text", "text": "x"}])) == [("reply", "x")]


def test_a_reply_may_be_a_plain_text() -> None:
    assert items(entry("u", None, "assistant", "plain")) == [("reply", "plain")]


def test_a_prompt_of_a_turn_may_hold_an_image() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    held = {"type": "queued_command", "prompt": [{"type": "text", "text": "see"}, image]}
    (item,) = items_of(AttachmentEntry(uuid="u", attachment=held), lambda _: None)
    assert item == Prompt(uuid="u", text="see", attachments=1)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-11-30T18:47:52.880Z", 1_796_064_472_880),
        ("2026-11-30T19:47:52.880+01:00", 1_796_064_472_880),
        ("2026-11-30T18:47:52", 1_796_064_472_000),
        ("soon", None),
        ("9999-99-99", None),
        ("", None),
    ],
)
def test_times_are_utc_milliseconds(text: str, at: int | None) -> None:
    assert when(decode(jsonl([prompt("u", None, "x", timestamp=text)]))) == at


def test_what_a_person_said_in_an_entry() -> None:
    assert prompt_of(decode(jsonl([prompt("u", None, "hi")]))) == "hi"
    assert prompt_of(decode(jsonl([reply("u", None, "hi")]))) is None
