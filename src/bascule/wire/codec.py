"""Lines to messages and back: the one door between the CLI's text and the structs of this package.

``decode`` never raises. One pass over the line finds its ``type`` wherever it stands (a result has it in the middle)
and reads the class of that name; a ``system`` line takes a second pass, by its ``subtype``. What the classes refuse
takes the slow path, where only what does not fit is left out. What nobody here knows is an ``Unknown``.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Union

import msgspec

from bascule.errors import LocalProtocolError
from bascule.wire import messages, system
from bascule.wire.control import ControlCancel, ControlRequest, ControlResponse
from bascule.wire.fitting import Misfit, fit
from bascule.wire.json_text import DEPTH_LIMIT, NotJson, clean, parse, to_ascii
from bascule.wire.result import Result
from bascule.wire.shape import UNREAD, Message, Unknown
from bascule.wire.stream import StreamEvent

__all__ = ["Message", "Unknown", "decode", "encode", "prepare"]


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


class _SystemLine(Message, frozen=True, tag_field="type", tag="system"):
    """The first pass over a ``system`` line."""

    subtype: str | None = None


_TWO_PASSES: Final = frozenset((_SystemLine, ControlRequest))
_encoder: Final = msgspec.json.Encoder()


def prepare() -> None:
    """Make now what the first ``decode`` needs, for who has time before the first line comes: it takes 3 to 8 ms."""
    _by_type()


def decode(line: str | bytes) -> Message:
    """The message in ``line``, a line of either direction with or without its newline. Never raises."""
    try:
        message = _by_type()(line)
        return message if type(message) not in _TWO_PASSES else _second_pass(line, message)
    except (msgspec.DecodeError, UnicodeEncodeError, LocalProtocolError, RecursionError):
        return _decode_slowly(line)


def encode(message: Message) -> bytes:
    """``message`` as one line for stdin, newline included, pure ASCII.

    Fields at their default are not written; an ``Unread`` part is written as it was read. Raises LocalProtocolError for
    an ``Unknown`` that has a problem: one malformed line would kill the CLI (24_invalid_json).
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
def _by_type() -> Callable[[str | bytes], Message]:
    """Made at the first line and not at import, as it takes long: all classes are looked through for it."""
    return msgspec.json.Decoder(Union[(_SystemLine, *_BY_TYPE.values())]).decode


@cache
def _by_subtype(kind: type[Message]) -> Callable[[str | bytes], Message]:
    return msgspec.json.Decoder(kind).decode


def _second_pass(line: str | bytes, first: Message) -> Message:
    match first:
        case _SystemLine(subtype=str(subtype)) if subtype in _BY_SUBTYPE:
            return _by_subtype(_BY_SUBTYPE[subtype])(line)
        case ControlRequest() if not _may_be_deep(line):
            return first
    return _decode_slowly(line)


def _may_be_deep(line: str | bytes) -> bool:
    """Whether an ask could hold more levels than a person, a policy or a hook can walk through."""
    opened = line.count("{") + line.count("[") if isinstance(line, str) else line.count(b"{") + line.count(b"[")
    return opened > DEPTH_LIMIT


def _decode_slowly(line: str | bytes) -> Message:
    raw = clean(line)
    try:
        value = parse(raw)
    except NotJson as exc:
        return Unknown(None, None, raw, f"no JSON: {exc}")
    if not isinstance(value, dict):
        return Unknown(None, None, raw, "no JSON object")
    type_, subtype = _word(value, "type"), _word(value, "subtype")
    kind = _kind(type_, subtype)
    if kind is None:
        return Unknown(type_, subtype, raw, None if type_ else "no type")
    try:
        return fit(value, kind)
    except Misfit as exc:
        return Unknown(type_, subtype, raw, str(exc))


def _word(value: dict[str, Any], key: str) -> str | None:
    word = value.get(key)
    return word if isinstance(word, str) else None


def _encode_unknown(message: Unknown) -> bytes:
    if message.problem is not None:
        raise LocalProtocolError(f"this line may kill the CLI ({message.problem}): {message.raw[:80]!r}")
    return to_ascii(parse(message.raw)) + b"\n"


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
