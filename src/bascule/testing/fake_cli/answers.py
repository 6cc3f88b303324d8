"""What an answer of the host means to the CLI, right and wrong ones alike. Pure.

The strict part of the fake: an answer in a shape that the CLI does not read must not work here either. To a permission
request a wrong answer fails the call; to a hook it counts as no answer, so that the call runs, unless the hook was
registered with ``onFailure: block``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from bascule.testing.fake_cli.versions import Version

INVALID: Final = (
    "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object}"
    " or {behavior: 'deny', message: string}. updatedPermissions may hold at most 4096 updates, rules and directories"
    " in all."
)
FAILED: Final = "Tool permission request failed: "
CLOSED: Final = f"{FAILED}AbortError: Tool permission stream closed before response received"
NO_REASON: Final = (
    "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how"
    " to proceed."
)
_DECISIONS: Final = ("allow", "deny", "ask", "defer")


class Allowed(msgspec.Struct, frozen=True):
    """The call runs, with this input."""

    input: dict[str, Any] | None
    """Null: as the model wrote it."""
    updates: tuple[dict[str, Any], ...] = ()


class Denied(msgspec.Struct, frozen=True):
    """The call is refused; the model reads ``message``, unless the turn ends with it."""

    message: str
    interrupt: bool = False


class Broken(msgspec.Struct, frozen=True):
    """The answer was none; the call fails with these words."""

    words: str


Permission: TypeAlias = Allowed | Denied | Broken


def permission(response: Mapping[str, Any], version: Version) -> Permission:
    """The answer to ``can_use_tool``; ``response`` is what stands in the line's ``response``."""
    if response.get("subtype") == "error":
        return Broken(f"{FAILED}Error: {response.get('error')}")  # 07_shape_error_subtype
    payload = response.get("response")
    if not isinstance(payload, dict):
        return Broken(INVALID if version.input_optional else _zod(payload))  # 07_shape_result_inner_id
    match payload:
        case {"behavior": "allow", "updatedInput": dict(edited)}:
            return Allowed(edited, _updates(payload))
        case {"behavior": "allow"} if version.input_optional and payload.get("updatedInput") is None:
            return Allowed(None, _updates(payload))
        case {"behavior": "deny", "message": str(message)}:
            return Denied(message, payload.get("interrupt") is True)
        case _:
            return Broken(INVALID if version.input_optional else _zod(payload))


def _updates(payload: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    updates = payload.get("updatedPermissions")
    return tuple(update for update in updates if isinstance(update, dict)) if isinstance(updates, list) else ()


def _zod(payload: object) -> str:
    """Like the words of the older version, which lists all that it had expected (07_shape_empty_payload)."""
    found = "object" if isinstance(payload, dict) else "undefined"
    issue = f'{{"code": "invalid_union", "message": "Invalid input: expected an allow or a deny, received {found}"}}'
    return f"{FAILED}ZodError: [{issue}]"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook said, as far as the CLI obeys it."""

    decision: str | None = None
    """``allow``, ``deny``, ``ask``, ``defer``; ``block`` of a Stop hook; null: no opinion."""
    reason: str = ""
    input: dict[str, Any] | None = None
    """PreToolUse: what runs in place of the model's input."""
    stops: bool = False
    """``continue: false``: the tool still runs, and then the turn ends (07_hook_continue_false)."""
    failed: bool = False
    """The answer was none."""
    misdirected: bool = False
    """It answers another event, so the call does not run (07_hook_wrong_event)."""
    system_message: str | None = None


def hook(response: Mapping[str, Any], event: str, version: Version) -> Said:
    """The answer to ``hook_callback`` for ``event``."""
    payload = response.get("response")
    if response.get("subtype") == "error" or not isinstance(payload, dict):
        return Said(failed=True)
    message = payload.get("systemMessage")
    said = _decision(payload, event)
    return msgspec.structs.replace(
        said, stops=payload.get("continue") is False, system_message=message if isinstance(message, str) else None
    )


def _decision(payload: Mapping[str, Any], event: str) -> Said:
    specific = payload.get("hookSpecificOutput")
    if isinstance(specific, dict) and specific.get("hookEventName") != event:
        return Said(misdirected=True)
    if isinstance(specific, dict) and event == "PreToolUse":
        return _before_tool(specific)
    if payload.get("decision") == "block":
        reason = str(payload.get("reason") or "")
        return Said(decision="deny" if event == "PreToolUse" else "block", reason=reason)
    return Said()


def _before_tool(specific: Mapping[str, Any]) -> Said:
    decision = specific.get("permissionDecision")
    if decision is not None and decision not in _DECISIONS:
        return Said(failed=True)  # 07_hook_garbage
    edited = specific.get("updatedInput")
    return Said(
        decision=decision,
        reason=str(specific.get("permissionDecisionReason") or ""),
        input=edited if isinstance(edited, dict) else None,
    )
