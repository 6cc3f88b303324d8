"""A line of stdin, and what the CLI makes of it: some lines are obeyed, some ignored, some kill.

Pure. What kills does so at once and in the middle of whatever runs: the recordings named here end with code 1.
"""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias, cast

import msgspec

from bascule.testing.fake_cli.versions import Version


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A message for the model."""

    content: list[Any] | str
    uuid: str | None = None
    priority: Literal["now", "next", "later"] = "next"
    asks_model: bool = True
    """False: it is only put into the conversation (11_noquery)."""

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The content as blocks."""
        if isinstance(self.content, str):
            return [{"type": "text", "text": self.content}]
        return [block for block in self.content if isinstance(block, dict)]


class Request(msgspec.Struct, frozen=True):
    """The host wants something. Its id may be anything, or missing."""

    id: Any
    body: dict[str, Any]


class Answer(msgspec.Struct, frozen=True):
    """The host answers, or so it says: only an id that is waited for makes it one."""

    line: dict[str, Any]
    response: dict[str, Any]


class Ignored(msgspec.Struct, frozen=True):
    """Nothing comes of it."""


class Fatal(msgspec.Struct, frozen=True):
    """It kills the process, with these words on stderr and maybe a last result."""

    words: str
    error: str | None = None


Heard: TypeAlias = Prompt | Request | Answer | Ignored | Fatal


def read(line: str, version: Version) -> Heard:
    """What a line without its newline means."""
    if line == "" or (version.forgives_blanks and not line.strip()):
        return Ignored()
    text = line.removeprefix("\ufeff") if version.forgives_blanks else line
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _unparsed(line, "SyntaxError")
    if value is None:
        return _unparsed(line, "TypeError")
    return _object(value, line, version) if isinstance(value, dict) else Ignored()


def _unparsed(line: str, kind: str) -> Fatal:
    """24_invalid_json, 24_json_null."""
    return Fatal(f"Error parsing streaming input line (type=unknown, {len(line)} chars): {kind}")


def _object(value: dict[str, Any], line: str, version: Version) -> Heard:
    match value:
        case {"type": "user"}:
            return _prompt(value, version)
        case {"type": "control_request", "request": dict(body)}:
            return Request(value.get("request_id"), body)
        case {"type": "control_request"}:
            return Fatal("Error: Missing request on control_request")  # 21_raw_0
        case {"type": "control_response", "response": dict(response)}:
            return Answer(value, response)
        case {"type": "control_response", "response": str()}:
            return Ignored()  # 07_shape_response_string
        case {"type": "control_response"}:
            return Ignored() if version.forgives_answers else _unparsed(line, "TypeError")
        case _:
            return Ignored()  # 24_unknown_type, 24_keep_alive, 24_system_in


def _prompt(value: dict[str, Any], version: Version) -> Heard:
    message = value.get("message")
    message = message if isinstance(message, dict) else {}
    if message.get("role") != "user":
        got = message.get("role", "undefined")
        return Fatal(f"Error: Expected message role 'user', got '{got}'")  # 24_user_role_assistant
    content = message.get("content")
    if not isinstance(content, str | list):
        return _odd_content(content, version)
    uuid = value.get("uuid")
    priority = value.get("priority")
    return Prompt(
        content=content,
        uuid=None if uuid is None else str(uuid),
        priority=cast("Any", priority) if priority in ("now", "later") else "next",
        asks_model=value.get("shouldQuery") is not False,
    )


def _odd_content(content: object, version: Version) -> Heard:
    """24_user_null_content, 24_user_num_content."""
    if not version.forgives_answers:
        return Fatal("", error="null is not an object (evaluating 'e.filter')")
    return Prompt(content=[]) if content is None else Ignored()
