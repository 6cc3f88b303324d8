"""What holds now, work beside the turn, and the rest of what is worth a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from bascule import events as told
from bascule.events import Event
from bascule.view import model
from bascule.view.model import View
from bascule.view.place import add, close, row
from bascule.view.turns import spoken, waited


def _status(view: View, event: told.SessionStatus) -> View:
    return replace(
        view,
        resting="idle",
        cli_session_id=event.cli_session_id,
        cli_version=event.cli_version or view.cli_version,
        cwd=event.cwd or view.cwd,
        model=event.model or view.model,
        mode=event.permission_mode or view.mode,
        requested_mode=event.requested_mode,
        mcp_servers=event.mcp_servers,
    )


def _commands(view: View, event: told.AvailableCommands) -> View:
    return replace(view, commands=event.available_commands)


def _mode(view: View, event: told.ModeChanged) -> View:
    if event.mode == view.mode:
        return view
    line = model.Change(**row("mode", event), what="mode", value=event.mode, by=event.by)
    return replace(add(view, line), mode=event.mode)


def _model(view: View, event: told.ModelChanged) -> View:
    if event.model == view.model:
        return view
    line = model.Change(**row("model", event), what="model", value=event.model, by=event.by)
    return replace(add(view, line), model=event.model)


def _context(view: View, event: told.ContextWindow) -> View:
    context = model.Context(
        used=event.context_window_used, size=event.context_window_size, remaining=event.context_window_remaining
    )
    return replace(view, context=context)


def _todos(view: View, event: told.Todos) -> View:
    return replace(view, todos=event.items)


def _task(view: View, event: told.TaskStarted) -> View:
    if event.background is False:
        return view
    task = model.Task(
        task_id=event.task_id,
        what=event.kind,
        title=event.title,
        tool_call_id=event.tool_call_id,
        started_at=event.at,
    )
    return replace(view, tasks=(*view.tasks, task))


def _task_went_on(view: View, event: told.TaskProgress) -> View:
    tasks = (replace(task, usage=event.usage) if task.task_id == event.task_id else task for task in view.tasks)
    return replace(view, tasks=tuple(tasks))


def _task_over(view: View, event: told.TaskEnded) -> View:
    task = next((task for task in view.tasks if task.task_id == event.task_id), None)
    if task is None:
        return view
    done = replace(task, usage=event.usage or task.usage)
    line = model.TaskDone(**row("task", event), task=done, outcome=event.outcome)
    return replace(add(view, line), tasks=tuple(other for other in view.tasks if other is not task))


def _hook(view: View, event: told.Hook) -> View:
    if event.outcome == "started":
        return view
    line = model.Hooked(
        **row("hook", event),
        hook_event=event.hook_event,
        name=event.name,
        outcome=event.outcome,
        output=event.output,
    )
    return add(view, line)


def _error(view: View, event: told.Error) -> View:
    line = model.Failure(
        **row("failure", event), what=event.kind, message=event.message, hint=event.hint, detail=event.detail
    )
    return add(view, line)


def _notice(view: View, event: told.Notice) -> View:
    return add(view, model.Notice(**row("notice", event), level=event.level, text=event.text))


def _unknown(view: View, event: told.Unrecognised) -> View:
    line = model.Unknown(**row("unknown", event), message_type=event.message_type, subtype=event.subtype)
    return add(view, line)


def _asleep(view: View, event: told.SessionAsleep) -> View:
    return _stopped(add(view, model.Asleep(**row("asleep", event), idle_s=event.idle_s)), event, "asleep")


def _ended(view: View, event: told.SessionEnded) -> View:
    line = model.End(
        **row("end", event),
        cause=event.cause,
        exit_code=event.exit_code,
        signal=event.signal,
        stderr_tail=event.stderr_tail,
    )
    return _stopped(add(view, line), event, "ended" if event.cause == "ended" else "lost")


def _stopped(view: View, event: Event, resting: Any) -> View:
    """The process is gone, and with it what it was at. Calls and asks have events of their own for that."""
    after = spoken(waited(view, event), event, nested=True)
    return replace(close(after, "compaction"), running=0, running_since=None, resting=resting, tasks=())


FOLDS: Final[dict[type[Event], Callable[[View, Any], View]]] = {
    told.SessionStatus: _status,
    told.AvailableCommands: _commands,
    told.ModeChanged: _mode,
    told.ModelChanged: _model,
    told.ContextWindow: _context,
    told.Todos: _todos,
    told.TaskStarted: _task,
    told.TaskProgress: _task_went_on,
    told.TaskEnded: _task_over,
    told.Hook: _hook,
    told.Error: _error,
    told.SessionAsleep: _asleep,
    told.SessionEnded: _ended,
    told.Notice: _notice,
    told.Unrecognised: _unknown,
}
