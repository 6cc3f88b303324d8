"""The life of a tool call: from the model's request to the one update that ends it.

``TABLE`` is the whole lifecycle. What a call means is known in ``tools/``; here is known only when it is over, and how.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, NamedTuple

import msgspec

from bascule.events import ToolCall, ToolUpdate
from bascule.payload import Payload
from bascule.tools.describe import describe, finish
from bascule.tools.titles import title
from bascule.wire.blocks import ToolResult, ToolUse
from bascule.wire.messages import ToolProgress, ToolResultMeta


class Phase(Enum):
    """Where a call is; the last five are its end and the status that tells it."""

    REQUESTED = "running"
    ASKED = "asked"
    DONE = "complete"
    FAILED = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    LOST = "lost"


class Move(Enum):
    """What can happen to it."""

    ASKED = "asked"
    ALLOWED = "allowed"
    DENIED = "denied"
    WITHDRAWN = "withdrawn"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REJECTED = "rejected"
    INTERRUPTED = "interrupted"
    TURN_ENDED = "turn ended"


_ENDS: Final[dict[Move, Phase]] = {
    Move.SUCCEEDED: Phase.DONE,
    Move.FAILED: Phase.FAILED,
    Move.REJECTED: Phase.DENIED,
    Move.INTERRUPTED: Phase.CANCELLED,
    Move.TURN_ENDED: Phase.LOST,
}

TABLE: Final[dict[Phase, dict[Move, Phase]]] = {
    Phase.REQUESTED: {
        Move.ASKED: Phase.ASKED,
        Move.ALLOWED: Phase.REQUESTED,
        Move.DENIED: Phase.DENIED,
        Move.WITHDRAWN: Phase.REQUESTED,
        **_ENDS,
    },
    Phase.ASKED: {
        Move.ASKED: Phase.ASKED,
        Move.ALLOWED: Phase.REQUESTED,
        Move.DENIED: Phase.DENIED,
        Move.WITHDRAWN: Phase.REQUESTED,
        **_ENDS,
    },
    Phase.DENIED: {
        # The denial is known before its tool result; only the result ends the call, whatever it says.
        **dict.fromkeys((Move.ASKED, Move.ALLOWED, Move.DENIED, Move.WITHDRAWN), Phase.DENIED),
        **dict.fromkeys(_ENDS, Phase.DENIED),
    },
}


class Call:
    """One open call."""

    __slots__ = ("input", "name", "parent", "payload", "phase", "turn")

    def __init__(self, block: ToolUse, *, parent: str | None, turn: int) -> None:
        self.name = block.name
        self.input: dict[str, Any] = block.input
        self.parent = parent
        self.turn = turn
        self.payload: Payload = describe(block.name, block.input)
        self.phase = Phase.REQUESTED


class _Ahead(NamedTuple):
    """What was decided about a call that is not told of yet: 2.1.197 asks about a subagent's before it shows it."""

    phase: Phase = Phase.REQUESTED
    input: dict[str, Any] | None = None


class Calls:
    """The open calls of a session, in the order in which they were made. A call that ended is forgotten."""

    def __init__(self) -> None:
        self._open: dict[str, Call] = {}
        self._turns: dict[str, int] = {}
        self._ahead: dict[str, _Ahead] = {}

    def get(self, call_id: str | None) -> Call | None:
        """The open call of that id."""
        return self._open.get(call_id) if call_id is not None else None

    def turn_of(self, call_id: str | None) -> int | None:
        """The turn that made the call, open or not; None for one that was never seen."""
        return self._turns.get(call_id) if call_id is not None else None

    def requested(self, block: ToolUse, *, parent: str | None, turn: int, cwd: str | None) -> ToolCall | None:
        """The model calls a tool; None if the CLI says so twice."""
        if block.id in self._turns:
            return None
        call = self._open[block.id] = Call(block, parent=parent, turn=turn)
        self._turns[block.id] = turn
        told = ToolCall(
            tool_call_id=block.id,
            parent_tool_call_id=parent,
            tool_name=call.name,
            tool_title=title(call.name, call.input, cwd),
            normalized=call.payload,
        )
        ahead = self._ahead.pop(block.id, _Ahead())
        call.phase = ahead.phase
        if ahead.input is not None:
            self.edited(block.id, ahead.input)
        return told

    def move(self, call_id: str | None, move: Move) -> None:
        """Something happened on the way: it was asked for, allowed, denied."""
        if (call := self.get(call_id)) is not None:
            call.phase = TABLE[call.phase][move]
        elif call_id is not None and call_id not in self._turns:
            ahead = self._ahead.get(call_id, _Ahead())
            self._ahead[call_id] = ahead._replace(phase=TABLE[ahead.phase][move])

    def edited(self, call_id: str | None, tool_input: dict[str, Any]) -> None:
        """What runs is not what the model asked for: a person or a hook changed it. The CLI's own line keeps the old
        input (08_allow_modified_bad), so the call's end is told with the new one."""
        if (call := self.get(call_id)) is not None:
            call.input = tool_input
            call.payload = describe(call.name, tool_input)
        elif call_id is not None and call_id not in self._turns:
            self._ahead[call_id] = self._ahead.get(call_id, _Ahead())._replace(input=tool_input)

    def ended(
        self, block: ToolResult, *, result: Any, meta: ToolResultMeta | None, interrupting: bool
    ) -> tuple[Call, ToolUpdate] | None:
        """Its result came; None for a call that is not open.

        ``result`` is the CLI's structured output of the call, a text when it failed, or None.
        """
        call = self._open.pop(block.tool_use_id, None)
        if call is None:
            return None
        is_error = bool(block.is_error)
        call.phase = TABLE[call.phase][_verdict(meta, is_error=is_error, interrupting=interrupting)]
        call.payload = finish(
            call.payload, call.name, call.input, content=_plain(block.content), result=result, is_error=is_error
        )
        return call, _update(block.tool_use_id, call)

    def progressed(self, progress: ToolProgress) -> tuple[Call, ToolUpdate] | None:
        """It goes on; None for a call that is not open, such as a hook's heartbeat (09_never_answered_hook)."""
        call = self.get(progress.tool_use_id)
        if call is None or progress.tool_use_id is None:
            return None
        return call, ToolUpdate(
            tool_call_id=progress.tool_use_id,
            parent_tool_call_id=call.parent,
            tool_status="running",
            elapsed_s=None if progress.elapsed_time_seconds is None else float(progress.elapsed_time_seconds),
            normalized=call.payload,
        )

    def turn_ended(self, *, interrupted: bool) -> list[tuple[Call, ToolUpdate]]:
        """The turn is over: what the main thread left open gets no result any more (20_max_budget, 07_hook_defer).

        Calls inside subagents go on: their task may outlive the turn (15_bg_agent).
        """
        move = Move.INTERRUPTED if interrupted else Move.TURN_ENDED
        return self._close((i for i, c in self._open.items() if c.parent is None), move)

    def parent_ended(self, parent: str | None) -> list[tuple[Call, ToolUpdate]]:
        """A subagent is over: what it left open is lost."""
        if parent is None:
            return []
        return self._close((i for i, c in self._open.items() if c.parent == parent), Move.TURN_ENDED)

    def lost(self) -> list[tuple[Call, ToolUpdate]]:
        """The process is gone: everything that is open is lost."""
        return self._close(iter(self._open), Move.TURN_ENDED)

    def _close(self, call_ids: Iterable[str], move: Move) -> list[tuple[Call, ToolUpdate]]:
        closed = []
        for call_id in list(call_ids):
            call = self._open.pop(call_id)
            call.phase = TABLE[call.phase][move]
            closed.append((call, _update(call_id, call)))
        return closed


_STATUSES: Final = {
    Phase.DONE: "complete",
    Phase.FAILED: "error",
    Phase.DENIED: "denied",
    Phase.CANCELLED: "cancelled",
    Phase.LOST: "lost",
}


def _update(call_id: str, call: Call) -> ToolUpdate:
    return ToolUpdate(
        tool_call_id=call_id,
        parent_tool_call_id=call.parent,
        tool_status=_STATUSES[call.phase],  # type: ignore[arg-type]
        normalized=call.payload,
    )


def _verdict(meta: ToolResultMeta | None, *, is_error: bool, interrupting: bool) -> Move:
    """What a tool result tells. 2.1.332 says who refused (``tool_result_meta``); 2.1.197 leaves the text alone."""
    if meta is not None and meta.permission_decision is not None and meta.permission_decision.decision == "reject":
        return Move.REJECTED
    if not is_error:
        return Move.SUCCEEDED
    return Move.INTERRUPTED if interrupting else Move.FAILED


def _plain(content: Any) -> Any:
    """A tool result's content as JSON values, as ``tools/`` takes it."""
    return msgspec.to_builtins(content)
