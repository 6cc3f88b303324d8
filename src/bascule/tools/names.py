"""Tools that others must know by name, and those that go by more than one."""

from __future__ import annotations

from typing import Final

STRUCTURED_OUTPUT: Final = "StructuredOutput"
"""By it the model gives output of a schema that was asked for (20_json_schema_init). It does nothing else."""

_AGENT: Final = ("Agent", "Task")


def aliases(name: str) -> tuple[str, ...]:
    """``name`` first, and the other names of the same tool: calls say Agent where ``init.tools`` says Task."""
    return (name, *(other for other in _AGENT if other != name)) if name in _AGENT else (name,)
