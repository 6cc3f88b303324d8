"""One line for people about a call: ``Edit src/app.py``, a command's first line, ``Search "foo" in src``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bascule.payload import (
    AskUser,
    CodeSearch,
    CreateTask,
    HttpRequest,
    McpCall,
    Misc,
    ModifyFile,
    Payload,
    ReadFile,
    ShellExec,
    ShowPlan,
    SubagentTask,
)
from bascule.tools.bounds import clean
from bascule.tools.describe import draft

TITLE_LIMIT: Final = 80
"""Characters of a title; more does not fit a line of a phone or a list."""

_PATH_LIMIT: Final = 60
"""Characters of a path in a title; its end says more than its beginning."""

_NAMED: Final[Mapping[str, str]] = {
    "TaskStop": "Stop task",
    "TodoWrite": "Update to-do list",
    "TaskUpdate": "Update task",
    "TaskList": "List tasks",
    "TaskGet": "Read task",
}


def title(name: str, tool_input: Any, cwd: str | None) -> str:
    """What the call does, in one line of at most ``TITLE_LIMIT`` characters; paths below ``cwd`` are relative to it."""
    words = _title(name, draft(name, tool_input), cwd)
    return _line(words) or _line(name) or "Tool"


def _title(name: str, payload: Payload, cwd: str | None) -> str:
    match payload:
        case ReadFile(file_path=path):
            return f"Read {shown_path(path, cwd)}"
        case ModifyFile(file_path=path):
            return f"{'Write' if name == 'Write' else 'Edit'} {shown_path(path, cwd)}"
        case ShellExec():
            return _shell(name, payload)
        case CodeSearch(query=query, path=path):
            return f'Search "{query}"' + (f" in {shown_path(path, cwd)}" if path else "")
        case HttpRequest(url=url, query=query):
            return f"Fetch {shown_url(url)}" if url else f'Search the web for "{query or ""}"'
        case McpCall(server=server, tool=tool):
            return f"{server}: {tool}"
        case Misc(details=details):
            return f"{name}: {details}" if details else name
        case _:
            return _about_the_work(name, payload)


def _about_the_work(name: str, payload: Payload) -> str:
    match payload:
        case SubagentTask(description=description):
            return f"Agent: {description}" if description else "Agent"
        case CreateTask(title=subject):
            return f"New task: {subject}"
        case ShowPlan(entering=entering):
            return "Enter plan mode" if entering else "Plan"
        case AskUser(questions=questions):
            return f"Ask: {questions[0].header or questions[0].question}" if questions else "Ask"
        case _:
            return _NAMED.get(name, name)


def _shell(name: str, payload: ShellExec) -> str:
    if payload.task_id is not None:
        return f"{'Output of' if name == 'BashOutput' else 'Stop'} {payload.task_id}"
    first, *rest = payload.command.strip().split("\n")
    return f"{first} …" if any(line.strip() for line in rest) else first


def shown_path(path: str, cwd: str | None) -> str:
    """``path`` relative to ``cwd`` when it is below it, and not too long."""
    if cwd and path == cwd:
        return "."
    shown = path.removeprefix(f"{cwd.rstrip('/')}/") if cwd else path
    return shown if len(shown) <= _PATH_LIMIT else f"…{shown[1 - _PATH_LIMIT :]}"


def shown_url(url: str) -> str:
    """``url`` without its scheme, query and last slash."""
    return url.partition("://")[2].partition("?")[0].partition("#")[0].rstrip("/") or url


def _line(text: str) -> str:
    line = clean(" ".join(text[: 10 * TITLE_LIMIT].split()))
    return line if len(line) <= TITLE_LIMIT else f"{line[: TITLE_LIMIT - 1].rstrip()}…"
