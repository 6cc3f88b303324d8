"""Who belongs to a CLI, told from a list of processes; and that no signal meets a stranger."""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.transport.census import Row, System, Table
from bascule.transport.tree import Family, kin, send

CLI = Row(pid=100, parent=7, group=100, born=50)
TOOL = Row(pid=101, parent=100, group=101, born=60)
GRANDCHILD = Row(pid=102, parent=101, group=101, born=61)
SERVER = Row(pid=103, parent=100, group=100, born=55)
STRANGER = Row(pid=200, parent=1, group=200, born=10)


def orphan(row: Row) -> Row:
    """The same process after its parent died."""
    return Row(pid=row.pid, parent=1, group=row.group, born=row.born)


def table(*rows: Row, marked: frozenset[int] = frozenset()) -> Table:
    """The processes at one moment."""
    return Table(frozenset(rows), marked)


def test_descendants_are_found_over_sessions() -> None:
    assert kin(table(CLI, TOOL, GRANDCHILD, SERVER, STRANGER), CLI, ()) == {TOOL, GRANDCHILD, SERVER}


def test_L56_what_was_seen_is_found_after_its_parents_died() -> None:
    now = table(orphan(TOOL), GRANDCHILD, STRANGER)
    assert kin(now, CLI, [TOOL.key]) == {orphan(TOOL), GRANDCHILD}


def test_S38_a_server_that_was_never_seen_is_found_by_its_session() -> None:
    assert kin(table(orphan(SERVER), STRANGER), CLI, ()) == {orphan(SERVER)}


def test_a_tool_that_was_never_seen_is_found_by_its_mark() -> None:
    now = table(orphan(TOOL), GRANDCHILD, STRANGER, marked=frozenset([TOOL.pid]))
    assert kin(now, CLI, ()) == {orphan(TOOL), GRANDCHILD}


def test_L56_a_number_that_is_used_again_is_a_stranger() -> None:
    reused = Row(pid=101, parent=1, group=101, born=900)
    assert kin(table(CLI, reused), CLI, [TOOL.key]) == frozenset()


def test_L56_the_session_of_a_cli_whose_number_is_used_again_is_anothers() -> None:
    reused = Row(pid=100, parent=1, group=100, born=900)
    its_child = Row(pid=300, parent=100, group=100, born=901)
    assert kin(table(reused, its_child), CLI, [TOOL.key]) == frozenset()


def test_a_child_cannot_be_older_than_its_parent() -> None:
    older = Row(pid=104, parent=101, group=104, born=20)
    assert kin(table(CLI, TOOL, older), CLI, ()) == {TOOL}


def test_a_cli_that_was_gone_before_we_looked_still_has_its_marked_ones() -> None:
    assert kin(table(TOOL, STRANGER, marked=frozenset([101])), None, ()) == {TOOL}


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12), st.integers(1, 12), st.integers(1, 9)), max_size=12))
def test_the_cli_itself_and_the_older_never_belong(rows: list[tuple[int, int, int, int]]) -> None:
    listed = table(CLI, *(Row(*row) for row in rows))
    assert CLI not in kin(listed, CLI, ())
    assert all(row.born >= CLI.born for row in kin(listed, CLI, ()))


def test_a_signal_meets_only_the_very_process() -> None:
    mine = Row(os.getpid(), os.getppid(), 0, born=5)
    other_birth = System(lambda mark, since: table(), lambda pid: Row(pid, 1, 1, born=6))
    assert not send(mine, signal.SIGKILL, other_birth)
    nobody = System(lambda mark, since: table(), lambda pid: None)
    assert not send(mine, signal.SIGKILL, nobody)
    same = System(lambda mark, since: table(), lambda pid: mine)
    assert send(mine, 0, same)


def test_a_process_that_is_gone_at_the_last_moment_is_no_error() -> None:
    ghost = Row(2**22 + 1, 1, 1, born=5)
    assert not send(ghost, signal.SIGTERM, System(lambda mark, since: table(), lambda pid: ghost))


async def test_what_does_not_die_is_left_after_bounded_time() -> None:
    """A process of this table never goes away: it hangs in the kernel, or it is another user's."""
    ghost = Row(2**22 + 1, 100, 1, born=70)
    family = Family(100, "mark", System(lambda mark, since: table(CLI, ghost), lambda pid: CLI if pid == 100 else None))
    assert await family.end(term_s=0.01, kill_s=0.01) == {ghost}


async def test_a_family_without_its_cli_takes_no_signal() -> None:
    family = Family(100, "mark", System(lambda mark, since: table(), lambda pid: None))
    family.signal_root(signal.SIGKILL)
    assert await family.look() == frozenset()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_nothing_left_is_ended_at_once(number: int) -> None:
    asked: list[tuple[str, int]] = []

    def census(mark: str, since: int) -> Table:
        asked.append((mark, since))
        return table(CLI)

    family = Family(100, "mark", System(census, lambda pid: CLI))
    assert await family.end() == frozenset()
    assert asked == [("mark", CLI.born)]
