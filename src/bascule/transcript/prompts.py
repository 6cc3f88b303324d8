"""Which prompt is where: settled by identity, never by counting results (11_burst, 11_dup_uuid).

A prompt waits until something names it as taken into a turn: ``command_lifecycle``, an echo, the list of an ``init``
or of a result. A CLI that names nothing (2.1.197 without echoes, or a prompt without a uuid) leaves a guess, which
evidence overrules: the turn that a prompt opened took that prompt; one that began with prompts waiting took them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from bascule.ids import PromptId


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
    __slots__ = ("guessed", "later", "line", "named", "state")

    def __init__(self, line: int, *, named: bool, later: bool) -> None:
        self.state = State.WAITING
        self.line = line
        self.named = named
        self.later = later
        self.guessed = False


class Prompts:
    """All prompts of a session, in the order in which they were written."""

    def __init__(self) -> None:
        self._all: dict[PromptId, _Prompt] = {}

    def wrote(self, prompt_id: PromptId, *, line: int, named: bool, later: bool) -> bool:
        """A prompt went to the CLI; False if its id was used before: the CLI echoes such a line and does nothing.

        ``named``: the line carried a uuid, so the CLI can name it. ``later``: it is never folded into a running turn.
        """
        if prompt_id in self._all:
            return False
        self._all[prompt_id] = _Prompt(line, named=named, later=later)
        return True

    def state(self, prompt_id: PromptId) -> State | None:
        """Where it is; None for an id that was never written."""
        prompt = self._all.get(prompt_id)
        return prompt.state if prompt else None

    def states(self) -> dict[PromptId, State]:
        """Where each of them is."""
        return {prompt_id: prompt.state for prompt_id, prompt in self._all.items()}

    def waiting(self) -> tuple[PromptId, ...]:
        """Those that no turn has taken."""
        return tuple(i for i, p in self._all.items() if p.state is State.WAITING)

    def running(self) -> tuple[PromptId, ...]:
        """Those that a turn has taken and no result has answered."""
        return tuple(i for i, p in self._all.items() if p.state is State.RUNNING)

    def take(self, prompt_ids: Iterable[PromptId], *, guessed: bool = False) -> None:
        """A turn took them. Evidence turns a guess into knowledge; a guess never touches what is known."""
        for prompt_id in prompt_ids:
            prompt = self._all.get(prompt_id)
            if prompt is not None and prompt.state is State.WAITING:
                prompt.state = State.RUNNING
                prompt.guessed = guessed
            elif prompt is not None and prompt.state is State.RUNNING and not guessed:
                prompt.guessed = False

    def give_back_guesses(self) -> None:
        """The turn was not theirs after all."""
        for prompt in self._all.values():
            if prompt.state is State.RUNNING and prompt.guessed:
                prompt.state = State.WAITING
                prompt.guessed = False

    def guessable(self, *, named_too: bool, before_line: int | None = None) -> tuple[PromptId, ...]:
        """Waiting prompts that the CLI may have taken without a word; ``before_line`` asks for a fold into a turn."""
        return tuple(
            i
            for i, p in self._all.items()
            if p.state is State.WAITING
            and (named_too or not p.named)
            and (before_line is None or (p.line < before_line and not p.later))
        )

    def settle(self, prompt_ids: Iterable[PromptId]) -> tuple[PromptId, ...]:
        """A result answered them; gives those for which that is news."""
        return self._end(prompt_ids, State.SETTLED)

    def drop(self, prompt_ids: Iterable[PromptId]) -> tuple[PromptId, ...]:
        """They were taken back; gives those that had not ended before."""
        return self._end(prompt_ids, State.DROPPED)

    def lose(self) -> tuple[PromptId, ...]:
        """The process ended: nothing that is open will be answered."""
        return self._end(self._all, State.LOST)

    def _end(self, prompt_ids: Iterable[PromptId], state: State) -> tuple[PromptId, ...]:
        ended = []
        for prompt_id in prompt_ids:
            prompt = self._all.get(prompt_id)
            if prompt is not None and prompt.state in (State.WAITING, State.RUNNING):
                prompt.state = state
                ended.append(prompt_id)
        return tuple(ended)
