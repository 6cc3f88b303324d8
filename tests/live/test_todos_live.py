"""To-do lists of every family of tools, on the real CLI: one list is told, whichever tool keeps it.

Which tools there are depends on version, model and environment (16_toollist_*).
"""

import pytest

from bascule.demo.script import Step, call, respond, say, turn
from bascule.events import Todos
from tests.live.stage import Stage, said, so_far

LISTS = {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
WHOLE = {**LISTS, "CLAUDE_CODE_ENABLE_TASKS": "0"}


def item(content: str, status: str) -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": content}


async def told(stage: Stage, *steps: Step, env: dict[str, str]) -> list[list[tuple[str, str]]]:
    """The lists that are told while the model takes these steps."""
    async with stage.play(turn(*steps), env=env) as (session, _):
        await said(session, "Keep a list")
    lists = [event.items for event in await so_far(session) if isinstance(event, Todos)]
    return [[(entry.description, entry.status) for entry in items] for items in lists]


async def test_a_list_that_is_written_whole_is_told_whole(stage: Stage) -> None:
    lists = await told(
        stage,
        call("TodoWrite", todos=[item("one", "in_progress"), item("two", "pending")]),
        respond(lambda asked: call("TodoWrite", todos=[item("one", "completed"), item("two", "in_progress")])),
        say("Half done."),
        env=WHOLE,
    )
    assert lists == [
        [("one", "in_progress"), ("two", "pending")],
        [("one", "completed"), ("two", "in_progress")],
    ]


async def test_a_list_that_is_changed_entry_by_entry_is_told_whole(stage: Stage) -> None:
    lists = await told(
        stage,
        call("TaskCreate", subject="one", description="the first"),
        respond(lambda asked: call("TaskCreate", subject="two", description="the second")),
        respond(lambda asked: call("TaskUpdate", taskId="1", status="in_progress")),
        respond(lambda asked: call("TaskList")),
        respond(lambda asked: call("TaskUpdate", taskId="1", status="completed")),
        respond(lambda asked: call("TaskUpdate", taskId="99", status="completed")),
        say("Half done."),
        env=LISTS,
    )
    assert lists == [
        [("one", "pending")],
        [("one", "pending"), ("two", "pending")],
        [("one", "in_progress"), ("two", "pending")],
        [("one", "completed"), ("two", "pending")],
    ]


@pytest.mark.parametrize("env", [{}, WHOLE], ids=["by default", "one list"])
async def test_a_tool_that_this_cli_does_not_have_keeps_no_list(stage: Stage, env: dict[str, str]) -> None:
    missing = (
        call("TaskCreate", subject="one") if env or stage.newer else call("TodoWrite", todos=[item("a", "pending")])
    )
    assert await told(stage, missing, say("There is none."), env=env) == []
