"""Both ways of listing processes see this one and its children, and neither sees the dead."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bascule.transport.census import ANY_UNIX, LINUX, MARK, Row, System, ps_rows, stat_row

STAT = "4242 (a (b) c) S 17 18 19 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 105093 3133440 408 18446744073709551615 1 1 0"
PS = """\
    1     0     1 Ss   Mon Nov  3 08:00:00 2025
 4242     1  4242 S+   Mon Nov  3 08:00:02 2025
 4243  4242  4242 Z    Mon Nov  3 08:00:03 2025
"""


def test_a_name_may_hold_blanks_and_parentheses() -> None:
    assert stat_row(STAT) == Row(pid=4242, parent=17, group=19, born=105093)


@pytest.mark.parametrize("state", ["Z", "X"])
def test_a_zombie_is_dead(state: str) -> None:
    assert stat_row(STAT.replace(" S ", f" {state} ")) is None


def test_L80_ps_lists_the_living_with_their_birth() -> None:
    rows = sorted(ps_rows(PS), key=lambda row: row.pid)
    assert [(row.pid, row.parent, row.group) for row in rows] == [(1, 0, 1), (4242, 1, 4242)]
    assert rows[1].born - rows[0].born == 2


def test_ps_that_says_nothing_lists_nobody() -> None:
    assert ps_rows("") == frozenset()


@pytest.mark.parametrize("system", [LINUX, ANY_UNIX], ids=["proc", "ps"])
def test_a_system_knows_this_process(system: System) -> None:
    mine = system.row(os.getpid())
    assert mine is not None
    assert (mine.pid, mine.parent) == (os.getpid(), os.getppid())
    assert mine.key in {row.key for row in system.table("no mark", 0).rows}


@pytest.mark.parametrize("system", [LINUX, ANY_UNIX], ids=["proc", "ps"])
def test_a_child_is_seen_while_it_lives(system: System) -> None:
    child = sleeper({})
    try:
        row = system.row(child.pid)
        assert row is not None
        assert row.parent == os.getpid()
        assert row.group == child.pid
    finally:
        end(child)
    assert system.row(child.pid) is None


def test_the_mark_is_found_whole_or_not_at_all() -> None:
    child = sleeper({MARK: "abc"})
    try:
        assert LINUX.table("abc", 0).marked == {child.pid}
        assert LINUX.table("ab", 0).marked == frozenset()
        assert ANY_UNIX.table("abc", 0).marked == frozenset()
    finally:
        end(child)


def test_a_process_that_is_older_than_the_mark_is_not_asked_for_it() -> None:
    child = sleeper({MARK: "abc"})
    try:
        born = row_of(child.pid).born
        assert LINUX.table("abc", born).marked == {child.pid}
        later = LINUX.table("abc", born + 1)
        assert child.pid in {row.pid for row in later.rows}
        assert later.marked == frozenset()
    finally:
        end(child)


def row_of(pid: int) -> Row:
    """The living process of that number."""
    row = LINUX.row(pid)
    assert row is not None
    return row


def sleeper(env: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process that waits for its stdin to be closed, in a session of its own; it has told that it runs."""
    code = "import sys; print(flush=True); sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    assert child.stdout.read(1) == b"\n"
    return child


def end(child: subprocess.Popen[bytes]) -> None:
    """Let it end, and bury it."""
    child.communicate()


def test_L56_a_process_that_is_just_taking_on_another_program_is_waited_for() -> None:
    code = f"import os, sys; sys.stdin.read(1); os.execve('/bin/cat', ['cat'], {{'{MARK}': 'abc'}})"
    child = subprocess.Popen([sys.executable, "-c", code], env={}, stdin=subprocess.PIPE)
    assert child.stdin is not None
    try:
        with ThreadPoolExecutor(max_workers=1) as threads:
            looking = threads.submit(LINUX.table, "abc", 0)
            child.stdin.write(b"x")
            child.stdin.flush()
        assert looking.result().marked == {child.pid}
    finally:
        end(child)


def test_a_process_without_any_variable_is_not_waited_for_for_ever() -> None:
    child = sleeper({})
    try:
        table = LINUX.table("abc", 0)
        assert child.pid in {row.pid for row in table.rows}
        assert table.marked == frozenset()
    finally:
        end(child)
