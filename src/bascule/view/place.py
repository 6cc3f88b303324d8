"""Items and their places: how a view gets one more, changes one, and knows which may still change.

Here and in its neighbours the items are a list of ``fold``'s own, which ``add`` and ``put`` change where it is: a view
that they were given is of no use any more. A view is the very same only when nothing of it changed.
"""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from bascule.events import Event
from bascule.view.model import Item, Shown, View


def add(view: View, item: Item) -> View:
    """One more item, which will not change."""
    cast("list[Item]", view.items).append(item)
    return replace(view)


def add_open(view: View, item: Item, name: str | None = None) -> View:
    """One that may still change; ``name``: of that kind there is one at a time."""
    after = add(view, item)
    return replace(after, open={**after.open, name or item.key: len(after.items) - 1})


def close(view: View, key: str) -> View:
    """What has that key changes no more."""
    return replace(view, open={other: place for other, place in view.open.items() if other != key})


def put(view: View, place: int, item: Item) -> View:
    """The item at that place, as it is now."""
    cast("list[Item]", view.items)[place] = item
    return replace(view)


def find(view: View, key: str) -> tuple[int, Any] | None:
    """The place of one that may still change, and what stands there."""
    place = view.open.get(key)
    return None if place is None else (place, view.items[place])


def base(key: str, event: Event) -> dict[str, Any]:
    """What all items have, for an item of this event."""
    parent = getattr(event, "parent_tool_call_id", None)
    return {"key": key, "at": event.at, "turn": event.turn, "parent": parent}


def row(name: str, event: Event) -> dict[str, Any]:
    """The same for an item of its own, which has no name but its number."""
    return base(f"{name}:{event.seq}", event)


def kept(item: Shown) -> dict[str, Any]:
    """The same of an item that is there already."""
    return {"key": item.key, "at": item.at, "turn": item.turn, "parent": item.parent}
