"""The to-do list, call by call."""

from typing import Any

import pytest

from bascule.payload import CreateTask, ManageTodos, TodoItem
from bascule.tools import describe, todos_after
from tests.tools.recorded import Recorded, recorded

ONE = TodoItem(id="1", description="One", status="pending", active_form="Doing one")
TWO = TodoItem(id="2", description="Two", status="completed")


def test_a_list_written_whole_is_numbered_by_place() -> None:
    call = recorded("17_todowrite")[0]
    item = TodoItem(id="1", description="One", status="in_progress", active_form="Doing one")
    assert call.described == ManageTodos(operation="write", items=(item,))
    assert call.finished == call.described
    assert todos_after((TWO,), call.name, call.input, call.result) == (item,)
    assert todos_after((item,), call.name, call.input, call.result) is None


def test_tasks_are_created_updated_listed_and_read() -> None:
    calls = recorded("16_tasks_flag")
    create, create_too, start, block, show, get, complete, unknown = [call.finished for call in calls]
    assert create == CreateTask(title="Fix bug", description="Fix the bug", task_id="1")
    assert create_too == CreateTask(title="Test", description="Write tests", task_id="2")
    started = TodoItem(id="1", description="", status="in_progress")
    assert start == ManageTodos(operation="update", items=(started,))
    assert block == ManageTodos(operation="update")
    fix = TodoItem(id="1", description="Fix bug", status="in_progress")
    test = TodoItem(id="2", description="Test", status="pending")
    assert show == ManageTodos(operation="list", items=(fix, test))
    assert get == ManageTodos(operation="get", items=(fix,))
    assert isinstance(complete, ManageTodos)
    assert complete.items[0].status == "completed"
    assert isinstance(unknown, ManageTodos)
    assert unknown.error == "Task not found"


def test_the_list_follows_the_calls() -> None:
    items: tuple[TodoItem, ...] = ()
    seen = []
    for call in recorded("16_tasks_flag"):
        after = todos_after(items, call.name, call.input, call.result)
        seen.append(after and [(item.id, item.status) for item in after])
        items = after or items
    assert seen == [
        [("1", "pending")],
        [("1", "pending"), ("2", "pending")],
        [("1", "in_progress"), ("2", "pending")],
        None,
        None,
        None,
        [("1", "completed"), ("2", "pending")],
        None,
    ]
    assert items[0] == TodoItem(id="1", description="Fix bug", status="completed", active_form="Fixing")


def test_a_tool_that_is_switched_off_changes_nothing() -> None:
    for call in recorded("16_tasks"):
        assert todos_after((ONE,), call.name, call.input, call.result) is None
    failed = recorded("16_tasks")[0].finished
    assert isinstance(failed, CreateTask)
    assert failed.error is not None
    assert failed.error.startswith("Error: No such tool available: TaskCreate.")


def updated(tool_input: Any, *items: TodoItem) -> tuple[TodoItem, ...] | None:
    result = {"success": True, "taskId": tool_input["taskId"], "updatedFields": []}
    return todos_after(items, "TaskUpdate", tool_input, result)


def test_a_deleted_task_goes() -> None:
    assert updated({"taskId": "1", "status": "deleted"}, ONE, TWO) == (TWO,)
    described = describe("TaskUpdate", {"taskId": "1", "status": "deleted"})
    assert isinstance(described, ManageTodos)
    assert described.items[0].status == "cancelled"


def test_a_task_can_get_another_name() -> None:
    assert updated({"taskId": "2", "subject": "Zwei", "activeForm": "Doing two"}, ONE, TWO) == (
        ONE,
        TodoItem(id="2", description="Zwei", status="completed", active_form="Doing two"),
    )


def test_a_task_that_the_list_does_not_hold_leaves_it_alone() -> None:
    assert updated({"taskId": "9", "status": "completed"}, ONE) is None


def test_reading_tasks_mends_the_list() -> None:
    task = {"id": "1", "subject": "One", "status": "completed"}
    done = TodoItem(id="1", description="One", status="completed", active_form="Doing one")
    assert todos_after((ONE, TWO), "TaskGet", {}, {"task": task}) == (done, TWO)
    assert todos_after((TWO,), "TaskGet", {}, {"task": task}) == (
        TWO,
        TodoItem(id="1", description="One", status="completed"),
    )
    assert todos_after((ONE, TWO), "TaskList", {}, {"tasks": [task, {"subject": "no id"}]}) == (done,)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("TaskGet", {"task": None}),
        ("TaskList", {}),
        ("TaskCreate", {"task": {}}),
        ("TaskUpdate", {"success": False}),
        ("TodoWrite", None),
        ("TodoWrite", "Error: no"),
        ("Bash", {"stdout": ""}),
    ],
)
def test_what_tells_nothing_changes_nothing(name: str, result: Any) -> None:
    assert todos_after((ONE, TWO), name, {"todos": []}, result) is None


def test_a_result_without_the_list_leaves_the_one_that_was_written() -> None:
    tool_input = {"todos": [{"content": "A", "status": "odd"}]}
    expected = (TodoItem(id="1", description="A", status="pending"),)
    assert todos_after((), "TodoWrite", tool_input, {}) == expected
    finished = Recorded("TodoWrite", tool_input, "", {}, False).finished
    assert finished == ManageTodos(operation="write", items=expected)


def test_a_created_task_is_named_by_its_call_if_need_be() -> None:
    after = todos_after((), "TaskCreate", {"subject": "S"}, {"task": {"id": "3"}})
    assert after == (TodoItem(id="3", description="S", status="pending"),)
