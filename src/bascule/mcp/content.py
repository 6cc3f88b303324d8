"""What a tool gives back, as content for the model: the result of a ``tools/call``.

An empty result is fine: the model reads that the tool completed with no output. An object is sent as structured content
as well, and its text is then what the model reads (22_tools).
"""

from __future__ import annotations

import base64
from typing import Any

import msgspec


class Image(msgspec.Struct, frozen=True):
    """An image for the model."""

    data: bytes
    """The file as it is; PNG, JPEG, GIF or WebP."""
    media_type: str = "image/png"


def result_of(returned: Any) -> dict[str, Any]:
    """The result for what a tool's function returned. Raises ``TypeError`` for what has no JSON form.

    Text and images are blocks, alone or in a list; None is nothing; anything else is JSON text.
    """
    match returned:
        case None:
            return {"content": []}
        case str() | Image():
            return {"content": [_block(returned)]}
        case [*parts] if parts and all(isinstance(part, str | Image) for part in parts):
            return {"content": [_block(part) for part in parts]}
        case _:
            return _json(returned)


def failure(message: str) -> dict[str, Any]:
    """The result that tells the model what went wrong, so that it can do better."""
    return {"content": [_text(message)], "isError": True}


def _block(part: str | Image) -> dict[str, Any]:
    if isinstance(part, str):
        return _text(part)
    return {"type": "image", "data": base64.b64encode(part.data).decode("ascii"), "mimeType": part.media_type}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _json(returned: Any) -> dict[str, Any]:
    data = msgspec.json.encode(returned)
    value = msgspec.json.decode(data)
    content = {"content": [_text(data.decode())]}
    return {**content, "structuredContent": value} if isinstance(value, dict) else content
