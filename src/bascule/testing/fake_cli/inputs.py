"""Tool inputs as the CLI checks them: a call whose input does not fit is told so, and nothing runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec


class Field(msgspec.Struct, frozen=True):
    """One parameter of a tool."""

    kind: str
    """In JSON's words."""
    required: bool = True


_TEXT: Final = Field("string")
_MAYBE_TEXT: Final = Field("string", required=False)
_MAYBE_NUMBER: Final = Field("number", required=False)
_MAYBE_FLAG: Final = Field("boolean", required=False)

FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {
    "Bash": {
        "command": _TEXT,
        "description": _MAYBE_TEXT,
        "timeout": _MAYBE_NUMBER,
        "run_in_background": _MAYBE_FLAG,
    },
    "Read": {"file_path": _TEXT, "offset": _MAYBE_NUMBER, "limit": _MAYBE_NUMBER},
    "Write": {"file_path": _TEXT, "content": _TEXT},
    "Edit": {"file_path": _TEXT, "old_string": _TEXT, "new_string": _TEXT, "replace_all": _MAYBE_FLAG},
    "EnterPlanMode": {},
    "ExitPlanMode": {"plan": _MAYBE_TEXT, "planFilePath": _MAYBE_TEXT},
    "AskUserQuestion": {
        "questions": Field("array"),
        "answers": Field("object", required=False),
        "annotations": Field("object", required=False),
    },
}
"""The tools that the fake plays."""

UNPARSED: Final = "__unparsedToolInput"
"""Where the CLI keeps an input that was no JSON (17_bad_tool)."""


def fault(tool: str, tool_input: Mapping[str, Any]) -> str | None:
    """What is wrong with the input, in the CLI's words; None: nothing."""
    fields = FIELDS[tool]
    wrong = [
        *(f"The required parameter `{name}` is missing" for name in fields if _lacks(fields[name], tool_input, name)),
        *(f"An unexpected parameter `{name}` was provided" for name in tool_input if name not in fields),
        *(
            f"The parameter `{name}` type is expected as `{fields[name].kind}` but provided as `{kind_of(value)}`"
            for name, value in tool_input.items()
            if name in fields and kind_of(value) != fields[name].kind
        ),
    ]
    if not wrong:
        return None
    issues = "issue" if len(wrong) == 1 else "issues"
    return f"{tool} failed due to the following {issues}:\n" + "\n".join(wrong)


def _lacks(field: Field, tool_input: Mapping[str, Any], name: str) -> bool:
    return field.required and name not in tool_input


def kind_of(value: object) -> str:
    """The JSON kind of ``value``."""
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
    return "null"
