"""Whether a limit of time is over: events and times in, a verdict out. No clock is read here, and nothing is stopped.

Silence alone says little: a person thinks, a test suite runs for ten minutes, the API asks for patience. So each limit
is held up by the reasons that there are for waiting, and each reason but a person holds for a bounded time only (L75).
"""

from __future__ import annotations

import copy
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from bascule.events import (
    AnyEvent,
    Compaction,
    Complete,
    MessageChunk,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    Reasoning,
    Retrying,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    ToolCall,
    ToolUpdate,
    TurnStarted,
)

Limit: TypeAlias = Literal["first_byte", "silence", "turn", "total"]

LIMITS: Final[tuple[Limit, ...]] = get_args(Limit)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long what may take, in seconds; None: as long as it takes."""

    spawn_s: float | None = 60.0
    """From the start of the process to its first word; it takes half a second on a machine that is not busy."""
    initialize_s: float | None = 60.0
    """Until the session is ready, counted anew from each word of the CLI: one that waits for servers says so (S26)."""
    first_byte_s: float | None = None
    """From a prompt to the first word of the model. Waits of the CLI before it asks the API again do not count."""
    silence_s: float | None = None
    """In a turn, without a word of the CLI. Not while a person is asked, a tool or a task runs, the conversation is
    compacted or the CLI waits to ask the API again. 300 is a good value: a model may think for minutes (L77)."""
    turn_s: float | None = None
    """A turn, without the time in which it waited for a person."""
    total_s: float | None = None
    """The session, whatever it does. Then it is ended, and not only its turn."""
    held_s: float = 1800.0
    """How long a tool, a task or a compaction that shows no progress holds the others up. A person has no such end."""


class Due(NamedTuple):
    """A limit is over."""

    limit: Limit
    seconds: float
    """How long it was."""

    def __str__(self) -> str:
        words = {
            "first_byte": "the model said nothing for {:g} s after the prompt",
            "silence": "nothing was heard for {:g} s",
            "turn": "the turn took more than {:g} s",
            "total": "the session took more than {:g} s",
        }
        return words[self.limit].format(self.seconds)


_Kind: TypeAlias = Literal["ask", "call", "task", "compaction"]

_IN_A_TURN: Final[frozenset[_Kind]] = frozenset(("call", "task", "compaction"))
_BEFORE_A_WORD: Final[frozenset[_Kind]] = frozenset(("compaction",))
"""What the model may wait for; work of earlier turns in the background is no reason for it to be silent."""


class _Hold(NamedTuple):
    """Something that is waited for with reason."""

    kind: _Kind
    id: str


class Watch:
    """The limits of one session. All times are seconds of one clock, any that never goes back."""

    def __init__(self, limits: Limits, *, now: float) -> None:
        self._limits = limits
        self._began = now
        self._turn: float | None = None
        """Since when one runs that was not stopped yet."""
        self._spoke = False
        """The model has said something in this turn."""
        self._heard = now
        self._let_go = now
        """When the last reason to wait ended."""
        self._holds: dict[_Hold, float] = {}
        """Since when; of what shows progress, since the last of it."""
        self._asking: float | None = None
        self._asked_s = 0.0
        """Time of this turn in which a person was waited for."""
        self._over = False

    def again(self, limits: Limits) -> Watch:
        """The same, under these limits."""
        other = copy.copy(self)
        other._limits = limits
        other._holds = dict(self._holds)
        return other

    def heard(self, now: float) -> None:
        """The CLI said something of the conversation, or we answered a request of its own."""
        self._heard = now

    def happened(self, event: AnyEvent, now: float) -> None:
        """An event was published."""
        match event:
            case TurnStarted():
                self._turn, self._spoke, self._asked_s = now, False, 0.0
            case Complete():
                self._turn = None
            case MessageChunk() | Reasoning() | ToolCall():
                self._spoke = True
            case Retrying(delay_ms=delay_ms):
                self._let_go = max(self._let_go, now + delay_ms / 1000)
        if (told := _hold_of(event)) is not None:
            hold, goes_on = told
            if goes_on:
                self._hold(hold, now)
            else:
                self._release(hold, now)

    def look(self, now: float, *, busy: bool = False) -> Due | float | None:
        """The limit that is over; else when to look again, None when time alone changes nothing.

        ``busy``: the CLI waits for a function of this program. A turn that was found due is not found due again.
        """
        ends = {limit: end for limit in LIMITS if (end := self._end(limit, now, busy=busy)) is not None}
        for limit, end in ends.items():
            if end <= now:
                return self._due(limit)
        return min(ends.values(), default=None)

    def _due(self, limit: Limit) -> Due:
        self._turn = None
        self._over = self._over or limit == "total"
        return Due(limit, self._seconds(limit) or 0.0)

    def _seconds(self, limit: Limit) -> float | None:
        seconds: float | None = getattr(self._limits, f"{limit}_s")
        return seconds

    def _end(self, limit: Limit, now: float, *, busy: bool) -> float | None:
        """When ``limit`` is over as things stand; None: it has none, or something that has no end holds it up."""
        seconds = self._seconds(limit)
        if seconds is None or self._over:
            return None
        if limit == "total":
            return self._began + seconds
        if self._turn is None or self._asking is not None:
            return None
        if limit == "turn":
            return self._turn + self._asked_s + seconds
        if limit == "first_byte" and self._spoke:
            return None
        if busy:
            return now + seconds
        since = max(self._turn, self._let_go)
        if limit == "first_byte":
            return max(since + seconds, self._held_until(_BEFORE_A_WORD, now))
        return max(since + seconds, self._heard + seconds, self._held_until(_IN_A_TURN, now))

    def _held_until(self, kinds: frozenset[_Kind], now: float) -> float:
        """When the last reason of these kinds stops being one."""
        held = (since + self._limits.held_s for hold, since in self._holds.items() if hold.kind in kinds)
        return max(held, default=now)

    def _hold(self, hold: _Hold, now: float) -> None:
        self._holds[hold] = now
        if hold.kind == "ask" and self._asking is None:
            self._asking = now

    def _release(self, hold: _Hold, now: float) -> None:
        if self._holds.pop(hold, None) is None:
            return
        self._let_go = max(self._let_go, now)
        if self._asking is not None and not any(other.kind == "ask" for other in self._holds):
            self._asked_s += now - self._asking
            self._asking = None


def _hold_of(event: AnyEvent) -> tuple[_Hold, bool] | None:
    """What the event says is waited for, and whether it goes on."""
    match event:
        case ToolCall(tool_call_id=call_id) | ToolUpdate(tool_call_id=call_id, tool_status="running"):
            return _Hold("call", call_id), True
        case ToolUpdate(tool_call_id=call_id):
            return _Hold("call", call_id), False
        case TaskStarted(task_id=task_id) | TaskProgress(task_id=task_id):
            return _Hold("task", task_id), True
        case TaskEnded(task_id=task_id):
            return _Hold("task", task_id), False
        case PermissionRequest(pending_id=pending_id):
            return _Hold("ask", pending_id), True
        case PermissionResolved(pending_id=pending_id) | PermissionCancelled(pending_id=pending_id):
            return _Hold("ask", pending_id), False
        case Compaction(phase=phase):
            return _Hold("compaction", ""), phase == "started"
        case _:
            return None
