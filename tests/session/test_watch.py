"""When a limit is over, and what holds it up; a clock that the test turns."""

from typing import Any

import pytest

from bascule.events import (
    AnyEvent,
    Compaction,
    Complete,
    MessageChunk,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    Reasoning,
    Retrying,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    ToolCall,
    ToolUpdate,
    TurnStarted,
)
from bascule.ids import PendingId
from bascule.payload import Generic
from bascule.session.watch import Due, Limits, Watch

NOTHING = Generic(name="x", input={})
BEGINS = TurnStarted(cause="prompt")
ENDS = Complete(outcome="success")
SAYS = MessageChunk(item="i", text="a", partial=True)
CALLS = ToolCall(tool_call_id="c1", tool_name="x", tool_title="x", normalized=NOTHING)
GOES_ON = ToolUpdate(tool_call_id="c1", tool_status="running", normalized=NOTHING)
RETURNS = ToolUpdate(tool_call_id="c1", tool_status="complete", normalized=NOTHING)


def asks(name: str = "r1") -> PermissionRequest:
    return PermissionRequest(
        pending_id=PendingId(name), ask="tool", tool_name="x", title="x", normalized=NOTHING, input={}, input_hash=""
    )


def resolved(name: str = "r1") -> PermissionResolved:
    return PermissionResolved(pending_id=PendingId(name), outcome="allowed", waited_ms=0)


class Clock:
    """A watch, and the time that the test lets pass."""

    def __init__(self, **limits: Any) -> None:
        self.now = 1000.0
        self.watch = Watch(Limits(**limits), now=self.now)

    def after(self, seconds: float, *events: AnyEvent, heard: bool = True) -> None:
        """Time passes, then the CLI says something that makes these events."""
        self.now += seconds
        if heard:
            self.watch.heard(self.now)
        for event in events:
            self.watch.happened(event, self.now)

    def look(self, *, busy: bool = False) -> Due | float | None:
        """The verdict now; of a time, how long until then."""
        found = self.watch.look(self.now, busy=busy)
        return found - self.now if isinstance(found, float) else found

    def later(self, seconds: float) -> Due | float | None:
        """The verdict when nothing has happened for so long."""
        self.now += seconds
        return self.look()


def test_L77_without_limits_there_is_nothing_to_look_for() -> None:
    clock = Clock()
    clock.after(1, BEGINS)
    assert clock.later(1e9) is None


def test_L54_S16_silence_in_a_turn_is_due_in_time() -> None:
    clock = Clock(silence_s=300)
    clock.after(5, BEGINS)
    assert clock.look() == 300
    clock.after(200, SAYS)
    assert clock.later(299) == 1
    assert clock.later(1) == Due("silence", 300)


def test_L73_silence_counts_from_the_prompt_when_nothing_was_ever_heard() -> None:
    clock = Clock(silence_s=300)
    clock.after(10_000, BEGINS, heard=False)
    assert clock.look() == 300
    assert clock.later(300) == Due("silence", 300)


def test_outside_of_a_turn_silence_is_rest() -> None:
    clock = Clock(silence_s=1, first_byte_s=1, turn_s=1)
    assert clock.later(100) is None
    clock.after(1, BEGINS)
    clock.after(0.5, ENDS)
    assert clock.later(100) is None


def test_S28_L76_the_gap_after_the_last_tool_is_noticed() -> None:
    clock = Clock(silence_s=300)
    clock.after(0, BEGINS)
    clock.after(1, CALLS)
    clock.after(600, RETURNS)
    assert clock.later(300) == Due("silence", 300)


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        (CALLS, RETURNS),
        (TaskStarted(task_id="t", kind="local_agent", title=""), TaskEnded(task_id="t", kind="local_agent", title="")),
        (Compaction(phase="started"), Compaction(phase="finished")),
        (Compaction(phase="started"), Compaction(phase="failed")),
        (asks(), resolved()),
        (asks(), PermissionCancelled(pending_id=PendingId("r1"), cause="withdrawn")),
    ],
    ids=["tool", "task", "compaction", "failed compaction", "ask", "withdrawn ask"],
)
def test_L74_what_is_waited_for_with_reason_is_no_silence(begins: AnyEvent, ends: AnyEvent) -> None:
    clock = Clock(silence_s=300)
    clock.after(0, BEGINS)
    clock.after(1, begins)
    assert not isinstance(clock.later(1000), Due)
    clock.after(0, ends, heard=False)
    assert clock.look() == 300, "the silence begins when the reason ends, whoever ended it"
    assert clock.later(300) == Due("silence", 300)


def test_L49_F49_waiting_for_a_person_has_no_end() -> None:
    clock = Clock(silence_s=300, turn_s=900, first_byte_s=60, held_s=1800)
    clock.after(0, BEGINS)
    clock.after(1, asks())
    assert clock.later(8 * 24 * 3600) is None


def test_L44_one_open_ask_of_several_is_enough() -> None:
    clock = Clock(silence_s=300)
    clock.after(0, BEGINS)
    clock.after(1, asks("r1"), asks("r2"))
    clock.after(1, resolved("r1"))
    assert clock.later(1000) is None
    clock.after(0, resolved("r2"))
    assert clock.look() == 300


@pytest.mark.parametrize(
    ("begins", "goes_on"),
    [
        (CALLS, GOES_ON),
        (
            TaskStarted(task_id="t", kind="local_agent", title=""),
            TaskProgress(task_id="t", kind="local_agent", title=""),
        ),
    ],
    ids=["tool", "task"],
)
def test_L51_L52_L75_a_reason_holds_for_a_bounded_time_after_its_last_progress(
    begins: AnyEvent, goes_on: AnyEvent
) -> None:
    clock = Clock(silence_s=300, held_s=1800)
    clock.after(0, BEGINS)
    clock.after(0, begins)
    assert clock.later(1799) == 1
    clock.after(0, goes_on)
    assert clock.later(1799) == 1
    assert clock.later(1) == Due("silence", 300)


def test_L53_progress_of_a_tool_is_not_its_end() -> None:
    clock = Clock(silence_s=300)
    clock.after(0, BEGINS)
    clock.after(0, CALLS)
    clock.after(30, GOES_ON)
    assert not isinstance(clock.later(1000), Due)


def test_a_wait_before_the_api_is_asked_again_is_no_silence() -> None:
    clock = Clock(silence_s=300, first_byte_s=60)
    clock.after(0, BEGINS)
    clock.after(1, Retrying(attempt=1, max_retries=10, delay_ms=600_000, error="overloaded"))
    assert clock.look() == 660
    assert clock.later(660) == Due("first_byte", 60)


def test_a_function_of_this_program_is_no_silence_of_the_cli() -> None:
    clock = Clock(silence_s=300)
    clock.after(0, BEGINS)
    clock.now += 1000
    assert clock.look(busy=True) == 300
    clock.after(100, heard=True)
    assert clock.look() == 300


@pytest.mark.parametrize("word", [SAYS, Reasoning(item="i", reasoning_text="hm", partial=True), CALLS])
def test_the_first_word_of_the_model_is_waited_for_once_a_turn(word: AnyEvent) -> None:
    clock = Clock(first_byte_s=60)
    clock.after(0, BEGINS)
    clock.after(59)
    assert clock.look() == 1
    clock.after(0, word)
    assert clock.later(1000) is None
    clock.after(0, ENDS)
    clock.after(5, BEGINS)
    assert clock.later(60) == Due("first_byte", 60)


def test_work_that_goes_on_in_the_background_is_no_reason_to_wait_for_a_first_word() -> None:
    clock = Clock(first_byte_s=60)
    clock.after(0, BEGINS, CALLS, ENDS)
    clock.after(0, BEGINS)
    assert clock.later(60) == Due("first_byte", 60)


def test_a_compaction_comes_before_the_first_word() -> None:
    clock = Clock(first_byte_s=60)
    clock.after(0, BEGINS, Compaction(phase="started"))
    assert not isinstance(clock.later(500), Due)
    clock.after(0, Compaction(phase="finished"))
    assert clock.look() == 60


def test_signs_of_life_are_no_first_word() -> None:
    clock = Clock(first_byte_s=60)
    clock.after(0, BEGINS)
    clock.after(60)
    assert clock.look() == Due("first_byte", 60)


def test_a_turn_has_its_time_without_that_of_a_person() -> None:
    clock = Clock(turn_s=900)
    clock.after(0, BEGINS)
    clock.after(800, asks())
    clock.after(5000, resolved())
    assert clock.look() == 100
    clock.after(50, asks())
    clock.after(5000, resolved())
    assert clock.later(50) == Due("turn", 900)


def test_L75_nothing_but_a_person_holds_the_turns_own_limit_up() -> None:
    clock = Clock(turn_s=900)
    clock.after(0, BEGINS)
    clock.after(0, CALLS)
    clock.after(900, GOES_ON)
    assert clock.look(busy=True) == Due("turn", 900)


def test_a_new_turn_has_a_time_of_its_own() -> None:
    clock = Clock(turn_s=900)
    clock.after(0, BEGINS)
    clock.after(800, asks())
    clock.after(10, resolved())
    clock.after(1, ENDS)
    clock.after(1000, BEGINS)
    assert clock.look() == 900


def test_the_session_has_its_time_whatever_it_does() -> None:
    clock = Clock(total_s=3600, turn_s=7200)
    clock.after(1000, BEGINS)
    clock.after(0, asks())
    assert clock.look() == 2600
    assert clock.later(2600) == Due("total", 3600)
    assert clock.later(1) is None


def test_L65_what_is_over_is_told_once() -> None:
    clock = Clock(silence_s=300, turn_s=900)
    clock.after(0, BEGINS)
    assert clock.later(300) == Due("silence", 300)
    assert clock.later(1000) is None
    clock.after(0, ENDS, BEGINS)
    assert clock.later(300) == Due("silence", 300)


def test_of_several_limits_the_nearest_is_looked_for() -> None:
    clock = Clock(silence_s=300, turn_s=900, first_byte_s=60, total_s=3600)
    clock.after(0, BEGINS)
    assert clock.look() == 60
    clock.after(10, SAYS)
    assert clock.look() == 300
    for _ in range(4):
        clock.after(200)
    assert clock.look() == 90


def test_the_end_of_what_was_never_begun_changes_nothing() -> None:
    clock = Clock(silence_s=300)
    clock.after(0, BEGINS)
    clock.after(10, RETURNS, resolved(), heard=False)
    assert clock.look() == 290


@pytest.mark.parametrize("limit", ["first_byte", "silence", "turn", "total"])
def test_what_is_over_says_so_in_words(limit: Any) -> None:
    assert "90 s" in str(Due(limit, 90.0))
