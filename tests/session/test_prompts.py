"""What comes of a prompt: its events, its end, and what it owes."""

import asyncio

import pytest

from bascule.errors import ProcessLost, PromptDropped, StructuredOutputMissing
from bascule.events import AnyEvent, Complete, MessageChunk, PromptAccepted, SessionEnded
from bascule.session.prompts import PromptHandle
from tests.session.far_end import FarEnd
from tests.session.live import live


async def told(handle: PromptHandle) -> list[AnyEvent]:
    return [event async for event in handle.events()]


async def test_the_events_of_a_prompt_end_with_its_turn() -> None:
    far = FarEnd()
    async with live(far) as session:
        first = await session.prompt("Hi")
        far.turn(first.prompt_id, text="Hello.")
        await first
        second = await session.prompt("And?")
        far.turn(second.prompt_id, text="Goodbye.")
        events = await told(second)
        assert await told(first)
    assert isinstance(events[0], PromptAccepted)
    assert events[0].prompt_id == second.prompt_id
    assert [event.text for event in events if isinstance(event, MessageChunk)] == ["Goodbye."]
    assert isinstance(events[-1], Complete)


async def test_the_events_of_a_prompt_that_was_taken_back_end() -> None:
    far = FarEnd()
    async with live(far) as session:
        running = await session.prompt("Hi")
        far.begins(running.prompt_id)
        handle = await session.prompt("And then?")
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(told(handle), name="reader")
            far.lifecycle(handle.prompt_id, "cancelled")
        with pytest.raises(PromptDropped):
            await handle
        far.result(running.prompt_id)
        await running
    assert handle.prompt_id in [event.prompt_id for event in reading.result() if isinstance(event, PromptAccepted)]


async def test_the_events_of_a_prompt_end_with_the_process() -> None:
    far = FarEnd()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        far.begins(handle.prompt_id)
        far.pipe.exits(None, signal="SIGKILL")
        events = await told(handle)
        with pytest.raises(ProcessLost):
            await handle
    assert isinstance(events[-1], SessionEnded)


async def test_a_success_without_the_structured_output_that_was_asked_for_raises() -> None:
    far = FarEnd()
    async with live(far, json_schema={"type": "object"}) as session:
        handle = await session.prompt("Give me an object")
        far.turn(handle.prompt_id)
        with pytest.raises(StructuredOutputMissing, match=r"complete\.text") as missing:
            await handle
        again = await session.prompt("Please")
        far.begins(again.prompt_id)
        far.result(again.prompt_id, structured_output={"n": 1})
        assert (await again).structured == {"n": 1}
    assert isinstance(missing.value.complete, Complete)
    assert missing.value.complete.text == "done"
