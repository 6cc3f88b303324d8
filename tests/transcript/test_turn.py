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
            fields = {"named": True} | fields
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
    script.prompted(C, priority="later")
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
    script.turns.echoed(A)
    script.turns.answered(by_model=True)
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


def begun(script: Script, *before: PromptId) -> Began | None:
    """A turn of a CLI that echoes: the members of a merge before its ``init``."""
    for prompt_id in before:
        script.turns.echoed(prompt_id)
    return script.turns.initialised(())


def busy(*waiting: tuple[PromptId, str, bool]) -> Script:
    """A CLI that echoes has answered one prompt while others waited: id, priority, whether it is a slash command."""
    script = Script(echoes=True)
    opener = PromptId("opener")
    script.prompted(opener)
    begun(script)
    script.turns.echoed(opener)
    script.turns.answered(by_model=True)
    for prompt_id, priority, command in waiting:
        script.prompted(prompt_id, priority=priority, command=command)
    assert script.settled() == (opener,)
    return script


def answered(script: Script, echo: PromptId | None = None, *, by_model: bool = True, num_turns: int = 1) -> Any:
    """The rest of a turn: its echo, its first words, its result; what it settled."""
    if echo is not None:
        script.turns.echoed(echo)
    script.turns.answered(by_model=by_model)
    script.turns.spoke()
    return script.settled(result(num_turns=num_turns))


def test_of_two_priorities_the_more_urgent_runs_first_and_alone() -> None:
    script = busy((A, "later", False), (B, "next", False))
    assert begun(script) == Began("prompt", (B,))
    assert answered(script, B) == (B,)
    assert begun(script) == Began("prompt", (A,))
    assert answered(script, A) == (A,)


def test_an_echo_corrects_the_guess_of_who_runs() -> None:
    script = busy((A, "later", False), (B, "a priority of tomorrow", False))
    begun(script)
    assert answered(script, A) == (A,)
    assert script.turns.prompts.states()[B] is State.WAITING


def test_a_merged_turn_is_echoed_around_its_init() -> None:
    script = busy((A, "later", False), (B, "later", False), (C, "now", False))
    assert begun(script, A) == Began("prompt", (A, B))
    assert answered(script, B) == (A, B)
    assert script.turns.prompts.waiting() == (C,)


@pytest.mark.parametrize("first", [True, False])
def test_a_slash_command_that_waits_is_answered_without_an_echo(first: bool) -> None:
    """Whatever was guessed: B was written when the CLI had taken the command out of its queue already."""
    script = busy((A, "later", True), (B, "later" if first else "next", False))
    assert begun(script) == Began("prompt", (A if first else B,))
    assert answered(script, by_model=False, num_turns=0) == (A,)
    begun(script)
    assert answered(script, B) == (B,)


def test_what_the_cli_says_in_the_models_place_is_no_command_where_none_waits() -> None:
    script = busy((A, "next", False), (B, "later", False))
    begun(script)
    assert answered(script, by_model=False, num_turns=0) == (A,)


def test_words_of_the_model_without_an_echo_are_no_answer() -> None:
    """A timer of the CLI's own: no version tells where its turn comes from (26_cron)."""
    script = busy((A, "next", False))
    begun(script)
    assert answered(script) == ()
    begun(script)
    assert answered(script, A) == (A,)


def test_a_turn_of_a_task_is_told_as_one_while_prompts_wait() -> None:
    script = busy((A, "next", False))
    script.turns.task_notified(background=False)
    assert begun(script) == Began("task", ())
    script.turns.answered(by_model=True)
    assert script.settled(result(origin=TASK)) == ()
    assert begun(script) == Began("prompt", (A,))


def test_a_prompt_that_will_not_wait_was_not_in_the_turn_that_it_cut() -> None:
    """It came before ``init`` was read, and after the CLI had taken another one out of its queue."""
    script = busy((A, "later", False), (B, "now", False))
    begun(script)
    assert script.settled() == (A,)
    begun(script)
    assert answered(script, B) == (B,)


def test_a_merged_turn_that_was_cut_settles_its_last_member_too() -> None:
    script = busy((A, "next", False), (B, "later", False), (C, "next", False))
    begun(script, A)
    script.prompted(PromptId("cutter"), priority="now")
    assert script.settled() == (A, C)
    assert script.turns.prompts.waiting() == (B, PromptId("cutter"))


def test_a_prompt_that_a_wrong_guess_left_behind_is_dropped_when_the_cli_rests() -> None:
    """A ran and was cut, B was guessed; later B's own echo comes, and nothing will ever come for A."""
    script = busy((A, "later", False), (B, "next", False))
    begun(script)
    script.prompted(C, priority="now")
    assert script.settled() == (B,)
    begun(script)
    assert answered(script, C) == (C,)
    begun(script)
    assert script.turns.rested() == Dropped((), None)
    assert answered(script, B) == ()
    slash = PromptId("slash")
    script.prompted(slash, command=True)
    begun(script)
    assert answered(script, by_model=False, num_turns=0) == (slash,)
    assert script.turns.rested() == Dropped((A,), None)


def test_a_prompt_that_crossed_with_a_short_turn_waits_on() -> None:
    script = busy((A, "next", True), (B, "next", False))
    begun(script)
    assert answered(script, by_model=False, num_turns=0) == (A,)
    assert script.turns.rested() == Dropped((), None)
    assert script.turns.prompts.waiting() == (B,)


def test_prompts_without_a_name_are_guessed_all_at_once() -> None:
    script = busy()
    script.prompted(A, named=False)
    script.turns.initialised(())
    script.prompted(B, C, named=False)
    assert answered(script) == (A,)
    assert begun(script) == Began("prompt", (B, C))
    assert answered(script) == (B, C)
