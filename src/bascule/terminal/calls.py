"""A call as lines: one with its state, title and figures, then what is worth reading of what came out of it.

Success is quiet; only failure has colour. What is long is shortened here, with the number of lines that are missing:
the whole is in the recording. (Where a person decides, nothing is shortened: see `asks`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.payload import (
    AskUser,
    CodeSearch,
    CreateTask,
    Generic,
    HttpRequest,
    ManageTodos,
    McpCall,
    Misc,
    ModifyFile,
    Payload,
    ReadFile,
    ShellExec,
    ShowPlan,
    SubagentTask,
)
from bascule.terminal.clean import one_line, plain
from bascule.terminal.diff import diff_lines
from bascule.terminal.figures import count, counted, duration
from bascule.terminal.lines import BAD, PLAIN, QUIET, STRONG, Line, Part, Span, Style, behind, line, spans_of

Status: TypeAlias = Literal["running", "complete", "error", "denied", "cancelled", "lost"]

OUTPUT_LINES: Final = 8
"""Last lines of what a command printed."""
REPORT_LINES: Final = 4
"""First lines of what another tool gave back."""
DIFF_LINES: Final = 20
SLOW_MS: Final = 2_000
"""A call that took longer says how long."""

BELOW: Final = (Span("  │ ", QUIET),)
"""The rail of what a call gave."""

ICONS: Final[dict[Status, tuple[str, Style]]] = {
    "running": ("◌", QUIET),
    "complete": ("✓", QUIET),
    "error": ("✗", BAD),
    "denied": ("⊘", BAD),
    "cancelled": ("■", QUIET),
    "lost": ("↯", BAD),
}
WORDS: Final[dict[Status, str]] = {"error": "failed", "denied": "denied", "cancelled": "cancelled", "lost": "lost"}


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one call."""

    title: str
    status: Status
    payload: Payload
    since: int
    """UTC ms of its start."""
    parent: str | None = None


def told_elsewhere(call: Call) -> bool:
    """Whether the call needs no line, since an event of its own tells what it did: the to-do list."""
    return call.status == "complete" and isinstance(call.payload, ManageTodos | CreateTask)


def running(call: Call, now: int) -> Line:
    """The line of a call that goes on, one row."""
    icon, style = ICONS["running"]
    took = f" · {_time(call, now)}" if _time(call, now) else ""
    return Line(spans=spans_of([(f"{icon} ", style), *_title(call), (took, QUIET)]), fit="clip")


def ended(call: Call, now: int) -> list[Line]:
    """The lines of a call that came to its end."""
    icon, style = ICONS[call.status]
    word = WORDS.get(call.status, "")
    figures = [figure for figure in (word, *_figures(call.payload), _time(call, now)) if figure]
    stats: list[Part] = [(" · ", QUIET), (" · ".join(figures), style if word else QUIET)] if figures else []
    head = line((f"{icon} ", style), *_title(call), *stats, hang=2)
    return [head, *_below(call)]


def _time(call: Call, now: int) -> str:
    return duration(now - call.since) if now - call.since >= SLOW_MS else ""


def _title(call: Call) -> list[Part]:
    match call.payload:
        case ShellExec(command=command) if command:
            return [("$ ", QUIET), (one_line(command), STRONG), (_more(command), QUIET)]
        case McpCall(server=server, tool=tool):
            return [(f"{one_line(server)} · ", QUIET), (one_line(tool), STRONG)]
        case ShowPlan(entering=False):
            return [("Plan approved" if call.status == "complete" else "Plan", STRONG)]
        case _:
            return [(one_line(call.title) or "a call", STRONG)]


def _more(command: str) -> str:
    lines = len([row for row in plain(command).split("\n") if row.strip()])
    return f" … {counted(lines - 1, 'more line')}" if lines > 1 else ""


def _figures(payload: Payload) -> Sequence[str]:
    match payload:
        case ShellExec(output=output, background=background):
            code = output.exit_code if output else None
            return (f"exit {code}" if code else "", "in the background" if background else "")
        case ReadFile(output=output) if output and output.error is None:
            return (output.media or counted(output.line_count, "line"),)
        case ModifyFile(added=int(added), removed=int(removed), error=None):
            return (f"+{added} -{removed}",)
        case CodeSearch(output=output) if output:
            return (_found(payload),)
        case HttpRequest(status=status):
            return (f"HTTP {status}" if status else "",)
        case SubagentTask(output=output) if output:
            return _agent(payload)
        case _:
            return ()


def _found(search: CodeSearch) -> str:
    output = search.output
    if output is None or output.error is not None:
        return ""
    found = counted(len(output.matches), "match", "matches") if output.matches is not None else ""
    files = len(output.files) if output.file_count is None else output.file_count
    more = " and more" if output.truncated else ""
    return (found or counted(files, "file")) + more


def _agent(task: SubagentTask) -> Sequence[str]:
    output = task.output
    if output is None or output.status == "async_launched":
        return ("in the background",)
    return (
        counted(output.tool_uses, "call") if output.tool_uses else "",
        f"{count(output.tokens)} tokens" if output.tokens else "",
        duration(output.duration_ms) if output.duration_ms else "",
    )


def _below(call: Call) -> list[Line]:
    if call.status in ("denied", "cancelled"):  # what the model reads then is known: the answer, or the interrupt
        return []
    match call.payload:
        case ModifyFile(error=None) if call.status == "complete":
            return _changes(call.payload)
        case AskUser(answers=answers) if answers:
            rows = [line((one_line(asked), QUIET), " → ", one_line(answer)) for asked, answer in answers.items()]
        case ShellExec(output=output) if output:
            rows = _tail(output.stdout, output.stderr)
        case payload:
            rows = _head(_said(payload, failed=call.status == "error"), BAD if call.status == "error" else QUIET)
    return behind(BELOW, rows)


def _said(payload: Payload, *, failed: bool) -> str:
    """What a tool gave back that a reader wants to see below its line."""
    match payload:
        case ReadFile(output=output) | CodeSearch(output=output) if output:
            return output.error or ""
        case ModifyFile(error=error) | CreateTask(error=error) | ManageTodos(error=error):
            return error or ""
        case ShowPlan(error=error) | AskUser(error=error):
            return error or "" if failed else ""
        case HttpRequest(response=response):
            return response or "" if failed else ""
        case SubagentTask(output=output):
            return output.text if output else ""
        case McpCall(output=text) | Generic(output=text) | Misc(details=text):
            return text or ""
        case _:
            return ""


def _rows(text: str) -> list[str]:
    return plain(text).rstrip().split("\n") if text.strip() else []


def _tail(stdout: str, stderr: str) -> list[Line]:
    rows = _rows(stdout)
    above = len(rows) - OUTPUT_LINES
    kept = rows[-OUTPUT_LINES:] if above > 1 else rows  # one line more is shorter than saying that one is missing
    missing = [line((f"… {counted(above, 'line')} above", QUIET))] if above > 1 else []
    notes = [line((row, QUIET)) for row in _rows(stderr)[-OUTPUT_LINES:]]
    return [*missing, *(line((row, PLAIN)) for row in kept), *notes]


def _head(text: str, style: Style) -> list[Line]:
    rows = _rows(text)
    below = len(rows) - REPORT_LINES
    kept = rows[:REPORT_LINES] if below > 1 else rows
    missing = [line((f"… {counted(below, 'more line')}", QUIET))] if below > 1 else []
    return [*(line((row, style)) for row in kept), *missing]


def _changes(change: ModifyFile) -> list[Line]:
    rows = [row for mutation in change.mutations for row in diff_lines(mutation)]
    below = len(rows) - DIFF_LINES
    if below > 1:
        return [*_indented(rows[:DIFF_LINES]), line((f"    … {counted(below, 'more line')}", QUIET))]
    return _indented(rows)


def _indented(rows: Iterable[Line]) -> list[Line]:
    return behind((Span("    "),), rows)
