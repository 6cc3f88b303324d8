"""Forks and repaired copies: what is in them, and that the original stays as it is."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bascule.errors import HistoryError
from bascule.history.copies import UNFINISHED, write_copy
from bascule.history.forks import fork
from bascule.history.items import Called, Prompt, Reply
from bascule.history.pairs import paired
from bascule.history.repair import check, repair
from bascule.history.transcript import read
from tests.history.shelf import (
    NAMES,
    Shelf,
    boundary,
    call,
    jsonl,
    last_prompt,
    number,
    prompt,
    real,
    reply,
    result,
)
from tests.history.test_transcript import damaged_files


def entries_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def told(path: Path) -> list[tuple[str, str]]:
    """What a reader sees, without ids and times."""
    found: list[tuple[str, str]] = []
    for item in read(path).items():
        match item:
            case Called(title=title, status=status):
                found.append((title, status))
            case Prompt(text=text) | Reply(text=text):
                found.append((type(item).__name__, text))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_fork_reads_as_the_original_and_leaves_it_alone(shelf: Shelf, version: str, name: str) -> None:
    path = shelf.put(version, name)
    before = path.read_bytes()
    copy = fork(path)
    assert path.read_bytes() == before
    assert copy.path.parent == path.parent
    assert copy.id == copy.path.stem != path.stem
    assert copy.path.stat().st_mode & 0o777 == 0o600
    unfinished = [(title, "error" if status == "open" else status) for title, status in told(path)]
    assert told(copy.path) == unfinished
    assert check(copy.path) == ()
    assert list(path.parent.glob(".*")) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_fork_is_one_branch_under_new_ids(shelf: Shelf, version: str, name: str) -> None:
    path = shelf.put(version, name)
    old = {node.uuid for node in read(path).nodes}
    entries = entries_of(fork(path).path)
    said = [entry for entry in entries if "uuid" in entry]
    assert {entry["sessionId"] for entry in entries} == {fork_id(entries)}
    assert not {entry["uuid"] for entry in said} & old
    assert not old & set(json.dumps([{**entry, "forkedFrom": None} for entry in said]).split('"'))
    assert {entry["forkedFrom"]["messageUuid"] for entry in said if "forkedFrom" in entry} == old
    for before, entry in zip([None, *said], said, strict=False):
        parent = entry.get("parentUuid") or entry.get("logicalParentUuid")
        assert parent == (before["uuid"] if before else None)
    leaf = next(entry for entry in entries if entry["type"] == "last-prompt")["leafUuid"]
    assert leaf == said[-1]["uuid"]


def fork_id(entries: list[dict[str, Any]]) -> str:
    return str(entries[0]["sessionId"])


def test_a_compaction_keeps_its_names(shelf: Shelf, version: str) -> None:
    entries = entries_of(fork(shelf.put(version, "compacted")).path)
    uuids = {entry["uuid"] for entry in entries if "uuid" in entry}
    (cut,) = (entry for entry in entries if entry.get("subtype") == "compact_boundary")
    assert cut["parentUuid"] is None
    assert set(cut["compactMetadata"]["preservedSegment"].values()) <= uuids


def test_a_fork_at_an_entry_ends_there(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "branches")
    (left,) = read(path).branches
    whole = list(read(path, at=left.leaf).items())
    two = next(item.uuid for item in whole if isinstance(item, Reply) and item.text == "two")
    copy = fork(path, at=two)
    assert [text for _, text in told(copy.path)] == ["First", "one", "Second", "complete", "complete", "two"]
    with pytest.raises(HistoryError, match="no entry"):
        fork(path, at="nowhere")


def test_a_fork_in_the_middle_of_a_reply_takes_it_whole(shelf: Shelf) -> None:
    path = shelf.make(
        prompt("p", None, "go"),
        call("a", "p", "t1", message_id="m"),
        call("b", "a", "t2", message_id="m"),
        result("ra", "a", "t1"),
        result("rb", "b", "t2"),
        reply("e", "rb", "done"),
    )
    assert told(fork(path, at="a").path) == [("Prompt", "go"), ("run t1", "complete"), ("run t2", "complete")]


def test_a_copy_carries_what_is_about_the_conversation(shelf: Shelf) -> None:
    path = shelf.make(
        {"type": "mode", "mode": "normal", "sessionId": "s"},
        prompt("a", None, "hi", slug="plan", teamName="t", requestRef="r", novelty={"of": ["a", "x"]}),
        {"type": "content-replacement", "sessionId": "s", "replacements": [{"tool": "t"}]},
        {"type": "custom-title", "customTitle": "Old", "sessionId": "s"},
        {"type": "custom-title", "customTitle": "Mine", "sessionId": "s"},
        {"type": "tag", "tag": "blue", "sessionId": "s"},
        {"type": "worktree-state", "worktreeSession": {"path": "/w"}, "sessionId": "s"},
        {"type": "cost-state", "totalCostUSD": 1.5, "sessionId": "s"},
    )
    copy = fork(path)
    assert (copy.title, copy.tag) == ("Mine (fork)", "blue")
    entries = entries_of(copy.path)
    kinds = [entry["type"] for entry in entries]
    assert kinds == ["user", "content-replacement", "custom-title", "tag", "mode", "cost-state", "last-prompt"]
    said = entries[0]
    assert said["novelty"] == {"of": [said["uuid"], "x"]}
    assert not {"slug", "teamName", "requestRef"} & set(said)
    assert entries[-1]["lastPrompt"] == "hi"


def test_a_fork_may_have_a_title_of_its_own(shelf: Shelf) -> None:
    untitled = shelf.make(prompt("a", None, "hi"))
    assert fork(untitled).title is None
    assert fork(untitled, title="Mine").title == "Mine"
    titled = shelf.make(prompt("a", None, "hi"), {"type": "custom-title", "customTitle": "Old", "sessionId": "s"})
    assert fork(titled, title="Mine").title == "Mine"


@pytest.mark.parametrize("text", [b"", b"nonsense\n", jsonl([{"type": "mode"}])])
def test_a_file_without_conversation_cannot_be_forked(shelf: Shelf, text: bytes) -> None:
    path = shelf.write(text)
    with pytest.raises(HistoryError, match="holds no conversation"):
        fork(path)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_what_nobody_said_is_no_conversation(shelf: Shelf) -> None:
    note = {"type": "attachment", "attachment": {"type": "queued_command"}, "uuid": "n", "parentUuid": None}
    path = shelf.make({**note, "type": "progress"})
    with pytest.raises(HistoryError, match="holds no conversation"):
        fork(path)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_subagents_transcript_is_not_forked(shelf: Shelf, version: str) -> None:
    (path,) = shelf.put(version, "compacted").with_suffix("").glob("subagents/*.jsonl")
    with pytest.raises(HistoryError, match="no session file"):
        fork(path)


def test_a_copy_that_cannot_be_written_leaves_nothing(foreign_shelf: Shelf) -> None:
    path = foreign_shelf.make(prompt("a", None, "hi"))
    foreign_shelf.close()
    with pytest.raises(HistoryError, match="cannot be written: Permission denied"):
        fork(path)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_nothing_is_wrong_with_files_of_the_real_cli(shelf: Shelf, version: str) -> None:
    for name in NAMES:
        path = shelf.put(version, name)
        expected = ["call_without_result"] if name == "killed" else []
        assert [problem.kind for problem in check(path)] == expected


def test_what_is_whole_is_not_copied(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "turns")
    repaired = repair(path)
    assert (repaired.copy, repaired.problems) == (None, ())
    assert len(list(path.parent.glob("*.jsonl"))) == 1


def test_F37_a_call_that_was_cut_off_gets_a_result(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "killed")
    before = path.read_bytes()
    repaired = repair(path)
    assert path.read_bytes() == before
    assert repaired.copy is not None
    assert [problem.kind for problem in repaired.problems] == ["call_without_result"]
    made = entries_of(repaired.copy.path)
    (answer,) = (entry for entry in made if UNFINISHED in json.dumps(entry.get("message")))
    (block,) = answer["message"]["content"]
    asked = next(entry for entry in made if entry.get("uuid") == answer["sourceToolAssistantUUID"])
    assert block["tool_use_id"] == asked["message"]["content"][0]["id"]
    assert (block["is_error"], answer["cwd"], answer["version"]) == (True, "/home/ada/shop", version)
    assert answer["parentUuid"] == asked["uuid"]
    assert check(repaired.copy.path) == ()


def test_S36_each_damage_is_told_and_mended(shelf: Shelf) -> None:
    first = jsonl([prompt("p", None, "one"), call("a", "p", "t"), result("r", "a", "t"), reply("e", "r", "1")])
    glued = jsonl([prompt("p2", "e", "two")])
    rest = jsonl([call("b", "p2", "t"), result("s", "b", "t"), result("s2", "s", "t"), result("s3", "s2", "gone")])
    last = jsonl([reply("f", "s3", "2"), prompt("p3", "lost", "three")])
    path = shelf.write(first + glued[:60] + glued + rest + b"nonsense\n" + last)
    repaired = repair(path)
    assert [(problem.kind, problem.line) for problem in repaired.problems] == [
        ("damaged_line", 5),
        ("call_id_twice", 6),
        ("result_twice", 8),
        ("result_without_call", 9),
        ("unreadable_line", 10),
        ("unknown_parent", 12),
    ]
    assert all(problem.text for problem in repaired.problems)
    assert repaired.copy is not None
    assert check(repaired.copy.path) == ()
    assert told(repaired.copy.path) == [
        ("Prompt", "one"),
        ("run t", "complete"),
        ("Reply", "1"),
        ("Prompt", "two"),
        ("run t", "complete"),
        ("Reply", "2"),
        ("Prompt", "three"),
    ]


def test_links_in_a_circle_are_mended(shelf: Shelf) -> None:
    path = shelf.make(prompt("p", "r", "one"), reply("r", "p", "1"), last_prompt("r"))
    repaired = repair(path)
    assert [problem.kind for problem in repaired.problems] == ["parent_loop"]
    assert repaired.copy is not None
    assert told(repaired.copy.path) == [("Prompt", "one"), ("Reply", "1")]


def test_a_repaired_copy_is_named_as_one(shelf: Shelf) -> None:
    title = {"type": "custom-title", "customTitle": "Mine", "sessionId": "s"}
    repaired = repair(shelf.make(prompt("p", None, "one"), call("a", "p", "t"), title))
    assert repaired.copy is not None
    assert repaired.copy.title == "Mine (repaired)"


def test_text_beside_a_stray_result_stays(shelf: Shelf) -> None:
    mixed = result("r", "p", "gone")
    mixed["message"]["content"].append({"type": "text", "text": "and this"})
    path = shelf.make(prompt("p", None, "one"), mixed)
    repaired = repair(path)
    assert repaired.copy is not None
    assert told(repaired.copy.path) == [("Prompt", "one"), ("Prompt", "and this")]


def test_a_compaction_whose_past_is_gone_is_a_beginning(shelf: Shelf) -> None:
    summary = prompt("sum", "cut", "a summary", isCompactSummary=True)
    path = shelf.make(boundary("cut", "gone"), summary, prompt("p", "sum", "on"))
    assert check(path) == ()
    assert entries_of(fork(path).path)[0]["logicalParentUuid"] is None


@pytest.mark.parametrize("anew", [b"", b"x" * 5_000, jsonl([prompt(number(1), None, "other")] * 9)])
def test_a_file_that_is_written_anew_meanwhile_is_not_copied(shelf: Shelf, anew: bytes) -> None:
    path = shelf.make(prompt("p", None, "one"), call("a", "p", "t"))
    transcript = read(path)
    path.write_bytes(anew)
    with pytest.raises(HistoryError, match="written anew"):
        write_copy(transcript, paired(transcript.nodes)[0])
    assert [found.name for found in path.parent.iterdir()] == [path.name]


@given(damaged_files())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_damaged_is_whole_in_its_copy(tmp_path: Path, text: bytes) -> None:
    path = Shelf(tmp_path).write(text)
    try:
        repaired = repair(path)
    except HistoryError:
        return
    assert (repaired.copy is None) == (repaired.problems == ())
    if repaired.copy is not None:
        assert check(repaired.copy.path) == ()


@given(st.sampled_from(NAMES), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_fork_at_any_entry_is_whole(tmp_path: Path, name: str, data: st.DataObject) -> None:
    path = Shelf(tmp_path).put("2.1.332", name)
    nodes = read(path).nodes
    at = data.draw(st.sampled_from([node.uuid for node in nodes if node.role]))
    copy = fork(path, at=at)
    assert check(copy.path) == ()
    assert copy.bytes <= real("2.1.332", name).stat().st_size * 2
