"""The CLI's own tools with all that they read, print and refuse, as a surface is told of them."""

import base64
import json
import zlib
from functools import partial
from typing import Any

import pytest

from bascule.demo.asked import Asked
from bascule.demo.script import Step, call, respond, say, turn
from bascule.events import TaskEnded, ToolUpdate
from bascule.payload import CodeSearch, Generic, ModifyFile, Payload, ReadFile, ShellExec
from tests.live.stage import Stage, bash, said, so_far

NOTEBOOK: dict[str, Any] = {
    "cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], "source": ["1 + 1"]}],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def one_after_the_other(*calls: Step) -> list[Step]:
    """Each call in a message of its own."""
    first, *others = calls
    return [first, *(respond(partial(_next, step)) for step in others)]


def _next(step: Step, asked: Asked) -> Step:
    return step


async def ended(stage: Stage, *calls: Step, **options: Any) -> list[tuple[str, Payload]]:
    """How the calls ended, and what is told of them then."""
    async with stage.play(turn(*one_after_the_other(*calls), say("Done.")), **options) as (session, _):
        await said(session, "Work")
        await session.idle()
    ends = [event for event in await so_far(session) if isinstance(event, ToolUpdate)]
    return [(end.tool_status, end.normalized) for end in ends if end.tool_status != "running"]


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = (4).to_bytes(4, "big")
    rows = zlib.compress((b"\0" + b"\xff" * 12) * 4)
    head = chunk(b"IHDR", size + size + b"\x08\x02\0\0\0")
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


async def test_a_text_is_read_in_part(stage: Stage) -> None:
    path = stage.path("lines.py")
    path.write_text("".join(f"line {number}\n" for number in range(1, 21)))
    [(status, read)] = await ended(stage, call("Read", file_path=str(path), offset=5, limit=3))
    assert isinstance(read, ReadFile)
    assert read.output is not None
    assert (status, read.offset, read.limit) == ("complete", 5, 3)
    assert (read.output.content, read.output.line_count, read.output.language) == (
        "line 5\nline 6\nline 7",
        3,
        "python",
    )


async def test_L3_images_and_notebooks_are_read_without_their_bytes(stage: Stage) -> None:
    image, notebook = stage.path("square.png"), stage.path("book.ipynb")
    image.write_bytes(png())
    notebook.write_text(json.dumps(NOTEBOOK))
    ends = await ended(stage, *(call("Read", file_path=str(path)) for path in (image, notebook)))
    media = [read.output.media for _, read in ends if isinstance(read, ReadFile) and read.output is not None]
    assert [status for status, _ in ends] == ["complete", "complete"]
    assert media[0] == "image/png"
    assert media[1]
    assert base64.b64encode(png()).decode() not in str(ends)


async def test_a_cell_of_a_notebook_is_changed(stage: Stage) -> None:
    path = stage.path("book.ipynb")
    path.write_text(json.dumps(NOTEBOOK))
    edit = call("NotebookEdit", notebook_path=str(path), cell_id="c1", new_source="2 + 2")
    ends = await ended(stage, call("Read", file_path=str(path)), edit)
    status, edited = ends[1]
    assert isinstance(edited, ModifyFile)
    assert (status, edited.file_path) == ("complete", str(path))
    assert "2 + 2" in path.read_text()


async def test_files_are_found_by_name_and_by_content(stage: Stage) -> None:
    for name in ("a.py", "b.py", "c.txt"):
        stage.path(name).write_text(f"# {name}\nneedle\n" if name != "b.py" else "hay\n")
    by_name = call("Glob", pattern="*.py")
    by_content = call("Grep", pattern="needle", output_mode="content")
    ends = await ended(stage, by_name, by_content, tools=("Glob", "Grep"))
    (_, names), (_, lines) = ends
    assert isinstance(names, CodeSearch)
    assert isinstance(lines, CodeSearch)
    assert names.output is not None
    assert lines.output is not None
    assert sorted(name.rpartition("/")[2] for name in names.output.files) == ["a.py", "b.py"]
    assert lines.mode == "content"
    assert len(lines.output.matches or ()) == 2


async def test_a_command_tells_its_exit_code_and_what_it_printed_in_order(stage: Stage) -> None:
    ends = await ended(stage, bash("echo out; echo err >&2; exit 3"), bash("true"), bash("grep nothing /etc/hostname"))
    outputs = [(status, shell.output) for status, shell in ends if isinstance(shell, ShellExec) and shell.output]
    (failed, first), (worked, second), (missed, _) = outputs
    assert (failed, first.exit_code, first.stdout.split()) == ("error", 3, ["out", "err"])
    assert (worked, second.stdout) == ("complete", "")
    assert missed == "complete"


async def test_much_output_is_bounded_and_said_to_be(stage: Stage) -> None:
    [(status, shell)] = await ended(stage, bash("yes 0123456789 | head -c 1000000"))
    assert isinstance(shell, ShellExec)
    assert shell.output is not None
    assert status == "complete"
    assert len(shell.output.stdout) <= 100_000
    assert shell.output.truncated or shell.cuts


async def test_a_command_that_takes_too_long_goes_on_in_the_background(stage: Stage) -> None:
    slow = bash("echo begun; sleep 3; touch made", timeout=1000)
    async with stage.play(turn(slow, say("It runs.")), say("It is done.")) as (session, _):
        await said(session, "Run it")
        await session.idle()
    events = await so_far(session)
    (end,) = (event for event in events if isinstance(event, ToolUpdate) and event.tool_status != "running")
    assert isinstance(end.normalized, ShellExec)
    assert end.normalized.output is not None
    assert end.tool_status == "complete"
    assert end.normalized.output.background_id is not None
    assert [event.outcome for event in events if isinstance(event, TaskEnded)] == ["completed"]
    assert stage.path("made").exists()


@pytest.mark.parametrize("tool", ["MultiEdit", "BashOutput", "LS"])
async def test_a_tool_of_older_times_is_refused_and_the_turn_goes_on(stage: Stage, tool: str) -> None:
    async with stage.play(turn(call(tool, path="."), say("Not there."))) as (session, _):
        complete = await said(session, "Use it")
    assert (complete.outcome, complete.text) == ("success", "Not there.")
    (end,) = (event for event in await so_far(session) if isinstance(event, ToolUpdate))
    assert end.tool_status == "error"


async def test_a_tool_that_bascule_does_not_know_is_told_as_it_is(stage: Stage) -> None:
    [(status, unknown)] = await ended(stage, call("Teleport", to="home"))
    assert isinstance(unknown, Generic)
    assert (status, unknown.name, unknown.is_error) == ("error", "Teleport", True)
