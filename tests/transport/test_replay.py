"""A recording played as a pipe: as it was, or strictly, as a test of what we write now."""

import asyncio
import json
from typing import Any

import pytest

from bascule.errors import LocalProtocolError
from bascule.recording import Entry, Exit
from bascule.transport.replay import Names, ReplayPipe
from tests.transport.programs import lines, read_all, read_until


def entry(t: float, direction: Any, **fields: Any) -> Entry:
    """An entry whose line is JSON."""
    return Entry(t, direction, json.dumps(fields))


RECORDED = [
    Entry(0.0, "argv", "[]"),
    entry(0.1, "note", note="prompted", prompt_id="then-1"),
    entry(0.1, "in", type="user", uuid="then-1", message={"role": "user", "content": "hi"}),
    entry(0.2, "out", type="user", uuid="then-1", isReplay=True),
    entry(0.3, "out", type="control_request", request_id="cli-7", request={"subtype": "can_use_tool"}),
    entry(1.0, "in", type="control_response", response={"request_id": "cli-7", "subtype": "success"}),
    entry(1.1, "out", type="result", user_message_uuids=["then-1"]),
    Entry(2.0, "exit", '{"code":0}'),
]


async def test_a_recording_is_given_as_it_was() -> None:
    pipe = ReplayPipe(RECORDED)
    assert pipe.write(("in", "anything"), ("note", "goes nowhere"))
    assert await read_all(pipe) == RECORDED
    assert await pipe.close() == Exit(code=0)
    assert not pipe.write(("in", "late"))


async def test_a_recording_of_several_processes_is_played_to_its_end() -> None:
    twice = [*RECORDED, *RECORDED]
    assert await read_all(ReplayPipe(twice)) == twice


@pytest.mark.parametrize("cut", range(len(RECORDED)))
async def test_a_recording_that_was_cut_off_ends_with_an_unknown_exit(cut: int) -> None:
    pipe = ReplayPipe(RECORDED[:cut])
    *played, last = await read_all(pipe)
    assert played == RECORDED[:cut]
    assert last.dir == "exit"
    assert await pipe.close() == Exit()


async def test_strictly_played_it_waits_for_our_lines_and_answers_with_our_ids() -> None:
    pipe = ReplayPipe(RECORDED, strict=True)
    assert [seen.dir for seen in await pipe.read()] == ["argv"]
    prompt = {"type": "user", "message": {"content": "hi", "role": "user"}, "uuid": "now-1", "session_id": "s"}
    assert pipe.write(("note", "prompted now"), ("in", json.dumps(prompt)))
    note, ours, echo, ask = await pipe.read()
    assert (note.line, ours.line) == ("prompted now", json.dumps(prompt))
    assert json.loads(echo.line)["uuid"] == "now-1"
    assert json.loads(ask.line)["request_id"] == "cli-7"
    assert [json.loads(line)["type"] for line in pipe.unwritten] == ["control_response"]
    answer = {"type": "control_response", "response": {"request_id": "cli-7", "subtype": "success"}}
    assert pipe.write(("in", json.dumps(answer)))
    _, result, exit_entry = await pipe.read()
    assert json.loads(result.line)["user_message_uuids"] == ["now-1"]
    assert exit_entry == RECORDED[-1]
    assert not pipe.unwritten
    assert await pipe.close() == Exit(code=0)


@pytest.mark.parametrize(
    "written",
    [
        {"type": "user", "uuid": "now-1", "message": {"role": "user", "content": "HI"}},
        {"type": "user", "uuid": "now-1", "message": {"role": "user", "content": "hi"}, "priority": "now"},
        {"type": "user", "uuid": "now-1"},
        {"type": "user", "uuid": 7, "message": {"role": "user", "content": "hi"}},
        "no json",
    ],
)
async def test_a_line_that_is_not_the_recorded_one_is_shown_with_it(written: object) -> None:
    pipe = ReplayPipe(RECORDED, strict=True)
    line = written if isinstance(written, str) else json.dumps(written)
    with pytest.raises(LocalProtocolError, match="written now") as caught:
        pipe.write(("in", line))
    assert line in str(caught.value)
    assert "then-1" in str(caught.value)


async def test_an_id_that_the_cli_gave_must_come_back_as_it_was() -> None:
    pipe = ReplayPipe(RECORDED, strict=True)
    pipe.write(("in", RECORDED[2].line))
    with pytest.raises(LocalProtocolError):
        pipe.write(
            ("in", json.dumps({"type": "control_response", "response": {"request_id": "x", "subtype": "success"}}))
        )


async def test_an_id_of_ours_stands_for_the_same_one_everywhere() -> None:
    twice = [entry(0, "in", uuid="then"), entry(1, "in", uuid="then"), Entry(2, "exit", "{}")]
    pipe = ReplayPipe(twice, strict=True)
    pipe.write(("in", '{"uuid":"now"}'))
    with pytest.raises(LocalProtocolError):
        pipe.write(("in", '{"uuid":"other"}'))


async def test_a_line_too_many_is_shown() -> None:
    pipe = ReplayPipe([entry(0, "in", a=1), Entry(1, "exit", "{}")], strict=True)
    pipe.write(("in", '{"a": 1}'))
    with pytest.raises(LocalProtocolError, match="no line left") as caught:
        pipe.write(("in", "x" * 10_000))
    assert len(str(caught.value)) < 1000


async def test_lines_that_were_no_json_are_compared_as_text() -> None:
    pipe = ReplayPipe([Entry(0, "in", "not json"), Entry(1, "out", "ok"), Entry(1, "exit", "{}")], strict=True)
    assert pipe.write(("in", "not json"))
    assert lines(await read_until(pipe, "out")) == ["ok"]


async def test_what_the_cli_said_to_lines_that_never_come_is_not_played() -> None:
    pipe = ReplayPipe(RECORDED, strict=True)
    pipe.write(("in", RECORDED[2].line))
    assert await pipe.close() == Exit()
    assert lines(await read_all(pipe)) == [RECORDED[3].line, RECORDED[4].line]


async def test_what_was_never_written_is_told_after_the_end_as_well() -> None:
    pipe = ReplayPipe(RECORDED, strict=True)
    pipe.write(("in", RECORDED[2].line))
    await pipe.close()
    await read_all(pipe)
    assert pipe.unwritten == (RECORDED[5].line,)


async def test_ending_wakes_a_waiting_reader() -> None:
    pipe = ReplayPipe(RECORDED, strict=True)
    await pipe.read()
    async with asyncio.TaskGroup() as group:
        reader = group.create_task(read_all(pipe), name="reader")
        asyncio.get_running_loop().call_soon(pipe.end)
    assert [seen.dir for seen in reader.result()] == ["exit"]


async def test_a_pipe_that_feels_nothing_takes_every_signal() -> None:
    pipe = ReplayPipe(RECORDED)
    pipe.signal(9)
    await pipe.drain()
    assert await read_all(pipe) == RECORDED


@pytest.mark.parametrize(
    ("recorded", "ours", "same"),
    [
        ({"a": [1, {"id": "x"}]}, {"a": [1, {"id": "y"}]}, True),
        ({"hookCallbackIds": ["tool_approval"]}, {"hookCallbackIds": ["hook-1"]}, True),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({"valid": "x"}, {"valid": "y"}, False),
        ({"uuid": "x"}, {}, True),
        ({"text": "x"}, {}, False),
        (None, None, True),
        (1, 1.0, True),
        ("a", ["a"], False),
    ],
)
def test_values_are_the_same_but_for_ids(recorded: object, ours: object, same: bool) -> None:
    assert Names().match(recorded, ours, ()) is same
