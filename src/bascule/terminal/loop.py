"""The owner of a conversation at a terminal: one task that takes what happens, in order, and carries out what follows.

`attend` has a person at the keyboard, `play` has none: it sends the prompts one after the other, answers from a script,
and never waits for anybody. Both end when the session has ended, and hand back what came of it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from bascule.commands import AnyCommand
from bascule.conversation import Conversation
from bascule.errors import BasculeError
from bascule.events import AnyEvent
from bascule.terminal.answers import Script
from bascule.terminal.course import Course
from bascule.terminal.desk import Desk, Effect, Leave, Say, Send
from bascule.terminal.dialogue import Open, View
from bascule.terminal.inbox import Happening, Inbox, Told, deadline, new_id, now_ms, signals
from bascule.terminal.keyboard import Keyboard
from bascule.terminal.keys import Key
from bascule.terminal.programs import Programs
from bascule.terminal.screen import LiveScreen
from bascule.terminal.tally import Tally

log = logging.getLogger("bascule.terminal")

FRAME_S: Final = 0.04
"""The shortest time between two frames, unless a key was pressed."""


async def attend(
    conversation: Conversation,
    desk: Desk,
    *,
    screen: LiveScreen,
    keyboard_fd: int,
    environ: Mapping[str, str] = os.environ,
    clock: Callable[[], int] = now_ms,
    limit_s: float | None = None,
) -> Tally:
    """Show the conversation to a person and take what he wants, until he leaves or the session ends.

    The session is ended after `limit_s`. `clock` gives UTC ms, as in the events.
    """
    inbox = Inbox(conversation)
    keyboard = Keyboard(keyboard_fd, inbox.offer)
    owner = _Owner(inbox, screen, keyboard, desk, environ, clock)
    with signals(inbox), deadline(inbox, limit_s):
        try:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTSTP, inbox.offer, "suspend")
            screen.open()
            keyboard.open()
            async with asyncio.TaskGroup() as tasks:
                listening = tasks.create_task(inbox.listen(), name="terminal events")
                beating = tasks.create_task(inbox.beat(), name="terminal beat")
                await owner.run(tasks)
                for task in (listening, beating, *owner.sending):
                    task.cancel()
        finally:
            keyboard.close()
            screen.close()
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTSTP)
    return owner.tally


class _Owner:
    """Carries out what the desk decides."""

    def __init__(
        self,
        inbox: Inbox,
        screen: LiveScreen,
        keyboard: Keyboard,
        desk: Desk,
        environ: Mapping[str, str],
        clock: Callable[[], int],
    ) -> None:
        self.tally = Tally()
        self.sending: set[asyncio.Task[None]] = set()
        """Commands on their way; a person who leaves for good waits for none."""
        self._inbox = inbox
        self._screen = screen
        self._keyboard = keyboard
        self._programs = Programs(environ, ending=inbox.ending)
        self._environ = environ
        self._desk = desk
        self._clock = clock
        self._drawn_at = 0.0
        self._leaving = False

    async def run(self, tasks: asyncio.TaskGroup) -> None:
        """Until the session has ended, or a person who has left presses Ctrl-C once more."""
        await self._carry_out(self._desk.begin(self._clock()), tasks)
        self._draw()
        while True:
            happened = await self._inbox.next()
            for happening in happened:
                if happening == "ended" or (self._leaving and happening == "interrupt"):
                    return
                await self._carry_out(self._decided(happening), tasks)
            if any(isinstance(happening, Key) for happening in happened) or self._frame_is_due():
                self._draw()

    def _decided(self, happening: Happening) -> list[Effect]:
        match happening:
            case Key():
                return self._desk.key(happening, self._clock())
            case Told(command, receipt):
                self.tally.receipt(command, receipt)
                return self._desk.receipt(command, receipt, self._clock())
            case "interrupt":
                return self._desk.interrupt(self._clock())
            case "terminate":
                return self._desk.leave(interrupted=True)
            case "deadline":
                self.tally.out_of_time = True
                return self._desk.leave(interrupted=False)
            case "suspend":
                self._suspend()
                return []
            case "beat" | "ended":
                return []
            case _:
                return self._heard(happening)

    def _suspend(self) -> None:
        """Ctrl-Z: the shell gets the terminal as it was, until it lets us go on."""
        with self._lent_terminal():
            os.kill(os.getpid(), signal.SIGSTOP)

    def _heard(self, event: AnyEvent) -> list[Effect]:
        self.tally.feed(event)
        try:
            return self._desk.event(event, self._clock())
        except Exception:
            log.exception("an event could not be shown: %s", type(event).__name__)
            return self._desk.undrawn(self._clock())

    async def _carry_out(self, effects: Sequence[Effect], tasks: asyncio.TaskGroup) -> None:
        for effect in effects:
            match effect:
                case Say(pieces):
                    self._screen.say(pieces)
                case Send(command):
                    task = tasks.create_task(self._inbox.send(command), name=f"terminal {type(command).__name__}")
                    self.sending.add(task)
                    task.add_done_callback(self.sending.discard)
                case Leave(interrupted):
                    self._leaving = True
                    self.tally.interrupted |= interrupted
                case Open():
                    await self._carry_out(await self._edit(effect), tasks)
                case View(text=text):
                    await self._carry_out(await self._view(text), tasks)

    async def _edit(self, opened: Open) -> list[Effect]:
        with self._lent_terminal():
            try:
                text = await self._programs.edit(opened.text, opened.suffix)
            except BasculeError as exc:
                return self._desk.failed(str(exc))
        return self._desk.edited(opened, text, self._clock())

    async def _view(self, text: str) -> list[Effect]:
        with self._lent_terminal():
            try:
                await self._programs.view(text)
            except BasculeError as exc:
                return self._desk.failed(str(exc))
        return []

    @contextmanager
    def _lent_terminal(self) -> Iterator[None]:
        """Another program has the terminal; a Ctrl-C there is not ours."""
        loop = asyncio.get_running_loop()
        self._screen.close()
        self._keyboard.close()
        loop.add_signal_handler(signal.SIGINT, _ignored)
        try:
            yield
        finally:
            loop.add_signal_handler(signal.SIGINT, self._inbox.offer, "interrupt")
            self._keyboard.open()
            self._screen.open()

    def _frame_is_due(self) -> bool:
        return asyncio.get_running_loop().time() - self._drawn_at >= FRAME_S

    def _draw(self) -> None:
        self._drawn_at = asyncio.get_running_loop().time()
        moving, foot = self._desk.face(self._clock())
        self._screen.face(moving, foot)
        if notice := self._desk.notice(self._clock()):
            self._screen.notify(notice, self._environ)


def _ignored() -> None:
    """Nothing: the program in front takes the signal."""


async def play(
    conversation: Conversation,
    *,
    prompts: Sequence[str],
    script: Script,
    show: Callable[[AnyEvent], bool],
    limit_s: float | None = None,
) -> Tally:
    """Send the prompts one after the other and answer from `script`, until all is done or the session ends.

    `show` gets every event, until it gives False: nobody reads the output any more, and the session is ended, as it is
    after `limit_s`.
    """
    inbox = Inbox(conversation)
    player = _Player(Course(prompts, script, new_id=new_id), show)
    with signals(inbox), deadline(inbox, limit_s):
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(inbox.listen(), name="terminal events")
            _send(player.course.begin(), inbox, tasks)
            happened: list[Happening] = []
            while "ended" not in happened:
                happened = await _next(inbox, player.course)
                for happening in happened:
                    _send(player.follow(happening), inbox, tasks)
            listening.cancel()
    return player.tally


async def _next(inbox: Inbox, course: Course) -> list[Happening]:
    """What happens next; a beat, if nothing does for as long as the course is willing to wait."""
    try:
        async with asyncio.timeout(course.patience_s):
            return await inbox.next()
    except TimeoutError:
        return ["beat"]


def _send(commands: Sequence[AnyCommand], inbox: Inbox, tasks: asyncio.TaskGroup) -> None:
    for command in commands:
        tasks.create_task(inbox.send(command), name=f"terminal {type(command).__name__}")


class _Player:
    """Follows the course, and keeps what came of it."""

    def __init__(self, course: Course, show: Callable[[AnyEvent], bool]) -> None:
        self.course = course
        self.tally = Tally()
        self._show = show

    def follow(self, happening: Happening) -> Sequence[AnyCommand]:
        """What to send after it."""
        match happening:
            case "interrupt":
                return self.course.interrupt()
            case "terminate" | "deadline":
                self.tally.interrupted |= happening == "terminate"
                self.tally.out_of_time |= happening == "deadline"
                return self.course.end()
            case "beat":
                return self.course.end()
            case "ended" | "suspend" | Key():
                return ()
            case Told(command, receipt):
                self.tally.receipt(command, receipt)
                return self.course.receipt(command, receipt)
            case _:
                return self._hear(happening)

    def _hear(self, event: AnyEvent) -> Sequence[AnyCommand]:
        self.tally.feed(event)
        commands = self.course.event(event)
        if self.tally.unread or self._show(event):
            return commands
        self.tally.unread = True
        return [*commands, *self.course.end()]
