"""A session file that is read, while it is whole, damaged, large, or being written."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bascule.errors import HistoryError
from bascule.history.entries import AssistantEntry
from bascule.history.items import Called, Prompt, Reply
from bascule.history.repair import check
from bascule.history.stored import glance
from bascule.history.transcript import Transcript, read
from tests.history.shelf import NAMES, Shelf, call, jsonl, prompt, real, reply, result


def texts(transcript: Transcript) -> list[str]:
    return [item.text for item in transcript.items() if isinstance(item, Prompt | Reply)]


@pytest.mark.parametrize("name", NAMES)
def test_files_of_the_real_cli_are_whole(version: str, name: str) -> None:
    transcript = read(str(real(version, name)))
    assert (transcript.damage, transcript.lost) == ((), ())
    assert transcript.bytes == real(version, name).stat().st_size
    assert [located.entry.uuid for located in transcript.entries()] == [node.uuid for node in transcript.nodes]
    assert all(located.entry.session_id == transcript.id for located in transcript.entries())


def test_the_branch_that_was_left_can_be_read(version: str) -> None:
    path = real(version, "branches")
    transcript = read(path)
    assert texts(transcript) == ["First", "one", "Instead", "other"]
    (left,) = transcript.branches
    assert texts(read(path, at=left.leaf)) == ["First", "one", "Second", "two", "Third", "three"]


def test_the_file_that_the_cli_forked_reads_the_same(version: str) -> None:
    assert texts(read(real(version, "forked")))[:-2] == texts(read(real(version, "branches")))


def test_a_subagents_file_is_read(version: str) -> None:
    (path,) = (real(version, "compacted").with_suffix("") / "subagents").glob("*.jsonl")
    found = list(read(path).items())
    assert [item.text for item in found if isinstance(item, Prompt | Reply)] == ["SUBTASK", "Seen."]
    assert [item.title for item in found if isinstance(item, Called)] == ["echo in sub"]


def test_an_entry_that_is_not_there_is_an_error(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    with pytest.raises(HistoryError, match="has no entry b"):
        read(path, at="b")


def test_damage_is_told_by_line_and_the_rest_is_read(shelf: Shelf) -> None:
    first, second = jsonl([prompt("a", None, "hi")]), jsonl([reply("b", "a", "hello")])
    transcript = read(shelf.write(first + b'{"type":\n' + first[:40] + second))
    assert texts(transcript) == ["hi", "hello"]
    assert [damage.number for damage in transcript.damage] == [2, 3]


def test_what_is_appended_meanwhile_is_seen_by_the_next_reading(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    transcript = read(path)
    found = transcript.items()
    with path.open("ab") as file:
        file.write(jsonl([reply("b", "a", "hello")]) + b'{"type":"assis')
    assert [item.uuid for item in found] == ["a"]
    again = read(path)
    assert texts(again) == ["hi", "hello"]
    assert [damage.number for damage in again.damage] == [3]


@pytest.mark.parametrize("anew", [b"", b"nonsense " * 90, jsonl([prompt("z", None, "other")])])
def test_a_file_that_is_written_anew_is_not_mixed_up(shelf: Shelf, anew: bytes) -> None:
    path = shelf.make(prompt("a", None, "hi"), reply("b", "a", "hello"))
    transcript = read(path)
    path.write_bytes(anew)
    with pytest.raises(HistoryError, match="written anew"):
        list(transcript.entries())


def test_a_result_that_is_no_users_answers_nothing(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"), call("b", "a", "t"), result("c", "b", "t"))
    transcript = read(path)
    (called,) = (item for item in transcript.items() if isinstance(item, Called))
    assert called.status == "complete"
    path.write_bytes(path.read_bytes().replace(b'"type":"user"', b'"type":"udef"'))
    (called,) = (item for item in read(path).items() if isinstance(item, Called))
    assert called.status == "open"


def test_a_large_file_is_not_held_in_memory(shelf: Shelf) -> None:
    big = "x" * 500_000
    path = shelf.write(b"")
    with path.open("wb") as file:
        for n in range(60):
            file.write(jsonl([reply(f"u{n}", f"u{n - 1}" if n else None, big)]))
    tracemalloc.start()
    transcript = read(path)
    count = sum(1 for located in transcript.entries() if isinstance(located.entry, AssistantEntry))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60
    assert path.stat().st_size > 30_000_000
    assert peak < 5_000_000


WHOLE = real("2.1.332", "turns").read_bytes() + real("2.1.197", "killed").read_bytes()


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """Lines of real files, some cut, doubled, glued, in another order, and nonsense between."""
    rows = draw(st.lists(st.sampled_from(WHOLE.splitlines(keepends=True)) | st.binary(max_size=20), max_size=12))
    cuts = [row[draw(st.integers(0, 5)) : len(row) - draw(st.sampled_from([0, 0, 1, 9]))] for row in rows]
    return b"".join(cuts)


@given(damaged_files())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_in_a_file_makes_reading_raise(tmp_path: Path, text: bytes) -> None:
    path = Shelf(tmp_path).write(text)
    transcript = read(path)
    assert len(list(transcript.entries())) == len(transcript.nodes)
    assert all(item.uuid for item in transcript.items())
    assert len(check(path)) >= len(transcript.damage)
    session = glance(path)
    assert session is None or session.bytes == len(text)
