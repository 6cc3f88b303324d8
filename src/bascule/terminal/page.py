"""A conversation as it is read: events in, pieces out, each said once.

`feed` gives what stands from now on and is never taken back. `moving` gives what may still change: texts that grow,
calls that run, a wait. Text that streams is said block by block as its blocks are finished, and the whole chunk at its
end adds only what is missing. The page knows no width, no terminal and no clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.events import (
    AnyEvent,
    Compaction,
    Complete,
    ContextWindow,
    Error,
    MessageChunk,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PromptAccepted,
    Reasoning,
    Retrying,
    SessionEnded,
    SessionStatus,
    TaskEnded,
    TaskStarted,
    Todos,
    ToolCall,
    ToolUpdate,
    TurnStarted,
)
from bascule.ids import PendingId
from bascule.payload import TodoItem
from bascule.terminal import calls, notes
from bascule.terminal.asks import card
from bascule.terminal.calls import Call
from bascule.terminal.clean import one_line, plain
from bascule.terminal.lines import BAD, EMPTY, HOLD, QUIET, RUN, SLANT, Line, Piece, Prose, Span, Style, behind, line
from bascule.terminal.markdown import split
from bascule.terminal.questions import shown_step, steps_of

NEST: Final = Span("│ ", QUIET)
"""One level of subagents."""
THOUGHT_LINES: Final = 6

Kind: TypeAlias = Literal["session", "prompt", "prose", "call", "note", "card", "turn"]
_CLOSE: Final = frozenset((("call", "call"), ("note", "note"), ("note", "call"), ("call", "note"), ("card", "note")))
"""What follows each other without an empty line between."""


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """A text that is still coming."""

    text: str = ""
    said: str = ""
    """The part of it that is on the page already."""
    parent: str | None = None
    thought: bool = False


class Page:
    """What has been said, and what is still moving."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._calls: dict[str, Call] = {}
        self._asks: dict[PendingId, PermissionRequest] = {}
        self._last_card: PendingId | None = None
        self._told: set[str] = set()
        """Failures of this turn, so that none is told twice."""
        self._todos: tuple[TodoItem, ...] = ()
        self._tasks: dict[str, TaskStarted] = {}
        self._titles: dict[str, str] = {}
        """Of all tasks; a subagent asks by its task's id."""
        self._status: SessionStatus | None = None
        self._context: ContextWindow | None = None
        self._wait: Line | None = None
        self._turn_since: int | None = None
        self._last: Kind | None = None
        self._speaker: str | None = None

    @property
    def turn_since(self) -> int | None:
        """UTC ms at which the running turn began; None when none runs."""
        return self._turn_since

    @property
    def blank(self) -> bool:
        """Whether nothing was said yet."""
        return self._last is None

    @property
    def background(self) -> int:
        """How many tasks go on beside the turn."""
        return len(self._tasks)

    @property
    def status(self) -> SessionStatus | None:
        """Who and where the session is, as last told."""
        return self._status

    @property
    def cwd(self) -> str | None:
        """The session's folder, as last told."""
        return self._status.cwd if self._status else None

    def feed(self, event: AnyEvent) -> list[Piece]:
        """What `event` adds to the page."""
        match event:
            case MessageChunk(item=item, text=text, partial=partial, parent_tool_call_id=parent):
                return self._grow(item, text, parent, thought=False) if partial else self._whole(item, text, parent)
            case Reasoning(item=item, reasoning_text=text, partial=partial, parent_tool_call_id=parent):
                return self._grow(item, text, parent, thought=True) if partial else self._thought(item, text, parent)
            case ToolCall():
                return self._called(event)
            case ToolUpdate():
                return self._updated(event)
            case PermissionRequest():
                return self.asked(event, _whole_card(event, self.agent_of(event), self.cwd))
            case PermissionResolved() | PermissionCancelled():
                return self._settled(event)
            case _:
                return self._of_session(event)

    def agent_of(self, ask: PermissionRequest) -> str:
        """The subagent that asks, by the title of its task; empty when that is not known."""
        return self._titles.get(ask.agent_id or "", "")

    def asked(self, ask: PermissionRequest, pieces: Iterable[Piece]) -> list[Piece]:
        """The card of an ask as it is put before a person; how it ends is told from now on."""
        self._asks[ask.pending_id] = ask
        self._last_card = ask.pending_id
        return self._say("card", pieces)

    def _settled(self, event: PermissionResolved | PermissionCancelled) -> list[Piece]:
        """How an ask ended that was shown; which one, if its card is not the last."""
        ask = self._asks.pop(event.pending_id, None)
        if ask is None:
            return []
        if call := self._calls.get(ask.tool_call_id or ""):  # its time is its own, without the person's
            self._calls[ask.tool_call_id or ""] = msgspec.structs.replace(call, since=event.at)
        which = "" if event.pending_id == self._last_card else one_line(ask.title)
        return self._say("note", [notes.settled(event, ask.ask, which)])

    def said(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Lines of the surface's own, such as what came of a command."""
        return self._say("note", pieces)

    def _of_session(self, event: AnyEvent) -> list[Piece]:
        match event:
            case TurnStarted(at=at):
                self._turn_since = at
                return self._say("note", notes.lines_of(event))
            case Complete():
                return self._completed(event)
            case SessionStatus():
                return self._say("session", self._introduced(event))
            case ContextWindow():
                self._context = event
                return []
            case Todos(items=items):
                return self._listed(items)
            case TaskStarted(task_id=task_id, background=background, title=title):
                self._titles[task_id] = title
                if background is not False:
                    self._tasks[task_id] = event
                return []
            case TaskEnded(task_id=task_id):
                known = self._tasks.pop(task_id, None)
                return self._say("note", notes.lines_of(event)) if known else []
            case _:
                return self._of_service(event)

    def _of_service(self, event: AnyEvent) -> list[Piece]:
        match event:
            case Retrying():
                self._wait = notes.retrying(event)
            case Compaction(phase=phase):
                self._wait = line(("↻ ", HOLD), "Compacting the conversation …") if phase == "started" else None
            case PromptAccepted():
                self._told.clear()
                return self._say("prompt", notes.lines_of(event))
            case Error(message=message) if message in self._told:
                return []
            case Error(message=message):
                self._told.add(message)
            case SessionEnded():
                self._turn_since = None
                self._tasks.clear()
        return self._say("note", (told for told in notes.lines_of(event) if told.text.strip(" │") not in self._told))

    def _completed(self, event: Complete) -> list[Piece]:
        self._turn_since = self._wait = None
        rest = [piece for item in list(self._streams) for piece in self._left(item)]
        return [*rest, *self._say("turn", [notes.turn_line(event, self._context)])]

    # Texts.

    def _grow(self, item: str, text: str, parent: str | None, *, thought: bool) -> list[Piece]:
        self._wait = None
        stream = self._streams.get(item) or Stream(parent=parent, thought=thought)
        stream = msgspec.structs.replace(stream, text=stream.text + text)
        done = "" if thought else split(stream.text[len(stream.said) :])[0]
        self._streams[item] = msgspec.structs.replace(stream, said=stream.said + done)
        return self._prose(done, parent)

    def _whole(self, item: str, text: str, parent: str | None) -> list[Piece]:
        said = stream.said if (stream := self._streams.pop(item, None)) else ""
        # A reader that was too slow lost deltas: what it said is not how the text begins, and all of it is said again.
        return self._prose(text.removeprefix(said), parent)

    def _left(self, item: str) -> list[Piece]:
        """What a text that never came whole had to say still."""
        stream = self._streams.pop(item)
        return [] if stream.thought else self._prose(stream.text[len(stream.said) :], stream.parent)

    def _prose(self, text: str, parent: str | None) -> list[Piece]:
        text = plain(text).strip("\n")
        return self._say("prose", [Prose(text=text)], parent) if text.strip() else []

    def _thought(self, item: str, text: str, parent: str | None) -> list[Piece]:
        self._streams.pop(item, None)
        rows = plain(text).strip().split("\n") if text.strip() else []
        more = len(rows) - THOUGHT_LINES
        kept: list[Piece] = [line((row, f"{QUIET};{SLANT}")) for row in (rows[:THOUGHT_LINES] if more > 1 else rows)]
        return self._say("prose", [*kept, line((f"… {more} more lines", QUIET))] if more > 1 else kept, parent)

    # Calls.

    def _called(self, event: ToolCall) -> list[Piece]:
        self._wait = None
        self._calls[event.tool_call_id] = Call(
            title=event.tool_title,
            status="running",
            payload=event.normalized,
            since=event.at,
            parent=event.parent_tool_call_id,
        )
        return []

    def _updated(self, event: ToolUpdate) -> list[Piece]:
        call = self._calls.get(event.tool_call_id)
        if call is None:
            return []
        call = msgspec.structs.replace(call, status=event.tool_status, payload=event.normalized)
        self._calls[event.tool_call_id] = call
        if call.status == "running" or calls.told_elsewhere(call):
            return []
        return self._say("call", calls.ended(call, event.at), call.parent)

    # Session.

    def _introduced(self, event: SessionStatus) -> list[Line]:
        before, self._status = self._status, event
        if event.session_status == "changed" and before and _facts(before) == _facts(event):
            return []
        words = {"resumed": "resumed", "forked": "forked", "changed": "changed"}
        version = f"Claude Code {event.cli_version}" if event.cli_version else "Claude Code"
        facts = [version, words.get(event.session_status, ""), *_facts(event)]
        told = [line((" · ".join(one_line(fact) for fact in facts if fact), QUIET))]
        if event.requested_mode and event.permission_mode and event.requested_mode != event.permission_mode:
            told.append(line(("! ", BAD), f"Asked for mode {event.requested_mode}, got {event.permission_mode}"))
        failed = [server.name for server in event.mcp_servers if server.status == "failed"]
        return [*told, *(line(("! ", BAD), f"MCP server {one_line(name)} did not start") for name in failed)]

    def _listed(self, items: tuple[TodoItem, ...]) -> list[Piece]:
        before, self._todos = {item.id: item.status for item in self._todos}, items
        changed = [item for item in items if before.get(item.id) != item.status]
        return self._say("note", (_todo(item) for item in changed))

    # What stands, and what moves.

    def _say(self, kind: Kind, pieces: Iterable[Piece], parent: str | None = None) -> list[Piece]:
        pieces = list(pieces)
        if not pieces:
            return []
        gap: list[Piece] = [EMPTY] if self._last is not None and (self._last, kind) not in _CLOSE else []
        same = parent == self._speaker
        self._last, self._speaker = kind, parent
        if same or parent is None:
            return behind(self._rail(parent), [*gap, *pieces]) if same else [EMPTY, *pieces]
        return [EMPTY, *behind(self._rail(parent), [self._named(parent), *pieces])]

    def _rail(self, parent: str | None) -> tuple[Span, ...]:
        rail: tuple[Span, ...] = ()
        seen: set[str] = set()
        while parent is not None and parent not in seen:
            seen.add(parent)
            rail = (*rail, NEST)
            parent = call.parent if (call := self._calls.get(parent)) else None
        return rail

    def _named(self, parent: str) -> Line:
        call = self._calls.get(parent)
        return line((f"{one_line(call.title) if call else 'a subagent'}:", QUIET))

    def moving(self, now: int) -> list[Piece]:
        """What may still change, in the order in which it began; the last of it matters most.

        It is spaced as it will be once it stands, so that nothing jumps when it does.
        """
        moving: list[tuple[Kind, list[Piece]]] = [("prose", self._growing(stream)) for stream in self._streams.values()]
        running = [call for call in self._calls.values() if call.status == "running"]
        moving += [("call", behind(self._rail(call.parent), [calls.running(call, now)])) for call in running]
        moving += [("note", [self._wait])] if self._wait else []
        pieces: list[Piece] = []
        last = self._last
        for kind, some in moving:
            gap = [EMPTY] if some and last is not None and (last, kind) not in _CLOSE else []
            pieces += [*gap, *some]
            last = kind if some else last
        return pieces

    def _growing(self, stream: Stream) -> list[Piece]:
        text = plain(stream.text[len(stream.said) :]).strip("\n")
        if not text.strip():
            return []
        rail = self._rail(stream.parent)
        if stream.thought:
            style: Style = f"{QUIET};{SLANT}"
            return behind(rail, [line((row, style)) for row in text.split("\n")[-THOUGHT_LINES:]])
        return behind(rail, [Prose(text=text)])


def _whole_card(ask: PermissionRequest, agent: str, cwd: str | None) -> list[Piece]:
    steps = steps_of(ask)
    if not steps:
        return card(ask, agent=agent, cwd=cwd)
    return [piece for index in range(len(steps)) for piece in (*([EMPTY] if index else ()), *shown_step(ask, index))]


def _facts(status: SessionStatus) -> tuple[str, ...]:
    """What is worth a line when it changes; a mode or a model that changes has an event of its own."""
    return tuple(filter(None, (status.model, status.permission_mode and f"mode {status.permission_mode}", status.cwd)))


_TODO: Final[dict[str, tuple[str, Style]]] = {
    "pending": ("☐", QUIET),
    "in_progress": ("◐", RUN),
    "completed": ("☑", QUIET),
    "cancelled": ("☒", QUIET),
}


def _todo(item: TodoItem) -> Line:
    icon, style = _TODO[item.status]
    text = item.active_form if item.status == "in_progress" and item.active_form else item.description
    quiet = f"9;{QUIET}" if item.status == "cancelled" else QUIET if item.status == "completed" else ""
    return line((f"{icon} ", style), (one_line(text), quiet), hang=2)
