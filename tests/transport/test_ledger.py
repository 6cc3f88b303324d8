"""A file of bascule's own: whole or not at all, one writer at a time, and believed only if nobody else wrote it."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bascule.errors import OptionError
from bascule.transport.ledger import Ledger

LONG_AGO = 1_700_000_000_000_000_000
Numbers = tuple[int, ...]


def ledger(path: Path) -> Ledger[Numbers]:
    return Ledger(path, tuple[int, ...], ())


def test_what_was_written_is_read_by_others_and_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "state" / "bascule" / "numbers.json"
    assert ledger(path).change(lambda numbers: (*numbers, 7)) == (7,)
    assert ledger(path).read() == (7,)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(one.name for one in path.parent.iterdir()) == ["numbers.json", "numbers.json.lock"]


def test_a_file_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert ledger(tmp_path / "none").read() == ()


def test_a_change_by_another_is_seen(tmp_path: Path) -> None:
    mine, other = ledger(tmp_path / "n"), ledger(tmp_path / "n")
    mine.change(lambda _: (1,))
    other.change(lambda numbers: (*numbers, 2))
    assert mine.read() == (1, 2)
    assert mine.change(lambda numbers: (*numbers, 3)) == (1, 2, 3)


def test_a_version_that_has_stood_for_a_while_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "n"
    ledger(path).change(lambda _: (1, 2))
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    reader = ledger(path)
    assert reader.read() is reader.read()
    ledger(path).change(lambda _: (3, 4))
    assert reader.read() == (3, 4)


def test_a_change_that_fails_changes_nothing_and_lets_the_next_one_in(tmp_path: Path) -> None:
    numbers = ledger(tmp_path / "n")
    numbers.change(lambda _: (1,))
    with pytest.raises(ZeroDivisionError):
        numbers.change(lambda old: (1 // len(old[1:]),))
    assert numbers.change(lambda old: (*old, 2)) == (1, 2)


def test_what_a_writer_left_behind_that_was_killed_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "n.new").write_text("[1, 2")
    assert ledger(tmp_path / "n").change(lambda _: (3,)) == (3,)


ADDS = """
import sys
from pathlib import Path
from bascule.transport.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]), tuple[int, ...], ())
for _ in range(20):
    ledger.change(lambda numbers: (*numbers, len(numbers)))
"""


def test_programs_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "n"
    programs = [subprocess.Popen([sys.executable, "-c", ADDS, str(path)]) for _ in range(3)]
    assert [program.wait(15) for program in programs] == [0, 0, 0]
    assert ledger(path).read() == tuple(range(60))


def is_damaged(path: Path) -> None:
    path.write_text("[1,")


def is_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def may_be_written_by_others(path: Path) -> None:
    path.chmod(0o620)


def is_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("becomes", [is_damaged, is_a_link, may_be_written_by_others, is_a_pipe])
def test_what_others_may_have_written_is_not_believed(becomes: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "n"
    ledger(path).change(lambda _: (1,))
    becomes(path)
    with pytest.raises(OptionError, match=str(path)):
        ledger(path).read()
    with pytest.raises(OptionError, match=str(path)):
        ledger(path).change(lambda numbers: numbers)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="XDG_STATE_HOME"):
        ledger(tmp_path / "file" / "n").change(lambda numbers: numbers)


def test_a_place_that_cannot_be_looked_at_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="cannot be read"):
        ledger(tmp_path / "file" / "n").read()
