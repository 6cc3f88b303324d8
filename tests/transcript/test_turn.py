"""The lifecycle of a turn and the ledger of prompts, move by move."""

from itertools import product
from typing import Any

import pytest

from bascule.ids import PromptId
from bascule.transcript.prompts import Prompts, State
from bascule.transcript.turn import TABLE, Began, Dropped, Ended, Move, Phase, Turns
from bascule.wire.messages import Origin
from bascule.wire.result import Result

A, B, C = PromptId("a"), PromptId("b"), PromptId("c")
TASK = Origin(kind="task-notification")


def result(*uuids: str, num_turns: int = 1, origin: Origin | None = None) -> Result:
    return Result(subtype="success", num_turns=num_turns, user_message_uuids=uuids, origin=origin)


class Script:
    """Turns, driven by short words; each prompt is written on the next line."""

    def __init__(self, *, echoes: bool = False) -> None:
        self.turns = Turns()
        self.turns.process_began(echoes=echoes)
        self._line = 0

    def prompted(self, *prompt_ids: PromptId, **fields: Any) -> Began | None:
        began = None
        for prompt_id in prompt_ids:
            self._line += 1
            fields = {"named": True, "later": False} | fields
            began = self.turns.prompted(prompt_id, line=self._line, **fields) or began
        return began

    def tool_ended(self) -> None:
        self._line += 1
        self.turns.tool_ended(self._line)

    def named(self, prompt_id: PromptId, state: str) -> Dropped:
        return self.turns.named(prompt_id, state, by_wakeup=False)

    def settled(self, told: Result | None = None) -> tuple[PromptId, ...]:
        _, ended = self.turns.result(told or result())
        assert ended is not None
        return ended.prompt_ids


@pytest.mark.parametrize(("phase", "move"), list(product(Phase, Move)))
def test_the_table_knows_every_move_in_every_phase(phase: Phase, move: Move) -> None:
    assert isinstance(TABLE[phase][move], Phase)


@pytest.mark.parametrize("phase", Phase)
def test_a_result_and_an_end_always_leave_idle(phase: Phase) -> None:
    assert TABLE[phase][Move.RESULT] is TABLE[phase][Move.EOF] is Phase.IDLE


def test_three_prompts_without_any_name_give_two_turns() -> None:
    script = Script()
    assert script.prompted(A, B, C) == Began("prompt", (A,))
    script.turns.initialised(())
    assert script.settled() == (A,)
    assert script.turns.initialised(()) == Began("prompt", (B, C))
    assert script.settled() == (B, C)


def test_three_prompts_with_names_give_two_turns() -> None:
    script = Script()
    script.prompted(A, B, C)
    script.named(A, "started")
    script.turns.initialised((A,))
    assert script.settled(result("a")) == (A,)
    script.named(A, "completed")
    assert script.turns.initialised((B, C)) == Began("prompt", (B, C))
    assert script.settled(result("b", "c")) == (B, C)


def test_an_unnamed_prompt_is_folded_in_at_a_tool_boundary() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised(())
    script.prompted(B)
    script.prompted(C, later=True)
    script.tool_ended()
    script.turns.spoke()
    assert script.settled() == (A, B)


def test_a_prompt_after_the_last_tool_boundary_waits_for_the_next_turn() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised(())
    script.tool_ended()
    script.prompted(B)
    script.turns.spoke()
    assert script.settled() == (A,)
    assert script.turns.prompts.waiting() == (B,)


def test_where_the_cli_echoes_only_an_echo_folds() -> None:
    script = Script(echoes=True)
    script.prompted(A)
    script.turns.initialised(())
    script.prompted(B, C)
    script.tool_ended()
    script.turns.echoed(B)
    script.turns.spoke()
    assert script.settled() == (A, B)


def test_a_turn_of_its_own_settles_no_waiting_prompt() -> None:
    script = Script()
    script.turns.task_notified(background=False)
    assert script.turns.initialised(()) == Began("task", ())
    script.prompted(A)
    assert script.settled(result(origin=TASK)) == ()
    assert script.turns.initialised(()) == Began("prompt", (A,))


def test_a_guess_is_given_back_when_the_result_has_another_origin() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised(())
    assert script.turns.prompts.state(A) is State.RUNNING
    assert script.settled(result(origin=TASK)) == ()
    assert script.turns.prompts.state(A) is State.WAITING


def test_an_echo_turns_a_guess_into_knowledge() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised(())
    script.turns.echoed(A)
    assert script.settled(result(origin=TASK)) == (A,)


def test_L12_a_merged_notification_makes_no_turn() -> None:
    script = Script()
    assert script.turns.result(result(num_turns=0, origin=TASK)) == (None, None)
    script.prompted(A)
    assert script.turns.result(result(num_turns=0, origin=TASK)) == (None, None)
    assert script.turns.running


def test_S22_a_result_before_any_word_settles_the_prompt_that_waits() -> None:
    script = Script()
    script.prompted(A)
    assert script.settled(result(num_turns=0)) == (A,)


def test_a_result_out_of_nothing_is_a_turn_of_its_own() -> None:
    began, ended = Script().turns.result(result())
    assert began == Began("unknown", ())
    assert ended == Ended((), interrupting=False)


def test_a_result_that_names_a_waiting_prompt_begins_and_ends_its_turn() -> None:
    script = Script()
    script.prompted(A, B)
    script.settled(result("a"))
    began, ended = script.turns.result(result("b", num_turns=0))
    assert began == Began("prompt", (B,))
    assert ended == Ended((B,), interrupting=False)


def test_a_wakeup_is_the_cause_of_its_turn_only() -> None:
    script = Script()
    script.turns.named(PromptId("never written"), "started", by_wakeup=True)
    assert script.turns.initialised(()) == Began("wakeup", ())
    script.turns.result(result())
    assert script.turns.initialised(()) == Began("unknown", ())


@pytest.mark.parametrize("state", ["cancelled", "discarded", "refused"])
def test_S21_a_prompt_taken_back_before_it_ran_ends_its_turn(state: str) -> None:
    script = Script()
    script.prompted(A)
    assert script.named(A, state) == Dropped((A,), Ended((A,), interrupting=False))
    assert not script.turns.running
    assert script.turns.prompts.state(A) is State.DROPPED


def test_a_turn_with_another_prompt_goes_on() -> None:
    script = Script()
    script.prompted(A, B)
    assert script.named(A, "cancelled") == Dropped((A,), None)
    assert script.turns.running


def test_a_cancelled_prompt_of_a_turn_that_was_heard_waits_for_its_result() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised((A,))
    assert script.named(A, "cancelled") == Dropped((), None)
    assert script.settled(result("a")) == (A,)
    assert script.named(A, "cancelled") == Dropped((), None)


def test_a_dropped_queue_takes_the_nameless_prompts_along() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised((A,))
    script.prompted(B)
    script.prompted(C, named=False)
    assert script.turns.queue_dropped((B,)) == Dropped((B, C), None)


def test_a_prompt_that_was_taken_back_before_anything_was_heard_ends_its_turn() -> None:
    script = Script()
    script.prompted(A)
    assert script.turns.taken_back(A) == Dropped((A,), Ended((A,), interrupting=False))
    assert not script.turns.running


def test_a_waiting_prompt_that_was_taken_back_leaves_the_turn_alone() -> None:
    script = Script()
    script.prompted(A)
    script.turns.initialised((A,))
    script.prompted(B)
    assert script.turns.taken_back(B) == Dropped((B,), None)
    assert script.turns.running


def test_an_interrupt_is_known_until_the_result() -> None:
    script = Script()
    known = []
    script.turns.interrupt()
    known.append(script.turns.interrupting)
    script.prompted(A)
    script.turns.interrupt()
    known.append(script.turns.interrupting)
    _, ended = script.turns.result(result("a"))
    known.append(script.turns.interrupting)
    assert ended == Ended((A,), interrupting=True)
    assert known == [False, True, False]


def test_S40_a_lost_process_loses_every_open_prompt() -> None:
    script = Script()
    script.prompted(A, B)
    assert script.turns.lost() == Ended((A, B), interrupting=False)
    assert script.turns.prompts.states() == {A: State.LOST, B: State.LOST}
    assert script.turns.lost() is None


def test_S40_a_late_completed_settles_what_no_result_named() -> None:
    script = Script()
    script.prompted(A, B)
    script.turns.initialised((A,))
    script.settled(result("a"))
    script.named(B, "completed")
    assert script.turns.prompts.state(B) is State.SETTLED


def test_a_prompt_that_was_never_written_is_nowhere() -> None:
    prompts = Prompts()
    prompts.take((A,))
    assert prompts.state(A) is None
    assert prompts.settle((A,)) == ()
