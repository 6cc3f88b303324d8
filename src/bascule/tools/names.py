"""Tools that others must know by name, and those that go by more than one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STRUCTURED_OUTPUT: Final = "StructuredOutput"
"""By it the model gives output of a schema that was asked for (20_json_schema_init). It does nothing else."""

SHELL: Final = "Bash"
"""Runs a command line."""

_AGENT: Final = ("Agent", "Task")


READ: Final = "Read"
EDIT: Final = "Edit"
_FAMILIES: Final[Mapping[str, str]] = {
    "Glob": READ,
    "Grep": READ,
    "MultiEdit": EDIT,
    "NotebookEdit": EDIT,
    "Write": EDIT,
}
"""What a rule about reading or editing is about too, as the CLI's own rules are."""


def aliases(name: str) -> tuple[str, ...]:
    """``name`` first, and the other names by which rules speak of the tool.

    Calls say Agent where ``init.tools`` says Task; Edit stands for all tools that change files, Read for all that read.
    """
    if name in _AGENT:
        return (name, *(other for other in _AGENT if other != name))
    return (name, _FAMILIES[name]) if name in _FAMILIES else (name,)
