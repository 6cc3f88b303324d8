"""Events are read back by their numbers as they were, wherever they lie; a disk that takes nothing loses nothing."""

import gc
import logging
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.events import AnyEvent, MessageChunk, Notice, ToolCall
from bascule.payload import Generic
from bascule.session.spool import Spool


class Disk:
    """Gives temporary files, and knows which."""

    def __init__(self) -> None:
        self.files: list[int] = []

    def opened(self) -> IO[bytes]:
        file = TemporaryFile(buffering=0)  # noqa: SIM115 - whom it is given to closes it
        self.files.append(os.fstat(file.fileno()).st_ino)
        return file


def full() -> IO[bytes]:
    """A file on a disk that is full, as the system has it for such tests."""
    return Path("/dev/full").open("r+b", buffering=0)


def said(number: int, text: str = "") -> Notice:
    return Notice(level="info", text=text or f"{number} é \U0001f389", seq=number)


def filled(count: int, spool: Spool) -> list[AnyEvent]:
    """So many events, which are in the spool."""
    kept: list[AnyEvent] = [said(number) for number in range(1, count + 1)]
    for event in kept:
        spool.append(event)
        spool.came_from(10)
    return kept


def read(spool: Spool, after: int = 0) -> list[AnyEvent]:
    return list(spool.reading().between(after, spool.last))


def open_inodes() -> list[int]:
    """What the open files of this process are."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            found.append(link.stat().st_ino)
        except FileNotFoundError:
            continue
    return found


@given(
    count=st.integers(0, 60),
    part=st.integers(1, 9),
    chars=st.sampled_from([15, 45, 10**9]),
    spans=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=8),
)
def test_any_span_is_read_as_from_a_list(count: int, part: int, chars: int, spans: list[tuple[int, int]]) -> None:
    spool = Spool(part_events=part, part_chars=chars)
    kept = filled(count, spool)
    assert spool.last == count
    reading = spool.reading()
    for after, end in spans:
        if end <= count:
            assert list(reading.between(after, end)) == kept[after:end]


def test_events_of_any_kind_come_back_as_they_were() -> None:
    spool = Spool(part_events=1)
    kept: list[AnyEvent] = [
        MessageChunk(item="m:0", text='a\u0085\u2028\0\\\n"' * 9, seq=1, at=2**62, turn=3, line=4),
        ToolCall(
            tool_call_id="t",
            tool_name="x",
            tool_title="x",
            normalized=Generic(name="x", input={"a": [1, None, 2.5, {"b": True}]}),
            seq=2,
        ),
        said(3),
        said(4),
    ]
    for event in kept:
        spool.append(event)
        spool.came_from(1)
    assert read(spool) == kept


def test_no_file_is_opened_before_one_is_needed() -> None:
    disk = Disk()
    spool = Spool(part_events=4, opened=disk.opened)
    filled(7, spool)
    assert not disk.files
    spool.append(said(8))
    spool.came_from(10)
    assert len(disk.files) == 1


def test_few_long_lines_fill_a_part_as_well_and_one_alone_is_never_left_out() -> None:
    disk = Disk()
    spool = Spool(part_chars=1000, opened=disk.opened)
    kept: list[AnyEvent] = []
    for number in (1, 2):
        assert not disk.files
        kept.append(said(number, "x" * 2000))
        spool.append(kept[-1])
        spool.came_from(2000)
    assert len(disk.files) == 1
    assert read(spool) == kept


def test_a_line_that_made_nothing_that_lasts_begins_no_part() -> None:
    spool = Spool(part_chars=10)
    spool.came_from(100)
    spool.came_from(100)
    assert read(spool) == []
    assert filled(3, spool) == read(spool)


def test_a_reader_sees_what_comes_after_it_began() -> None:
    spool = Spool(part_events=2)
    kept = filled(3, spool)
    reading = spool.reading()
    assert list(reading.between(0, 3)) == kept
    for number in range(4, 12):
        kept.append(said(number))
        spool.append(kept[-1])
        spool.came_from(1)
        assert list(reading.between(number - 1, number)) == [kept[-1]]
    assert list(reading.between(0, 11)) == kept


def test_the_file_is_gone_with_its_spool() -> None:
    disk = Disk()
    spool = Spool(part_events=1, opened=disk.opened)
    filled(5, spool)
    (inode,) = disk.files
    assert inode in open_inodes()
    del spool
    gc.collect()
    assert inode not in open_inodes()


def test_a_full_disk_loses_nothing_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    spool = Spool(part_events=3, opened=full)
    with caplog.at_level(logging.WARNING, logger="bascule.session"):
        kept = filled(20, spool)
    assert read(spool) == kept
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "No space left" in caplog.text


def test_no_room_for_a_file_at_all_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def refused() -> IO[bytes]:
        raise PermissionError("nobody may write here")

    spool = Spool(part_events=3, opened=refused)
    assert read(spool) == []
    kept = filled(20, spool)
    assert read(spool) == kept
    assert "nobody may write here" in caplog.text


def test_what_cannot_be_written_as_json_stays_in_memory_and_the_rest_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    disk = Disk()
    spool = Spool(part_events=1, opened=disk.opened)
    kept: list[AnyEvent] = [said(1), said(2, "\ud800"), said(3), said(4)]
    for event in kept:
        spool.append(event)
        spool.came_from(1)
    assert read(spool) == kept
    assert "surrogates" in caplog.text
    assert len(disk.files) == 1
