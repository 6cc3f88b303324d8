"""What still matters of the time before, for a host that comes back: read off the recording, entry by entry.

The fold knows what happened. Here stands what else a session knows of the process that it drives: what waits for an
answer, what was registered with the CLI, what a person granted, who answered which ask. All of it comes from the same
stream, live and afterwards, so that what a live session keeps (``keeping.py``) is what a recording gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from bascule import recording
from bascule.errors import OptionError
from bascule.events import (
    AnyEvent,
    Complete,
    GrantEnded,
    GrantGiven,
    ModeChanged,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PolicyDecided,
    PromptAccepted,
    SessionEnded,
    SessionStatus,
    ToolUpdate,
    TurnStarted,
)
from bascule.ids import GrantId, PendingId
from bascule.protocol.connection import Connection
from bascule.protocol.handshake import Welcome, welcome
from bascule.recording import Began, Entry, Judged
from bascule.session.approved import Approved
from bascule.session.held import Held, held_since
from bascule.session.outline import Outline
from bascule.session.watch import Limits, Watch
from bascule.wire.control import ControlCancel, ControlRequest, ControlResponse, HookCallback, Succeeded
from bascule.wire.hooks import PreToolUse, decode_hook_input
from bascule.wire.initialize import Initialize
from bascule.wire.messages import User
from bascule.wire.permissions import ACCEPT_EDITS
from bascule.wire.shape import Message

_SAID = frozenset((ControlRequest, ControlResponse, ControlCancel, User))


class Doubted(NamedTuple):
    """A call that the policy's hook wants asked, and the CLI has not asked about yet, or has and waits."""

    cwd: str
    grants: tuple[GrantId, ...]
    """The session's, at that time."""
    by_rule: bool
    """A rule wants it asked."""


class Hello(NamedTuple):
    """The handshake with the process that runs."""

    request_id: str
    request: Initialize

    @property
    def hooks(self) -> dict[str, str]:
        """The event of each callback id that was registered."""
        return {
            callback_id: event
            for event, matchers in self.request.hooks.items()
            for matcher in matchers
            for callback_id in matcher.hook_callback_ids
        }


class Past:
    """Of one session. Picklable, and small: of what is over only who answered which ask stays."""

    def __init__(self) -> None:
        self.argv: tuple[str, ...] = ()
        """Of the process that runs, or ran last; without secrets."""
        self.connection = Connection()
        """Of that process, as a host that comes back finds it."""
        self.named = False
        """Whether the recording says whose session the process is."""
        self.hello: Hello | None = None
        self.welcome: Welcome | None = None
        """None: the handshake was not answered."""
        self.farewell: SessionEnded | None = None
        """How that process ended."""
        self.watch = Watch(Limits(), now=0.0)
        """Since the process was begun, in seconds of UTC."""
        self.grants: dict[GrantId, Held] = {}
        """What holds, the oldest first."""
        self.covered: dict[GrantId, int] = {}
        self.granted = 0
        """How many grants there ever were."""
        self.left: dict[GrantId, str | None] = {}
        """Grants to accept edits whose mode was left, and by whom: they are to end."""
        self.settled: dict[PendingId, PermissionResolved | PermissionCancelled] = {}
        self.stopped: tuple[str, str] | None = None
        """What was denied and why, where the turn was stopped with it and no prompt was written since."""
        self.stood: dict[str, str] = {}
        """Where the CLI stood when it told a hook of a call, by the ids of the calls that are not over."""
        self.doubts: dict[str, Doubted] = {}
        """By the call's id."""
        self.approved = Approved()
        self.outline = Outline()
        self.turn: TurnStarted | None = None
        """Of the running turn."""
        self.complete: Complete | None = None
        """The end of the last one."""
        self._asks: dict[PendingId, PermissionRequest] = {}
        """Those that are open."""

    def took(self, entry: Entry, message: Message | None, events: Sequence[AnyEvent]) -> None:
        """The next entry, its message where it is ``in`` or ``out``, and the events that the fold made of it."""
        if message is not None:
            if type(message) in _SAID:
                self._said(entry, message)
        elif entry.dir == "note":
            self._noted(recording.note_of(entry.line))
        elif entry.dir == "argv":
            self._process_began(recording.argv_of(entry.line))
        self.happened(events)

    def happened(self, events: Sequence[AnyEvent]) -> None:
        """Events of no entry: the recording stopped."""
        for event in events:
            if event.seq is not None:
                self._happened(event)

    def _process_began(self, argv: tuple[str, ...]) -> None:
        self.argv = argv
        self.named = False
        self.connection = Connection()
        self.hello = self.welcome = self.farewell = self.turn = None
        self.stood.clear()
        self.doubts.clear()
        self._asks.clear()

    def _said(self, entry: Entry, message: Message) -> None:
        self.connection.recall("in" if entry.dir == "in" else "out", message)
        match message:
            case ControlRequest(request_id=request_id, request=Initialize() as request) if entry.dir == "in":
                self.hello = Hello(request_id, request)
            case ControlRequest(request=HookCallback(tool_use_id=str(call_id), input=given)) if entry.dir == "out":
                if isinstance(told := decode_hook_input("PreToolUse", given), PreToolUse):
                    self.stood[call_id] = told.cwd or ""
            case ControlResponse(response=Succeeded() as answer) if entry.dir == "out":
                if self.hello is not None and answer.request_id == self.hello.request_id:
                    self.welcome = welcome(answer)

    def _noted(self, note: recording.Note | None) -> None:
        match note:
            case Began(at=at):
                self.named = True
                self.watch = Watch(Limits(), now=at / 1000)
            case Judged(verdict="ask", tool_call_id=str(call_id), rule=rule):
                self.doubts[call_id] = Doubted(self.stood.get(call_id, ""), tuple(self.grants), bool(rule))

    def _happened(self, event: AnyEvent) -> None:
        self.approved.happened(event)
        self._resolved(event)
        match event:
            case GrantGiven() | GrantEnded() | ModeChanged() | PolicyDecided(verdict="allow"):
                self._granted(event)
            case PermissionRequest():
                self._asks[event.pending_id] = event
                self.outline.take(event)
            case ToolUpdate(tool_call_id=call_id, tool_status=status) if status != "running":
                self.doubts.pop(call_id, None)
                self.stood.pop(call_id, None)
            case PromptAccepted():
                self.stopped = None
            case TurnStarted():
                self.turn = event
            case Complete():
                self.outline.happened(event)
                self.turn, self.complete = None, event
            case SessionStatus(cli_version=str(version)) if self.welcome is not None:
                self.welcome = replace(self.welcome, version=self.welcome.version or version)
            case SessionEnded():
                self.farewell = event
        self.watch.happened(event, event.at / 1000)

    def _resolved(self, event: AnyEvent) -> None:
        if not isinstance(event, PermissionResolved | PermissionCancelled):
            return
        self.settled[event.pending_id] = event
        asked = self._asks.pop(event.pending_id, None)
        if isinstance(event, PermissionCancelled):
            return
        if asked is not None:
            self.doubts.pop(asked.tool_call_id or "", None)
        if event.choosable:
            self.outline.came_early(event.pending_id)
        if event.outcome == "denied_stop" and event.reason and asked is not None:
            self.stopped = (asked.title, event.reason)

    def _granted(self, event: GrantGiven | GrantEnded | ModeChanged | PolicyDecided) -> None:
        match event:
            case GrantGiven(grant_id=grant_id):
                self.granted += 1
                with suppress(OptionError):  # a rule of another version: what cannot be read allows nothing
                    self.grants[grant_id] = held_since(event)
                    self.covered[grant_id] = 0
            case GrantEnded(grant_id=grant_id):
                self.grants.pop(grant_id, None)
                self.left.pop(grant_id, None)
            case ModeChanged(mode=mode, by=by) if mode != ACCEPT_EDITS:
                self.left.update((held.id, by) for held in self.grants.values() if held.edits)
            case PolicyDecided(rule=rule):
                used = set(rule.split("; "))
                for held in self.grants.values():
                    self.covered[held.id] += any(grant.rule.named in used for grant in held.grants)
