"""Work beside the turn: subagents, shells, monitors; a set, not a state of the turn.

A task's end may be told twice, by ``task_updated`` and right after it by ``task_notification`` with usage and report
(15_bg_agent), or once, by either. It is told on once: a terminal ``task_updated`` waits for the very next line.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from bascule.events import TaskEnded, TaskProgress, TaskStarted, TaskUsage
from bascule.wire import system

_AGENT: Final = "local_agent"
_TERMINAL: Final = {"completed": "completed", "failed": "failed", "killed": "stopped"}

TaskEvent: TypeAlias = TaskStarted | TaskProgress | TaskEnded


class _Task:
    __slots__ = ("background", "call_id", "kind", "title", "usage")

    def __init__(self, message: system.TaskStarted) -> None:
        self.kind = message.task_type or "unknown"
        self.title = message.description or ""
        self.call_id = message.tool_use_id
        self.background = message.is_backgrounded
        self.usage: TaskUsage | None = None


class Tasks:
    """The tasks that run."""

    def __init__(self) -> None:
        self._open: dict[str, _Task] = {}
        self.ending: tuple[str, str] | None = None
        """The task whose end the last line told, and its outcome, until it is told on."""

    @property
    def running(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def agents(self) -> bool:
        """Whether a subagent is open: it always ends, and the CLI then goes on with what it found."""
        return any(task.kind == _AGENT for task in self._open.values())

    def call_of(self, task_id: str | None) -> str | None:
        """The tool call that made an open task."""
        task = self._open.get(task_id) if task_id is not None else None
        return task.call_id if task else None

    def in_background(self, task_id: str | None) -> bool:
        """Whether the CLI said of an open task that no turn waits for it."""
        task = self._open.get(task_id) if task_id is not None else None
        return task is not None and task.background is True

    def started(self, message: system.TaskStarted) -> TaskStarted | None:
        """A task began; None if it is known."""
        task_id = message.task_id
        if task_id is None or task_id in self._open:
            return None
        task = self._open[task_id] = _Task(message)
        return TaskStarted(
            task_id=task_id,
            kind=task.kind,
            title=task.title,
            tool_call_id=task.call_id,
            background=task.background,
        )

    def progressed(self, message: system.TaskProgress) -> TaskProgress | None:
        """A task went on."""
        task_id = message.task_id
        task = self._open.get(task_id) if task_id is not None else None
        if task is None or task_id is None:
            return None
        task.usage = _usage(message.usage) or task.usage
        return TaskProgress(
            task_id=task_id,
            kind=task.kind,
            title=message.description or task.title,
            tool_call_id=task.call_id,
            usage=task.usage,
        )

    def updated(self, message: system.TaskUpdated) -> None:
        """A task changed; its end is told with the next line, which may say more."""
        outcome = _TERMINAL.get(message.patch.status or "")
        if outcome is not None and message.task_id in self._open:
            self.ending = (message.task_id, outcome)

    def notified(self, message: system.TaskNotification) -> TaskEnded | None:
        """A task ended, with what it used."""
        if self.ending is not None and self.ending[0] == message.task_id:
            self.ending = None
        return self._end(message.task_id, message.status, _usage(message.usage))

    def overdue(self, message: object) -> TaskEnded | None:
        """The end of a task that ``updated`` told and that ``message``, the next line, says nothing about."""
        if self.ending is None or isinstance(message, system.SessionStateChanged):
            return None  # 2.1.197 tells that it runs again in between (15_bg_agent)
        task_id, outcome = self.ending
        if isinstance(message, system.TaskNotification) and message.task_id == task_id:
            return None
        self.ending = None
        return self._end(task_id, outcome, None)

    def lost(self) -> list[TaskEnded]:
        """The process is gone, and its tasks with it."""
        self.ending = None
        ended = [self._end(task_id, "lost", None) for task_id in list(self._open)]
        return [event for event in ended if event is not None]

    def _end(self, task_id: str | None, outcome: str | None, usage: TaskUsage | None) -> TaskEnded | None:
        task = self._open.pop(task_id, None) if task_id is not None else None
        if task is None or task_id is None:
            return None
        return TaskEnded(
            task_id=task_id,
            kind=task.kind,
            title=task.title,
            tool_call_id=task.call_id,
            outcome=outcome,
            usage=usage or task.usage,
        )


def _usage(usage: system.TaskUsage | None) -> TaskUsage | None:
    if usage is None:
        return None
    return TaskUsage(
        total_tokens=usage.total_tokens,
        tool_uses=usage.tool_uses,
        duration_ms=None if usage.duration_ms is None else round(usage.duration_ms),
    )
