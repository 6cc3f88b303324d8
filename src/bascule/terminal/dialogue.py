"""The keyboard before an ask: values that a key turns into the next one, or into a decision.

Enter never allows by accident: it finishes what was written, and does nothing where nothing was. Keys that come before
a card could be read (`arming`) do nothing at all, and whoever goes on typing has not read it. What was edited is shown,
and needs its own yes.

    Choosing ── A ──► Ruling        Choosing ── d ──► Writing        Asking: questions and forms, one step at a time
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.commands import (
    AllowAlways,
    AllowOnce,
    Answers,
    ApprovePlan,
    Decision,
    Deny,
    DenyAndStop,
    DiscussPlan,
    OutlinePlan,
)
from bascule.events import PermissionRequest
from bascule.payload import Mutation, ShowPlan
from bascule.terminal.asks import EDGE, pretty
from bascule.terminal.diff import decided
from bascule.terminal.editor import Editor
from bascule.terminal.keys import Key
from bascule.terminal.lines import EMPTY, STRONG, Piece, behind, line
from bascule.terminal.questions import Step, chosen_value, steps_of, value_of
from bascule.tools.editing import main_text

ARMING_MS: Final = 600
"""Keys are ignored so long after a card appears, and after each key that was: they were meant for what stood before."""

Scope: TypeAlias = Literal["session", "project", "user", "local"]
SESSION: Final[tuple[Scope, ...]] = ("session",)


class Choosing(msgspec.Struct, frozen=True, kw_only=True):
    """The card is read; a key chooses."""

    ask: PermissionRequest
    since: int
    """UTC ms at which it could be seen, or of the last key that came too early."""
    scopes: tuple[Scope, ...] = SESSION
    """How long a rule may hold."""
    edited: Any = None
    """The input, or the plan's text, as the person changed it; null: as asked."""
    draft: str = ""
    """What the last edit left, when it could not be used."""
    problem: str = ""
    helping: bool = False


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """The reason of a denial is written."""

    back: Choosing | Asking
    editor: Editor = Editor()
    stops: bool = False
    """It ends the turn as well; the model reads the reason with the next prompt."""


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """The rule of *allow always* is looked at, and maybe changed."""

    back: Choosing
    since: int
    editor: Editor
    scope: Scope = "session"
    picked: int = 0
    """Which suggestion stands in the editor, or stood there last."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """A question is answered."""

    ask: PermissionRequest
    since: int
    steps: tuple[Step, ...]
    index: int = 0
    chosen: frozenset[int] = frozenset()
    own: Editor | None = None
    """The answer in own words; null while digits choose."""
    answers: tuple[tuple[str, Any], ...] = ()
    problem: str = ""

    @property
    def step(self) -> Step:
        """What is asked now."""
        return self.steps[self.index]


Dialogue: TypeAlias = Choosing | Writing | Ruling | Asking


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """The person wants to edit `text` in an editor of his own; `edited` takes what came of it."""

    back: Choosing
    text: str
    suffix: str
    key: str | None = None
    """The field of the input that the text is; null: the whole of it, as JSON, or the plan."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The person wants to read `text` in a pager."""

    back: Choosing
    text: str


Next: TypeAlias = Dialogue | Decision | Open | View


def begin(ask: PermissionRequest, now: int, scopes: tuple[Scope, ...] = SESSION) -> Dialogue:
    """What stands before a new ask; `scopes`: how long a rule may hold."""
    if ask.ask in ("question", "elicitation") and (steps := steps_of(ask)):
        return asking(ask, steps, now)
    return Choosing(ask=ask, since=now, scopes=scopes)


def asking(ask: PermissionRequest, steps: tuple[Step, ...], now: int) -> Asking:
    """The first step; one without options is written at once."""
    return _step(Asking(ask=ask, since=now, steps=steps), 0, now)


def arming(dialogue: Dialogue, now: int) -> bool:
    """Whether no key is taken yet: hands that have not rested for `ARMING_MS` type something else."""
    return isinstance(dialogue, Choosing | Asking) and now - dialogue.since < ARMING_MS


def press(dialogue: Dialogue, key: Key, now: int) -> Next:
    """What a key makes of it."""
    match dialogue:
        case Choosing() | Asking() if arming(dialogue, now):
            return msgspec.structs.replace(dialogue, since=now)
        case Ruling(since=since) if key.name == "enter" and now - since < ARMING_MS:
            return msgspec.structs.replace(dialogue, since=now)
        case Choosing():
            return _choose(dialogue, key, now)
        case Writing():
            return _write(dialogue, key)
        case Ruling():
            return _rule(dialogue, key)
        case Asking(own=None):
            return _answer(dialogue, key, now)
        case Asking():
            return _answer_in_words(dialogue, key, now)


def stop(dialogue: Dialogue) -> Dialogue | Decision:
    """Ctrl-C: out of what is being written, else the ask is denied and the turn stopped."""
    match dialogue:
        case Writing(back=back) | Ruling(back=back):
            return back
        case _:
            return DenyAndStop() if _offers(dialogue.ask, "deny_and_stop") else Deny()


def asked(dialogue: Dialogue) -> PermissionRequest:
    """The ask it is about."""
    match dialogue:
        case Choosing() | Asking():
            return dialogue.ask
        case Writing() | Ruling():
            return dialogue.back.ask


def _offers(ask: PermissionRequest, option: str) -> bool:
    return any(offered.id == option for offered in ask.options)


def _choose(at: Choosing, key: Key, now: int) -> Next:
    choices = _CHOICES.get(at.ask.ask, {})
    choice = choices.get(key.text) if key.name == "char" else None
    if choice is None:
        return at
    option, act = choice
    return act(at, now) if not option or _offers(at.ask, option) else at


def _allow(at: Choosing, _: int) -> Next:
    return AllowOnce(input=at.edited)


def _approve(then: Literal["ask", "accept_edits", "auto"]) -> Callable[[Choosing, int], Next]:
    return lambda at, _: ApprovePlan(then=then, plan=at.edited)


def _always(at: Choosing, now: int) -> Next:
    suggestion = at.ask.suggestions[0] if at.ask.suggestions else None
    rule = suggestion.rule if suggestion else ""
    scope: Scope = suggestion.scope if suggestion else "session"
    return Ruling(back=_quiet(at), since=now, editor=Editor(text=rule, cursor=len(rule)), scope=scope)


def _deny(at: Choosing, _: int) -> Next:
    return Writing(back=_quiet(at))


def _edit(at: Choosing, now: int) -> Next:
    if at.ask.ask == "plan":
        return Open(back=_quiet(at), text=at.edited or _plan_of(at.ask), suffix=".md")
    main = None if at.draft else main_text(at.ask.tool_name, _input(at))
    if main is None:
        return _edit_all(at, now)
    return Open(back=_quiet(at), text=main.text, suffix=main.suffix, key=main.key)


def _edit_all(at: Choosing, _: int) -> Next:
    return Open(back=_quiet(at), text=at.draft or pretty(_input(at)) + "\n", suffix=".json")


def _view(at: Choosing, _: int) -> Next:
    return View(back=_quiet(at), text=pretty(_input(at)) + "\n")


def _help(at: Choosing, _: int) -> Next:
    return msgspec.structs.replace(at, helping=not at.helping, problem="")


def _input(at: Choosing) -> Any:
    return at.ask.input if at.edited is None else at.edited


def _quiet(at: Choosing) -> Choosing:
    return msgspec.structs.replace(at, helping=False, problem="")


Choice: TypeAlias = tuple[str, Callable[[Choosing, int], Next]]
"""The option that must be offered, and what it does."""

_DENIALS: Final[dict[str, Choice]] = {
    "d": ("deny", _deny),
    "s": ("deny_and_stop", lambda _at, _now: DenyAndStop()),
    "S": ("deny_and_stop", lambda at, _now: Writing(back=_quiet(at), stops=True)),
    "?": ("", _help),
}
_CHOICES: Final[dict[str, dict[str, Choice]]] = {
    "tool": {
        "y": ("allow_once", _allow),
        "a": ("allow_once", _allow),
        "A": ("allow_always", _always),
        "e": ("allow_once", _edit),
        "E": ("allow_once", _edit_all),
        "v": ("", _view),
        **_DENIALS,
    },
    "plan": {
        "1": ("approve_ask", _approve("ask")),
        "2": ("approve_accept_edits", _approve("accept_edits")),
        "3": ("approve_auto", _approve("auto")),
        "4": ("deny", _deny),
        "e": ("approve_ask", _edit),
        "o": ("outline_plan", lambda _at, _now: OutlinePlan()),
        "t": ("discuss_plan", lambda _at, _now: DiscussPlan()),
        **_DENIALS,
    },
    "elicitation": {"y": ("answers", lambda _at, _now: Answers(answers={})), **_DENIALS},
    "question": dict(_DENIALS),
    "dialog": {"v": ("", _view), **_DENIALS},
}


def offered(at: Choosing) -> frozenset[str]:
    """The keys that do something now."""
    choices = _CHOICES.get(at.ask.ask, {})
    return frozenset(key for key, (option, _) in choices.items() if not option or _offers(at.ask, option))


def _write(at: Writing, key: Key) -> Next:
    match key.name:
        case "enter":
            reason = at.editor.text.strip() or None
            return DenyAndStop(reason=reason) if at.stops else Deny(reason=reason)
        case "escape":
            return at.back
        case _:
            return msgspec.structs.replace(at, editor=at.editor.press(key))


def _rule(at: Ruling, key: Key) -> Next:
    match key.name:
        case "enter" if rule := at.editor.text.strip():
            return AllowAlways(rule=rule, scope=at.scope, input=at.back.edited)
        case "enter" | "newline":
            return at
        case "escape":
            return at.back
        case "tab" | "shift-tab":
            return msgspec.structs.replace(at, scope=_next_scope(at, -1 if key.name == "shift-tab" else 1))
        case "up" | "down":
            return _suggested(at, -1 if key.name == "up" else 1)
        case _:
            return msgspec.structs.replace(at, editor=at.editor.press(key))


def _next_scope(at: Ruling, step: int) -> Scope:
    scopes = at.back.scopes if at.scope in at.back.scopes else (*at.back.scopes, at.scope)
    return scopes[(scopes.index(at.scope) + step) % len(scopes)]


def _suggested(at: Ruling, step: int) -> Ruling:
    suggestions = at.back.ask.suggestions
    if not suggestions:
        return at
    picked = (at.picked + step) % len(suggestions)
    rule, scope = suggestions[picked].rule, suggestions[picked].scope
    return msgspec.structs.replace(at, picked=picked, scope=scope, editor=Editor(text=rule, cursor=len(rule)))


def _answer(at: Asking, key: Key, now: int) -> Next:
    """Digits choose, Enter goes on."""
    number = int(key.text) if key.name == "char" and key.text in "0123456789" else None
    match key:
        case Key(name="enter") if at.chosen:
            return _answered(at, chosen_value(at.step, at.chosen), now)
        case Key(name="enter") if at.step.optional:
            return _answered(at, None, now)
        case _ if number == 0:
            return msgspec.structs.replace(at, own=Editor(), problem="")
        case _ if number is not None and number <= len(at.step.options):
            return msgspec.structs.replace(at, chosen=_toggled(at, number - 1), problem="")
        case Key(name="char", text="d"):
            return Writing(back=at)
        case Key(name="char", text="s" | "S" as letter) if _offers(at.ask, "deny_and_stop"):
            return DenyAndStop() if letter == "s" else Writing(back=at, stops=True)
        case _:
            return at


def _toggled(at: Asking, index: int) -> frozenset[int]:
    if at.step.many:
        return at.chosen ^ {index}
    return frozenset() if at.chosen == {index} else frozenset({index})


def _answer_in_words(at: Asking, key: Key, now: int) -> Next:
    editor = at.own or Editor()
    match key.name:
        case "enter":
            try:
                return _answered(at, value_of(at.step, editor.text), now)
            except ValueError as exc:
                return msgspec.structs.replace(at, problem=str(exc))
        case "escape":
            return msgspec.structs.replace(at, own=None, problem="")
        case _:
            return msgspec.structs.replace(at, own=editor.press(key), problem="")


def _answered(at: Asking, value: Any, now: int) -> Next:
    answers = at.answers if value is None else (*at.answers, (at.step.name, value))
    if at.index + 1 == len(at.steps):
        return Answers(answers=dict(answers))
    return _step(msgspec.structs.replace(at, answers=answers, since=now), at.index + 1, now)


def _step(at: Asking, index: int, now: int) -> Asking:
    own = None if at.steps[index].options else Editor()
    return msgspec.structs.replace(at, index=index, since=now, chosen=frozenset(), own=own, problem="")


def edited(opened: Open, text: str, now: int) -> tuple[Choosing, list[Piece]]:
    """What an editor gave back, with the lines that show what it changed; a problem where it cannot be used."""
    at = opened.back
    if opened.key is not None:
        # Editors end a file with a newline, which a command or an address had not.
        ended = text if opened.text.endswith("\n") else text.removesuffix("\n")
        value = {**_input(at), opened.key: ended}
        return _taken(at, value if value != at.ask.input else None, str(at.ask.input[opened.key]), ended, now)
    if at.ask.ask == "plan":
        return _taken(at, text if text != _plan_of(at.ask) else None, _plan_of(at.ask), text, now)
    try:
        value = json.loads(text)
    except ValueError as exc:
        return _refused(at, text, f"That is no JSON ({exc}). e edits it again.")
    if not isinstance(value, dict):
        return _refused(at, text, "An input is a JSON object: {…}. e edits it again.")
    return _taken(at, value if value != at.ask.input else None, pretty(at.ask.input), pretty(value), now)


def _refused(at: Choosing, text: str, problem: str) -> tuple[Choosing, list[Piece]]:
    return msgspec.structs.replace(at, draft=text, problem=problem), []


def _taken(at: Choosing, value: Any, before: str, after: str, now: int) -> tuple[Choosing, list[Piece]]:
    taken = msgspec.structs.replace(at, edited=value, draft="", problem="", since=now)
    if value is None:
        return msgspec.structs.replace(taken, problem="Nothing is changed: as asked."), []
    diff = "\n".join(list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[2:])
    rows = decided(Mutation(type="patch", diff=diff))
    return taken, behind(EDGE, [line(("Edited by you, not allowed yet:", STRONG)), EMPTY, *rows])


def _plan_of(ask: PermissionRequest) -> str:
    return ask.normalized.plan if isinstance(ask.normalized, ShowPlan) else ""
