"""Tools that go by more than one name."""

from __future__ import annotations

from typing import Final

_AGENT: Final = ("Agent", "Task")


def aliases(name: str) -> tuple[str, ...]:
    """``name`` first, and the other names of the same tool: calls say Agent where ``init.tools`` says Task."""
    return (name, *(other for other in _AGENT if other != name)) if name in _AGENT else (name,)
