"""Ends: of a turn, and of a process. Whatever is open is closed here, once, and in one order."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from bascule import recording
from bascule.events import (
    Complete,
    Denial,
    Error,
    MessageChunk,
    Notice,
    SessionAsleep,
    SessionEnded,
)
from bascule.transcript import outcome
from bascule.transcript.story import Story
from bascule.transcript.turn import Ended
from bascule.wire.prose import text_of
from bascule.wire.result import Result

Cause: TypeAlias = Literal["ended", "killed", "crashed", "start_failed", "resume_failed"]

_EXIT_OF_SIGNAL: Final = range(129, 160)

_EMPTY: Final = Error(
    kind="resume_empty",
    message="the conversation was resumed, and the model was not asked: what lies on the disk may be damaged",
    hint="go on from an earlier message, or look at the conversation's file (bascule.history.check)",
)


def result_came(story: Story, result: Result | None, ended: Ended | None) -> None:
    """A result came, and with ``ended`` a turn came to its end; without, it was no turn's.

    ``result`` is None for a prompt that was taken back before it ran: no result comes then.
    """
    if result is not None:
        story.last_result_failed = bool(result.is_error)
    if ended is None:
        if result is not None and result.is_error:
            story.say(_failure(story, result, "error"))
        return
    turn = story.turns.number
    how: outcome.Outcome = "interrupted"
    if result is not None:
        how = _how(story, result, ended)
        story.answered = story.answered or bool(result.num_turns)
        _say_what_nobody_said(story, result, how, turn)
    interrupted = how == "interrupted"
    story.close_calls(story.calls.turn_ended(interrupted=interrupted))
    story.say_all([*story.asks.gone_with_turn("interrupted" if interrupted else "withdrawn")], turn=turn)
    if result is not None:
        story.say(_failure(story, result, how), turn=turn)
        story.say(story.context.ended(result), turn=turn)
    story.compacting = False
    story.stopping = False
    story.failure = None
    story.uuids.turn_ended(success=how == "success")
    story.say(_complete(story, result, ended, how), turn=turn)


def _failure(story: Story, result: Result, how: outcome.Outcome) -> Error | None:
    """A resumed process that fails before any ``init`` did not find its conversation (12_resume_*)."""
    if how == "error" and not result.is_error:
        return _EMPTY
    error = outcome.failure(result, how, story.failure)
    story.resume_failed = error is not None and story.resumed and not story.standing.initialised
    if error is None or not story.resume_failed:
        return error
    return replace(error, kind="resume_failed", hint="`claude --resume` lists the sessions that there are")


def _how(story: Story, result: Result, ended: Ended) -> outcome.Outcome:
    """What the result tells; but a resume that answers its first question with nothing has failed (L58, F35)."""
    how = outcome.of(result, interrupting=ended.interrupting, refused=story.refused)
    silent = not (result.num_turns or result.result or story.partials.shown)
    first = story.resumed and not story.answered
    empty = first and silent and not story.questions.isdisjoint(ended.prompt_ids)
    return "error" if how == "success" and empty else how


def _say_what_nobody_said(story: Story, result: Result, how: outcome.Outcome, turn: int) -> None:
    """The result's text if nothing else was shown, and an API error that the turn outlived."""
    if how != "success":
        return
    if story.failure is not None:
        story.say(Notice(level="warning", text=text_of(story.failure.message.content)), turn=turn)
    if result.result and not story.partials.shown:
        story.say(MessageChunk(item=f"result:{turn}", text=result.result), turn=turn)


def _complete(story: Story, result: Result | None, ended: Ended, how: outcome.Outcome) -> Complete:
    if result is None:
        return Complete(outcome=how, last_message_uuid=story.uuids.last, prompt_ids=ended.prompt_ids)
    cost = story.costs.turn(result)
    usage = result.usage
    return Complete(
        outcome=how,
        text=outcome.text(result) or None,
        structured=result.structured_output,
        cost_usd=cost.cost_usd,
        total_cost_usd=result.total_cost_usd,
        duration_ms=_whole(result.duration_ms),
        duration_api_ms=_whole(result.duration_api_ms),
        num_turns=result.num_turns,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        cache_read_tokens=usage.cache_read_input_tokens if usage else None,
        cache_creation_tokens=usage.cache_creation_input_tokens if usage else None,
        models=cost.models,
        permission_denials=tuple(
            Denial(tool_name=d.tool_name or "", tool_call_id=d.tool_use_id or "", input=d.tool_input)
            for d in result.permission_denials
        ),
        last_message_uuid=story.uuids.last,
        prompt_ids=ended.prompt_ids,
    )


def _whole(milliseconds: float | None) -> int | None:
    return None if milliseconds is None else round(milliseconds)


def process_ended(story: Story, exit: recording.Exit | None, stderr_tail: str) -> None:
    """The process exited, or (None) the recording just stops: nothing that is open will ever be answered."""
    farewell, story.farewell = story.farewell, None
    cause = None if exit is None else _cause(story, exit, farewell)
    story.say(story.tasks.overdue(None))
    story.say_all([*story.asks.lost()])
    story.close_calls(story.calls.lost())
    story.say_all([*story.tasks.lost()])
    _lose_turn(story, _loss(exit, cause, stderr_tail))
    if isinstance(farewell, recording.Slept):
        story.say(SessionAsleep(idle_s=farewell.idle_s))
    elif exit is not None and cause is not None:
        story.say(SessionEnded(exit_code=exit.code, signal=exit.signal, cause=cause, stderr_tail=stderr_tail))


def _lose_turn(story: Story, error: Error | None) -> None:
    """The running turn will get no result. ``error`` is told with it, or alone when the CLI never came to a turn."""
    running, turn = story.turns.running, story.turns.number
    ended = story.turns.lost()
    if error is not None and (running or error.kind == "start_failed"):
        story.say(error, turn=turn if running else 0)
    if ended is not None:
        lost = Complete(outcome="lost", last_message_uuid=story.uuids.last, prompt_ids=ended.prompt_ids)
        story.say(lost, turn=turn)


def _loss(exit: recording.Exit | None, cause: Cause | None, stderr_tail: str) -> Error | None:
    if exit is None:
        return Error(kind="recording", message="the recording ends in the middle of the turn")
    if cause in ("start_failed", "resume_failed"):
        return _start_failed(exit, cause, stderr_tail)
    how = f"by {exit.signal}" if exit.signal else f"with exit code {exit.code}"
    return Error(
        kind="process_lost",
        message=f"the CLI process ended {how} in the middle of the turn",
        hint="resume the session to go on",
        detail=stderr_tail or None,
    )


def _start_failed(exit: recording.Exit, kind: str, stderr_tail: str) -> Error:
    last = stderr_tail.strip().rpartition("\n")[2]
    code = exit.signal or f"exit code {exit.code}"
    return Error(
        kind=kind,
        message=last or f"the CLI ended before its first turn ({code})",
        hint="run the same command in a shell to see more" if not last else "",
        detail=stderr_tail or None,
    )


def _cause(story: Story, exit: recording.Exit, farewell: recording.Slept | recording.Ending | None) -> Cause:
    """Exit code 1 is no crash after a turn that failed: the CLI tells of its last result so (18_*)."""
    if story.resume_failed:
        return "resume_failed"
    if isinstance(farewell, recording.Ending):
        return farewell.cause
    if exit.signal is not None or exit.code in _EXIT_OF_SIGNAL:
        return "killed"
    clean = exit.code == 0 or (exit.code == 1 and story.last_result_failed)
    if clean and not story.turns.running:
        return "ended"
    return "crashed" if story.standing.initialised else "start_failed"
