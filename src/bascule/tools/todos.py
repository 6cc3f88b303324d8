"""The to-do list: TodoWrite writes it whole; TaskCreate, TaskUpdate, TaskList and TaskGet work on its entries.

``todos_after`` folds one ended call into the list; the payload of a call shows that call alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.payload import CreateTask, ManageTodos, TodoItem
from bascule.tools.bounds import bounded
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome

Status: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled"]

_STATUS: Final[Mapping[str, Status]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
    "cancelled": "cancelled",
    "deleted": "cancelled",
}


def write(call: Fields) -> ManageTodos:
    """The whole list anew."""
    return ManageTodos(operation="write", items=_written(call.objects("todos")))


def create(call: Fields) -> CreateTask:
    """A task without an id: the CLI gives it one."""
    return CreateTask(title=call.text("subject"), description=call.text("description"))


def update(call: Fields) -> ManageTodos:
    """The changed entry; none when its status does not change, for then the call does not tell it."""
    status = _STATUS.get(call.text("status"))
    if status is None:
        return ManageTodos(operation="update")
    return ManageTodos(operation="update", items=(_item(call, call.text("taskId"), status),))


def show_list(_call: Fields) -> ManageTodos:
    """All tasks; the result tells them."""
    return ManageTodos(operation="list")


def get(_call: Fields) -> ManageTodos:
    """One task; the result tells it."""
    return ManageTodos(operation="get")


def has_created(payload: CreateTask, outcome: Outcome) -> CreateTask:
    """``payload`` with the task's id (16_tasks_flag)."""
    task_id = outcome.fields.inner("task").text_or_none("id")
    return msgspec.structs.replace(payload, task_id=task_id, error=outcome.error)


def has_managed(payload: ManageTodos, outcome: Outcome) -> ManageTodos:
    """``payload`` with the entries that were read (16_tasks_flag, 17_todowrite)."""
    told = outcome.fields
    error = outcome.error if outcome.error is not None else told.text("error") or None
    match payload.operation:
        case "write" if "newTodos" in told:
            items = _written(told.objects("newTodos"))
        case "list":
            items = _listed(told.objects("tasks"))
        case "get":
            items = _listed([told.inner("task")])
        case _:
            items = payload.items
    return msgspec.structs.replace(payload, items=items, error=error)


def todos_after(items: Sequence[TodoItem], name: str, tool_input: Any, result: Any) -> tuple[TodoItem, ...] | None:
    """The whole list after a call ended; null when it is not about the list, failed, or changed nothing.

    ``result`` is the call's ``tool_use_result``. A subagent's call has none and leaves the list alone: the list is
    the main thread's.
    """
    step = _STEPS.get(name)
    if step is None or not isinstance(result, dict):
        return None
    before = tuple(items)
    after = step(before, Fields(tool_input), Fields(result))
    after = bounded(ManageTodos(operation="write", items=after)).items
    return None if after == before else after


def _after_write(_items: tuple[TodoItem, ...], call: Fields, told: Fields) -> tuple[TodoItem, ...]:
    return _written(told.objects("newTodos") if "newTodos" in told else call.objects("todos"))


def _after_create(items: tuple[TodoItem, ...], call: Fields, told: Fields) -> tuple[TodoItem, ...]:
    task = told.inner("task")
    if not task.text("id"):
        return items
    subject = task.text("subject") or call.text("subject")
    item = TodoItem(
        id=task.text("id"), description=subject, status="pending", active_form=call.text_or_none("activeForm")
    )
    return _put(items, item)


def _after_update(items: tuple[TodoItem, ...], call: Fields, told: Fields) -> tuple[TodoItem, ...]:
    task_id = told.text("taskId") or call.text("taskId")
    if not told.flag("success"):
        return items
    if call.text("status") == "deleted":
        return tuple(item for item in items if item.id != task_id)
    return tuple(_updated(item, call) if item.id == task_id else item for item in items)


def _after_list(items: tuple[TodoItem, ...], _call: Fields, told: Fields) -> tuple[TodoItem, ...]:
    if "tasks" not in told:
        return items
    forms = {item.id: item.active_form for item in items}
    return tuple(
        msgspec.structs.replace(item, active_form=item.active_form or forms.get(item.id))
        for item in _listed(told.objects("tasks"))
    )


def _after_get(items: tuple[TodoItem, ...], _call: Fields, told: Fields) -> tuple[TodoItem, ...]:
    for task in _listed([told.inner("task")]):
        known = {item.id: item.active_form for item in items}
        return _put(items, msgspec.structs.replace(task, active_form=task.active_form or known.get(task.id)))
    return items


_STEPS: Final = {
    "TodoWrite": _after_write,
    "TaskCreate": _after_create,
    "TaskUpdate": _after_update,
    "TaskList": _after_list,
    "TaskGet": _after_get,
}


def _written(todos: Sequence[Fields]) -> tuple[TodoItem, ...]:
    """TodoWrite gives no ids: the place in the list is one."""
    return tuple(
        TodoItem(
            id=str(place),
            description=todo.text("content"),
            status=_STATUS.get(todo.text("status"), "pending"),
            active_form=todo.text_or_none("activeForm"),
        )
        for place, todo in enumerate(todos, 1)
    )


def _listed(tasks: Sequence[Fields]) -> tuple[TodoItem, ...]:
    return tuple(
        _item(task, task.text("id"), _STATUS.get(task.text("status"), "pending")) for task in tasks if task.text("id")
    )


def _item(task: Fields, task_id: str, status: Status) -> TodoItem:
    return TodoItem(
        id=task_id, description=task.text("subject"), status=status, active_form=task.text_or_none("activeForm")
    )


def _updated(item: TodoItem, call: Fields) -> TodoItem:
    return TodoItem(
        id=item.id,
        description=call.text("subject") or item.description,
        status=_STATUS.get(call.text("status"), item.status),
        active_form=call.text_or_none("activeForm") or item.active_form,
    )


def _put(items: tuple[TodoItem, ...], item: TodoItem) -> tuple[TodoItem, ...]:
    """``item`` in the place of the one with its id, else at the end."""
    if all(one.id != item.id for one in items):
        return (*items, item)
    return tuple(item if one.id == item.id else one for one in items)
