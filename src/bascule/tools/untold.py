"""What of a call's input its payload does not tell: a picture that is made of the payload alone would hide it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bascule.payload import HttpRequest, ModifyFile, Payload, ReadFile, ShellExec, SubagentTask

_ALIKE: Final[Mapping[type, Mapping[str, str]]] = {
    HttpRequest: {"url": "url", "query": "query"},
    ModifyFile: {"file_path": "file_path", "notebook_path": "file_path"},
    ReadFile: {"file_path": "file_path"},
    ShellExec: {
        "command": "command",
        "description": "description",
        "run_in_background": "background",
        "timeout": "timeout_ms",
        "timeout_ms": "timeout_ms",
    },
    SubagentTask: {"model": "model", "prompt": "prompt", "subagent_type": "subagent_type"},
}
"""For each kind of payload the input's fields that it repeats, and under which name."""

_PASSAGES: Final[Mapping[str, str]] = {
    "content": "content",
    "new_string": "content",
    "new_source": "content",
    "old_string": "old_content",
    "replace_all": "everywhere",
}
"""The same for the mutations of a file."""


def untold(payload: Payload, tool_input: Any) -> dict[str, Any]:
    """The fields of ``tool_input`` that the payload of its call (``describe``) does not tell as they are, in order.

    A field that was cut counts as told, since the payload says that it was cut. The other kinds of payload tell nothing
    that could be relied on: all is left of their inputs.
    """
    given = tool_input if isinstance(tool_input, dict) else {}
    return {key: value for key, value in given.items() if not _is_told(payload, key, value)}


def _is_told(payload: Payload, key: str, value: Any) -> bool:
    field = _ALIKE.get(type(payload), {}).get(key)
    if field is not None:
        return any(cut.field == field for cut in payload.cuts) or _is_same(value, getattr(payload, field))
    return isinstance(payload, ModifyFile) and _is_passage(payload, key, value)


def _is_passage(change: ModifyFile, key: str, value: Any) -> bool:
    """Several edits are told together: each of them became a mutation."""
    if key == "edits":
        return isinstance(value, list)
    field = _PASSAGES.get(key)
    if field is None:
        return False
    return bool(change.cuts) or any(_is_same(value, getattr(mutation, field)) for mutation in change.mutations)


def _is_same(value: Any, told: Any) -> bool:
    """Nothing is told as nothing, whatever it is written as."""
    return bool(value == told or not (value or told))
