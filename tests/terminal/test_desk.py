"""What stands before the person: one ask at a time, nothing said over it, and Ctrl-C that always gets out."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from bascule import events as ev
from bascule.commands import (
    AllowOnce,
    AnyCommand,
    Decide,
    DenyAndStop,
    End,
    Interrupt,
    Prompt,
    Refused,
    RevokeGrant,
    Taken,
    TooLate,
    Trust,
)
from bascule.events import AnyEvent
from bascule.ids import CommandId, GrantId, PendingId, PromptId
from bascule.payload import Question, ShellExec
from bascule.terminal.desk import LONG_TURN_MS, NOTICE_AFTER_MS, TWICE_MS, Desk, Effect, Leave, Say, Send
from bascule.terminal.dialogue import ARMING_MS, Open, View
from bascule.terminal.keys import Key
from tests.terminal.examples import question, question_ask, told, tool_ask

TURN = ev.TurnStarted(cause="prompt", at=0)
DONE = ev.Complete(outcome="success")
G1 = GrantId("g1")


class Person:
    """A desk with a clock, pressed and read as a person would."""

    def __init__(self, **options: Any) -> None:
        ids = iter(range(1000))
        self.desk = Desk(new_id=lambda: CommandId(str(next(ids))), **options)
        self.now = 0
        self.said: list[str] = []
        self.sent: list[AnyCommand] = []
        self.other: list[Effect] = []
        self.take(self.desk.begin(0))

    def take(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case Say(pieces):
                    self.said += told(pieces)
                case Send(command):
                    self.sent.append(command)
                case _:
                    self.other.append(effect)

    def hears(self, *events: AnyEvent) -> None:
        for event in events:
            self.take(self.desk.event(event, self.now))

    def presses(self, *keys: str) -> None:
        for key in keys:
            self.now += ARMING_MS
            self.take(self.desk.key(Key("char", key) if len(key) == 1 else Key(key), self.now))

    def types(self, text: str) -> None:
        self.take(self.desk.key(Key("paste", text), self.now))

    def interrupts(self) -> None:
        self.take(self.desk.interrupt(self.now))

    def gets(self, receipt: Any) -> None:
        self.take(self.desk.receipt(self.sent[-1], receipt, self.now))

    def sees(self) -> list[str]:
        moving, foot = self.desk.face(self.now)
        written = [] if foot.editor is None else [f"» {foot.editor.text or foot.ghost}"]
        return [row for row in [*told(moving), *told(foot.lines), *written] if row]

    @property
    def last(self) -> AnyCommand:
        return self.sent[-1]


def resolved(pending_id: str = "ask-1", **more: Any) -> ev.PermissionResolved:
    facts = {"outcome": "allowed", "waited_ms": 0, **more}
    return ev.PermissionResolved(pending_id=PendingId(pending_id), **facts)


def test_a_prompt_is_written_and_sent() -> None:
    person = Person()
    assert person.sees() == ["Enter sends · Ctrl-J new line · Ctrl-D ends", "» "]
    person.types("hi")
    assert person.sees() == ["» hi"]
    person.presses("enter")
    assert isinstance(person.last, Prompt)
    assert (person.last.text, person.last.surface) == ("hi", "terminal")
    assert person.sees()[-1].endswith("Working · Ctrl-C interrupts · type to steer")


def test_a_key_lets_edits_run_unasked_for_a_while() -> None:
    person = Person()
    person.presses("shift-tab")
    assert isinstance(person.last, Trust)
    assert (person.last.what, person.last.minutes, person.last.surface) == ("edits", 15, "terminal")
    person.gets(Taken(grant_id=G1))
    until = person.now + 899_500
    person.hears(ev.GrantGiven(grant_id=G1, rules=("Edit",), scope="session", cause="trust", edits=True, until=until))
    assert person.sees()[-2].startswith("edits run unasked, 14 m 59 s left · Shift-Tab asks again · Enter sends")
    person.types("hi")
    person.presses("enter")
    assert "edits run unasked" in person.sees()[-1]
    person.presses("shift-tab")
    assert isinstance(person.last, RevokeGrant)
    assert person.last.grant_id == G1
    person.hears(ev.GrantEnded(grant_id=G1, cause="revoked"), TURN, DONE)
    assert person.sees()[-2].startswith("Enter sends")


def test_edits_that_run_unasked_without_an_end_show_none() -> None:
    person = Person()
    person.hears(ev.GrantGiven(grant_id=G1, rules=("Edit",), scope="session", cause="plan", edits=True))
    assert person.sees()[-2].startswith("edits run unasked · Shift-Tab")


def test_enter_on_nothing_sends_nothing() -> None:
    person = Person()
    person.types("  ")
    person.presses("enter")
    assert person.sent == []


def test_a_backslash_before_enter_is_a_new_line() -> None:
    person = Person()
    person.types("one\\")
    person.presses("enter")
    person.types("two")
    person.presses("enter")
    assert isinstance(person.last, Prompt)
    assert person.last.text == "one\ntwo"


def test_what_was_said_before_can_be_said_again() -> None:
    person = Person()
    person.types("hi")
    person.presses("enter")
    person.hears(TURN, DONE)
    person.presses("up", "enter")
    assert [command.text for command in person.sent if isinstance(command, Prompt)] == ["hi", "hi"]


def test_prompts_given_at_the_start_go_one_after_the_other() -> None:
    person = Person(prompts=["one", "two"])
    assert [command.text for command in person.sent if isinstance(command, Prompt)] == ["one"]
    person.hears(TURN, DONE)
    assert isinstance(person.last, Prompt)
    assert person.last.text == "two"
    person.hears(TURN, DONE)
    assert len(person.sent) == 2


def test_a_suggestion_is_taken_with_tab() -> None:
    person = Person(suggestions=["Look around", "Fix it"], greeting="Welcome")
    assert person.said == ["Welcome"]
    assert person.sees()[-1] == "» Look around  (Tab)"
    person.presses("tab", "enter")
    assert isinstance(person.last, Prompt)
    assert person.last.text == "Look around"
    person.hears(TURN, DONE)
    assert person.sees()[-1] == "» Fix it  (Tab)"


def test_what_is_typed_while_a_turn_runs_goes_into_it() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN)
    person.types("rather this")
    assert person.sees()[-2].endswith("Enter says it into the running turn")
    person.presses("enter")
    assert isinstance(person.last, Prompt)
    assert (person.last.text, person.last.when) == ("rather this", "steer")


def test_a_prompt_that_was_refused_is_given_back() -> None:
    person = Person(prompts=["one"])
    person.gets(Refused(reason="the session has ended"))
    assert person.said == ["✗ the session has ended"]
    assert person.sees()[-1] == "» one"
    assert not person.desk.running


def test_L20_an_ask_is_answered_once_however_often_a_key_is_pressed() -> None:
    person = Person()
    person.hears(TURN, tool_ask())
    assert person.said[0] == "┃ Run a command"
    person.presses("y")
    assert person.last == Decide(
        command_id=CommandId("0"),
        pending_id=PendingId("ask-1"),
        decision=AllowOnce(),
        input_hash="hash",
        surface="terminal",
    )
    assert person.sees() == ["Sending …"]
    person.presses("y", "d")
    assert len(person.sent) == 1
    person.gets(Taken())
    person.hears(resolved())
    assert person.said[-1] == "✓ Allowed once"
    assert person.sees()[-1].endswith("type to steer")


def test_a_draft_waits_while_an_ask_is_answered() -> None:
    person = Person()
    person.hears(TURN)
    person.types("and")
    person.hears(tool_ask())
    person.presses("y")
    person.hears(resolved(), DONE)
    assert person.sees()[-1] == "» and"


def test_an_ask_takes_no_key_of_a_person_who_goes_on_writing() -> None:
    person = Person()
    person.hears(TURN)
    person.types("m")
    person.hears(tool_ask())
    for key in "aybe":
        person.now += ARMING_MS - 1
        person.take(person.desk.key(Key("char", key), person.now))
    assert not person.sent
    person.presses("y")
    assert isinstance(person.last, Decide)
    person.hears(resolved())
    assert person.sees()[-1] == "» maybe"


def test_an_ask_that_cannot_be_drawn_is_shown_as_it_came_before_a_key_is_taken() -> None:
    person = Person()
    broken = msgspec.structs.replace(ShellExec(command="x"), command=["no", "text"])
    with pytest.raises(AttributeError):
        person.hears(tool_ask(broken, tool_input={"command": "make"}))
    person.presses("y")
    assert not person.sent
    person.take(person.desk.undrawn(person.now))
    assert person.said == ["┃ Use Tool", "┃", "┃ {", '┃   "command": "make"', "┃ }"]
    assert person.desk.undrawn(person.now) == []
    person.presses("y")
    assert isinstance(person.last, Decide)


def test_a_key_that_is_pressed_again_for_the_card_is_not_written() -> None:
    person = Person()
    person.hears(TURN, tool_ask(), tool_ask(pending_id="ask-2"))
    person.take(person.desk.key(Key("char", "y"), person.now))
    person.presses("y")
    person.hears(resolved())
    person.take(person.desk.key(Key("char", "y"), person.now))
    person.presses("s")
    person.hears(resolved("ask-2"))
    assert not any(row.startswith("»") for row in person.sees())


def test_asks_wait_in_line() -> None:
    person = Person()
    person.hears(tool_ask(title="one"), tool_ask(title="two", pending_id="ask-2"))
    assert person.said.count("┃ Run a command") == 1
    person.presses("y")
    person.hears(resolved())
    assert person.said.count("┃ Run a command") == 2
    person.presses("s")
    assert isinstance(person.last, Decide)
    assert (person.last.pending_id, person.last.decision) == ("ask-2", DenyAndStop())


def test_how_many_wait_is_told() -> None:
    person = Person()
    person.hears(tool_ask(), tool_ask(pending_id="ask-2"), tool_ask(pending_id="ask-3"))
    person.hears(resolved())
    assert "┃ Run a command · 1 of 2" in person.said


def test_an_ask_that_is_withdrawn_goes_away_with_a_note() -> None:
    person = Person()
    person.hears(TURN, tool_ask(), tool_ask(pending_id="ask-2"))
    person.hears(ev.PermissionCancelled(pending_id=PendingId("ask-2"), cause="withdrawn"))
    assert "⊘ Claude Code needs no answer any more" not in person.said
    person.hears(ev.PermissionCancelled(pending_id=PendingId("ask-1"), cause="withdrawn"))
    assert person.said[-1] == "⊘ Claude Code needs no answer any more"
    person.presses("y")
    assert person.sent == []


def test_an_ask_that_was_answered_elsewhere_says_by_whom() -> None:
    person = Person()
    person.hears(tool_ask())
    person.hears(resolved(outcome="denied", by="Anna", surface="web"))
    assert person.said[-1] == "⊘ Denied · by Anna (web)"
    assert person.sees()[-1] == "» "


def test_nothing_is_said_over_an_open_ask() -> None:
    person = Person()
    person.hears(TURN, tool_ask(), ev.Notice(level="info", text="meanwhile"))
    assert "· meanwhile" not in person.said
    person.hears(resolved())
    assert person.said[-2:] == ["✓ Allowed once", "· meanwhile"]


def test_L23_an_answer_that_comes_too_late_says_who_won() -> None:
    person = Person()
    person.hears(tool_ask(), tool_ask(pending_id="ask-2"))
    person.presses("y")
    person.gets(TooLate(winner="denied by Anna (web)"))
    assert "⊘ Too late: denied by Anna (web). Your answer was not sent." in person.said
    person.presses("y")
    assert isinstance(person.last, Decide)
    assert person.last.pending_id == "ask-2"


def test_a_late_receipt_does_not_close_the_next_ask() -> None:
    person = Person()
    person.hears(tool_ask(), tool_ask(pending_id="ask-2"))
    person.presses("y")
    person.hears(resolved())
    person.gets(TooLate(winner="withdrawn"))
    assert person.said[-1] == "⊘ Too late: withdrawn. Your answer was not sent."
    person.presses("y")
    assert isinstance(person.last, Decide)
    assert person.last.pending_id == "ask-2"


def test_an_answer_that_was_refused_can_be_given_again() -> None:
    person = Person()
    person.hears(tool_ask())
    person.presses("y")
    person.gets(Refused(reason="the input has changed"))
    assert person.said[-1] == "┃ ✗ the input has changed"
    person.presses("s")
    assert isinstance(person.last, Decide)
    assert person.last.decision == DenyAndStop()


def test_questions_are_shown_one_after_the_other_with_their_answers() -> None:
    person = Person()
    person.hears(question_ask(question("One?"), question("Two?", many=True), Question(question="Three?")))
    person.presses("2", "enter", "1", "2", "enter")
    assert [row for row in person.said if row.startswith(("┃ → ", "┃ One", "┃ Two", "┃ Three"))] == [
        "┃ One?", "┃ → Blue", "┃ Two?", "┃ → Red, Blue", "┃ Three?",
    ]  # fmt: skip


def test_an_editor_is_opened_and_what_it_gives_is_shown() -> None:
    person = Person()
    person.hears(tool_ask())
    person.presses("e")
    (opened,) = person.other
    assert isinstance(opened, Open)
    person.take(person.desk.edited(opened, '{"command": "ls"}', person.now))
    assert "┃ Edited by you, not allowed yet:" in person.said
    person.presses("y")
    assert isinstance(person.last, Decide)
    assert person.last.decision == AllowOnce(input={"command": "ls"})


def test_an_edit_of_an_ask_that_is_gone_changes_nothing() -> None:
    person = Person()
    person.hears(tool_ask())
    person.presses("e")
    (opened,) = person.other
    assert isinstance(opened, Open)
    person.hears(resolved(), tool_ask(pending_id="ask-2"))
    assert person.desk.edited(opened, "{}", person.now) == []


def test_a_program_that_fails_says_so() -> None:
    person = Person()
    person.hears(tool_ask())
    person.presses("v")
    assert isinstance(person.other[0], View)
    person.take(person.desk.failed("the pager cannot be started"))
    assert person.said[-1] == "✗ the pager cannot be started"


def test_ctrl_c_interrupts_the_turn_and_then_ends_the_session() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN)
    person.interrupts()
    assert isinstance(person.last, Interrupt)
    assert person.sees()[-1].startswith("■ Interrupting")
    person.interrupts()
    assert isinstance(person.last, End)
    assert person.other == [Leave(interrupted=True)]
    assert person.sees() == ["Ending …"]


def test_ctrl_c_twice_ends_even_if_the_turn_stopped_in_between() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN)
    person.interrupts()
    person.hears(ev.Complete(outcome="interrupted"))
    person.now += TWICE_MS
    person.interrupts()
    assert isinstance(person.last, End)


def test_ctrl_c_ends_late_too_when_the_turn_will_not_stop() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN)
    person.interrupts()
    person.now += 10 * TWICE_MS
    person.interrupts()
    assert isinstance(person.last, End)


def test_after_an_interrupted_turn_ctrl_c_begins_anew() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN)
    person.interrupts()
    person.gets(Taken(still_queued=(PromptId("p"),)))
    assert person.said[-1] == "· 1 prompt still to come"
    person.hears(ev.Complete(outcome="interrupted"))
    person.now += TWICE_MS + 1
    person.types("again")
    person.presses("enter")
    person.interrupts()
    assert [type(command) for command in person.sent] == [Prompt, Interrupt, Prompt, Interrupt]


def test_a_prompt_whose_turn_never_began_can_be_interrupted() -> None:
    person = Person(prompts=["one"])
    assert person.desk.running
    person.interrupts()
    person.gets(Taken())
    assert not person.desk.running


def test_an_interrupt_that_was_refused_says_so() -> None:
    person = Person(prompts=["one"])
    person.interrupts()
    person.gets(Refused(reason="nothing runs"))
    assert person.said[-1] == "✗ nothing runs"


def test_ctrl_c_before_an_ask_denies_it_and_stops_and_a_second_one_ends() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN, tool_ask())
    person.presses("d")
    person.interrupts()
    assert len(person.sent) == 1
    person.interrupts()
    assert isinstance(person.last, Decide)
    assert person.last.decision == DenyAndStop()
    person.interrupts()
    assert isinstance(person.last, End)
    assert person.other == [Leave(interrupted=True)]


def test_ctrl_c_while_an_answer_is_sent_interrupts_the_turn() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN, tool_ask())
    person.presses("y")
    person.interrupts()
    assert isinstance(person.last, Interrupt)


def test_ctrl_c_clears_what_was_typed_and_ends_only_the_second_time() -> None:
    person = Person()
    person.types("draft")
    person.interrupts()
    assert person.sees()[-1] == "» "
    person.interrupts()
    assert person.sees()[0] == "Ctrl-C again, or Ctrl-D, ends the session"
    person.now += TWICE_MS + 1
    assert person.sees()[0].startswith("Enter sends")
    person.interrupts()
    assert person.sent == []
    person.interrupts()
    assert isinstance(person.last, End)
    assert person.other == [Leave(interrupted=False)]


def test_a_session_that_goes_on_is_said_to_be_left() -> None:
    person = Person(leaving="leaves")
    assert person.sees()[0] == "Enter sends · Ctrl-J new line · Ctrl-D leaves"
    person.interrupts()
    assert person.sees()[0] == "Ctrl-C again, or Ctrl-D, leaves the session"
    person.interrupts()
    assert person.sees() == ["Leaving …"]


@pytest.mark.parametrize("key", ["ctrl-d", "eof"])
def test_ctrl_d_ends_when_nothing_is_written(key: str) -> None:
    person = Person()
    person.types("x")
    person.presses("ctrl-d")
    assert person.sent == []
    person.presses("backspace", key)
    assert isinstance(person.last, End)


def test_a_terminal_that_is_gone_ends_the_session_whatever_runs() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN, tool_ask())
    person.presses("eof")
    assert isinstance(person.last, End)
    assert person.other == [Leave(interrupted=True)]


def test_a_person_who_looks_elsewhere_is_told_at_once() -> None:
    person = Person(prompts=["one"])
    person.presses("blur")
    person.hears(TURN, tool_ask())
    assert person.desk.notice(person.now) == "Claude waits for you: Run a command"
    assert person.desk.notice(person.now) is None


def test_a_person_who_looks_here_is_not_told() -> None:
    person = Person(prompts=["one"])
    person.presses("focus")
    person.hears(tool_ask())
    person.now += 10 * NOTICE_AFTER_MS
    assert person.desk.notice(person.now) is None


def test_a_person_who_does_nothing_is_told_after_a_while() -> None:
    person = Person(prompts=["one"])
    person.hears(tool_ask())
    assert person.desk.notice(person.now) is None
    person.presses("x")
    person.now += NOTICE_AFTER_MS - 1
    assert person.desk.notice(person.now) is None
    person.now += 1
    assert person.desk.notice(person.now) is not None


def test_an_ask_that_is_gone_calls_nobody() -> None:
    person = Person(prompts=["one"])
    person.presses("blur")
    person.hears(tool_ask(), resolved())
    assert person.desk.notice(person.now) is None


def test_a_long_turn_tells_when_it_is_done() -> None:
    person = Person(prompts=["one"])
    person.presses("blur")
    person.hears(TURN)
    person.now += LONG_TURN_MS
    person.hears(DONE)
    assert person.desk.notice(person.now) == "Claude is done"


def test_background_tasks_are_counted_where_a_prompt_is_written() -> None:
    person = Person()
    person.hears(ev.TaskStarted(task_id="t", kind="local_bash", title="serve", background=True))
    assert person.sees()[0].startswith("1 task in the background · Enter sends")


def test_the_wheel_turns_while_a_turn_runs() -> None:
    person = Person(prompts=["one"])
    person.hears(TURN)
    seen = set()
    for _ in range(4):
        seen.add(person.sees()[-1][0])
        person.now += 250
    assert len(seen) == 4
    assert "1.0 s" in person.sees()[-1]
