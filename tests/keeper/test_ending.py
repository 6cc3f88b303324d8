"""Which processes are the CLI's, as this program sees them."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from bascule.keeper.ending import born, kin
from bascule.transport.census import proc_row


@pytest.fixture
def child() -> Iterator[int]:
    """A child of ours in a session of its own."""
    with subprocess.Popen(["/bin/sleep", "600"], start_new_session=True) as process:
        yield process.pid
        process.kill()


def test_what_descends_from_us_is_kin_wherever_it_went(child: int) -> None:
    assert child in set(kin(0))
    assert os.getpid() not in set(kin(0))


def test_the_cli_itself_is_not_among_its_kin(child: int) -> None:
    assert child not in set(kin(child))


def test_the_dead_are_not_counted(child: int) -> None:
    os.kill(child, 9)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert child not in set(kin(0))


def test_birth_is_told_as_everywhere(child: int) -> None:
    row = proc_row(child)
    assert row is not None
    assert born(child) == row.born
