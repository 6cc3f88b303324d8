"""Stopping a turn, for certain: an interrupt, another one if the first was lost, a signal, the end of the process."""

from __future__ import annotations

import signal

import msgspec

from bascule.errors import RequestFailed
from bascule.ids import PromptId
from bascule.recording import Ending, Noticed
from bascule.session.line import Line
from bascule.transcript.prompts import State
from bascule.wire import answers
from bascule.wire.requests import CancelAsyncMessage, Interrupt


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long each means of stopping is given before the next, stronger one."""

    receipt_s: float = 5.0
    """The CLI acknowledges an interrupt in about 10 ms, whatever it does (10_*)."""
    turn_s: float = 10.0
    """The result follows within 50 ms, unless a tool does not die."""
    signal_s: float = 5.0
    """SIGINT ends the turn with a result, and then the process (25_sigint_tool: up to 1.3 s)."""


async def interrupt(line: Line, patience: Patience, *, drop: tuple[PromptId, ...] = ()) -> frozenset[PromptId]:
    """Take the prompts ``drop`` back, and interrupt the running turn, which may still go on after this.

    With ``drop`` a CLI 2.1.332 drops whatever else is queued. Gives the prompts that will run all the same, empty when
    it does not tell (2.1.197). Raises ``TimeoutError`` when the CLI does not acknowledge it, ``ProcessLost`` when it
    ended.
    """
    for prompt_id in drop:
        # Before it: 2.1.197 knows no `cancel_queued` (11_interrupt_cancel_queued), and runs the next at once.
        await taken_back(line, prompt_id, within_s=patience.receipt_s)
    answer = await line.request(Interrupt(cancel_queued=bool(drop)), within_s=patience.receipt_s)
    return frozenset(map(PromptId, answers.read(answer.response, answers.Interrupted).still_queued or ()))


async def taken_back(line: Line, prompt_id: PromptId, *, within_s: float | None = None) -> bool:
    """Take a prompt out of the CLI's queue; False when it was not there. Raises as ``Line.request`` does."""
    answer = await line.request(CancelAsyncMessage(message_uuid=prompt_id), within_s=within_s)
    return answers.read(answer.response, answers.MessageCancelled).cancelled is True


async def stop(line: Line, patience: Patience, *, meant: frozenset[PromptId]) -> None:
    """Stop the running turn and return when it has ended, or the process has. ``meant``: the prompts of that turn.

    Raises ``RequestFailed``, and ``ProcessLost`` when the process ended before it was asked.
    """
    turn = line.fold.turn
    try:
        still_queued = await interrupt(line, patience)
        await see_through(line, patience, lost=still_queued & meant)
    except TimeoutError:
        await force(line, patience, turn)


async def see_through(line: Line, patience: Patience, *, lost: frozenset[PromptId]) -> None:
    """See to it that the running turn ends after an interrupt, by ever stronger means, in bounded time.

    ``lost``: prompts that were meant to stop and are queued instead. A warm CLI 2.1.332 so loses an interrupt that
    crosses with a prompt (10_interrupt_race_warm): once the prompt runs, it is interrupted again.
    """
    turn = line.fold.turn
    try:
        again = bool(lost) and await line.until(
            lambda: _ended(line, turn) or _begun(line, lost), within_s=patience.turn_s
        )
        if again and not _ended(line, turn):
            await interrupt(line, patience)
        stopped = await line.until(lambda: _ended(line, turn), within_s=patience.turn_s)
    except (TimeoutError, RequestFailed):
        stopped = False
    if not stopped:
        await force(line, patience, turn)


async def force(line: Line, patience: Patience, turn: int) -> None:
    """Stop ``turn`` with SIGINT, which ends the process as well, and if that does not help with the process's end."""
    line.note(
        Noticed(level="warning", text="the turn did not stop when interrupted: the CLI process is stopped"),
        Ending(cause="killed"),
    )
    line.signal(signal.SIGINT)
    if not await line.until(lambda: _ended(line, turn), within_s=patience.signal_s):
        await line.close(grace_s=0)


def _ended(line: Line, turn: int) -> bool:
    return line.over or line.fold.turn != turn or not line.fold.turn_running


def _begun(line: Line, prompt_ids: frozenset[PromptId]) -> bool:
    states = line.fold.prompts
    return any(states.get(prompt_id) is not State.WAITING for prompt_id in prompt_ids)
