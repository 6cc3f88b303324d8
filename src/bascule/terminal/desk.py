"""What stands before the person: the page, the asks in their line, the dialogue, the line being written.

Events, keys and signals in, effects out; whoever holds the desk carries the effects out and hands receipts back. While
an ask is open nothing else is said, so that its card stays what was last read; it is said once the ask is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.commands import AnyCommand, Decide, Decision, End, Interrupt, Prompt, Receipt, Refused, Taken, TooLate
from bascule.events import AnyEvent, Complete, PermissionCancelled, PermissionRequest, PermissionResolved, TurnStarted
from bascule.ids import CommandId, PendingId
from bascule.terminal import dialogue as asking
from bascule.terminal.asks import EDGE, bare, card, subject
from bascule.terminal.clean import one_line, plain
from bascule.terminal.dialogue import SESSION, Asking, Choosing, Dialogue, Open, Ruling, Scope, View, Writing
from bascule.terminal.editor import Editor
from bascule.terminal.figures import counted, duration
from bascule.terminal.foot import Foot, foot
from bascule.terminal.keys import Key
from bascule.terminal.lines import BAD, EMPTY, QUIET, RUN, STRONG, YOU, Line, Piece, Span, behind, line
from bascule.terminal.page import Page
from bascule.terminal.questions import shown_step
from bascule.terminal.trust import KEY as TRUST_KEY
from bascule.terminal.trust import EditTrust

SURFACE: Final = "terminal"
NOTICE_AFTER_MS: Final = 8_000
"""A person who pressed no key for so long may be elsewhere; where the terminal tells the focus, its loss is enough."""
LONG_TURN_MS: Final = 30_000
"""A turn that took longer is worth a notice at its end."""
TWICE_MS: Final = 2_000
"""A second Ctrl-C within this time ends the session, whatever the first one did."""

_MARK: Final = (Span("» ", YOU),)
_WHEEL: Final = "◐◓◑◒"
_WHEEL_MS: Final = 250


class Say(NamedTuple):
    """Put these pieces on the page, for good."""

    pieces: Sequence[Piece]


class Send(NamedTuple):
    """Send the command, and hand its receipt back."""

    command: AnyCommand


class Leave(NamedTuple):
    """The person is done."""

    interrupted: bool


Effect: TypeAlias = Say | Send | Leave | Open | View


class Face(NamedTuple):
    """What may still change, and the foot below it."""

    moving: Sequence[Piece]
    foot: Foot


class Desk:
    """One person at one conversation."""

    def __init__(
        self,
        *,
        new_id: Callable[[], CommandId],
        prompts: Sequence[str] = (),
        suggestions: Sequence[str] = (),
        greeting: str = "",
        scopes: tuple[Scope, ...] = SESSION,
        leaving: Literal["ends", "leaves"] = "ends",
    ) -> None:
        """`prompts` are sent one after the other, `suggestions` offered one after the other to be taken with Tab.

        `scopes` says how long a rule of *allow always* may hold, `leaving` what becomes of the session when its person
        is done: where it goes on, it is merely left.
        """
        self.page = Page()
        self._new_id = new_id
        self._prompts = list(prompts)
        self._suggestions = list(suggestions)
        self._greeting = greeting
        self._scopes = scopes
        self._leaves = leaving
        self._asks: dict[PendingId, PermissionRequest] = {}
        self._dialogue: Dialogue | None = None
        self._deciding = False
        self._typed_on = False
        """An ask came over what a person writes, and its card has taken no key yet: the keys go on writing."""
        self._held: list[AnyEvent] = []
        """What happened since the card was shown, other than to asks."""
        self._editor = Editor()
        self._busy = False
        """A prompt was sent whose turn has not begun."""
        self._interrupting = False
        self._interrupted_at: int | None = None
        """UTC ms of the last Ctrl-C."""
        self._leaving = False
        self._trust = EditTrust()
        self._focused: bool | None = None
        self._last_key = 0
        self._notice: str | None = None
        self._notice_since = 0

    @property
    def running(self) -> bool:
        """Whether a turn runs, or is about to."""
        return self._busy or self.page.turn_since is not None

    def begin(self, now: int) -> list[Effect]:
        """The greeting, and the first of the prompts that were given at the start."""
        self._last_key = now
        greeting = [line(self._greeting)] if self._greeting else []
        return [*self._say(self.page.said(greeting)), *self._next_prompt()]

    # Events.

    def event(self, event: AnyEvent, now: int) -> list[Effect]:
        """Something happened."""
        self._trust.happened(event)
        match event:
            case PermissionRequest(pending_id=pending_id):
                self._asks[pending_id] = event
                self._typed_on = self._typed_on or self._dialogue is None
                return self._ask_next(now)
            case PermissionResolved(pending_id=pending_id) | PermissionCancelled(pending_id=pending_id):
                return self._settled(pending_id, event, now)
            case _ if self._dialogue is not None:
                self._held.append(event)
                return []
            case Complete():
                return self._completed(event, now)
            case TurnStarted():
                self._busy = False
                return self._say(self.page.feed(event))
            case _:
                return self._say(self.page.feed(event))

    def _settled(self, pending_id: PendingId, event: AnyEvent, now: int) -> list[Effect]:
        self._asks.pop(pending_id, None)
        pieces = self.page.feed(event)
        if self._dialogue is None or asking.asked(self._dialogue).pending_id != pending_id:
            return self._say(pieces)
        return [Say(pieces), *self._close(now)]

    def _close(self, now: int) -> list[Effect]:
        self._dialogue = self._notice = None
        self._deciding = self._typed_on = False
        held, self._held = self._held, []
        told = [effect for event in held for effect in self.event(event, now)]
        return [*told, *self._ask_next(now)]

    def _completed(self, event: Complete, now: int) -> list[Effect]:
        since = self.page.turn_since
        self._busy = self._interrupting = False
        if since is not None and now - since >= LONG_TURN_MS:
            self._call_for("Claude is done", now)
        return [*self._say(self.page.feed(event)), *self._next_prompt()]

    def _next_prompt(self) -> list[Effect]:
        return self._prompt(self._prompts.pop(0)) if self._prompts and not self.running else []

    def _ask_next(self, now: int) -> list[Effect]:
        if self._dialogue is not None or not self._asks:
            return []
        ask = next(iter(self._asks.values()))
        dialogue = asking.begin(ask, now, self._scopes)
        shown, wanted = self._drawn(ask, is_asking=isinstance(dialogue, Asking)), subject(ask)
        return self._put(dialogue, shown, wanted, now)

    def _drawn(self, ask: PermissionRequest, *, is_asking: bool) -> list[Piece]:
        if is_asking:
            return shown_step(ask, 0)
        return card(ask, waiting=len(self._asks), agent=self.page.agent_of(ask), cwd=self.page.cwd)

    def _put(self, dialogue: Dialogue, shown: list[Piece], wanted: str, now: int) -> list[Effect]:
        """An ask before the person. A key may answer it from here on, so all is drawn by now."""
        self._call_for(f"Claude waits for you: {wanted}", now)
        self._dialogue = dialogue
        return [Say(self.page.asked(asking.asked(dialogue), shown))]

    def undrawn(self, now: int) -> list[Effect]:
        """An event could not be shown. If that was the ask that is next, its input is put as it came."""
        if self._dialogue is not None or not self._asks:
            return []
        ask = next(iter(self._asks.values()))
        return self._put(Choosing(ask=ask, since=now, scopes=self._scopes), bare(ask), one_line(ask.tool_name), now)

    def _say(self, pieces: Iterable[Piece]) -> list[Effect]:
        pieces = list(pieces)
        return [Say(pieces)] if pieces else []

    # Keys.

    def key(self, key: Key, now: int) -> list[Effect]:
        """A key was pressed, the focus changed, or the terminal is gone."""
        if key.name in ("focus", "blur"):
            self._focused = key.name == "focus"
            return []
        self._last_key = now
        if key.name == "eof":
            return self.leave(interrupted=self.running)
        if self._dialogue is None:
            return self._compose(key)
        if self._deciding:
            return []
        if self._typed_on:
            self._type_on(key, too_early=asking.arming(self._dialogue, now))
        return self._went_on(asking.press(self._dialogue, key, now))

    def _type_on(self, key: Key, *, too_early: bool) -> None:
        """What came too early for the card stays written, but for a key that is then pressed again, for the card."""
        self._typed_on = too_early
        if too_early:
            self._editor = self._editor.press(key)
        elif self._editor.text == key.text:
            self._editor = Editor(history=self._editor.history)

    def _went_on(self, after: asking.Next) -> list[Effect]:
        before = self._dialogue
        match after:
            case Open(back=back) | View(back=back):
                self._dialogue = back
                return [after]
            case Asking(ask=ask, index=index) if isinstance(before, Asking) and index != before.index:
                self._dialogue = after
                return [Say([*_given(after.answers), *shown_step(ask, index)])]
            case Choosing() | Writing() | Ruling() | Asking():
                self._dialogue = after
                return []
            case decision:
                return self._decide(decision)

    def _decide(self, decision: Decision) -> list[Effect]:
        if self._dialogue is None:
            return []
        ask = asking.asked(self._dialogue)
        self._deciding = True
        return [
            Send(
                Decide(
                    command_id=self._new_id(),
                    pending_id=ask.pending_id,
                    decision=decision,
                    input_hash=ask.input_hash,
                    surface=SURFACE,
                )
            )
        ]

    def edited(self, opened: Open, text: str, now: int) -> list[Effect]:
        """What the person's editor gave back. Too late, if the ask is gone meanwhile."""
        if self._dialogue != opened.back:
            return []
        self._dialogue, pieces = asking.edited(opened, text, now)
        return [Say(pieces)] if pieces else []

    def failed(self, problem: str) -> list[Effect]:
        """A program of the person's could not be run."""
        return [Say(self.page.said([line(("✗ ", BAD), problem)]))]

    def _compose(self, key: Key) -> list[Effect]:
        text = self._editor.text
        match key.name:
            case "enter" if text.endswith("\\"):
                self._editor = self._editor.press(Key("end")).press(Key("backspace")).insert("\n")
            case "enter" if text.strip():
                history = (*self._editor.history, text)
                self._editor = Editor(history=history)
                return self._prompt(text.strip())
            case "enter":
                return []
            case name if name == TRUST_KEY:
                return [Send(self._trust.toggled(self._new_id(), SURFACE))]
            case "tab" if self._suggestions and not text:
                self._editor = self._editor.insert(self._suggestions.pop(0))
            case "ctrl-d" if not text and not self.running:
                return self.leave(interrupted=False)
            case _:
                self._editor = self._editor.press(key)
        return []

    def _prompt(self, text: str) -> list[Effect]:
        self._busy = True
        return [Send(Prompt(command_id=self._new_id(), text=text, surface=SURFACE, with_reason=True))]

    # Ctrl-C and the end.

    def interrupt(self, now: int) -> list[Effect]:
        """Ctrl-C: out of the ask, out of the turn; a second one soon after, or while the turn will not stop, ends."""
        self._last_key = now
        if self._dialogue is not None and not self._deciding:
            self._interrupted_at = now
            return self._went_on(asking.stop(self._dialogue))
        if self._twice(now) or (self.running and self._interrupting):
            return self.leave(interrupted=self.running)
        if self.running:
            self._interrupted_at, self._interrupting = now, True
            return [Send(Interrupt(command_id=self._new_id(), surface=SURFACE))]
        if self._editor.text:
            self._editor = Editor(history=self._editor.history)
        else:
            self._interrupted_at = now
        return []

    def _twice(self, now: int) -> bool:
        return self._interrupted_at is not None and now - self._interrupted_at <= TWICE_MS

    def leave(self, *, interrupted: bool) -> list[Effect]:
        """The person is done, or the system is."""
        self._leaving = True
        return [Leave(interrupted), Send(End(command_id=self._new_id(), surface=SURFACE))]

    # Receipts.

    def receipt(self, command: AnyCommand, receipt: Receipt, now: int) -> list[Effect]:
        """What came of a command."""
        match command, receipt:
            case Decide(), Taken():
                return []
            case Decide(pending_id=pending_id), TooLate(winner=winner):
                note = self.page.said([line(("⊘ ", QUIET), f"Too late: {one_line(winner)}. Your answer was not sent.")])
                self._asks.pop(pending_id, None)
                return [Say(note), *(self._close(now) if self._is_asked(pending_id) else [])]
            case Decide(), Refused(reason=reason):
                self._deciding = False
                return [Say(self.page.said(behind(EDGE, [line(("✗ ", BAD), plain(reason), hang=2)])))]
            case Prompt(text=text), Refused(reason=reason):
                self._busy = False
                self._editor = self._editor.insert(text) if not self._editor.text else self._editor
                return self._say(self.page.said([line(("✗ ", BAD), plain(reason), hang=2)]))
            case _, Refused(reason=reason):
                return self._say(self.page.said([line(("✗ ", BAD), plain(reason), hang=2)]))
            case Interrupt(), Taken(still_queued=()):
                self._busy = False  # a prompt that had started no turn starts none any more
            case Interrupt(), Taken(still_queued=queued):
                return self._say(self.page.said([line((f"· {counted(len(queued), 'prompt')} still to come", QUIET))]))
        return []

    def _is_asked(self, pending_id: PendingId) -> bool:
        return self._dialogue is not None and asking.asked(self._dialogue).pending_id == pending_id

    # What is seen.

    def face(self, now: int) -> Face:
        """What stands at the lower edge now."""
        if self._leaving:
            return Face([], Foot(lines=(line(("Ending …" if self._leaves == "ends" else "Leaving …", QUIET)),)))
        gap: list[Piece] = [] if self.page.blank else [EMPTY]
        if self._dialogue is not None:
            return Face(gap, Foot(lines=(line(("Sending …", QUIET)),)) if self._deciding else foot(self._dialogue, now))
        moving = [*self.page.moving(now), *gap]
        if self.running:
            writing = Foot(label=_MARK, editor=self._editor) if self._editor.text else Foot()
            return Face([*moving, self._status(now)], writing)
        if self._editor.text:
            return Face(moving, Foot(label=_MARK, editor=self._editor))
        ghost = f"{self._suggestions[0]}  (Tab)" if self._suggestions else ""
        return Face(moving, Foot(lines=(self._hint(now),), label=_MARK, editor=self._editor, ghost=ghost))

    def _status(self, now: int) -> Line:
        since = self.page.turn_since
        took = f" · {duration(now - since)}" if since is not None else ""
        if self._interrupting:
            return line(("■ ", QUIET), "Interrupting", (f"{took} · Ctrl-C again {self._leaves} the session", QUIET))
        wheel = _WHEEL[now // _WHEEL_MS % len(_WHEEL)]
        hint = "Enter says it into the running turn" if self._editor.text else "Ctrl-C interrupts · type to steer"
        hint = f"{self._trust.chip(now)}{hint}"
        return line((f"{wheel} ", RUN), "Working", (f"{took} · {hint}", QUIET), hang=2)

    def _hint(self, now: int) -> Line:
        if self._twice(now):
            return line((f"Ctrl-C again, or Ctrl-D, {self._leaves} the session", YOU))
        beside = f"{counted(self.page.background, 'task')} in the background · " if self.page.background else ""
        beside = f"{self._trust.chip(now)}{beside}"
        return line((f"{beside}Enter sends · Ctrl-J new line · Ctrl-D {self._leaves}", QUIET))

    def notice(self, now: int) -> str | None:
        """What the person should be told who is not looking; each only once."""
        if self._notice is None:
            return None
        away = self._focused is False
        unsure = self._focused is None and now - max(self._notice_since, self._last_key) >= NOTICE_AFTER_MS
        if not (away or unsure):
            return None
        notice, self._notice = self._notice, None
        return notice

    def _call_for(self, text: str, now: int) -> None:
        self._notice, self._notice_since = text, now


def _given(answers: Sequence[tuple[str, object]]) -> list[Line]:
    _, value = answers[-1] if answers else ("", "skipped")
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return behind(EDGE, [line(("→ ", YOU), (one_line(text), STRONG))])
