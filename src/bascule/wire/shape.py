"""What every struct of the wire has in common. No struct of the CLI's is here.

The rules of this package:

* Attributes are in snake_case; a field that the CLI spells otherwise says so with ``field(name=...)``.
* A field is optional unless the thing means nothing without it (a tool use without a name). What lacks such a field
  becomes the ``Unread`` of its union, and the rest of the line lives.
* Sets of words (statuses, reasons, modes) are open: ``str`` with the seen values in the docstring, never a ``Literal``
  that a newer CLI could break.
* ``None`` means "the line did not say" or "the line said null"; the wire makes no difference between the two.
* No ``from __future__ import annotations``: with it an annotation is only text, and msgspec compiles each of them anew
  when the first line is decoded (4.5 ms of 7.5).
"""

from typing import Any, ClassVar, Final, TypeAlias

import msgspec

UNREAD: Final = "bascule:unread"
"""The tag of an ``Unread``: a word that the CLI does not use, since it never reaches the wire."""

Number: TypeAlias = int | float
"""A JSON number. 2.1.197 writes floats where 2.1.332 writes integers (``retry_delay_ms``)."""


class Shape(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A JSON object of the wire.

    Defaults are not written. ``gc=False``: frozen trees of JSON cannot hold a cycle.
    """


class Unread(Shape, frozen=True):
    """A member of a union that no class here takes: kept whole, and written as it was read."""

    raw: Any
    """The JSON value, mostly a dict."""
    tag_key: ClassVar[str] = "type"

    @property
    def tag(self) -> str | None:
        """What the CLI calls it, or None if it has no name."""
        tag = self.raw.get(self.tag_key) if isinstance(self.raw, dict) else None
        return tag if isinstance(tag, str) else None


class Message(Shape, frozen=True):
    """A decoded line, of either direction."""


class Said(Message, frozen=True, kw_only=True):
    """A line of the conversation, as against control traffic."""

    uuid: str | None = None
    """The line's own id; of a prompt, the id that the host gave it."""
    session_id: str | None = None


class Unknown(Message, frozen=True):
    """A line that no class here takes: of a type or subtype that is new, or no JSON object at all."""

    type: str | None
    subtype: str | None
    raw: str
    """The line without its newline; bytes and surrogates that are no text are U+FFFD."""
    problem: str | None = None
    """Why it could not be read; None when it is merely new."""
