"""Letting go of a process that did not die, which no process of a test can do: here it is not asked to."""

import asyncio
from pathlib import Path

from bascule.recording import Exit, exit_of
from bascule.transport.backlog import Backlog
from bascule.transport.ends import Ends, Limits
from tests.transport.programs import RING, Bell, gone, open_files, program


async def test_a_process_that_would_not_die_is_let_go_with_an_unknown_end(tmp_path: Path, bell: Bell) -> None:
    before = open_files()
    source = (
        RING
        + """
    import signal
    ring("here")
    signal.pause()
    """
    )
    launch = program(tmp_path, source)
    backlog = Backlog(iter(range(100)).__next__)
    ends = Ends(backlog, Limits())
    await asyncio.get_running_loop().subprocess_exec(lambda: ends, *launch.argv, env=launch.env, cwd=launch.cwd)
    await bell.rung()
    assert ends.send(b"x" * 5_000_000)
    await ends.release()
    (last,) = await backlog.take()
    assert exit_of(last.line) == Exit()
    assert await backlog.take() == ()
    assert not ends.send(b"late")
    await ends.room()
    await ends.dead.wait()
    await gone(ends.transport.get_pid() or 0)
    assert not {name for name in open_files() - before if "pipe" in name}
