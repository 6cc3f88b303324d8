"""What a tool takes: the fields of its input and their types, for an input that a person has edited.

The CLI fails the whole call for one field that is missing, of another type, or not the tool's (tests/live/
test_shapes_live.py holds this against the schemas that it gives the model). What stands in a field is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

_KINDS: Final = {"text": "text", "number": "a number", "flag": "a boolean", "list": "a list", "object": "an object"}


class Shape(NamedTuple):
    """Fields and their types, in words as ``json_type`` says them."""

    required: Mapping[str, str]
    optional: Mapping[str, str]


def _shape(**fields: str) -> Shape:
    """``command="text"``; ``timeout="number?"`` may be left out."""
    return Shape(
        {key: _KINDS[kind] for key, kind in fields.items() if not kind.endswith("?")},
        {key: _KINDS[kind[:-1]] for key, kind in fields.items() if kind.endswith("?")},
    )


_AGENT: Final = _shape(
    description="text",
    prompt="text",
    subagent_type="text?",
    model="text?",
    effort="text?",
    run_in_background="flag?",
    name="text?",
    team_name="text?",
    mode="text?",
    isolation="text?",
)
_SEARCH: Final = {"-A": "number?", "-B": "number?", "-C": "number?", "-i": "flag?", "-n": "flag?", "-o": "flag?"}

SHAPES: Final[Mapping[str, Shape]] = {
    "Agent": _AGENT,
    "Bash": _shape(
        command="text",
        timeout="number?",
        description="text?",
        run_in_background="flag?",
        dangerouslyDisableSandbox="flag?",
    ),
    "CronCreate": _shape(cron="text", prompt="text", recurring="flag?", durable="flag?"),
    "CronDelete": _shape(id="text"),
    "Edit": _shape(file_path="text", old_string="text", new_string="text", replace_all="flag?"),
    "EnterWorktree": _shape(name="text?", path="text?"),
    "ExitWorktree": _shape(action="text", discard_changes="flag?"),
    "Glob": _shape(pattern="text", path="text?"),
    "Grep": _shape(
        pattern="text",
        path="text?",
        glob="text?",
        output_mode="text?",
        context="number?",
        type="text?",
        head_limit="number?",
        offset="number?",
        multiline="flag?",
        **_SEARCH,
    ),
    "MultiEdit": _shape(file_path="text", edits="list"),
    "NotebookEdit": _shape(
        notebook_path="text", new_source="text", cell_id="text?", cell_type="text?", edit_mode="text?"
    ),
    "Read": _shape(file_path="text", offset="number?", limit="number?", pages="text?", allow_large="flag?"),
    "ScheduleWakeup": _shape(delaySeconds="number?", reason="text?", prompt="text?", stop="flag?", noop="flag?"),
    "Skill": _shape(skill="text", args="text?"),
    "Task": _AGENT,
    "TaskStop": _shape(task_id="text?", shell_id="text?"),
    "TodoWrite": _shape(todos="list"),
    "ToolSearch": _shape(query="text", max_results="number?"),
    "WebFetch": _shape(url="text", prompt="text", offset="number?"),
    "WebSearch": _shape(query="text", allowed_domains="list?", blocked_domains="list?"),
    "Write": _shape(file_path="text", content="text"),
}
"""Of the tools that people are asked about; what any tested version takes is taken."""


def misfit(tool: str, asked: Mapping[str, Any], given: Any) -> str | None:
    """What is wrong with ``given`` as the input of ``tool``, in place of ``asked``; None: nothing that is known here.

    Of a tool that nobody knows, or that was called with what this table does not know, only what has a type by
    ``asked`` must keep it. Never raises.
    """
    if not isinstance(given, dict):
        return f"an edited input is a JSON object like the one asked about, not {type(given).__name__}"
    return next(chain(_retyped(asked, given), _untaken(tool, asked, given)), None)


def json_type(value: Any) -> str:
    """The type of a JSON value, in words."""
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
    return "null"


def _retyped(asked: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    for key, value in asked.items():
        if key in given and json_type(given[key]) != json_type(value):
            yield f"`{key}` was {json_type(value)} and would now be {json_type(given[key])}: the tool would fail"


def _untaken(tool: str, asked: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    shape = SHAPES.get(tool)
    if shape is None or any(_wrong(tool, shape, asked, known=asked)):
        return
    yield from _wrong(tool, shape, given, known=asked)


def _wrong(tool: str, shape: Shape, given: Mapping[str, Any], *, known: Mapping[str, Any]) -> Iterator[str]:
    """``known``: fields that the tool takes, since it was called with them."""
    yield from (f"`{key}` is missing: {tool} needs it" for key in shape.required if key not in given)
    for key, value in given.items():
        kind = shape.required.get(key) or shape.optional.get(key)
        if kind is None and key not in known:
            yield f"`{key}` is nothing that {tool} takes"
        elif kind not in (None, json_type(value)):
            yield f"`{key}` is {json_type(value)}, and {tool} takes {kind} there"
