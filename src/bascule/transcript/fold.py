"""Lines in, numbered events out: the one place where events are made.

The fold reads both directions of a recording, entry by entry, and only dispatches: what the CLI said goes to
``heard.py``, what we said and noted to ``written.py``, ends to ``ending.py``. It is total: no entry makes it raise, and
the same entries give the same events, live or replayed, whole or in parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bascule import recording
from bascule.events import AnyEvent, PermissionRequest
from bascule.ids import CliSessionId, PendingId, PromptId, SessionId
from bascule.recording import Entry
from bascule.tools.bounds import clean
from bascule.transcript.ending import process_ended
from bascule.transcript.heard import hear
from bascule.transcript.prompts import State
from bascule.transcript.story import Story
from bascule.transcript.written import Written
from bascule.wire.codec import decode
from bascule.wire.shape import Message

_TAIL_LINES: Final = 20
_TAIL_CHARS: Final = 4_000


class Fold:
    """A session from its recording. ``began_at``: UTC ms of ``t = 0``, until a note of the recording tells."""

    def __init__(self, session: SessionId, *, began_at: int = 0) -> None:
        self._story = Story(session, began_at)
        self._written = Written(self._story)
        self._stderr: list[str] = []
        self._alive = True

    def feed(self, entry: Entry, message: Message | None = None) -> list[AnyEvent]:
        """The events that ``entry`` makes, in order. ``message``: its line decoded, when the caller has it already."""
        story = self._story
        story.told = []
        story.t = entry.t
        story.line += 1
        match entry.dir:
            case "out":
                self._alive = True
                hear(story, decode(entry.line) if message is None else message)
            case "in":
                self._alive = True
                self._written.line(decode(entry.line) if message is None else message)
            case "note":
                self._written.note(entry.line)
            case "err":
                self._stderr = [*self._stderr[-_TAIL_LINES + 1 :], entry.line]
            case "argv":
                self._process_began(entry.line)
            case "exit":
                self._end(recording.exit_of(entry.line))
        return story.told

    def end(self) -> list[AnyEvent]:
        """The recording stops here: everything open is closed as lost. Once; nothing more after an ``exit``."""
        self._story.told = []
        self._end(None)
        return self._story.told

    @property
    def turn_running(self) -> bool:
        """Whether a turn is under way."""
        return self._story.turns.running

    @property
    def turn(self) -> int:
        """The number of the newest turn, 0 before the first."""
        return self._story.turns.number

    @property
    def mode(self) -> str | None:
        """The CLI's permission mode now; None before it has told it."""
        return self._story.standing.mode

    @property
    def outline(self) -> str | None:
        """What the model wrote since a person wanted the plan written out; None: nobody waits for that."""
        return self._story.outline.text

    @property
    def outline_refusals(self) -> int:
        """How often the model asked for approval since then, and was sent back unasked."""
        return self._story.outline.refusals

    @property
    def open_asks(self) -> Mapping[PendingId, PermissionRequest]:
        """The asks that wait for an answer, oldest first."""
        return {pending_id: ask.request for pending_id, ask in self._story.asks.open.items()}

    @property
    def hook_open(self) -> bool:
        """Whether the CLI waits for a hook of the host's."""
        return bool(self._story.hooks)

    @property
    def prompts(self) -> Mapping[PromptId, State]:
        """Where each prompt is."""
        return self._story.turns.prompts.states()

    @property
    def idle(self) -> bool:
        """Nothing runs and nothing is owed, by the CLI's own word where it gives it.

        2.1.197 says that it is idle while a subagent is at work, whose end begins a turn (15_bg_agent).
        """
        story = self._story
        if story.turns.running or story.turns.prompts.waiting():
            return False
        return not story.tasks.running if story.state is None else story.state == "idle" and not story.tasks.agents

    @property
    def tasks_running(self) -> bool:
        """Whether anything runs beside the turns: subagents, and shells, which may never end."""
        return bool(self._story.tasks.running)

    @property
    def cli_session_id(self) -> CliSessionId | None:
        """The CLI's own id of the session, once an ``init`` told it."""
        return self._story.standing.cli_session_id

    @property
    def last_seq(self) -> int:
        """The number of the newest lasting event."""
        return self._story.numbering.last

    def number_after(self, seq: int) -> None:
        """Number on above ``seq``: of a recording that has lost lines, more events were told than it makes."""
        self._story.numbering.last = max(self._story.numbering.last, seq)

    @property
    def stderr_tail(self) -> str:
        """The last lines that the process wrote to stderr; U+FFFD for bytes that are no UTF-8."""
        return clean("\n".join(self._stderr)[-_TAIL_CHARS:])

    def _process_began(self, line: str) -> None:
        self._stderr = []
        self._alive = True
        self._story.process_began(recording.argv_of(line))

    def _end(self, exit: recording.Exit | None) -> None:
        if self._alive:
            self._alive = False
            process_ended(self._story, exit, self.stderr_tail)
