"""Calls, the asks about them, and what was allowed for longer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from bascule import events as told
from bascule.events import Event
from bascule.view import model
from bascule.view.model import View
from bascule.view.place import add, add_open, base, close, find, put, row
from bascule.view.turns import waited


def _call(view: View, event: told.ToolCall) -> View:
    call = model.Call(
        **base(f"call:{event.tool_call_id}", event),
        tool_call_id=event.tool_call_id,
        tool_name=event.tool_name,
        title=event.tool_title,
        status=event.tool_status,
        payload=event.normalized,
    )
    return add_open(waited(view, event), call)


def _update(view: View, event: told.ToolUpdate) -> View:
    key = f"call:{event.tool_call_id}"
    found = find(view, key)
    if found is None:
        return _unseen(view, event)
    over = event.tool_status != "running"
    call = replace(
        found[1],
        status=event.tool_status,
        payload=event.normalized,
        elapsed_s=found[1].elapsed_s if event.elapsed_s is None else event.elapsed_s,
        ended_at=event.at if over else None,
    )
    placed = put(view, found[0], call)
    return close(placed, key) if over else placed


def _unseen(view: View, event: told.ToolUpdate) -> View:
    """The end of a call that began before what is in view; that it goes on shows nothing."""
    if event.tool_status == "running":
        return view
    call = model.Call(
        **base(f"call:{event.tool_call_id}", event),
        tool_call_id=event.tool_call_id,
        tool_name="",
        title="",
        status=event.tool_status,
        payload=event.normalized,
        elapsed_s=event.elapsed_s,
        ended_at=event.at,
    )
    return add(view, call)


def _request(view: View, event: told.PermissionRequest) -> View:
    found = None if event.tool_call_id is None else find(view, f"call:{event.tool_call_id}")
    shared = base(f"ask:{event.pending_id}", event) | {"parent": None if found is None else found[1].parent}
    return add_open(view, model.Ask(**shared, request=event))


def _resolved(view: View, event: told.PermissionResolved) -> View:
    answer = model.Answer(
        outcome=event.outcome,
        at=event.at,
        by=event.by,
        surface=event.surface,
        reason=event.reason,
        rule=event.rule,
        scope=event.scope,
        edited=event.edited,
        waited_ms=event.waited_ms,
        choosable=event.choosable,
    )
    return _ask_over(view, event, {"answer": answer})


def _cancelled(view: View, event: told.PermissionCancelled) -> View:
    return _ask_over(view, event, {"cancelled": event.cause})


def _ask_over(view: View, event: told.PermissionResolved | told.PermissionCancelled, how: dict[str, Any]) -> View:
    key = f"ask:{event.pending_id}"
    found = find(view, key)
    if found is None:
        return view
    return close(put(view, found[0], replace(found[1], **how, ended_at=event.at)), key)


def _judged(view: View, event: told.PolicyDecided) -> View:
    verdict = model.Verdict(verdict=event.verdict, rule=event.rule, reason=event.reason)
    found = None if event.tool_call_id is None else find(view, f"call:{event.tool_call_id}")
    if found is None:
        return add(view, model.Judged(**row("judged", event), verdict=verdict))
    return put(view, found[0], replace(found[1], verdict=verdict))


def _granted(view: View, event: told.GrantGiven) -> View:
    granted = model.Granted(**row("grant", event), grant=event)
    after = add(view, granted)
    return replace(after, grants={**after.grants, event.grant_id: len(after.items) - 1})


def _grant_over(view: View, event: told.GrantEnded) -> View:
    place = view.grants.get(event.grant_id)
    if place is None:
        return view
    granted: Any = view.items[place]
    over = replace(granted, ended=event.cause, ended_at=event.at, ended_by=event.by, covered=event.covered)
    left = {other: at for other, at in view.grants.items() if other != event.grant_id}
    return replace(put(view, place, over), grants=left)


FOLDS: Final[dict[type[Event], Callable[[View, Any], View]]] = {
    told.ToolCall: _call,
    told.ToolUpdate: _update,
    told.PermissionRequest: _request,
    told.PermissionResolved: _resolved,
    told.PermissionCancelled: _cancelled,
    told.PolicyDecided: _judged,
    told.GrantGiven: _granted,
    told.GrantEnded: _grant_over,
}
