"""What a look at both ends of a file tells."""

from pathlib import Path
from typing import Any

import pytest

from bascule.errors import HistoryError
from bascule.history.stored import LONG_HEAD, PROMPT_LIMIT, WINDOW, glance, holder
from tests.history.shelf import CWD, Shelf, jsonl, prompt, real, reply

MODELS = {"2.1.332": "claude-opus-5-5", "2.1.197": "claude-opus-4-8"}


def title(text: str) -> dict[str, Any]:
    return {"type": "custom-title", "customTitle": text, "sessionId": "s"}


def test_a_session_of_the_real_cli(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "turns")
    session = glance(path)
    assert session is not None
    assert (session.path, session.id, session.cwd) == (path, path.stem, CWD)
    assert (session.title, session.tag, session.first_prompt) == ("All of it", None, "Hello")
    assert (session.model, session.branch, session.damaged) == (MODELS[version], None, False)
    assert session.bytes == real(version, "turns").stat().st_size
    assert session.changed_at == 1_800_000_001_000
    assert session.started_at is not None
    assert session.started_at < session.changed_at
    assert session.messages == {"2.1.332": 23, "2.1.197": 22}[version]


@pytest.mark.parametrize(("name", "first"), [("cleared", "After"), ("killed", "Ask me"), ("forked", "First")])
def test_the_first_prompt_is_a_persons(shelf: Shelf, version: str, name: str, first: str) -> None:
    session = glance(shelf.put(version, name))
    assert session is not None
    assert session.first_prompt == first


def test_F42_a_subagents_transcript_is_no_session(shelf: Shelf) -> None:
    assert glance(shelf.make(prompt("a", None, "sub", isSidechain=True))) is None


def test_a_file_in_which_nobody_spoke_is_no_session(shelf: Shelf) -> None:
    assert glance(shelf.write(b"")) is None
    assert glance(shelf.make({"type": "mode", "mode": "normal"})) is None


def test_a_damaged_file_is_one_though_nothing_can_be_read(shelf: Shelf) -> None:
    session = glance(shelf.write(b"nonsense\n"))
    assert session is not None
    assert (session.damaged, session.first_prompt, session.cwd, session.messages) == (True, None, None, 0)


def test_what_is_said_last_counts(shelf: Shelf) -> None:
    session = glance(
        shelf.make(
            {"type": "ai-title", "aiTitle": "made up"},
            prompt("a", None, "hi"),
            title("Old"),
            {"type": "tag", "tag": "blue"},
            reply("b", "a", "hello", gitBranch="topic"),
            {"type": "tag", "tag": ""},
            title("New"),
        )
    )
    assert session is not None
    assert (session.title, session.tag, session.branch) == ("New", None, "topic")


@pytest.mark.parametrize("made", [{"type": "ai-title", "aiTitle": "T"}, {"type": "summary", "summary": "T"}])
def test_a_title_that_was_made_up_is_better_than_none(shelf: Shelf, made: dict[str, str]) -> None:
    session = glance(shelf.make(made, prompt("a", None, "hi")))
    assert session is not None
    assert session.title == "T"


def test_a_message_that_the_cli_made_up_has_no_model(shelf: Shelf) -> None:
    made_up = reply("c", "b", "API Error")
    made_up["message"]["model"] = "<synthetic>"
    session = glance(shelf.make(prompt("a", None, "hi"), reply("b", "a", "hello"), made_up))
    assert session is not None
    assert session.model == "claude-opus-5-5"


def test_S35_a_session_lives_where_its_file_lies_and_not_where_it_was_resumed(shelf: Shelf) -> None:
    elsewhere = prompt("a", None, "hi", cwd="/home/ada/other")
    session = glance(shelf.make(elsewhere, reply("b", "a", "hello")))
    assert session is not None
    assert session.cwd == CWD


def test_a_session_that_was_moved_lives_where_it_was_moved_to(shelf: Shelf) -> None:
    moved = {"type": "relocated", "relocatedCwd": CWD, "sessionId": "s"}
    session = glance(shelf.make(prompt("a", None, "hi", cwd="/old"), moved))
    assert session is not None
    assert session.cwd == CWD
    elsewhere = glance(shelf.make(prompt("a", None, "hi", cwd="/old")))
    assert elsewhere is not None
    assert elsewhere.cwd == "/old"


def large(filling: int, *last: dict[str, Any]) -> bytes:
    rows = [prompt("a", None, "first"), *(reply(f"r{n}", "a", "x" * 10_000) for n in range(filling)), *last]
    return jsonl(rows)


def test_of_a_large_file_the_ends_are_read(shelf: Shelf) -> None:
    session = glance(shelf.write(large(40, title("At the end"), reply("z", "a", "bye", gitBranch="late"))))
    assert session is not None
    assert (session.first_prompt, session.title, session.branch) == ("first", "At the end", "late")
    assert session.messages is None
    assert session.bytes > 2 * WINDOW


def test_what_lies_between_is_not_read(shelf: Shelf) -> None:
    text = large(40, title("early"))
    session = glance(shelf.write(text + b"\0\n" + jsonl(reply(f"e{n}", "a", "x" * 9_000) for n in range(20))))
    assert session is not None
    assert (session.title, session.damaged) == (None, False)


def test_damage_at_the_end_is_seen(shelf: Shelf) -> None:
    session = glance(shelf.write(large(40) + b'{"type":"user","mess'))
    assert session is not None
    assert session.damaged


@pytest.mark.parametrize("length", [WINDOW, WINDOW + 30_000, 10 * WINDOW])
def test_a_first_prompt_that_is_long_is_found(shelf: Shelf, length: int) -> None:
    text = "word " * (length // 5)
    session = glance(shelf.write(jsonl([prompt("a", None, text)]) + large(8)))
    assert session is not None
    assert session.first_prompt == text[:PROMPT_LIMIT]


def test_a_first_prompt_that_is_too_long_is_not_looked_for(shelf: Shelf) -> None:
    session = glance(shelf.write(jsonl([prompt("a", None, "x" * LONG_HEAD), reply("b", "a", "y" * WINDOW)])))
    assert session is None or session.first_prompt is None
    session = glance(shelf.write(jsonl([prompt("a", None, "x" * LONG_HEAD), *[reply("b", "a", "hello")] * 2])))
    assert session is not None
    assert (session.first_prompt, session.model) == (None, "claude-opus-5-5")


@pytest.mark.parametrize("size", [WINDOW - 1, WINDOW, 2 * WINDOW - 1, 2 * WINDOW, 2 * WINDOW + 1, 3 * WINDOW])
def test_no_line_is_cut_where_the_windows_end(shelf: Shelf, size: int) -> None:
    head = jsonl([prompt("a", None, "first")])
    rest = jsonl([reply("b", "a", "")])
    filler = b"".join(jsonl([reply("b", "a", "x" * 900)]) for _ in range((size - len(head)) // 1_200))
    pad = size - len(head) - len(filler) - len(rest)
    session = glance(shelf.write(head + filler + jsonl([reply("b", "a", "x" * pad)])))
    assert session is not None
    assert session.bytes == size
    assert not session.damaged


def test_a_file_that_is_not_there_is_an_error(shelf: Shelf) -> None:
    with pytest.raises(HistoryError):
        glance(shelf.folder() / "agent-a.jsonl")


def test_a_file_goes_on_with_the_conversation_that_its_last_entry_bears(shelf: Shelf, tmp_path: Path) -> None:
    path = shelf.make(prompt("a", None, "hi", sessionId="s"))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(path.read_bytes())
    assert holder(copy) == holder(path) == "s"
    copy.write_bytes(
        jsonl([{"type": "user", "sessionId": "first"}, {"type": "tag", "sessionId": "last"}, {"type": "x"}])
    )
    assert holder(copy) == "last"
    copy.write_bytes(jsonl([{"type": "user", "sessionId": "first"}, {"type": "x", "long": "y" * WINDOW}]))
    assert holder(copy) == "first"
    copy.write_text("\nnonsense\n")
    assert holder(copy) is None
