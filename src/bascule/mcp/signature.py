"""What a function takes, read from its annotations: as JSON Schema for the model, and to read what the model gave."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from bascule.errors import OptionError, ToolError
from bascule.mcp.schema import schema_of

_KINDS: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Signature(NamedTuple):
    """The input of one function."""

    shape: type[msgspec.Struct]
    schema: dict[str, Any]
    """JSON Schema of an object, for the model."""
    given_call: str | None
    """The parameter that takes no input of the model's, but what is known of the call."""

    def read(self, raw: Any) -> dict[str, Any]:
        """The keyword arguments that ``raw``, JSON of the model's, stands for. Raises ``ToolError``, for the model."""
        try:
            values = msgspec.structs.asdict(msgspec.convert(raw, self.shape))
        except msgspec.ValidationError as exc:
            raise ToolError(f"the input does not fit: {_plain(str(exc))}; {self._takes()}") from None
        return {name: value for name, value in values.items() if value is not UNSET}

    def _takes(self) -> str:
        needed = self.schema["required"]
        names = (name if name in needed else f"{name} (optional)" for name in self.schema["properties"])
        return f"it takes {', '.join(names) or 'nothing'}"


def signature_of(function: Callable[..., Any], *, call_type: type) -> Signature:
    """What ``function`` takes; a parameter annotated ``call_type`` is for the call, not for the model.

    Raises ``OptionError`` for what no JSON object can give: ``*args``, a parameter without a type, a type without a
    JSON form.
    """
    name = getattr(function, "__name__", "tool")
    parameters = _typed(function, name)
    given_call = next((parameter.name for parameter, kind in parameters if kind is call_type), None)
    told = [(parameter, kind) for parameter, kind in parameters if kind is not call_type]
    try:
        shape = msgspec.defstruct(name, [_row(*each) for each in told], kw_only=True, forbid_unknown_fields=True)
    except TypeError as exc:
        raise OptionError(f"{name}: a parameter's type has no JSON form: {exc}") from None
    schema = schema_of(shape)
    del schema["title"]
    for parameter, _ in told:
        _tell_default(schema["properties"][parameter.name], parameter.default)
    return Signature(shape, schema, given_call)


def _typed(function: Callable[..., Any], name: str) -> list[tuple[inspect.Parameter, Any]]:
    hints = _hints(function, name)
    return [(each, _kind(each, hints, name)) for each in inspect.signature(function).parameters.values()]


def _hints(function: Callable[..., Any], name: str) -> Mapping[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as exc:
        raise OptionError(f"{name}: {exc}; a type of a tool's parameter must be known in the tool's module") from None


def _kind(parameter: inspect.Parameter, hints: Mapping[str, Any], name: str) -> Any:
    if parameter.kind not in _KINDS:
        raise OptionError(f"{name}: the parameter {parameter} has no name that the model could give it by")
    if parameter.name not in hints:
        raise OptionError(f"{name}: annotate the parameter {parameter.name}, so that the model knows what it is")
    return _described(hints[parameter.name])


def _described(kind: Any) -> Any:
    """With a plain text in ``Annotated`` as the description, which msgspec takes in a ``Meta`` only."""
    if get_origin(kind) is not Annotated:
        return kind
    first, *extras = get_args(kind)
    return Annotated[(first, *(Meta(description=extra) if isinstance(extra, str) else extra for extra in extras))]


def _row(parameter: inspect.Parameter, kind: Any) -> tuple[str, Any] | tuple[str, Any, Any]:
    """A field; one that has a default need not be given, and the function itself then applies it."""
    if parameter.default is inspect.Parameter.empty:
        return parameter.name, kind
    return parameter.name, kind | UnsetType, UNSET


def _tell_default(schema: dict[str, Any], default: Any) -> None:
    """Also none at all has no JSON form; then the model need not know of it."""
    with contextlib.suppress(TypeError, ValueError):
        schema["default"] = msgspec.json.decode(msgspec.json.encode(default))


def _plain(problem: str) -> str:
    """msgspec's sentence with the place first, in words: ``a.b: expected …``."""
    what, _, where = problem.partition(" - at `$")
    return f"{where.removesuffix('`').lstrip('.')}: {what}" if where.strip("`") else what
