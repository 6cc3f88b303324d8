"""What stands at the lower edge while a person is asked or writes: the verbs, and the line being written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

import msgspec

from bascule.terminal.clean import one_line
from bascule.terminal.dialogue import Asking, Choosing, Dialogue, Ruling, Scope, Writing, asked, offered
from bascule.terminal.editor import Editor
from bascule.terminal.figures import duration
from bascule.terminal.lines import BAD, NO_BREAK, PLAIN, QUIET, STRONG, YOU, Line, Part, Span, line, spans_of

_MARK: Final = Span("» ", YOU)

_VERBS: Final[dict[str, Sequence[tuple[str, str, str]]]] = {
    "tool": (
        ("y", "allow once", "let this one call run, exactly as shown (a does the same)"),
        ("A", "always …", "look at a rule first, then allow what it covers from now on"),
        ("e", "edit …", "change the input in $EDITOR; it is shown again before it runs"),
        ("E", "edit all …", "change every field of the input, as JSON"),
        ("d", "deny …", "refuse it and say why; Claude goes on with something else"),
        ("s", "deny and stop", "refuse it and end the turn"),
        ("S", "… and say why", "the same; Claude reads why with your next prompt"),
        ("v", "view", "read the whole input in $PAGER"),
    ),
    "plan": (
        ("1", "approve, ask for each edit", "the mode becomes default: every change is asked for"),
        ("2", "approve, accept edits", "changes to files in the workspace run unasked"),
        ("3", "approve, auto mode", "Claude Code's own classifier decides what runs unasked"),
        ("4", "ask for changes …", "say what the plan should do instead"),
        ("e", "edit …", "change the plan in $EDITOR, then approve it"),
        ("o", "outline first", "have the plan written out as text before you decide"),
        ("t", "talk first", "discuss it; nothing is approved"),
        ("s", "deny and stop", "refuse the plan and end the turn"),
        ("S", "… and say why", "the same; Claude reads why with your next prompt"),
    ),
    "question": (
        ("d", "skip …", "let Claude decide, with a word of yours if you like"),
        ("s", "deny and stop", "answer nothing and end the turn"),
    ),
    "elicitation": (
        ("y", "done", "say that it is done"),
        ("d", "decline …", "answer nothing"),
    ),
    "dialog": (("d", "dismiss …", "close it"), ("v", "view", "read all of it in $PAGER")),
}

LATE_MS: Final = 60_000
"""What is left of an ask's time stands out below it."""

_SELDOM: Final = "vES"
"""Keys that only the help names."""

_SCOPES: Final[dict[Scope, str]] = {
    "session": "until this session ends",
    "project": "for everybody in this project",
    "user": "for you, in every project",
    "local": "for you, in this project",
}


class Foot(msgspec.Struct, frozen=True, kw_only=True):
    """Lines, and below them the line being written, if one is."""

    lines: tuple[Line, ...] = ()
    label: tuple[Span, ...] = ()
    """Stands before the first row of what is written; the other rows are set in as far."""
    editor: Editor | None = None
    ghost: str = ""
    """Stands where nothing is written yet."""


def foot(dialogue: Dialogue, now: int) -> Foot:
    """The foot of an ask; ``now``: UTC ms, for what is left of its time."""
    under = _of(dialogue)
    ends = asked(dialogue).expires_at
    if ends is None:
        return under
    left = line(
        (f"Denied by itself in {duration(max(0, ends - now) // 1000 * 1000)}", BAD if ends - now < LATE_MS else QUIET)
    )
    return msgspec.structs.replace(under, lines=(*under.lines, left))


def _of(dialogue: Dialogue) -> Foot:
    match dialogue:
        case Choosing():
            return Foot(lines=tuple(_choosing(dialogue)))
        case Writing():
            return Foot(lines=(_reason(dialogue),), label=(_MARK,), editor=dialogue.editor)
        case Ruling():
            return Foot(lines=tuple(_ruling(dialogue)), label=(_MARK,), editor=dialogue.editor)
        case Asking(own=None):
            return Foot(lines=tuple(_asking(dialogue)))
        case Asking():
            hint = "Enter takes it · Esc goes back to the choices" if dialogue.step.options else "Enter takes it"
            return Foot(lines=(*_problem(dialogue.problem), line((hint, QUIET))), label=(_MARK,), editor=dialogue.own)
        case _:
            assert_never(dialogue)


def _choosing(at: Choosing) -> Iterator[Line]:
    yield from _problem(at.problem)
    keys = offered(at)
    verbs = [verb for verb in _VERBS.get(at.ask.ask, ()) if verb[0] in keys]
    if at.helping:
        width = max(len(name) for _, name, _ in verbs)
        for key, name, about in verbs:
            yield line((key, f"1;{YOU}"), f"  {name:{width}}  ", (about, QUIET), hang=width + 5)
        yield line((" Ctrl-C denies and stops, a second one ends the session. Enter does nothing here.", QUIET))
        return
    for key, name, about in verbs:
        if key.isdigit():
            yield line((key, f"1;{YOU}"), f" {name}", (f" · {about}", QUIET), hang=2)
    shown = [(key, name) for key, name, _ in verbs if key not in _SELDOM and not key.isdigit()]
    yield _row([*shown, ("?", "help")])


def _row(verbs: Sequence[tuple[str, str]]) -> Line:
    parts: list[Part] = []
    for key, name in verbs:
        parts += [(" · ", QUIET)] if parts else []
        parts += [(key, f"1;{YOU}"), f" {name}".replace(" ", NO_BREAK)]
    return line(*parts)


def _problem(problem: str) -> Iterator[Line]:
    if problem:
        yield line((problem, BAD))


def _reason(at: Writing) -> Line:
    if at.stops:
        asked = "Why not? Claude reads it with your next prompt"
    else:
        asked = "What should the plan do instead?" if _is_plan(at) else "Why not? Claude reads it"
    return line((asked, STRONG), (" · Enter sends, empty too · Esc goes back", QUIET))


def _is_plan(at: Writing) -> bool:
    return at.back.ask.ask == "plan"


def _ruling(at: Ruling) -> Iterator[Line]:
    yield line(("Allow, and remember this rule", STRONG), (" · change it if you like", QUIET))
    suggestions = at.back.ask.suggestions
    for index, suggestion in enumerate(suggestions):
        picked = index == at.picked
        tag = "  (Claude Code's own)" if suggestion.source == "cli" else ""
        yield Line(
            spans=spans_of([("→ " if picked else "  ", YOU), (one_line(suggestion.rule), PLAIN), (tag, QUIET)]), hang=2
        )
    yield line("It holds ", (_holds(at), STRONG), (f" ({at.scope})", QUIET))
    arrows = "↑↓ another rule · " if len(suggestions) > 1 else ""
    scopes = "Tab how long · " if len({*at.back.scopes, at.scope}) > 1 else ""
    yield line((f"{arrows}{scopes}Enter allows and remembers · Esc goes back", QUIET))


def _holds(at: Ruling) -> str:
    """How long; a rule for the project is the project's only where there is one that is for this person alone."""
    scope = "local" if at.scope == "project" and "local" not in at.back.scopes else at.scope
    return _SCOPES[scope]


def _asking(at: Asking) -> Iterator[Line]:
    yield from _problem(at.problem)
    if at.chosen:
        labels = ", ".join(one_line(at.step.options[index].label) for index in sorted(at.chosen))
        yield line(("Chosen: ", QUIET), (labels, STRONG))
    digits = "1" if len(at.step.options) == 1 else f"1–{min(len(at.step.options), 9)}"
    verbs = [(digits, "choose one or more" if at.step.many else "choose"), ("0", "own words")]
    verbs += [("Enter", "goes on")] if at.chosen or at.step.optional else []
    yield _row([*verbs, *((key, name) for key, name, _ in _VERBS[at.ask.ask] if key in "ds")])
