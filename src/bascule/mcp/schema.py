"""JSON Schema of Python types, as the tools of a model need it: an object at the top, all else in ``$defs``."""

from __future__ import annotations

from typing import Any

import msgspec

from bascule.errors import OptionError


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON Schema of a msgspec ``Struct``, dataclass or ``TypedDict``, for ``Options.json_schema``.

    What the model gives is then read with ``msgspec.convert(complete.structured, kind)``. Raises ``OptionError`` for
    anything that is no object with named fields, or has a field without a JSON form.
    """
    name = getattr(kind, "__name__", str(kind))
    try:
        (root,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    except TypeError as exc:
        raise OptionError(f"{name} has no JSON form: {exc}") from None
    own = root.get("$ref", "").removeprefix("#/$defs/")
    if components.get(own, {}).get("type") != "object":
        raise OptionError(f"{name} is no object with named fields: put it into one")
    schema = {**components[own]}
    if _is_named_in(components, own):
        return {**schema, "$defs": components}
    del components[own]
    return {**schema, "$defs": components} if components else schema


def _is_named_in(value: Any, name: str) -> bool:
    """Whether something refers to the definition ``name``: a tree does to itself."""
    match value:
        case {"$ref": str(ref)} if ref == f"#/$defs/{name}":
            return True
        case dict():
            return any(_is_named_in(each, name) for each in value.values())
        case list() | tuple():
            return any(_is_named_in(each, name) for each in value)
    return False
