"""What the fold knows while it reads: the small machines, and the events that the present line made.

Both readers, of what the CLI said (``heard.py``) and of what we said (``written.py``), work on one ``Story``.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from bascule import recording
from bascule.events import AnyEvent, ToolUpdate, TurnStarted
from bascule.ids import PromptId, SessionId
from bascule.payload import TodoItem
from bascule.transcript.asks import Asks
from bascule.transcript.calls import Call, Calls
from bascule.transcript.numbering import Numbering
from bascule.transcript.outline import Outline
from bascule.transcript.partial import Partials
from bascule.transcript.status import Standing
from bascule.transcript.tasks import Tasks
from bascule.transcript.turn import Began, Turns
from bascule.transcript.usage import Context, Costs
from bascule.transcript.uuids import Uuids
from bascule.wire.initialize import Initialize
from bascule.wire.messages import Assistant
from bascule.wire.requests import CancelAsyncMessage, Interrupt, SetModel, SetPermissionMode

OurRequest: TypeAlias = Initialize | Interrupt | SetModel | SetPermissionMode | CancelAsyncMessage
"""Requests of ours whose answer makes an event."""

_RESUMES: Final = frozenset({"--resume", "-r", "--continue", "-c"})


class Story:
    """A session as it was told up to the present line."""

    def __init__(self, session: SessionId, began_at: int) -> None:
        self.numbering = Numbering(session, began_at)
        self.turns = Turns()
        self.calls = Calls()
        self.asks = Asks()
        self.partials = Partials()
        self.outline = Outline()
        self.costs = Costs()
        self.context = Context()
        self.tasks = Tasks()
        self.standing = Standing()
        self.uuids = Uuids()
        self.todos: tuple[TodoItem, ...] = ()
        self.requests: dict[str, tuple[OurRequest, str | None]] = {}
        """Ours that wait for their answer, and who wanted them."""
        self.hooks: dict[str, str | None] = {}
        """Hook callbacks that wait for our answer, and the call each is about."""
        self.failure: Assistant | None = None
        """The last assistant line that carried an error, until something better comes."""
        self.refused = False
        self.compacting = False
        self.stopping = False
        """Whether a *deny and stop* ends this turn."""
        self.ask_timeout_s: float | None = None
        self.state: str | None = None
        """``session_state_changed``; None where the CLI does not send it."""
        self.farewell: recording.Slept | recording.Ending | None = None
        """Why we end the process, told before its exit."""
        self.rate_limit: tuple[str | None, str | None] | None = None
        """The window and status that were told last."""
        self.resumed = False
        self.resume_failed = False
        self.answered = False
        """Whether the model was asked in a turn of this process."""
        self.questions: set[PromptId] = set()
        """Prompts that only the model can answer: no slash command, and not merely told."""
        self.last_result_failed = False
        self.t = 0.0
        self.line = 0
        self.told: list[AnyEvent] = []

    def say(self, event: AnyEvent | None, *, turn: int | None = None) -> None:
        """Number ``event`` and tell it; of the running turn, if no other is named. None is nothing new."""
        if event is None:
            return
        if turn is None:
            turn = self.turns.number if self.turns.running else 0
        self.told.append(self.numbering.stamp(event, t=self.t, turn=turn, line=self.line))

    def say_all(self, events: list[AnyEvent], *, turn: int | None = None) -> None:
        """Tell each of ``events``."""
        for event in events:
            self.say(event, turn=turn)

    def begin(self, began: Began | None) -> None:
        """A turn began, if one did."""
        if began is not None:
            self.turn_began(began)

    def process_began(self, arguments: tuple[str, ...]) -> None:
        """A process was started; what the last one left open was closed at its exit."""
        flags = {word.partition("=")[0]: word.partition("=")[2] for word in arguments}
        resumed = not flags.keys().isdisjoint(_RESUMES)
        opening: Literal["new", "resumed", "forked"] = "resumed" if resumed else "new"
        if "--fork-session" in flags:
            opening = "forked"
        self.turns.process_began(echoes="--replay-user-messages" in flags)
        self.resumed = resumed
        self.costs.process_began(resumed=resumed)
        self.outline.process_began()
        self.standing.process_began(opening, flags.get("--permission-mode"))
        self.requests.clear()
        self.hooks.clear()
        self.state = None
        self.compacting = self.resume_failed = self.last_result_failed = self.answered = False

    def turn_began(self, began: Began, *, turn: int | None = None) -> None:
        """A turn began: nothing of it was told yet."""
        self.partials.turn_began()
        self.failure = None
        self.refused = self.stopping = False
        self.say(TurnStarted(cause=began.cause, prompt_ids=began.prompt_ids), turn=turn)

    def close_calls(self, closed: list[tuple[Call, ToolUpdate]]) -> None:
        """Calls ended without a result of their own; each belongs to the turn that made it."""
        for call, update in closed:
            self.say_all([*self.asks.gone_with_call(update.tool_call_id)], turn=call.turn)
            self.say(update, turn=call.turn)
