"""Fields of JSON that nobody vouches for: tool inputs as the model wrote them, results as some CLI shaped them.

A field that is missing, or of another kind than asked for, reads as absent.
"""

from __future__ import annotations

from typing import Any, Final

_EXACT: Final = 2**53
"""Beyond it a number is no count or id that JSON readers agree on."""


class Fields:
    """One JSON object; anything else reads as an empty one."""

    __slots__ = ("_json",)

    def __init__(self, json: Any) -> None:
        self._json: dict[str, Any] = json if isinstance(json, dict) else {}

    def __contains__(self, name: str) -> bool:
        return self._json.get(name) is not None

    def text(self, name: str) -> str:
        """The text, or an empty one."""
        return self.text_or_none(name) or ""

    def text_or_none(self, name: str) -> str | None:
        value = self._json.get(name)
        return value if isinstance(value, str) else None

    def whole(self, name: str) -> int | None:
        """A whole number. The CLI may write one as ``2.0``; a truth value is none."""
        value = self._json.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not -_EXACT < value < _EXACT:
            return None
        return int(value) if value == int(value) else None

    def flag(self, name: str) -> bool:
        return self._json.get(name) is True

    def flag_or_none(self, name: str) -> bool | None:
        value = self._json.get(name)
        return value if isinstance(value, bool) else None

    def items(self, name: str) -> list[Any]:
        value = self._json.get(name)
        return value if isinstance(value, list) else []

    def objects(self, name: str) -> list[Fields]:
        """Each item as fields, in order."""
        return [Fields(item) for item in self.items(name)]

    def texts(self, name: str) -> tuple[str, ...]:
        """The items that are texts, in order."""
        return tuple(item for item in self.items(name) if isinstance(item, str))

    def inner(self, name: str) -> Fields:
        return Fields(self._json.get(name))

    def pairs(self, name: str) -> list[tuple[str, Any]]:
        """The members of an object, in order."""
        value = self._json.get(name)
        return list(value.items()) if isinstance(value, dict) else []
