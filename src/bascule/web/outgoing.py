"""What waits to be sent to one reader: events in order, deltas joined so that none of an item comes too often.

Pure: time is an argument. Lasting events are never dropped or reordered here; a delta that is held stands behind them
and says so by its ``after``; the whole text of an item makes its held deltas needless.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from bascule.conversation import Placed
from bascule.events import (
    AnyEvent,
    Complete,
    MessageChunk,
    Reasoning,
    SessionEnded,
    TaskEnded,
    TaskProgress,
    ToolUpdate,
    is_passing,
    to_json,
)
from bascule.ids import SessionId
from bascule.web.frames import END, EVENTS, PLACED, Written, event_of, placed

ROOM_EVENTS: Final = 512
ROOM_BYTES: Final = 1024 * 1024
"""Beyond either, no more is taken from the source until the reader has taken some."""
FRAME_BYTES: Final = 64 * 1024
"""A frame is closed when it is as large: a slow line is seen to move."""

Item: TypeAlias = tuple[SessionId, str, str]
"""What passing events are about: session, kind, which."""


class _Held(NamedTuple):
    event: AnyEvent
    due: float


class Outgoing:
    """Events on their way to one reader."""

    def __init__(self, written: Written, *, frame_s: float, all_sessions: bool) -> None:
        self._written = written
        self._frame_s = frame_s
        self._all = all_sessions
        self._ready: deque[bytes] = deque()
        self._bytes = 0
        self._held: dict[Item, _Held] = {}
        self._told: dict[Item, float] = {}
        """When the last delta of an item was let through."""
        self._last: dict[SessionId, int] = {}
        """The newest lasting event, by session."""

    @property
    def is_full(self) -> bool:
        """Whether the source should wait."""
        return len(self._ready) >= ROOM_EVENTS or self._bytes >= ROOM_BYTES

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be sent now."""
        return not self._ready

    @property
    def is_done(self) -> bool:
        """Whether all that was put has been taken."""
        return not self._ready and not self._held

    def due(self) -> float | None:
        """When the next held delta may go; None: nothing is held."""
        return min((held.due for held in self._held.values()), default=None)

    def put(self, item: AnyEvent | Placed, now: float) -> None:
        """One more event. ``now`` is in seconds, of a clock that never goes back."""
        event = event_of(item)
        if is_passing(event):
            self._pass(event, now)
            return
        self._end_items(event, now)
        self._last[event.session] = event.seq or 0
        self._push(self._written.json(event), item.position if isinstance(item, Placed) else None)

    def _pass(self, event: AnyEvent, now: float) -> None:
        about = _about(event)
        held = self._held.get(about)
        if held is not None:
            self._held[about] = _Held(_joined(held.event, event), held.due)
        elif now - self._told.get(about, -self._frame_s) >= self._frame_s:
            self._told[about] = now
            self._push(self._written.json(event), None)
        else:
            self._held[about] = _Held(event, self._told[about] + self._frame_s)

    def _end_items(self, event: AnyEvent, now: float) -> None:
        """The whole of an item makes its deltas needless, and nothing of a turn comes after its end."""
        match event:
            case MessageChunk() | Reasoning() | ToolUpdate() | TaskEnded():
                about = _about(event)
                self._held.pop(about, None)
                self._told.pop(about, None)
            case Complete() | SessionEnded():
                for about in [about for about in self._held if about[0] == event.session]:
                    self._let_go(about, now)
                for about in [about for about in self._told if about[0] == event.session]:
                    del self._told[about]

    def release(self, now: float) -> None:
        """Let those go that were held long enough."""
        for about in [about for about, held in self._held.items() if held.due <= now]:
            self._let_go(about, now)

    def _let_go(self, about: Item, now: float) -> None:
        event = self._held.pop(about).event
        self._told[about] = now
        self._push(to_json(replace(event, after=self._last.get(event.session, event.after))), None)

    def take(self) -> bytes:
        """The next frame; it holds at least one event."""
        events = [self._ready.popleft()]
        size = len(events[0])
        while self._ready and size + len(self._ready[0]) <= FRAME_BYTES:
            events.append(self._ready.popleft())
            size += len(events[-1])
        self._bytes -= size
        return b"".join((PLACED if self._all else EVENTS, b",".join(events), END))

    def _push(self, text: bytes, position: int | None) -> None:
        self._ready.append(placed(position, text) if self._all else text)
        self._bytes += len(self._ready[-1])


def _about(event: AnyEvent) -> Item:
    match event:
        case MessageChunk(item=item):
            return event.session, "message_chunk", item
        case Reasoning(item=item):
            return event.session, "reasoning", item
        case ToolUpdate(tool_call_id=call):
            return event.session, "tool_update", call
        case TaskProgress(task_id=task) | TaskEnded(task_id=task):
            return event.session, "task", task
        case _:
            return event.session, type(event).__name__, ""


def _joined(held: AnyEvent, event: AnyEvent) -> AnyEvent:
    """Two passing events of one item as one: texts follow each other, and of a progress the newest is all."""
    match held, event:
        case MessageChunk(text=before), MessageChunk(text=more):
            return replace(event, text=before + more)
        case Reasoning(reasoning_text=before), Reasoning(reasoning_text=more):
            return replace(event, reasoning_text=before + more)
        case _:
            return event
