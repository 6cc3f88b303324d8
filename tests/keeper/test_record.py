"""The recording file: the format, the numbers of lines, what a crash left, and a disk that is full."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bascule.keeper.record import EVERY, Record, encoded
from bascule.recording import Entry, Exit, Failed, decode, encode, exit_of, note_of
from tests.disk import full_disk

TEXTS = st.text(st.characters(exclude_characters="\n", exclude_categories=())).map(
    lambda text: text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.jsonl"


def opened(path: Path, *, ago_s: float = 0) -> Record:
    """The record of a session that began so long ago."""
    return Record(str(path), time.time() - ago_s)


def entries(path: Path) -> list[Entry]:
    """All lines of the file, which are entries."""
    found = [decode(line, number) for number, line in enumerate(path.read_bytes().splitlines(), 1)]
    assert all(isinstance(entry, Entry) for entry in found)
    return [entry for entry in found if isinstance(entry, Entry)]


@given(line=TEXTS, t=st.integers(0, 10**9))
def test_an_entry_is_written_as_recordings_are(line: str, t: int) -> None:
    entry = Entry(round(t / 1000, 6), "out", line)
    assert encoded(entry.t, "out", line) == encode(entry)


def test_lines_are_numbered_from_one(path: Path) -> None:
    record = opened(path)
    assert record.append(1.0, [("note", "a"), ("in", "b")]) == 1
    assert record.append(2.0, [("out", "c")]) == 3
    assert [entry.line for entry in entries(path)] == ["a", "b", "c"]
    assert (record.lines, record.size) == (3, path.stat().st_size)


@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.integers(0, 2000), min_size=1, max_size=20), again=st.booleans())
def test_what_follows_a_line_is_found(tmp_path_factory: pytest.TempPathFactory, sizes: list[int], again: bool) -> None:
    path = tmp_path_factory.mktemp("record") / "recording.jsonl"
    record = opened(path)
    for number in range(2 * EVERY + len(sizes)):
        record.append(0.0, [("out", "x" * sizes[number % len(sizes)])])
    record.append(0.0, [("exit", "{}")])
    if again:
        record = opened(path)
    ends = [0]
    for line in path.read_bytes().splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    assert [record.start_of(known) for known in range(record.lines + 1)] == ends


def test_a_line_longer_than_what_is_read_at_once_is_passed_over(path: Path) -> None:
    record = opened(path)
    for size in (5, 300_000, 7):
        record.append(0.0, [("out", "x" * size)])
    last = encode(Entry(0.0, "out", "x" * 7))
    assert record.read(record.start_of(2), len(last) + 1) == last


def test_only_the_owner_can_read_it(path: Path) -> None:
    path.touch(mode=0o644)
    opened(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        opened(path)


def test_a_second_process_goes_on_where_the_first_ended(path: Path) -> None:
    first = opened(path, ago_s=100)
    first.append(first.now, [("argv", "[]"), ("exit", '{"code":0,"signal":null}')])
    second = opened(path, ago_s=200)
    assert second.append(second.now, [("argv", "[]")]) == 3
    assert [round(entry.t) for entry in entries(path)] == [100, 100, 200]


def test_time_never_goes_back_though_the_clock_does(path: Path) -> None:
    first = opened(path, ago_s=500)
    first.append(first.now, [("exit", "{}")])
    second = opened(path, ago_s=-3600)
    second.append(second.now, [("argv", "[]")])
    assert [round(entry.t) for entry in entries(path)] == [500, 500]


def test_a_process_whose_end_nobody_saw_has_an_unknown_one(path: Path) -> None:
    first = opened(path)
    first.append(1.0, [("argv", "[]"), ("out", "x" * 100_000)])
    second = opened(path)
    assert (second.lines, exit_of(entries(path)[-1].line)) == (3, Exit())
    assert opened(path).lines == 3


def test_a_line_that_was_cut_off_is_ended(path: Path) -> None:
    path.write_bytes(encode(Entry(7.0, "argv", "[]")) + b'{"t":8.5,"dir":"out","li')
    record = opened(path)
    lines = path.read_bytes().splitlines()
    assert lines[1] == b'{"t":8.5,"dir":"out","li'
    assert (len(lines), record.lines) == (3, 3)
    last = decode(lines[2], 3)
    assert isinstance(last, Entry)
    assert (last.dir, last.t >= 8.5) == ("exit", True)
    assert record.start_of(3) == record.size == path.stat().st_size


def test_a_full_disk_loses_whole_entries_and_says_so_later(path: Path) -> None:
    record = opened(path)
    record.append(0.0, [("out", "kept")])
    with full_disk(path.stat().st_size + 20):
        assert record.append(1.0, [("out", "lost"), ("out", "lost too")]) is None
        assert record.append(2.0, [("out", "as well")]) is None
        assert record.lost == 3
    assert record.append(3.0, [("out", "again")]) == 3
    assert record.lost == 0
    kept, told, again = entries(path)
    assert (kept.line, again.line) == ("kept", "again")
    note = note_of(told.line)
    assert isinstance(note, Failed)
    assert note.message == f"3 entries of this session were not recorded: {os.strerror(27)}"
    assert record.start_of(2) == path.read_bytes().index(encode(again))


@pytest.mark.parametrize("torn", [False, True])
def test_a_file_that_somebody_cut_is_gone_on_with(path: Path, torn: bool) -> None:
    record = opened(path)
    record.append(0.0, [("out", str(number)) for number in range(2 * EVERY)])
    assert not record.was_cut()
    first, second = map(len, path.read_bytes().splitlines(keepends=True)[:2])
    os.truncate(path, first + second + torn)
    assert record.start_of(EVERY + 1) <= record.size
    assert record.was_cut()
    assert not record.was_cut()
    assert (record.lines, record.size) == (2, path.stat().st_size)
    assert record.append(0.0, [("out", "new")]) == 3
    assert [entry.line for entry in entries(path)] == ["0", "1", "new"]
    assert record.start_of(1) == first
