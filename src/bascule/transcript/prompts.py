"""Which prompt is where: settled by identity, never by counting results (11_burst, 11_dup_uuid).

A prompt waits until something names it as taken into a turn: ``command_lifecycle``, an echo, the list of an ``init``
or of a result. Where a CLI names nothing a guess is made and marked as one, and evidence overrules it (``turn.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from bascule.ids import PromptId

_URGENCY: Final = {"now": 0, "next": 1, "later": 2}


class State(Enum):
    """Where a prompt is."""

    WAITING = "waiting"
    RUNNING = "running"
    SETTLED = "settled"
    """A result answered it."""
    DROPPED = "dropped"
    """Taken back before it ran; no result will answer it."""
    LOST = "lost"
    """The process ended first."""


class _Prompt:
    """What is known of a prompt that waits or runs."""

    __slots__ = ("command", "guessed", "line", "named", "priority")

    def __init__(self, line: int, *, named: bool, priority: str, command: bool) -> None:
        self.line = line
        self.named = named
        self.priority = priority
        self.command = command
        self.guessed = False


class Prompts:
    """All prompts of a session, in the order in which they were written."""

    def __init__(self) -> None:
        self._states: dict[PromptId, State] = {}
        self._open: dict[PromptId, _Prompt] = {}

    def wrote(self, prompt_id: PromptId, *, line: int, named: bool, priority: str, command: bool) -> bool:
        """A prompt went to the CLI; False if its id was used before: the CLI echoes such a line and does nothing.

        ``named``: the line carried a uuid, so the CLI can name it. ``command``: it begins as a slash command does.
        """
        if prompt_id in self._states:
            return False
        self._states[prompt_id] = State.WAITING
        self._open[prompt_id] = _Prompt(line, named=named, priority=priority, command=command)
        return True

    def state(self, prompt_id: PromptId) -> State | None:
        """Where it is; None for an id that was never written."""
        return self._states.get(prompt_id)

    def states(self) -> Mapping[PromptId, State]:
        """Where each of them is, now and later on."""
        return MappingProxyType(self._states)

    def waiting(self) -> tuple[PromptId, ...]:
        """Those that no turn has taken."""
        return tuple(i for i in self._open if self._states[i] is State.WAITING)

    def running(self) -> tuple[PromptId, ...]:
        """Those that a turn has taken and no result has answered."""
        return tuple(i for i in self._open if self._states[i] is State.RUNNING)

    def take(self, prompt_ids: Iterable[PromptId], *, guessed: bool = False) -> None:
        """A turn took them. Evidence turns a guess into knowledge; a guess never touches what is known."""
        for prompt_id in prompt_ids:
            prompt = self._open.get(prompt_id)
            if prompt is not None and self._states[prompt_id] is State.WAITING:
                self._states[prompt_id] = State.RUNNING
                prompt.guessed = guessed
            elif prompt is not None and not guessed:
                prompt.guessed = False

    def give_back_guesses(self, *, named_only: bool = False) -> None:
        """The turn was not theirs after all; ``named_only``: not of those that the CLI would have named."""
        for prompt_id, prompt in self._open.items():
            if prompt.guessed and (prompt.named or not named_only):
                self._states[prompt_id] = State.WAITING
                prompt.guessed = False

    def guessable(self, *, named_too: bool, before_line: int | None = None) -> tuple[PromptId, ...]:
        """Waiting prompts that the CLI may have taken without a word; ``before_line`` asks for a fold into a turn."""
        return tuple(
            i
            for i, p in self._open.items()
            if self._states[i] is State.WAITING
            and (named_too or not p.named)
            and (before_line is None or (p.line < before_line and p.priority != "later"))
        )

    def next_of(self, waiting: Iterable[PromptId], *, beside: tuple[PromptId, ...] = ()) -> tuple[PromptId, ...]:
        """What a CLI takes first: the most urgent (11_prio_*), or what is as urgent as those it merges it with."""
        merged = {self._urgency(prompt_id) for prompt_id in beside}
        return tuple(sorted(waiting, key=lambda i: (self._urgency(i) not in merged, self._urgency(i)))[:1])

    def last_urgent(self) -> PromptId | None:
        """The newest that would not wait: it cuts the turn that runs (11_prio_now)."""
        return next((i for i in reversed(self._open) if self._open[i].priority == "now"), None)

    def unplaced(self, *, commands_only: bool = False) -> tuple[PromptId, ...]:
        """Those that no evidence has placed in a turn: they wait, or were guessed to run."""
        return tuple(
            i
            for i, p in self._open.items()
            if (p.guessed or self._states[i] is State.WAITING) and (p.command or not commands_only)
        )

    def _urgency(self, prompt_id: PromptId) -> int:
        return _URGENCY.get(self._open[prompt_id].priority, _URGENCY["next"])

    def settle(self, prompt_ids: Iterable[PromptId]) -> tuple[PromptId, ...]:
        """A result answered them; gives those for which that is news."""
        return self._end(prompt_ids, State.SETTLED)

    def drop(self, prompt_ids: Iterable[PromptId]) -> tuple[PromptId, ...]:
        """They were taken back; gives those that had not ended before."""
        return self._end(prompt_ids, State.DROPPED)

    def lose(self) -> tuple[PromptId, ...]:
        """The process ended: nothing that is open will be answered."""
        return self._end(tuple(self._open), State.LOST)

    def _end(self, prompt_ids: Iterable[PromptId], state: State) -> tuple[PromptId, ...]:
        ended = []
        for prompt_id in prompt_ids:
            if self._open.pop(prompt_id, None) is not None:
                self._states[prompt_id] = state
                ended.append(prompt_id)
        return tuple(ended)
