"""Events to what a reader sees. ``fold`` is total: any event, in any order, twice or never, gives a view.

Each event that shows has one function, in one of the three neighbours. ``ui/src/fold.ts`` is the twin, file by file and
function by function; both are held to the same golden files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, Final

from msgspec.structs import replace

from bascule.events import AnyEvent, Event
from bascule.view import calls, now, turns
from bascule.view.model import View


def fold(view: View, event: AnyEvent) -> View:
    """``view`` after one more event. A lasting event that it has seen changes nothing; deltas append to their item and
    its whole text takes their place; what nothing was known of before stands where it is first told of."""
    return fold_all(view, (event,))


def fold_all(view: View, events: Iterable[AnyEvent]) -> View:
    """``view`` after all of them, whose items are copied once: the time grows with the items and the events."""
    draft = replace(view, items=list(view.items))
    after = reduce(_after, events, draft)
    return view if after is draft else replace(after, items=tuple(after.items))


def _after(draft: View, event: AnyEvent) -> View:
    if event.seq is not None and event.seq <= draft.seq:
        return draft
    seen = draft if event.seq is None else replace(draft, seq=event.seq)
    folds = _FOLDS.get(type(event))
    return seen if folds is None else folds(seen, event)


_FOLDS: Final[dict[type[Event], Callable[[View, Any], View]]] = {**turns.FOLDS, **calls.FOLDS, **now.FOLDS}
"""Every event that shows."""
