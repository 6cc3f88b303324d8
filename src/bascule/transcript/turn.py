"""The life of a turn: from a prompt, or from the CLI's own start, to its result.

``TABLE`` is the whole lifecycle; what else is here decides which of its events a line stands for, and which prompts a
turn took and settled. A ``result`` ends a turn and not the run: background tasks are told apart in ``tasks.py``.

CLI 2.1.332 names the prompts of a turn. 2.1.197 names them by echoes, in this order: those that are merged before the
last of them, ``init``, the last one, the model's first words (30_prompt_kinds). So at an ``init`` one prompt is not
named yet: the most urgent is guessed. Its echo, or the first words without an echo, tell whether that was right: only a
slash command has none, and a turn of the CLI's own. A turn that is cut before its first words leaves the guess. Of a
CLI that does not echo, the turn that a prompt opened took that prompt; one that began with prompts waiting took them
all.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.ids import PromptId
from bascule.transcript.prompts import Prompts, State
from bascule.wire.result import Result

Cause: TypeAlias = Literal["prompt", "task", "wakeup", "cron", "hook", "unknown"]


class Phase(Enum):
    """Where the turn is."""

    IDLE = "idle"
    RUNNING = "running"
    INTERRUPTING = "interrupting"


class Move(Enum):
    """What can happen to it."""

    PROMPTED = "prompted"
    SPOKE = "spoke"
    INTERRUPTED = "interrupted"
    RESULT = "result"
    EOF = "eof"


TABLE: Final[dict[Phase, dict[Move, Phase]]] = {
    Phase.IDLE: {
        Move.PROMPTED: Phase.RUNNING,
        Move.SPOKE: Phase.RUNNING,
        Move.INTERRUPTED: Phase.IDLE,
        Move.RESULT: Phase.IDLE,
        Move.EOF: Phase.IDLE,
    },
    Phase.RUNNING: {
        Move.PROMPTED: Phase.RUNNING,
        Move.SPOKE: Phase.RUNNING,
        Move.INTERRUPTED: Phase.INTERRUPTING,
        Move.RESULT: Phase.IDLE,
        Move.EOF: Phase.IDLE,
    },
    Phase.INTERRUPTING: {
        Move.PROMPTED: Phase.INTERRUPTING,
        Move.SPOKE: Phase.INTERRUPTING,
        Move.INTERRUPTED: Phase.INTERRUPTING,
        Move.RESULT: Phase.IDLE,
        Move.EOF: Phase.IDLE,
    },
}


class Began(NamedTuple):
    """A turn began."""

    cause: Cause
    prompt_ids: tuple[PromptId, ...]


class Ended(NamedTuple):
    """A turn ended."""

    prompt_ids: tuple[PromptId, ...]
    """The prompts it settled."""
    interrupting: bool
    """Whether an interrupt was under way."""


class Dropped(NamedTuple):
    """Prompts were taken back before they ran."""

    prompt_ids: tuple[PromptId, ...]
    ended: Ended | None
    """The turn that they were all of."""


class Turns:
    """The turns of one session, one after the other."""

    def __init__(self) -> None:
        self.number = 0
        self.phase = Phase.IDLE
        self.running = False
        """Whether a turn is under way: known from ``phase``, and asked for at each line."""
        self.prompts = Prompts()
        self._heard = False
        self._names_prompts = False
        self._echoes = False
        self._placed = False
        self._candidates: tuple[PromptId, ...] = ()
        self._passed_over: tuple[PromptId, ...] = ()
        self._boundary: int | None = None
        self._hint: Cause = "unknown"

    @property
    def interrupting(self) -> bool:
        """Whether an interrupt of the running turn is under way."""
        return self.phase is Phase.INTERRUPTING

    def process_began(self, *, echoes: bool) -> None:
        """A new process: what the last one told of its ways is forgotten. ``echoes``: it repeats our prompts."""
        self._names_prompts = False
        self._echoes = echoes
        self._heard = False
        self._hint = "unknown"

    def prompted(
        self, prompt_id: PromptId, *, line: int, named: bool, priority: str = "next", command: bool = False
    ) -> Began | None:
        """A prompt was written. It begins a turn if nothing runs and nothing waits before it."""
        first = not self.running and not self.prompts.waiting()
        new = self.prompts.wrote(prompt_id, line=line, named=named, priority=priority, command=command)
        if not new or not first:
            return None
        return self._begin(Move.PROMPTED, "prompt", (prompt_id,))

    def named(self, prompt_id: PromptId, state: str, *, by_wakeup: bool) -> Dropped:
        """The CLI told a prompt's life (``command_lifecycle``, 2.1.332).

        ``completed`` may arrive after the result; it is no news. A prompt of a turn that was heard of is not dropped
        by ``cancelled``: the turn's result is on its way, or was there before, and settles it (10_stream_text_partial).
        """
        self._names_prompts = True
        match state:
            case "started":
                self.prompts.take((prompt_id,))
                if by_wakeup and self.prompts.state(prompt_id) is None:
                    self._hint = "wakeup"
            case "completed" if not self.running:
                self.prompts.settle((prompt_id,))
            case "cancelled" | "discarded" | "refused":
                waits = self.prompts.state(prompt_id) is State.WAITING
                if waits or not (self.running and self._heard):
                    return self._drop((prompt_id,))
        return Dropped((), None)

    def queue_dropped(self, prompt_ids: tuple[PromptId, ...]) -> Dropped:
        """An interrupt dropped what waited (``cancel_queued``): those it names, and all that have no name."""
        return self._drop((*prompt_ids, *self.prompts.guessable(named_too=False)))

    def taken_back(self, prompt_id: PromptId) -> Dropped:
        """The CLI said that it took a prompt out of its queue (``cancel_async_message``, 11_cancel_async)."""
        return self._drop((prompt_id,))

    def _drop(self, prompt_ids: tuple[PromptId, ...]) -> Dropped:
        """Ends a turn that loses its prompts before it was heard of: no result comes (10_interrupt_race_cancelq)."""
        dropped = self.prompts.drop(prompt_ids)
        unheard = bool(dropped) and self.running and not self._heard
        over = unheard and not self.prompts.waiting() and not self.prompts.running()
        return Dropped(dropped, self._end(Move.RESULT, dropped) if over else None)

    def echoed(self, prompt_id: PromptId) -> None:
        """The CLI repeated a prompt: the running turn took it, or the next one will (11_burst)."""
        self.prompts.take((prompt_id,))
        if self._heard and self.prompts.state(prompt_id) is not None:
            self._place()

    def _place(self) -> None:
        """It is known whose turn runs: a guess that said otherwise was wrong."""
        if not self._placed:
            self._placed = True
            self.prompts.give_back_guesses(named_only=True)

    def _tells_by_echo(self) -> bool:
        return self._echoes and not self._names_prompts

    def initialised(self, prompt_ids: tuple[PromptId, ...]) -> Began | None:
        """An ``init`` came: at the start of a turn, or within one (``/compact``)."""
        if prompt_ids:
            self._names_prompts = True
            self.prompts.take(prompt_ids)
        elif not self._heard:
            self._guess_opening()
        return self.spoke()

    def _guess_opening(self) -> None:
        taken = self.prompts.running()
        guess = waiting = self.prompts.guessable(named_too=not self._names_prompts)
        if self.running and not taken:
            guess = waiting = waiting[:1]
        elif not self._tells_by_echo() or self.prompts.guessable(named_too=False):
            guess = () if taken else waiting
        else:
            waiting = waiting if self._hint == "unknown" else ()
            guess = self.prompts.next_of(waiting, beside=taken)
        self._candidates = waiting
        self.prompts.take(guess, guessed=True)

    def _guess_cut(self) -> None:
        """The turn was cut before its first words by a prompt that would not wait, which it cannot have been for."""
        cutter = self.prompts.last_urgent()
        waiting = [i for i in self.prompts.unplaced() if i in self._candidates and i != cutter]
        if waiting:
            self._place()
            self.prompts.take(self.prompts.next_of(waiting, beside=self.prompts.running()), guessed=True)

    def answered(self, *, by_model: bool) -> None:
        """An answer came, of the model's or of the CLI's own making, and no echo before it."""
        if self._placed or not self._heard or not self._tells_by_echo():
            return
        commands = () if by_model else self.prompts.unplaced(commands_only=True)
        if by_model or commands:
            self._place()
            self.prompts.take(self.prompts.next_of(commands), guessed=True)

    def spoke(self) -> Began | None:
        """The main thread said something; it begins a turn of its own if none runs."""
        if self._heard and self._boundary is None:
            return None
        began = None
        if not self.running:
            taken = self.prompts.running()
            began = self._begin(Move.SPOKE, "prompt" if taken else self._hint, taken)
        self._heard = True
        if self._boundary is not None and not self._names_prompts and not self._echoes:
            self.prompts.take(self.prompts.guessable(named_too=True, before_line=self._boundary), guessed=True)
        self._boundary = None
        return began

    def tool_ended(self, line: int) -> None:
        """A tool of the main thread ended: what was written before may be folded in here (09_user_msg_while_asking)."""
        self._boundary = line

    def task_notified(self, *, background: bool) -> None:
        """A task ended; for one in the background the CLI starts a turn, maybe after the running one (15_*)."""
        if background or not self.running:
            self._hint = "task"

    def interrupt(self) -> None:
        """An interrupt was written."""
        self._move(Move.INTERRUPTED)

    def result(self, result: Result) -> tuple[Began | None, Ended | None]:
        """A result came. No ``Ended``: it answered no prompt and did nothing, so there was no turn.

        A ``Began`` when nothing was heard of the turn before its result, as of a resume that failed.
        """
        named = tuple(PromptId(i) for i in result.user_message_uuids)
        if not named and not self._ends_a_turn(result):
            return None, None
        if not named and result.origin is None:
            if not self._heard:
                self._guess_opening()
            elif not self._placed and self._tells_by_echo() and result.num_turns:
                self._guess_cut()
        if result.num_turns:  # a shorter turn tells nothing of what the CLI had read before it
            self._passed_over = self._candidates
        began = None
        if not self.running:
            taken = self.prompts.running()
            began = self._begin(Move.SPOKE, "prompt" if taken or named else self._hint, (*taken, *named))
        if result.origin is not None and not named:
            self.prompts.give_back_guesses()
        return began, self._end(Move.RESULT, self.prompts.settle((*self.prompts.running(), *named)))

    def _ends_a_turn(self, result: Result) -> bool:
        """Whether a result that names no prompt is a turn's: some merely tell that a notification was merged."""
        if self._heard or result.num_turns:
            return True
        return result.origin is None and bool(self.running or self.prompts.waiting())

    def lost(self) -> Ended | None:
        """The process or the recording ended. Every open prompt is lost; an ``Ended`` if a turn was running."""
        open_prompts = self.prompts.lose()
        if not self.running:
            return None
        return self._end(Move.EOF, open_prompts)

    def rested(self) -> Dropped:
        """The CLI said that it owes nothing. What waited when the last turn began was cut, and a guess hid it."""
        if self.running or not self._tells_by_echo():
            return Dropped((), None)
        return self._drop(tuple(i for i in self.prompts.waiting() if i in self._passed_over))

    def _begin(self, move: Move, cause: Cause, prompt_ids: tuple[PromptId, ...]) -> Began:
        self._move(move)
        self.number += 1
        self._heard = False
        self._placed = False
        self._boundary = None
        self._hint = "unknown"
        return Began(cause, prompt_ids)

    def _end(self, move: Move, prompt_ids: tuple[PromptId, ...]) -> Ended:
        ended = Ended(prompt_ids, self.interrupting)
        self._move(move)
        self._heard = False
        return ended

    def _move(self, move: Move) -> None:
        self.phase = TABLE[self.phase][move]
        self.running = self.phase is not Phase.IDLE
