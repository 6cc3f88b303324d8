"""Without a person: one prompt after the other, each ask answered, and an end."""

from bascule.commands import AnyCommand, Decide, Deny, End, Interrupt, Prompt, Refused, Taken
from bascule.events import Complete, Notice, TaskEnded, TaskStarted, TurnStarted
from bascule.ids import CommandId
from bascule.terminal.answers import NOBODY, Script
from bascule.terminal.course import AGENTS_S, WAKING_S, Course
from tests.terminal.examples import tool_ask

TURN = TurnStarted(cause="prompt")
DONE = Complete(outcome="success")


def course(*prompts: str) -> Course:
    ids = iter(range(100))
    return Course(prompts, Script(None), new_id=lambda: CommandId(str(next(ids))))


def names(commands: list[AnyCommand]) -> list[str]:
    return [command.text if isinstance(command, Prompt) else type(command).__name__ for command in commands]


def agent(task_id: str = "t", *, background: bool | None = True) -> TaskStarted:
    return TaskStarted(task_id=task_id, kind="local_agent", title="look", background=background)


def reported(task_id: str = "t") -> TaskEnded:
    return TaskEnded(task_id=task_id, kind="local_agent", title="look", outcome="completed")


def test_prompts_go_one_after_the_other_and_then_it_ends() -> None:
    at = course("one", "two")
    assert names(at.begin()) == ["one"]
    assert at.event(TURN) == []
    assert names(at.event(DONE)) == ["two"]
    assert names(at.event(DONE)) == ["End"]
    assert at.event(DONE) == []


def test_an_ask_is_answered_with_what_was_seen() -> None:
    at = course("one")
    at.begin()
    (command,) = at.event(tool_ask())
    assert isinstance(command, Decide)
    assert (command.pending_id, command.decision, command.input_hash) == ("ask-1", Deny(reason=NOBODY), "hash")


def test_a_running_turn_is_waited_for() -> None:
    at = course("one")
    at.begin()
    assert at.patience_s is None
    assert at.event(Notice(level="info", text="x")) == []


def test_an_agent_in_the_background_is_waited_for_and_its_report_too() -> None:
    at = course("one")
    at.begin()
    patience = []
    for event in (TURN, agent(), DONE, reported(), TurnStarted(cause="task")):
        assert at.event(event) == []
        patience.append(at.patience_s)
    assert patience == [None, None, AGENTS_S, WAKING_S, None]
    assert names(at.event(DONE)) == ["End"]


def test_an_agent_that_ended_within_its_turn_is_not_waited_for() -> None:
    at = course("one")
    at.begin()
    for event in (TURN, agent(background=None), reported()):
        at.event(event)
    assert names(at.event(DONE)) == ["End"]


def test_a_report_within_a_turn_of_an_agent_in_the_background_may_wake_the_cli() -> None:
    at = course("one")
    at.begin()
    for event in (TURN, agent(), reported()):
        at.event(event)
    assert at.event(DONE) == []
    assert at.patience_s == WAKING_S
    assert names(at.end()) == ["End"]


def test_what_may_run_for_ever_is_not_waited_for() -> None:
    at = course("one")
    at.begin()
    at.event(TaskStarted(task_id="s", kind="local_bash", title="serve", background=True))
    at.event(agent("front", background=False))
    assert at.event(reported("front")) == []
    assert names(at.event(DONE)) == ["End"]


def test_a_prompt_that_was_refused_ends_it() -> None:
    at = course("one", "two")
    (prompt,) = at.begin()
    assert names(at.receipt(prompt, Refused(reason="no"))) == ["End"]
    assert at.patience_s is None


def test_other_receipts_change_nothing() -> None:
    at = course("one")
    (prompt,) = at.begin()
    assert at.receipt(prompt, Taken()) == []
    assert at.receipt(End(command_id=CommandId("e")), Refused(reason="no")) == []


def test_ctrl_c_stops_the_turn_and_what_was_to_come_and_then_the_session() -> None:
    at = course("one", "two")
    at.begin()
    (command,) = at.interrupt()
    assert isinstance(command, Interrupt)
    assert names(at.interrupt()) == ["End"]
    assert at.interrupt() == []
    at = course("one", "two")
    at.begin()
    at.interrupt()
    assert names(at.event(Complete(outcome="interrupted"))) == ["End"]


def test_nothing_to_say_is_over_at_once() -> None:
    assert names(course().begin()) == ["End"]
