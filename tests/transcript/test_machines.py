"""The small machines where no recording shows them: calls, tasks, outcomes, costs, context, uuids, streamed text."""

from itertools import product
from typing import Any

import pytest

from bascule.events import ContextWindow, ModelUsage
from bascule.transcript import calls, outcome
from bascule.transcript.calls import Calls
from bascule.transcript.partial import UNFINISHED, Partials
from bascule.transcript.tasks import Tasks
from bascule.transcript.usage import Context, Costs
from bascule.transcript.uuids import Uuids
from bascule.wire import result as wire
from bascule.wire import system
from bascule.wire.blocks import ApiMessage, RedactedThinking, Text, ToolUse, Usage
from bascule.wire.messages import Assistant
from bascule.wire.result import Result
from bascule.wire.stream import BlockDelta, MessageStart, TextDelta


@pytest.mark.parametrize(("phase", "move"), list(product(calls.TABLE, calls.Move)))
def test_a_call_knows_every_move_until_it_ends(phase: calls.Phase, move: calls.Move) -> None:
    assert isinstance(calls.TABLE[phase][move], calls.Phase)


@pytest.mark.parametrize("move", calls.Move)
def test_a_denied_call_stays_denied(move: calls.Move) -> None:
    assert calls.TABLE[calls.Phase.DENIED][move] is calls.Phase.DENIED


def test_the_end_of_an_unknown_parent_closes_nothing() -> None:
    open_calls = Calls()
    open_calls.requested(ToolUse(id="t", name="Bash"), parent=None, turn=1, cwd=None)
    assert open_calls.parent_ended(None) == []
    assert [update.tool_status for _, update in open_calls.lost()] == ["lost"]


def test_a_task_that_ends_twice_is_told_once() -> None:
    tasks = Tasks()
    started = system.TaskStarted(task_id="1", description="x", tool_use_id="t1", is_backgrounded=True)
    assert tasks.started(started) is not None
    assert tasks.started(started) is None
    assert (tasks.running, tasks.call_of("1"), tasks.in_background("1")) == (1, "t1", True)
    tasks.updated(system.TaskUpdated(task_id="1", patch=system.TaskPatch(status="running")))
    assert tasks.overdue(None) is None
    tasks.updated(system.TaskUpdated(task_id="1", patch=system.TaskPatch(status="killed")))
    ended = system.TaskNotification(task_id="1", status="stopped", usage=system.TaskUsage(duration_ms=1.4))
    assert tasks.overdue(ended) is None
    told = tasks.notified(ended)
    assert told is not None
    assert told.usage is not None
    assert (told.outcome, told.usage.duration_ms) == ("stopped", 1)
    assert tasks.notified(ended) is None


def test_a_task_whose_end_only_an_update_tells_is_told_with_the_next_line() -> None:
    tasks = Tasks()
    tasks.started(system.TaskStarted(task_id="1"))
    tasks.progressed(system.TaskProgress(task_id="1", usage=system.TaskUsage(tool_uses=2)))
    tasks.updated(system.TaskUpdated(task_id="1", patch=system.TaskPatch(status="failed")))
    told = tasks.overdue(system.ThinkingTokens())
    assert told is not None
    assert told.usage is not None
    assert (told.outcome, told.kind, told.usage.tool_uses) == ("failed", "unknown", 2)


def test_tasks_that_nobody_started_are_no_news() -> None:
    tasks = Tasks()
    assert tasks.started(system.TaskStarted()) is None
    assert tasks.progressed(system.TaskProgress(task_id="9")) is None
    assert tasks.progressed(system.TaskProgress()) is None
    assert tasks.notified(system.TaskNotification()) is None
    assert (tasks.call_of(None), tasks.call_of("9"), tasks.in_background(None)) == (None, None, False)


@pytest.mark.parametrize(
    ("fields", "interrupting", "refused", "expected"),
    [
        ({"is_error": False}, False, False, "success"),
        ({"is_error": False, "terminal_reason": "completed"}, True, False, "success"),
        ({"is_error": False, "terminal_reason": "aborted_tools"}, False, False, "interrupted"),
        ({"is_error": True}, True, False, "interrupted"),
        ({"is_error": True, "terminal_reason": "api_error"}, True, False, "error"),
        ({"is_error": True, "subtype": "error_max_turns"}, False, False, "max_turns"),
        ({"is_error": True, "subtype": "error_max_budget_usd"}, False, False, "budget"),
        ({"is_error": True, "stop_reason": "refusal"}, False, False, "refused"),
        ({"is_error": True}, False, True, "refused"),
        ({"is_error": True, "subtype": "of a later version"}, False, False, "error"),
    ],
)
def test_L13_the_outcome_is_read_from_is_error_and_terminal_reason(
    fields: dict[str, Any], interrupting: bool, refused: bool, expected: str
) -> None:
    assert outcome.of(Result(**fields), interrupting=interrupting, refused=refused) == expected


@pytest.mark.parametrize(
    ("result", "how", "kind", "message"),
    [
        (Result(errors=("[ede_diagnostic] x", "boom")), "error", "error", "boom"),
        (Result(api_error_status=500), "error", "api", "the turn failed"),
        (Result(), "max_turns", "max_turns", "the limit of turns is reached"),
        (Result(result="no"), "refused", "refused", "no"),
    ],
)
def test_a_failure_says_what_is_for_people(result: Result, how: outcome.Outcome, kind: str, message: str) -> None:
    error = outcome.failure(result, how, None)
    assert error is not None
    assert (error.kind, error.message) == (kind, message)


def usage(tokens: int, cost: float, window: int | None = 200) -> wire.ModelUsage:
    return wire.ModelUsage(input_tokens=tokens, cost_usd=cost, context_window=window)


def test_L11_costs_are_differences() -> None:
    costs = Costs()
    costs.process_began(resumed=False)
    first = costs.turn(Result(total_cost_usd=0.3, model_usage={"m": usage(10, 0.3), "n": usage(1, 0.0)}))
    second = costs.turn(Result(total_cost_usd=0.4, model_usage={"m": usage(15, 0.4), "n": usage(1, 0.0)}))
    assert (first.cost_usd, second.cost_usd) == (0.3, 0.1)
    assert second.models == {"m": ModelUsage(input_tokens=5, cost_usd=0.1, context_window=200)}


def test_a_figure_that_went_down_started_again() -> None:
    costs = Costs()
    costs.turn(Result(total_cost_usd=0.3, model_usage={"m": usage(10, 0.3)}))
    again = costs.turn(Result(total_cost_usd=0.1, model_usage={"m": usage(3, 0.1)}))
    assert (again.cost_usd, again.models["m"].input_tokens) == (0.1, 3)


def test_a_result_without_a_figure_costs_nobody_knows_what() -> None:
    assert Costs().turn(Result()).cost_usd is None


def test_the_first_turn_of_a_resumed_process_costs_what_it_says_itself() -> None:
    costs = Costs()
    costs.process_began(resumed=True)
    carried = Result(
        total_cost_usd=9.0, model_usage={"m": usage(90, 9.0)}, model_usage_since_last_result={"m": usage(4, 0.5)}
    )
    assert costs.turn(carried).cost_usd == 0.5
    assert costs.turn(Result(total_cost_usd=9.25)).cost_usd == 0.25


def said(tokens: int, *, id: str = "1", model: str = "m", parent: str | None = None) -> Assistant:
    message = ApiMessage(id=id, model=model, usage=Usage(input_tokens=tokens))
    return Assistant(message=message, parent_tool_use_id=parent)


def test_S15_the_context_counts_a_message_once_and_the_main_thread_only() -> None:
    context = Context()
    assert context.spoke(said(10)) is not None
    assert context.spoke(said(99)) is None
    assert context.spoke(said(99, id="2", parent="t1")) is None
    assert context.spoke(said(99, id="3", model="<synthetic>")) is None
    assert context.spoke(said(0, id="4")) is None


@pytest.mark.parametrize(
    ("model", "by_model", "size"),
    [
        ("m", {"m": usage(1, 0, 100), "n": usage(1, 0, 7)}, 100),
        ("m[1m]", {"m": usage(1, 0, 100), "n": usage(1, 0, 7)}, 100),
        ("other", {"m": usage(1, 0, 100)}, 100),
        ("other", {"m": usage(1, 0, 100), "n": usage(1, 0, 7)}, None),
        (None, {}, None),
        ("m", {"m": usage(1, 0, None)}, None),
    ],
)
def test_F58_the_size_of_the_window_is_the_main_models_or_unknown(
    model: str | None, by_model: dict[str, wire.ModelUsage], size: int | None
) -> None:
    context = Context()
    context.model_is(model)
    context.spoke(said(50))
    told = context.ended(Result(model_usage=by_model))
    if size is None:
        assert told is None
    else:
        assert told == ContextWindow(
            context_window_size=size,
            context_window_used=50,
            context_window_remaining=50,
            context_efficiency=50.0,
        )


def test_a_context_that_was_never_filled_is_unknown() -> None:
    assert Context().ended(Result(model_usage={"m": usage(1, 0, 100)})) is None


def test_uuids_hold_when_the_turn_succeeds_or_a_tool_gave_its_result() -> None:
    uuids = Uuids()
    held: list[str | None] = []
    uuids.assistant("a1")
    uuids.turn_ended(success=False)
    held.append(uuids.last)
    uuids.assistant("a2")
    uuids.tool_result("u1")
    uuids.turn_ended(success=True)
    held.append(uuids.last)
    uuids.assistant("a3")
    uuids.assistant(None)
    uuids.turn_ended(success=True)
    held.append(uuids.last)
    uuids.conversation_reset()
    held.append(uuids.last)
    assert held == [None, "u1", "a3", None]


def test_redacted_thinking_is_told_as_such_and_a_text_alone_is_one_block() -> None:
    partials = Partials()
    hidden = Assistant(message=ApiMessage(id="m", content=(RedactedThinking(data="x"), Text(text=""))))
    (told,) = partials.whole(hidden)
    assert told.item == "m:0"
    (text,) = partials.whole(Assistant(uuid="u", message=ApiMessage(content="plain")))
    assert text.item == "u:0"


def test_a_delta_without_a_message_id_belongs_to_the_message_that_streams() -> None:
    partials = Partials()
    assert partials.streamed(MessageStart(message=ApiMessage(id="m9")), None) is None
    delta = partials.streamed(BlockDelta(index=1, delta=TextDelta(text="x")), None)
    assert delta is not None
    assert delta.item == "m9:1"
    assert partials.streamed(None, None) is None


def test_a_turn_of_many_messages_keeps_count_of_the_latest_only() -> None:
    partials = Partials()

    def item(message_id: str) -> str:
        (told,) = partials.whole(Assistant(message=ApiMessage(id=message_id, content=(Text(text="x"),))))
        return told.item

    assert [item("m0"), item("m0")] == ["m0:0", "m0:1"]
    for number in range(1, UNFINISHED):
        item(f"m{number}")
    assert item("m0") == "m0:2"
    item("one more")
    assert item("m1") == "m1:1"
    assert item("m0") == "m0:0"


def test_a_message_of_a_subagent_goes_on_over_the_start_of_a_turn() -> None:
    partials = Partials()
    items = []
    for text in ("one", "two"):
        said = Assistant(parent_tool_use_id="t", message=ApiMessage(id="m", content=(Text(text=text),)))
        items += [told.item for told in partials.whole(said)]
        partials.turn_began()
    assert items == ["m:0", "m:1"]
