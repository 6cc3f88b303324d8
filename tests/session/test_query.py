"""One prompt and one run: its events, its end, and a process that is gone after it."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from bascule.commands import AllowOnce, Decision
from bascule.errors import LocalProtocolError, ProcessLost, StartFailed, StructuredOutputMissing
from bascule.events import AnyEvent, Complete, MessageChunk, PermissionRequest, SessionEnded, TurnStarted
from bascule.mcp.server import ToolServer
from bascule.mcp.tool import tool
from bascule.session.options import Options
from bascule.session.query import Query, unattended
from tests.session.far_end import FarEnd
from tests.session.live import live

SCHEMA: dict[str, Any] = {"json_schema": {"type": "object"}}


def asked(far: FarEnd, prompt: str = "Hi", **options: Any) -> Query:
    return Query(live(far, **options), prompt)


async def prompted(far: FarEnd) -> str:
    """The id of the prompt, as soon as it was written."""
    while not far.of("user"):
        await far.pipe.hear()
    return str(far.of("user")[0]["uuid"])


async def answers(far: FarEnd, *turns: dict[str, Any]) -> None:
    """The CLI answers the prompt, and goes on with turns of its own."""
    uuid = await prompted(far)
    for number, result in enumerate(turns):
        named = [uuid] if number == 0 else []
        far.begins(*named)
        far.text(result["result"])
        far.result(*named, **result)


async def keep(query: Query, events: list[AnyEvent]) -> None:
    """Read the whole run into `events`, which hold what came before an error too."""
    async for event in query:
        events += [event]


async def whole(query: Query) -> list[AnyEvent]:
    return [event async for event in query]


async def test_a_run_ends_when_nothing_is_owed_and_its_process_is_gone() -> None:
    far = FarEnd()
    query = asked(far)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(answers(far, {"result": "Hello."}), name="far")
        events = await whole(query)
    assert [event.text for event in events if isinstance(event, MessageChunk)] == ["Hello."]
    assert isinstance(events[-1], SessionEnded)
    assert (query.complete.outcome, query.complete.text) == ("success", "Hello.")
    assert far.pipe.signals == []
    with pytest.raises(StopAsyncIteration):
        await anext(query)


async def test_S23_a_run_goes_on_while_the_cli_owes_a_turn_and_its_last_turn_is_the_result() -> None:
    far = FarEnd()
    query = asked(far)

    async def play() -> None:
        uuid = await prompted(far)
        far.says({"type": "system", "subtype": "session_state_changed", "state": "running"})
        far.turn(uuid, text="An agent is on it.")
        await far.pipe.drain()
        far.begins()
        far.text("The agent is done.")
        far.result(result="The agent is done.")
        far.says({"type": "system", "subtype": "session_state_changed", "state": "idle"})

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(play(), name="far")
        events = await whole(query)
    assert len([event for event in events if isinstance(event, Complete)]) == 2
    assert query.complete.text == "The agent is done."


async def test_a_turn_that_only_the_end_of_the_session_provokes_is_not_the_result() -> None:
    """2.1.197 stops a shell in the background when its stdin is closed, and tells the model."""
    far = FarEnd(speaks_197=True)
    noticed = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "It was stopped."}
    far.last_words = [{"type": "system", "subtype": "init", "session_id": "s"}, noticed]
    query = asked(far)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(answers(far, {"result": "It runs."}), name="far")
        events = await whole(query)
    assert [event.text for event in events if isinstance(event, Complete)] == ["It runs.", "It was stopped."]
    assert query.complete.text == "It runs."


async def test_S9_the_line_to_the_cli_stays_open_while_a_tool_of_this_program_runs() -> None:
    far = FarEnd()
    began, go = asyncio.Event(), asyncio.Event()

    @tool
    async def count() -> str:
        """Count."""
        began.set()
        await go.wait()
        return "three"

    query = asked(far, tool_servers=(ToolServer("slow", [count]),))

    async def play() -> None:
        uuid = await prompted(far)
        far.begins(uuid)
        far.says_to("slow", "m1", "tools/call", id=2, name="count")
        await began.wait()
        go.set()
        answer = await far.answered("m1")
        assert answer["response"]["mcp_response"]["result"]["content"][0]["text"] == "three"
        far.result(uuid)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(play(), name="far")
        await whole(query)
    assert query.complete.outcome == "success"


async def test_a_run_without_the_structured_output_that_was_asked_for_is_an_error() -> None:
    far = FarEnd()
    query = asked(far, **SCHEMA)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(answers(far, {"result": "I'd rather not."}), name="far")
        with pytest.raises(StructuredOutputMissing) as missing:
            await whole(query)
    assert missing.value.complete.text == query.complete.text == "I'd rather not."


async def test_a_failed_turn_without_structured_output_is_a_complete() -> None:
    far = FarEnd()
    query = asked(far, **SCHEMA)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(answers(far, {"result": "API Error", "is_error": True}), name="far")
        await whole(query)
    assert query.complete.outcome == "error"


@pytest.mark.parametrize("first", [True, False])
async def test_the_turn_with_the_structured_output_is_the_result_wherever_it_stands(*, first: bool) -> None:
    far = FarEnd()
    query = asked(far, **SCHEMA)
    turns: list[dict[str, Any]] = [{"result": "{}", "structured_output": {"n": 1}}, {"result": "Done."}]
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(answers(far, *(turns if first else reversed(turns))), name="far")
        await whole(query)
    assert query.complete.structured == {"n": 1}


async def test_a_process_that_is_lost_raises_after_its_last_event() -> None:
    far = FarEnd()
    query = asked(far)

    async def die() -> None:
        far.begins(await prompted(far))
        far.pipe.complains("out of memory")
        far.pipe.exits(None, signal="SIGKILL")

    events: list[AnyEvent] = []
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(die(), name="far")
        with pytest.raises(ProcessLost, match="out of memory"):
            await keep(query, events)
    assert isinstance(events[-1], SessionEnded)
    assert query.complete.outcome == "lost"


async def test_a_session_that_does_not_open_raises_at_the_first_event() -> None:
    far = FarEnd()
    far.silent_about.add("initialize")
    far.pipe.exits(1)
    query = asked(far)
    with pytest.raises(StartFailed):
        await anext(query)
    with pytest.raises(LocalProtocolError, match="no turn has ended yet"):
        _ = query.complete


async def test_a_run_that_is_left_half_way_ends_its_process() -> None:
    far = FarEnd()
    far.on_interrupt = lambda: far.result(subtype="error_during_execution", is_error=True)
    query = asked(far)

    async def begin() -> None:
        far.begins(await prompted(far))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(begin(), name="far")
        async with aclosing(query):
            async for event in query:
                if isinstance(event, TurnStarted):
                    break
    assert len(far.requests("interrupt")) == 1
    assert not far.pipe.write(("in", "{}"))
    await query.aclose()


async def test_a_run_may_be_closed_by_another_task_than_reads_it() -> None:
    far = FarEnd()
    query = asked(far)
    assert await anext(query) is not None
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(query.aclose(), name="closer")
    assert not far.pipe.write(("in", "{}"))


def test_a_run_that_is_forgotten_ends_with_its_loop_and_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    far = FarEnd()
    kept: list[Query] = []

    async def forget() -> None:
        kept.append(asked(far))
        await anext(kept[0])

    asyncio.run(forget())
    assert not far.pipe.write(("in", "{}"))
    assert [record for record in caplog.records if record.name == "asyncio"] == []


async def test_a_cancelled_reader_ends_the_process() -> None:
    far = FarEnd()
    query = asked(far)
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(whole(query), name="reader")
        await prompted(far)
        reading.cancel()
    assert not far.pipe.write(("in", "{}"))


async def decide(event: PermissionRequest) -> Decision:
    return AllowOnce()


async def test_S4_a_program_answers_what_a_run_asks() -> None:
    """The line to the CLI stays open after the prompt was written."""
    far = FarEnd()
    query = asked(far, on_ask=decide)

    async def play() -> None:
        uuid = await prompted(far)
        far.begins(uuid)
        far.asks("r1", "Bash", command="make")
        assert (await far.answered("r1"))["response"]["behavior"] == "allow"
        far.result(uuid)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(play(), name="far")
        await whole(query)
    assert query.complete.outcome == "success"


def test_without_a_program_that_answers_a_run_is_unattended() -> None:
    assert not unattended(Options()).attended
    assert unattended(Options(on_ask=decide)).attended
