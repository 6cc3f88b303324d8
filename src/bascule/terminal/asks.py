"""An ask as a card: exactly what will run if a person says yes, whole, before anything can be answered.

What is decided over is never shortened and hides no character. The model's own words are told apart from ours by
"Claude says:". How the keyboard answers stands in `dialogue`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from bascule.events import PermissionRequest
from bascule.payload import (
    CodeSearch,
    HttpRequest,
    Mark,
    McpCall,
    ModifyFile,
    Mutation,
    Part,
    Payload,
    ReadFile,
    ShellExec,
    ShowPlan,
    SubagentTask,
)
from bascule.terminal.clean import one_line, plain
from bascule.terminal.diff import decided
from bascule.terminal.figures import clock, counted
from bascule.terminal.lines import (
    BAD,
    EMPTY,
    GRAVE,
    PLAIN,
    QUIET,
    STRONG,
    YOU,
    Line,
    Piece,
    Prose,
    Span,
    Style,
    behind,
    line,
    shown,
)
from bascule.tools.untold import untold

EDGE: Final = (Span("┃ ", YOU),)
"""The rail of a card."""
THING: Final = (Span("  "),)

_OURS: Final = frozenset(("folder", "timeout", "type", "model"))
"""Names of our own on a card; a field of the input that is called so has a colon."""

_CHANGES: Final = {
    "create": "Create a file",
    "patch": "Change a file",
    "replace": "Write a file anew",
    "delete": "Delete a file",
    "rename": "Rename a file",
}


def card(ask: PermissionRequest, *, waiting: int = 1, agent: str = "", cwd: str | None = None) -> list[Piece]:
    """The card of an ask; `waiting` is how many wait, this one included, `agent` the subagent that asks, if known.

    Files below `cwd` are named from there.
    """
    pieces = [_head(ask, waiting, agent), EMPTY, *_body(ask, cwd), *_words(ask, cwd)]
    while pieces[-1] == EMPTY:
        pieces.pop()
    return behind(EDGE, pieces)


def bare(ask: PermissionRequest) -> list[Piece]:
    """The input as it came, for an ask that has no card: nobody answers what is not shown."""
    return behind(EDGE, [line((f"Use {one_line(ask.tool_name)}", f"1;{YOU}")), EMPTY, *_block(pretty(ask.input))])


def _head(ask: PermissionRequest, waiting: int, agent: str) -> Line:
    who = f" · for the subagent {one_line(agent)}".rstrip() if ask.agent_id else ""
    more = f" · 1 of {waiting}" if waiting > 1 else ""
    return line((subject(ask), f"1;{YOU}"), (who, QUIET), (more, QUIET), hang=2)


def subject(ask: PermissionRequest) -> str:
    """What is wanted, in a few words of ours."""
    match ask.ask:
        case "plan":
            return "Go on with this plan?"
        case "question":
            return "Claude asks"
        case "elicitation":
            return f"{one_line(ask.tool_name)} asks"
        case "dialog":
            return f"Claude Code shows a dialog: {one_line(ask.title)}"
        case "tool":
            return _wanted(ask.normalized) or f"Use {one_line(ask.tool_name)}"


def _wanted(payload: Payload) -> str:
    match payload:
        case ShellExec(task_id=str()):
            return "Look after a background command"
        case ShellExec(background=background):
            return "Run a command in the background" if background else "Run a command"
        case ModifyFile(mutations=(first, *_)):
            return _CHANGES[first.type]
        case ReadFile():
            return "Read a file"
        case CodeSearch():
            return "Search files"
        case HttpRequest(url=url):
            return "Fetch from the web" if url else "Search the web"
        case SubagentTask():
            return "Start a subagent"
        case McpCall(server=server, tool=tool):
            return f"Use {one_line(tool)} of {one_line(server)}"
        case ShowPlan(entering=True):
            return "Enter plan mode"
        case _:
            return ""


def _body(ask: PermissionRequest, cwd: str | None) -> Iterator[Piece]:
    match ask.ask:
        case "plan":
            yield from _plan(ask.normalized)
        case "question":
            return
        case "elicitation":
            yield from _block(plain(ask.says or ""))
        case "tool" | "dialog":
            yield from behind(THING, _thing(ask, cwd))
            yield from _cuts(ask.normalized)
            yield EMPTY


def _plan(payload: Payload) -> Iterator[Piece]:
    match payload:
        case ShowPlan(plan=plan) if plan.strip():
            yield Prose(text=plain(plan).strip())
        case ShowPlan(file_path=str(path)):
            yield line("The plan stands in ", *shown(path, STRONG))
        case _:
            yield line(("The plan is empty.", QUIET))
    yield EMPTY


def _thing(ask: PermissionRequest, cwd: str | None) -> Iterator[Line]:
    payload = ask.normalized
    match payload:
        case ShellExec(command=command) if command:
            yield from _command(command, ask.marks)
            yield from _parts(ask.parts)
            timeout = f"{payload.timeout_ms} ms" if payload.timeout_ms else None
            yield from _facts(folder=payload.work_dir, timeout=timeout, **_left(ask))
        case ModifyFile():
            yield from _change(payload, cwd)
            yield from _facts(**_left(ask))
        case ReadFile(file_path=path):
            yield from _block(_from(cwd, path))
            yield from _facts(**_left(ask))
        case HttpRequest(url=url, query=query):
            yield from _block(url or query or "")
            yield from _facts(**_left(ask))
        case SubagentTask():
            yield from _facts(type=payload.subagent_type, model=payload.model, **_left(ask))
            yield EMPTY
            yield from _block(payload.prompt)
        case McpCall(input=None | {}) if not payload.input:
            yield line(("without arguments", QUIET))
        case McpCall(input=dict(arguments)):
            yield from _facts(**{str(name): _rendered(value) for name, value in arguments.items()})
        case _:
            yield from _block(pretty(ask.input))


def _left(ask: PermissionRequest) -> dict[str, str]:
    """All else that the call was given: no field of an input is kept from who decides about it."""
    left = untold(ask.normalized, ask.input)
    return {f"{name}:" if name in _OURS else name: _rendered(value) for name, value in left.items()}


def _from(cwd: str | None, path: str) -> str:
    """`path`, from `cwd` if it lies below it as it is written; one that climbs is shown whole."""
    below = path.removeprefix(f"{cwd.rstrip('/')}/") if cwd else path
    return path if not below or {".", "..", ""} & set(below.split("/")) else below


def _command(command: str, marks: Iterable[Mark]) -> Iterator[Line]:
    """The command, whole; what a grave mark stands on is underlined."""
    start = 0
    for row in command.split("\n"):
        yield Line(spans=tuple(_marked(row, start, marks)), hang=2)
        start += len(row) + 1


def _marked(row: str, start: int, marks: Iterable[Mark]) -> Iterator[Span]:
    edges = {0, len(row)}
    spans = [
        (mark.start - start, mark.end - start) for mark in marks if mark.grave and mark.start is not None and mark.end
    ]
    for span in spans:
        edges |= {min(max(edge, 0), len(row)) for edge in span}
    bounds = sorted(edges)
    for left, right in pairwise(bounds):
        grave = any(begin <= left and right <= end for begin, end in spans)
        yield from shown(row[left:right], GRAVE if grave else STRONG)


def _parts(parts: tuple[Part, ...]) -> Iterator[Line]:
    """One numbered line per simple command, with what is said of it, when there are several."""
    if len(parts) > 1:
        yield EMPTY
        for number, part in enumerate(parts, 1):
            yield line((f"{number} ", QUIET), *shown(part.text.replace("\n", " ")), *_said(part), hang=2)


def _said(part: Part) -> Iterator[Span]:
    if part.rule:
        yield Span(f"  allowed by {one_line(part.rule)}{f' ({one_line(part.where)})' if part.where else ''}", QUIET)
    for mark in part.marks:
        yield Span(f"  {mark.mark}", BAD if mark.grave else QUIET)


def _change(change: ModifyFile, cwd: str | None) -> Iterator[Line]:
    counts = "" if change.added is None else f"  +{change.added} -{change.removed or 0}"
    yield line(*shown(_from(cwd, change.file_path), STRONG), (counts, QUIET))
    for mutation in change.mutations:
        yield from _mutation(mutation)


def _mutation(mutation: Mutation) -> Iterator[Line]:
    if mutation.everywhere:
        yield line(("each place where it stands:", QUIET))
    yield from decided(mutation)


def _facts(**facts: str | None) -> Iterator[Line]:
    width = max((len(name) for name, fact in facts.items() if fact), default=0)
    for name, fact in facts.items():
        for index, row in enumerate(fact.split("\n") if fact else ()):
            yield line((f"{'' if index else one_line(name):{width}}  ", QUIET), *shown(row), hang=width + 2)


def _block(text: str) -> Iterator[Line]:
    return (Line(spans=shown(row)) for row in text.split("\n"))


def _rendered(value: Any) -> str:
    return value if isinstance(value, str) and value else pretty(value)


def pretty(value: Any) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _cuts(payload: Payload) -> Iterator[Line]:
    for cut in payload.cuts:
        size = f"{counted(cut.chars, 'character')} in {counted(cut.lines, 'line')}"
        yield line(("Shown in part: ", f"1;{BAD}"), f"{cut.field} has {size}. ", ("v", STRONG), " shows all of it.")


def _words(ask: PermissionRequest, cwd: str | None) -> Iterator[Line]:
    """Marks, the model's claim, the deadline and the reason, each on a line of its own."""
    if marks := list(dict.fromkeys((mark.mark, mark.grave) for mark in ask.marks)):
        yield line(("Marks: ", QUIET), *_listed(marks))
    if ask.says and ask.ask == "tool" and not _is_shown(ask.says, ask, cwd):
        yield line(("Claude says: ", QUIET), *shown(one_line(ask.says), "3"), hang=2)
    if ask.expires_at is not None:
        yield line(("Denies itself at ", QUIET), clock(ask.expires_at))
    if ask.reason and ask.ask in ("tool", "plan"):
        yield line(("Asks because: ", QUIET), *shown(one_line(ask.reason)), hang=2)


def _is_shown(says: str, ask: PermissionRequest, cwd: str | None) -> bool:
    """Whether the description only repeats a part of the thing: the CLI gives a URL or a file's name for one."""
    return says.strip() in "\n".join(row.text for row in _thing(ask, cwd))


def _listed(marks: list[tuple[str, bool]]) -> Iterator[Span]:
    for index, (mark, grave) in enumerate(marks):
        style: Style = BAD if grave else PLAIN
        yield from (Span(", ", QUIET),) if index else ()
        yield Span(one_line(mark), style)
