"""JSON-RPC messages as the CLI reads them."""

from __future__ import annotations

from typing import Any, Final

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
CANCELLED: Final = -32800


def response(request: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """What answers ``request``."""
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


def error(request: dict[str, Any], code: int, problem: str) -> dict[str, Any]:
    """Why ``request`` has no result."""
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": problem}}


def notification(method: str, **params: Any) -> dict[str, Any]:
    """A message that wants no answer; a parameter that is None is left out."""
    return {"jsonrpc": "2.0", "method": method, "params": said(params)}


def said(values: dict[str, Any]) -> dict[str, Any]:
    """``values`` without those that are None."""
    return {name: value for name, value in values.items() if value is not None}


def params_of(message: dict[str, Any], name: str = "params") -> dict[str, Any]:
    """The object that ``message`` holds under ``name``; empty where it holds none."""
    found = message.get(name)
    return found if isinstance(found, dict) else {}
