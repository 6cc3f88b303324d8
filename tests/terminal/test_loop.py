"""A whole conversation at a terminal, with a person and without one."""

import asyncio
import os
import signal
from collections.abc import Sequence
from typing import Any

import pytest

from bascule.commands import AllowOnce, AnyCommand, Decide, Deny, DenyAndStop, End, Interrupt, Prompt
from bascule.events import AnyEvent, Complete, MessageChunk, PermissionCancelled, SessionEnded
from bascule.ids import PendingId
from bascule.terminal.answers import NOBODY, Script, parse
from bascule.terminal.desk import Desk
from bascule.terminal.inbox import new_id
from bascule.terminal.loop import attend, play
from bascule.terminal.screen import LiveScreen
from bascule.terminal.tally import Tally
from tests.terminal.desk_side import PATIENCE_S, Seat, seat
from tests.terminal.examples import question_ask, tool_ask
from tests.terminal.rehearsal import Rehearsal

HELLO = MessageChunk(item="1", text="Hello **you**.")
DONE = Complete(outcome="success", duration_ms=400)


def decisions(commands: Sequence[AnyCommand]) -> list[Any]:
    return [command.decision for command in commands if isinstance(command, Decide)]


class Sitting:
    """A person at a seat before a rehearsal."""

    def __init__(self, at: Seat, conversation: Rehearsal, **options: Any) -> None:
        self.seat = at
        self.conversation = conversation
        self.environ = options.pop("environ", {})
        self.limit_s = options.pop("limit_s", None)
        self.desk = Desk(new_id=new_id, **options)
        self.tally: Tally | None = None

    async def __aenter__(self) -> Seat:
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        self._task = self._tasks.create_task(self._attend(), name="sitting")
        return self.seat

    async def __aexit__(self, *error: Any) -> None:
        if error[0] is not None:
            self._task.cancel()
        async with asyncio.timeout(PATIENCE_S):
            await self._tasks.__aexit__(*error)

    async def _attend(self) -> None:
        terminal = self.seat.terminal
        self.tally = await attend(
            self.conversation,
            self.desk,
            screen=LiveScreen(terminal, "none", terminal.size),
            keyboard_fd=self.seat.follower,
            environ=self.environ,
            clock=self.seat.clock,
            limit_s=self.limit_s,
        )


async def test_a_person_talks_and_leaves() -> None:
    with seat() as at:
        sitting = Sitting(at, Rehearsal([HELLO, DONE]))
        async with sitting as here:
            await here.until("Enter sends")
            here.types("hi\r")
            await here.until("✓ 0.4 s")
            here.types("\x04")
        assert [row for row in at.terminal.seen() if row] == ["» hi", "Hello you.", "✓ 0.4 s"]
        assert sitting.tally is not None
        assert (sitting.tally.complete is not None, sitting.tally.interrupted) == (True, False)
        assert isinstance(sitting.conversation.commands[-1], End)


async def test_a_person_allows_a_call() -> None:
    with seat() as at:
        sitting = Sitting(at, Rehearsal([tool_ask(), DONE]), prompts=["go"])
        async with sitting as here:
            await here.until("y allow once")
            here.types("\r")
            here.types("y")
            await here.until("✓ 0.4 s")
            here.types("\x04")
        assert decisions(sitting.conversation.commands) == [AllowOnce()]
        assert "✓ Allowed once" in at.terminal.seen()


async def test_a_person_denies_with_a_reason() -> None:
    with seat() as at:
        sitting = Sitting(at, Rehearsal([tool_ask(), DONE]), prompts=["go"])
        async with sitting as here:
            await here.until("y allow once")
            here.types("d")
            await here.until("Why not?")
            here.types("not now\r")
            await here.until("✓ 0.4 s")
            here.types("\x04")
        assert decisions(sitting.conversation.commands) == [Deny(reason="not now")]


async def test_an_input_is_edited_in_the_persons_editor(tmp_path: Any) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho \'{"command": "git push"}\' >"$1"\n')
    editor.chmod(0o700)
    with seat() as at:
        conversation = Rehearsal([tool_ask(), DONE])
        async with Sitting(at, conversation, prompts=["go"], environ={"EDITOR": str(editor)}) as here:
            await here.until("y allow once")
            here.types("e")
            await here.until("Edited by you")
            here.types("y")
            await here.until("✓ 0.4 s")
            here.types("\x04")
        assert decisions(conversation.commands) == [AllowOnce(input={"command": "git push"})]


@pytest.mark.parametrize("key", ["e", "v"])
async def test_a_program_that_cannot_be_started_is_told(key: str) -> None:
    with seat() as at:
        conversation = Rehearsal([tool_ask(), DONE])
        programs = {"EDITOR": "no-such-program", "PAGER": "no-such-program"}
        async with Sitting(at, conversation, prompts=["go"], environ=programs) as here:
            await here.until("y allow once")
            here.types(key)
            await here.until("cannot be started")
            here.types("s")
            await here.until("interrupted")
            here.types("\x04")
        assert decisions(conversation.commands) == [DenyAndStop()]


async def test_the_whole_input_is_read_in_a_pager(tmp_path: Any) -> None:
    with seat() as at:
        conversation = Rehearsal([tool_ask(), DONE])
        async with Sitting(at, conversation, prompts=["go"], environ={"PAGER": "true"}) as here:
            await here.until("y allow once")
            here.types("vy")
            await here.until("✓ 0.4 s")
            here.types("\x04")
        assert decisions(conversation.commands) == [AllowOnce()]


@pytest.mark.parametrize("key", ["e", "v"])
@pytest.mark.parametrize("name", ["TERM", "HUP"])
async def test_a_signal_ends_the_run_though_a_program_of_the_persons_is_open(
    tmp_path: Any, key: str, name: str
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nkill -{name} $PPID\nexec sleep 3600\n")
    program.chmod(0o700)
    with seat() as at:
        programs = {"EDITOR": str(program), "PAGER": str(program)}
        sitting = Sitting(at, Rehearsal([tool_ask(), DONE]), prompts=["go"], environ=programs)
        async with sitting as here:
            await here.until("y allow once")
            here.types(key)
        assert sitting.tally is not None
        assert sitting.tally.interrupted


async def test_the_time_may_be_over_while_an_editor_is_open(tmp_path: Any) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\ntouch {tmp_path}/began\nexec sleep 3600\n")
    editor.chmod(0o700)
    with seat() as at:
        options = {"environ": {"EDITOR": str(editor)}, "limit_s": 1.0}
        sitting = Sitting(at, Rehearsal([tool_ask(), DONE]), prompts=["go"], **options)
        async with sitting as here:
            await here.until("y allow once")
            here.types("e")
        assert (tmp_path / "began").exists()
        assert sitting.tally is not None
        assert sitting.tally.out_of_time


async def test_a_terminal_that_cannot_be_taken_ends_the_session_and_is_left_as_it_was() -> None:
    with seat() as at:
        gone = os.open(os.devnull, os.O_RDWR)
        try:
            screen = LiveScreen(at.terminal, "none", at.terminal.size)
            async with asyncio.timeout(PATIENCE_S):
                tally = await attend(
                    Rehearsal(), Desk(new_id=new_id), screen=screen, keyboard_fd=gone, clock=at.clock, environ={}
                )
        finally:
            os.close(gone)
        assert tally.ended is not None


async def test_an_ask_that_is_withdrawn_goes_away() -> None:
    with seat() as at:
        conversation = Rehearsal([tool_ask(), DONE])
        async with Sitting(at, conversation, prompts=["go"]) as here:
            await here.until("y allow once")
            await conversation.tell(PermissionCancelled(pending_id=PendingId("ask-1"), cause="withdrawn"))
            await here.until("needs no answer any more")
            await here.until("Working")
            os.kill(os.getpid(), signal.SIGINT)
            await here.until("interrupted")
            here.types("\x04")
        assert decisions(conversation.commands) == []


async def test_ctrl_c_interrupts_and_a_second_one_ends() -> None:
    class Deaf(Rehearsal):
        async def stop(self, outcome: str) -> None:
            return

    with seat() as at:
        sitting = Sitting(at, Deaf([HELLO]), prompts=["go"])
        async with sitting as here:
            await here.until("Working")
            os.kill(os.getpid(), signal.SIGINT)
            await here.until("Interrupting")
            os.kill(os.getpid(), signal.SIGINT)
        assert [type(command) for command in sitting.conversation.commands] == [Prompt, Interrupt, End]
        assert sitting.tally is not None
        assert sitting.tally.interrupted


async def test_a_person_who_leaves_for_good_waits_for_nothing() -> None:
    class Stuck(Rehearsal):
        async def end(self, ending: SessionEnded | None = None) -> None:
            await asyncio.Event().wait()

    with seat() as at:
        async with Sitting(at, Stuck([HELLO]), prompts=["go"]) as here:
            await here.until("Working")
            os.kill(os.getpid(), signal.SIGTERM)
            await here.until("Ending")
            os.kill(os.getpid(), signal.SIGINT)
        assert at.terminal.modes == {"25"}


async def test_a_session_that_ends_by_itself_is_told() -> None:
    with seat() as at:
        conversation = Rehearsal([HELLO])
        async with Sitting(at, conversation, prompts=["go"]) as here:
            await here.until("Working")
            await conversation.end(SessionEnded(cause="crashed", exit_code=3))
        assert "✗ Claude Code ended in the middle of its work · exit 3" in at.terminal.seen()


async def test_the_time_for_a_run_may_be_over() -> None:
    with seat() as at:
        sitting = Sitting(at, Rehearsal([HELLO]), prompts=["go"], limit_s=0.05)
        async with sitting:
            pass
        assert sitting.tally is not None
        assert (sitting.tally.out_of_time, sitting.tally.interrupted) == (True, False)


async def test_L34_an_event_that_cannot_be_shown_does_not_end_the_surface(caplog: pytest.LogCaptureFixture) -> None:
    broken = MessageChunk(item="1", text=None)  # type: ignore[arg-type]
    with seat() as at:
        async with Sitting(at, Rehearsal([broken, HELLO, DONE]), prompts=["go"]) as here:
            await here.until("Hello you.")
            here.types("\x04")
    assert "an event could not be shown: MessageChunk" in caplog.text


async def test_the_person_is_called_when_nobody_looks() -> None:
    with seat() as at:
        async with Sitting(
            at, Rehearsal([tool_ask(), DONE]), prompts=["go"], environ={"TERM_PROGRAM": "WezTerm"}
        ) as here:
            here.types("\x1b[O")
            await here.until_that(lambda: bool(at.terminal.notices))
            here.types("y")
            await here.until("✓ 0.4 s")
            here.types("\x04")
        assert at.terminal.notices == ["9;Claude waits for you: Run a command"]


async def played(
    conversation: Rehearsal, *prompts: str, answers: str | None = None, **more: Any
) -> tuple[Tally, list[AnyEvent]]:
    heard: list[AnyEvent] = []

    def show(event: AnyEvent) -> bool:
        heard.append(event)
        return bool(more.get("read", True))

    script = Script(None if answers is None else parse(answers))
    async with asyncio.timeout(PATIENCE_S):
        tally = await play(conversation, prompts=prompts, script=script, show=show, limit_s=more.get("limit_s"))
    return tally, heard


async def test_prompts_are_played_one_after_the_other() -> None:
    conversation = Rehearsal([HELLO, DONE], [DONE])
    tally, heard = await played(conversation, "one", "two")
    assert [command.text for command in conversation.commands if isinstance(command, Prompt)] == ["one", "two"]
    assert [type(event).__name__ for event in heard] == [
        "PromptAccepted", "TurnStarted", "MessageChunk", "Complete", "PromptAccepted", "TurnStarted", "Complete",
        "SessionEnded",
    ]  # fmt: skip
    assert tally.complete is not None
    assert tally.unanswered == 0


async def test_L43_where_nobody_watches_nothing_waits() -> None:
    conversation = Rehearsal([tool_ask(), question_ask(), DONE])
    tally, _ = await played(conversation, "one")
    assert decisions(conversation.commands)[0] == Deny(reason=NOBODY)
    assert tally.unanswered == 2


async def test_answers_given_beforehand_are_taken_in_order() -> None:
    conversation = Rehearsal([tool_ask(), tool_ask(pending_id="2"), tool_ask(pending_id="3"), DONE])
    tally, _ = await played(conversation, "one", answers="allow,deny:no")
    assert decisions(conversation.commands) == [AllowOnce(), Deny(reason="no"), Deny(reason="no answer left")]
    assert tally.unanswered == 1


async def test_a_prompt_that_is_refused_ends_the_run() -> None:
    tally, _ = await played(Rehearsal(refuses="not now"), "one", "two")
    assert tally.problem == "not now"


async def test_output_that_nobody_reads_ends_the_run() -> None:
    conversation = Rehearsal([HELLO, tool_ask(), DONE])
    tally, heard = await played(conversation, "one", read=False)
    assert len(heard) == 1
    assert tally.unread
    assert any(isinstance(command, End) for command in conversation.commands)


@pytest.mark.parametrize(
    ("number", "interrupted"), [(signal.SIGTERM, True), (signal.SIGHUP, True), (signal.SIGINT, False)]
)
async def test_signals_end_a_run(number: signal.Signals, interrupted: bool) -> None:
    class Signalled(Rehearsal):
        async def _go_on(self) -> None:
            await super()._go_on()
            os.kill(os.getpid(), number)

    tally, _ = await played(Signalled([HELLO]), "one", "two")
    assert tally.interrupted is interrupted
    assert tally.ended is not None


async def test_the_time_for_a_run_without_a_person_may_be_over() -> None:
    tally, _ = await played(Rehearsal([HELLO]), "one", limit_s=0.05)
    assert tally.out_of_time


async def test_an_error_of_the_session_is_a_receipt_and_no_crash() -> None:
    from bascule.errors import SessionClosed

    class Closed(Rehearsal):
        async def send(self, command: AnyCommand) -> Any:
            if isinstance(command, Prompt):
                raise SessionClosed("the session was ended")
            return await super().send(command)

    tally, _ = await played(Closed(), "one")
    assert tally.problem == "the session was ended"
