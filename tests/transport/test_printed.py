"""A plain program is run for what it prints, and bounded."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bascule.errors import CliNotFound, OptionError
from bascule.transport.launch import Launch
from bascule.transport.printed import Printed, printed_by
from tests.transport.programs import RING, Bell, alive, gone, open_files, program, running_with

PARENT = """
    import subprocess
    child = subprocess.Popen(["sleep", "600"])
    ring(child.pid)
    child.wait()
"""


@pytest.fixture(autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    before = open_files()
    yield
    assert open_files() - before == set()


async def test_all_that_it_prints_is_told(tmp_path: Path) -> None:
    source = """
        import os, sys
        assert sys.stdin.read() == ""
        os.write(1, b"x" * 300_000 + b"\\n\\xff")
        os.write(2, b"why\\n")
        raise SystemExit(3)
    """
    said = await printed_by(program(tmp_path, source), within_s=20)
    assert said == Printed("x" * 300_000 + "\n\udcff", "why\n", 3)


async def test_a_signal_that_ended_it_is_told() -> None:
    said = await printed_by(Launch(("/bin/sh", "-c", "kill -9 $$"), {}, "/"), within_s=20)
    assert said.code == -9


async def test_it_is_found_on_the_path_that_it_is_given(tmp_path: Path) -> None:
    program(tmp_path, "print('ours')", name="git")
    said = await printed_by(Launch(("git",), {"PATH": str(tmp_path)}, "/"), within_s=20)
    assert said.out == "ours\n"


async def test_what_cannot_be_started_says_so(tmp_path: Path) -> None:
    with pytest.raises(CliNotFound):
        await printed_by(Launch(("/no/such",), {}, "/"), within_s=20)
    with pytest.raises(OptionError):
        await printed_by(Launch(("/bin/true",), {}, str(tmp_path / "none")), within_s=20)


async def test_one_that_takes_too_long_is_killed_with_its_group() -> None:
    stuck = Launch(("/bin/sh", "-c", "sleep 600 & wait"), {"PATH": os.defpath, "PRINTED_TEST": "slow"}, "/")
    with pytest.raises(TimeoutError):
        await printed_by(stuck, within_s=0.2)
    await _nobody_is_left("PRINTED_TEST=slow")


async def test_one_that_nobody_waits_for_any_more_is_killed_with_its_group(tmp_path: Path) -> None:
    launch = program(tmp_path, RING + PARENT)
    with closing(Bell(tmp_path)) as bell:
        waiting = asyncio.ensure_future(printed_by(launch, within_s=60))
        child = int(await bell.rung())
        assert alive(child)
        waiting.cancel()
        await asyncio.wait({waiting})
    assert waiting.cancelled()
    await gone(child)


async def _nobody_is_left(variable: str) -> None:
    for pid in running_with(variable):
        await gone(pid)


async def test_the_output_that_a_child_of_a_dead_one_holds_open_is_not_waited_for_longer() -> None:
    """The child leads a group of its own: nothing of it is searched for."""
    with pytest.raises(TimeoutError):
        await printed_by(Launch(("/bin/sh", "-c", "setsid sleep 3 & exit 0"), {"PATH": os.defpath}, "/"), within_s=0.3)
