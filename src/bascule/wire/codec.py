"""Lines to messages and back: the one door between the CLI's text and the structs of this package.

``decode`` never raises. It reads ``type`` and ``subtype`` with a tiny decoder first (the order of keys is not stable:
a result has its ``type`` in the middle), then the whole line with the decoder of that class. A line that the decoder
refuses takes the slow path, where only what does not fit is left out. What nobody here knows is an ``Unknown``.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from bascule.errors import LocalProtocolError
from bascule.wire import messages, system
from bascule.wire.control import ControlCancel, ControlRequest, ControlResponse
from bascule.wire.fitting import Misfit, fit
from bascule.wire.json_text import NotJson, clean, parse, to_ascii
from bascule.wire.result import Result
from bascule.wire.shape import UNREAD, Message, Unknown
from bascule.wire.stream import StreamEvent


def _by_tag(*kinds: type[Message]) -> dict[str, type[Message]]:
    return {str(kind.__struct_config__.tag): kind for kind in kinds}


_BY_TYPE: Final = _by_tag(
    messages.Assistant,
    messages.User,
    StreamEvent,
    Result,
    messages.CommandLifecycle,
    messages.ToolProgress,
    messages.ToolUseSummary,
    messages.RateLimitEvent,
    messages.AuthStatus,
    messages.PromptSuggestion,
    messages.ConversationReset,
    messages.ActiveGoal,
    messages.TranscriptMirror,
    messages.KeepAlive,
    messages.UpdateEnvironment,
    ControlRequest,
    ControlResponse,
    ControlCancel,
)

_BY_SUBTYPE: Final = _by_tag(*system.System.__subclasses__())


class _Envelope(msgspec.Struct, gc=False):
    type: str | None = None
    subtype: str | None = None


_envelope: Final = msgspec.json.Decoder(_Envelope).decode
_encoder: Final = msgspec.json.Encoder()


def decode(line: str | bytes) -> Message:
    """The message in ``line``, a line of either direction with or without its newline. Never raises."""
    try:
        envelope = _envelope(line)
        kind = _kind(envelope.type, envelope.subtype)
        if kind is not None:
            return _decoder(kind).decode(line)
    except (msgspec.DecodeError, UnicodeEncodeError, LocalProtocolError, RecursionError):
        pass
    return _decode_slowly(line)


def encode(message: Message) -> bytes:
    """``message`` as one line for stdin, newline included, pure ASCII.

    Fields at their default are not written. An ``Unread`` part is written as it was read. Raises LocalProtocolError for
    what is no message at all: one malformed line would kill the CLI (24_invalid_json).
    """
    if isinstance(message, Unknown):
        return _encode_unknown(message)
    try:
        text = _encoder.encode(message)
    except UnicodeEncodeError:
        text = _encoder.encode(parse(to_ascii(msgspec.to_builtins(message)).decode()))
    if UNREAD.encode() in text or not text.isascii():
        text = to_ascii(_untagged(msgspec.json.decode(text)))
    if isinstance(message, system.System):
        text = b'{"type":"system",' + text[1:]
    return text + b"\n"


def _kind(type_: str | None, subtype: str | None) -> type[Message] | None:
    if type_ == "system":
        return _BY_SUBTYPE.get(subtype or "")
    return _BY_TYPE.get(type_ or "")


@cache
def _decoder(kind: type[Message]) -> msgspec.json.Decoder[Message]:
    return msgspec.json.Decoder(kind)


def _decode_slowly(line: str | bytes) -> Message:
    raw = clean(line)
    try:
        value = parse(raw)
    except NotJson as exc:
        return Unknown(None, None, raw, f"no JSON: {exc}")
    if not isinstance(value, dict):
        return Unknown(None, None, raw, "no JSON object")
    type_, subtype = (word if isinstance(word, str) else None for word in (value.get("type"), value.get("subtype")))
    kind = _kind(type_, subtype)
    if kind is None:
        return Unknown(type_, subtype, raw, None if type_ else "no type")
    try:
        return fit(value, kind)
    except Misfit as exc:
        return Unknown(type_, subtype, raw, str(exc))


def _encode_unknown(message: Unknown) -> bytes:
    try:
        value = parse(message.raw)
    except NotJson as exc:
        raise LocalProtocolError(f"this line would kill the CLI: {exc}: {message.raw[:80]!r}") from None
    return to_ascii(value) + b"\n"


def _untagged(value: Any) -> Any:
    """``value`` with each ``Unread``, which was encoded as a tagged object, as it was read."""
    match value:
        case {"type": tag, "raw": raw} | {"subtype": tag, "raw": raw} if tag == UNREAD:
            return raw
        case dict():
            return {key: _untagged(item) for key, item in value.items()}
        case list():
            return [_untagged(item) for item in value]
    return value
