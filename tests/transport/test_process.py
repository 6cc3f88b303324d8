"""A process pipe with small programs at the far end: what it reads, what it writes, how it is told."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from bascule.errors import CliNotFound, LocalProtocolError, OptionError, StartFailed
from bascule.recording import Exit, exit_of
from bascule.transport.launch import Launch
from bascule.transport.process import Limits, open_process
from tests.transport.programs import ECHO, alive, gone, lines, open_files, program, read_all, read_until


async def test_entries_come_in_the_order_of_a_recording(tmp_path: Path) -> None:
    async with open_process(program(tmp_path, ECHO)) as pipe:
        assert pipe.write(("note", "mind"), ("in", "one"))
        begun = await read_until(pipe, "out")
        pipe.end()
        entries = begun + await read_all(pipe)
    assert [entry.dir for entry in entries] == ["argv", "env", "note", "in", "out", "exit"]
    assert [entry.line for entry in entries][2:5] == ["mind", "one", "echo one"]
    assert exit_of(entries[-1].line) == Exit(code=0)


async def test_times_are_the_clocks(tmp_path: Path) -> None:
    ticks = iter(range(100, 200))
    async with open_process(program(tmp_path, ECHO), clock=lambda: float(next(ticks))) as pipe:
        pipe.write(("note", "mind"), ("in", "one"))
        entries = await read_until(pipe, "out")
    assert [entry.t for entry in entries] == [100.0, 100.0, 101.0, 101.0, 102.0]
