"""What goes through a tap is kept first; a full disk ends the recording and not the session."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from bascule.errors import RecordingError
from bascule.recording import Damage, Entry, Failed, note_of, read
from bascule.testing.memory import MemoryPipe
from bascule.transport.tap import Tap, recording_file
from tests.transport.programs import lines, read_all


class Disk:
    """A sink that has room for so many calls."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.kept: list[Entry] = []
        self.tried = 0

    def __call__(self, entries: Sequence[Entry]) -> None:
        self.tried += 1
        if self.tried > self.room:
            raise OSError(28, os.strerror(28))
        self.kept += entries


def kept_in(path: Path) -> list[Entry | Damage]:
    """What a file holds."""
    return list(read(path.read_bytes().splitlines(keepends=True)))


async def test_each_entry_is_kept_as_it_is_given(tmp_path: Path) -> None:
    far_end = MemoryPipe(answer=lambda line: [f"echo {line}", "lone \udcff"])
    with recording_file(tmp_path / "session.jsonl") as sink:
        pipe = Tap(far_end, sink)
        pipe.write(("note", "n"), ("in", "hello"))
        far_end.complains("oh")
        await pipe.drain()
        pipe.signal(2)
        given = await read_all(pipe)
    assert kept_in(tmp_path / "session.jsonl") == given
    assert [entry.dir for entry in given] == ["note", "in", "out", "out", "err", "exit"]
    assert far_end.signals == [2]


async def test_an_entry_is_kept_before_it_is_given() -> None:
    far_end = MemoryPipe()
    disk = Disk(room=1)
    far_end.says("one")
    given = await Tap(far_end, disk).read()
    assert disk.kept == list(given)


async def test_a_full_disk_is_told_once_and_the_session_goes_on() -> None:
    far_end = MemoryPipe()
    disk = Disk(room=1)
    pipe = Tap(far_end, disk)
    given: list[Entry] = []
    for word in ("one", "two", "three"):
        far_end.says(word)
        given += await pipe.read()
    await pipe.close()
    given += await read_all(pipe)
    assert lines(disk.kept) == ["one"]
    assert lines(given) == ["one", "two", "three"]
    (told,) = lines(given, "note")
    failed = note_of(told)
    assert isinstance(failed, Failed)
    assert failed.kind == "recording"
    assert "No space left" in failed.message
    assert disk.tried == 2
    assert given[-1].dir == "exit"


def test_a_recording_is_its_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with recording_file(path) as sink:
        sink([Entry(0.0, "out", "x")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("before", [b"", b'{"t":0,"dir":"out","line":"old"}\n', b'{"t":0,"dir":"out","li'])
def test_a_file_that_was_cut_off_is_continued_on_a_new_line(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(before)
    with recording_file(path) as sink:
        sink([Entry(1.0, "out", "new")])
    assert kept_in(path)[-1] == Entry(1.0, "out", "new")
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("where", ["missing/session.jsonl", "."])
def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, where: str) -> None:
    path = tmp_path / where
    with pytest.raises(RecordingError, match="name another file") as caught, recording_file(path):
        pytest.fail("it was opened")
    assert caught.value.path == str(path)


def test_a_real_full_disk_raises_what_a_tap_understands() -> None:
    with recording_file(Path("/dev/full")) as sink, pytest.raises(OSError, match="No space left"):
        sink([Entry(0.0, "out", "x")])


def test_a_file_that_was_open_to_all_is_kept_from_others(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.touch(mode=0o644)
    with recording_file(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
