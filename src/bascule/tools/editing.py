"""What of a call a person edits as text: the command, the file's new content, the address. The rest is JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_MAIN: Final[Mapping[str, tuple[str, str]]] = {
    "Bash": ("command", ".sh"),
    "Write": ("content", ""),
    "Edit": ("new_string", ""),
    "NotebookEdit": ("new_source", ".py"),
    "WebFetch": ("url", ".txt"),
    "WebSearch": ("query", ".txt"),
    "Agent": ("prompt", ".md"),
    "Task": ("prompt", ".md"),
}
"""The field of the input, and how a file with it should end so that an editor knows what it is; empty: as the file."""

_SUFFIX_LIMIT: Final = 12


class MainText(NamedTuple):
    """The field of an input that is edited as text."""

    key: str
    text: str
    suffix: str
    """With its dot; empty where nothing tells."""


def main_text(tool_name: str, given: Any) -> MainText | None:
    """What of the input ``given`` is edited as text; None where only the whole of it can be, as JSON."""
    key, suffix = _MAIN.get(tool_name, ("", ""))
    text = given.get(key) if isinstance(given, dict) else None
    if not isinstance(text, str):
        return None
    return MainText(key, text, suffix or _suffix_of(given.get("file_path")))


def _suffix_of(path: Any) -> str:
    """``.py`` of ``src/a.py``: what an editor goes by, and nothing that could be more than a suffix."""
    name = path.rsplit("/", 1)[-1] if isinstance(path, str) else ""
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem and ending.isalnum() and len(ending) < _SUFFIX_LIMIT else ""
