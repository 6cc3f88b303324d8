"""Which process has a session open, by the register that the CLI keeps."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.history.live import all_running, began, running
from tests.history.shelf import Shelf, number


def register(config: Path, name: str, **held: object) -> None:
    folder = config / "sessions"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(held))


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_process_that_lives_has_its_session_open(tmp_path: Path) -> None:
    register(tmp_path, "1", pid=os.getpid(), sessionId=number(1), procStart=began(os.getpid()))
    assert running(number(1), tmp_path) == os.getpid()
    assert running(number(2), tmp_path) is None


def test_all_that_run_are_told_at_once(tmp_path: Path) -> None:
    assert all_running(tmp_path) == {}
    register(tmp_path, "1", pid=os.getpid(), sessionId=number(1))
    register(tmp_path, "2", pid=os.getpid(), sessionId=number(2))
    register(tmp_path, "3", pid=gone(), sessionId=number(3))
    register(tmp_path, "4", pid=os.getpid())
    assert all_running(tmp_path) == {number(1): os.getpid(), number(2): os.getpid()}


def test_where_its_beginning_is_not_known_its_number_counts(tmp_path: Path) -> None:
    register(tmp_path, "1", pid=os.getpid(), sessionId=number(1))
    assert running(number(1), tmp_path) == os.getpid()


def test_a_beginning_may_be_a_number(tmp_path: Path) -> None:
    register(tmp_path, "1", pid=os.getpid(), sessionId=number(1), procStart=int(began(os.getpid()) or ""))
    assert running(number(1), tmp_path) == os.getpid()


def test_a_process_that_was_killed_has_nothing_open(tmp_path: Path) -> None:
    register(tmp_path, "1", pid=gone(), sessionId=number(1), procStart="1")
    assert running(number(1), tmp_path) is None


def test_L105_another_process_of_the_same_number_has_nothing_open(tmp_path: Path) -> None:
    register(tmp_path, "1", pid=os.getpid(), sessionId=number(1), procStart="1")
    assert running(number(1), tmp_path) is None


def test_a_process_of_somebody_else_lives(foreign_shelf: Shelf) -> None:
    register(foreign_shelf.config, "1", pid=1, sessionId=number(1))
    foreign_shelf.close()
    assert running(number(1), foreign_shelf.config) == 1


def test_a_process_that_is_gone_began_nowhere() -> None:
    assert began(gone()) is None
    assert int(began(os.getpid()) or "") > 0


@pytest.mark.parametrize("pid", [0, -1, 2**70, "x", None])
def test_a_register_may_hold_nonsense(tmp_path: Path, pid: object) -> None:
    register(tmp_path, "1", pid=pid, sessionId=number(1))
    (tmp_path / "sessions" / "2.json").write_bytes(b"\xff\xfe")
    (tmp_path / "sessions" / "3.json").mkdir()
    (tmp_path / "sessions" / "4.json").write_text("[]")
    assert running(number(1), tmp_path) is None


def test_without_a_register_nothing_runs(tmp_path: Path) -> None:
    assert running(number(1), tmp_path) is None
