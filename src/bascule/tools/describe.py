"""From a tool's name and input to its payload, and from its result to the finished payload.

``_CALLS`` is the list of tools that bascule knows. What is not in it is ``mcp_call`` or ``generic``: an unknown tool is
shown with its name and input, and nothing breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, assert_never

import msgspec

from bascule.payload import (
    AskUser,
    CodeSearch,
    CreateTask,
    Cut,
    Generic,
    HttpRequest,
    ManageTodos,
    McpCall,
    Misc,
    ModifyFile,
    Payload,
    ReadFile,
    ShellExec,
    ShowPlan,
    SubagentTask,
)
from bascule.tools import agents, ask, files, mcp, plan, search, shell_exec, todos, web
from bascule.tools.bounds import bounded
from bascule.tools.fields import Fields
from bascule.tools.outcome import Outcome

_CALLS: Final[Mapping[str, Callable[[Fields], Payload]]] = {
    "Agent": agents.delegate,
    "AskUserQuestion": ask.ask,
    "Bash": shell_exec.run,
    "BashOutput": shell_exec.background,
    "Edit": files.edit,
    "EnterPlanMode": plan.enter,
    "ExitPlanMode": plan.show,
    "Glob": search.glob,
    "Grep": search.grep,
    "KillShell": shell_exec.background,
    "Monitor": shell_exec.monitor,
    "MultiEdit": files.multi_edit,
    "NotebookEdit": files.notebook_edit,
    "PowerShell": shell_exec.run,
    "Read": files.read,
    "Task": agents.delegate,
    "TaskCreate": todos.create,
    "TaskGet": todos.get,
    "TaskList": todos.show_list,
    "TaskUpdate": todos.update,
    "TodoWrite": todos.write,
    "ToolSearch": lambda call: Misc(label="ToolSearch", details=call.text("query")),
    "WebFetch": web.fetch,
    "WebSearch": web.search,
    "Write": files.write,
}

_ASKS: Final[Mapping[str, Literal["plan", "question"]]] = {"ExitPlanMode": "plan", "AskUserQuestion": "question"}


def ask_kind(name: str) -> Literal["tool", "plan", "question"]:
    """What an ask about the tool asks a person for: a permission, a plan's approval, or answers."""
    return _ASKS.get(name, "tool")


def describe(name: str, tool_input: Any) -> Payload:
    """The payload of a call, before its result; bounded."""
    return bounded(draft(name, tool_input))


def draft(name: str, tool_input: Any) -> Payload:
    """The payload of a call with nothing cut from it: for what decides about the call, not for what shows it."""
    known = _CALLS.get(name)
    if known is not None:
        return known(Fields(tool_input))
    mcp_name = mcp.mcp_name(name)
    if mcp_name is not None:
        return mcp.call(mcp_name, tool_input)
    if name == "TaskStop" and "shell_id" in Fields(tool_input):
        return shell_exec.background(Fields(tool_input))
    return Generic(name=name, input=tool_input)


def finish(payload: Payload, name: str, tool_input: Any, *, content: Any, result: Any, is_error: bool) -> Payload:
    """The payload of a call that ended; bounded.

    ``payload`` is what ``describe`` gave. ``content`` is the tool_result's (a text or a list of blocks), ``result`` the
    ``tool_use_result`` beside it, null where the CLI sends none. Tells no more than they do: a missing exit code stays
    null. A TaskStop turns out to be of a shell by its result alone; its kind changes then.
    """
    outcome = Outcome(content, result, is_error)
    if name == "TaskStop" and outcome.fields.text("task_type") == "local_bash":
        payload = shell_exec.background(Fields(tool_input))
    done = _finished(payload, outcome)
    return bounded(msgspec.structs.replace(done, cuts=_still_cut(payload, done)))


def _still_cut(before: Payload, after: Payload) -> tuple[Cut, ...]:
    """The cuts of fields that the result left alone; what it brought anew is whole."""
    untouched = {name for name in before.__struct_fields__ if getattr(before, name) is getattr(after, name)}
    return tuple(cut for cut in before.cuts if cut.field.partition(".")[0] in untouched)


def _finished(payload: Payload, outcome: Outcome) -> Payload:
    match payload:
        case ReadFile():
            return files.has_read(payload, outcome)
        case ModifyFile():
            return files.has_modified(payload, outcome)
        case ShellExec():
            return shell_exec.has_run(payload, outcome)
        case CodeSearch():
            return search.has_searched(payload, outcome)
        case HttpRequest():
            return web.has_fetched(payload, outcome)
        case McpCall():
            return mcp.has_called(payload, outcome)
        case Generic():
            text = outcome.text if outcome.error is None else outcome.error
            return msgspec.structs.replace(payload, output=text, is_error=outcome.is_error)
        case Misc():
            return payload
        case _:
            return _carried_on(payload, outcome)


def _carried_on(payload: SubagentTask | CreateTask | ManageTodos | ShowPlan | AskUser, outcome: Outcome) -> Payload:
    """The kinds that are about the work itself: who does it, what is left, what a person says to it."""
    match payload:
        case SubagentTask():
            return agents.has_delegated(payload, outcome)
        case CreateTask():
            return todos.has_created(payload, outcome)
        case ManageTodos():
            return todos.has_managed(payload, outcome)
        case ShowPlan():
            return plan.has_shown(payload, outcome)
        case AskUser():
            return ask.has_asked(payload, outcome)
        case _:
            assert_never(payload)
