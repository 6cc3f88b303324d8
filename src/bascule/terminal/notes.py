"""One event as the lines that tell it, wherever the event needs nothing from before.

What needs memory (texts that stream, calls, asks, the to-do list) is in `page`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bascule.events import (
    AnyEvent,
    Compaction,
    Complete,
    ContextWindow,
    Error,
    GrantEnded,
    GrantGiven,
    Hook,
    ModeChanged,
    ModelChanged,
    Notice,
    PermissionCancelled,
    PermissionResolved,
    PolicyDecided,
    PromptAccepted,
    RateLimit,
    Retrying,
    SessionAsleep,
    SessionEnded,
    TaskEnded,
    TurnStarted,
    Unrecognised,
)
from bascule.terminal.clean import one_line, plain
from bascule.terminal.figures import clock, count, duration, money, percent
from bascule.terminal.lines import BAD, GOOD, HOLD, PLAIN, QUIET, STRONG, Line, Style, line

STDERR_LINES: Final = 8

_OUTCOMES: Final[dict[str, tuple[str, Style, str]]] = {
    "success": ("✓", GOOD, ""),
    "error": ("✗", BAD, "failed"),
    "interrupted": ("■", QUIET, "interrupted"),
    "max_turns": ("✗", BAD, "stopped at the limit of rounds"),
    "budget": ("✗", BAD, "stopped at the budget"),
    "refused": ("✗", BAD, "refused"),
    "lost": ("↯", BAD, "lost"),
}
_CAUSES: Final = {
    "task": "a background task ended",
    "wakeup": "it woke up by itself",
    "cron": "a schedule of its own",
    "hook": "a hook",
    "unknown": "nobody asked",
}
_ALLOWED: Final = ("✓", QUIET)
_REFUSED: Final = ("⊘", BAD)
_RESOLVED: Final[dict[str, tuple[tuple[str, Style], str]]] = {
    "allowed": (_ALLOWED, "Allowed once"),
    "allowed_always": (_ALLOWED, "Allowed always"),
    "denied": (_REFUSED, "Denied"),
    "denied_stop": (_REFUSED, "Denied, and the turn stopped"),
    "answered": (_ALLOWED, "Answered"),
}
_OTHER_WORDS: Final = {
    ("plan", "allowed"): "Approved",
    ("plan", "denied"): "Not approved",
    ("question", "denied"): "Skipped",
    ("elicitation", "denied"): "Declined",
    ("dialog", "denied"): "Dismissed",
}
_CANCELLED: Final = {
    "withdrawn": "Claude Code needs no answer any more",
    "expired": "Denied: the time to answer was over",
    "lost": "Not answered: the session ended",
    "interrupted": "Not answered: the turn was interrupted",
}
_ENDS: Final = {
    "crashed": "Claude Code ended in the middle of its work",
    "killed": "Claude Code was stopped",
    "start_failed": "Claude Code did not start",
    "resume_failed": "The session could not be resumed",
}


def lines_of(event: AnyEvent) -> Iterator[Line]:
    """The lines that tell an event; none for what nobody misses."""
    match event:
        case PromptAccepted():
            yield from _prompt(event)
        case TurnStarted(cause=cause) if cause != "prompt":
            yield line(("↻ Claude goes on by itself: ", QUIET), (_CAUSES[cause], QUIET))
        case PolicyDecided(verdict="deny", reason=reason, rule=rule):
            # Where nobody watches the reason begins with what stands for the rule.
            by = "" if reason.startswith(rule) else f" ({one_line(rule)})"
            yield line(("⊘ ", BAD), "Policy: ", one_line(reason) or "denied", (by, QUIET), hang=2)
        case ModeChanged(mode=mode):
            yield line((f"Mode: {one_line(mode)}", QUIET))
        case ModelChanged(model=model):
            yield line((f"Model: {one_line(model)}", QUIET))
        case GrantGiven(cause="trust" | "grant") | GrantEnded(cause="revoked" | "expired"):
            yield _grant(event)
        case _:
            yield from _of_service(event)


def _grant(event: GrantGiven | GrantEnded) -> Line:
    match event:
        case GrantGiven():
            what = "Edits in the workspace run" if event.edits else f"{one_line(', '.join(event.rules))} runs"
            until = f" until {clock(event.until)}" if event.until is not None else ""
            return line(("✓ ", QUIET), f"{what} unasked{until}", hang=2)
        case GrantEnded():
            calls = "1 call ran" if event.covered == 1 else f"{event.covered} calls ran"
            return line(("⊘ ", QUIET), "A grant has ended", (f" · {calls} under it", QUIET), hang=2)


def _of_service(event: AnyEvent) -> Iterator[Line]:
    match event:
        case RateLimit(status="allowed_warning" | "rejected"):
            yield _rate_limit(event)
        case Retrying(attempt=1):
            yield retrying(event)
        case Compaction(phase="finished" | "failed"):
            yield _compaction(event)
        case Hook(outcome="error", name=name, output=output):
            yield line(("✗ ", BAD), f"Hook {one_line(name)} failed", (f": {one_line(output or '')}", QUIET), hang=2)
        case TaskEnded():
            yield _task(event)
        case SessionAsleep(idle_s=idle_s):
            yield line((f"Claude Code sleeps after {duration(idle_s * 1000)} of idleness; a prompt wakes it.", QUIET))
        case _:
            yield from _of_trouble(event)


def _of_trouble(event: AnyEvent) -> Iterator[Line]:
    match event:
        case Error():
            yield from _error(event)
        case SessionEnded(cause=cause) if cause in _ENDS:
            yield from _ended(event)
        case Notice(level=level, text=text):
            yield from _told("!" if level == "warning" else "·", BAD if level == "warning" else QUIET, text)
        case Unrecognised(message_type=kind, subtype=subtype):
            name = f"{kind}/{subtype}" if subtype else kind
            yield line((f"· Claude Code said something that bascule does not know: {one_line(name)}", QUIET), hang=2)
        case _:
            return


def _prompt(prompt: PromptAccepted) -> Iterator[Line]:
    for index, row in enumerate(plain(prompt.text).split("\n")):
        yield line(("» " if not index else "  ", QUIET), (row, STRONG), hang=2)
    for attached in prompt.attachments:
        yield line((f"  + {one_line(attached.name)} ({count(attached.bytes)} bytes)", QUIET))
    if prompt.disposition != "sent":
        yield line(("  goes into the running turn" if prompt.disposition == "steered" else "  waits its turn", QUIET))


def settled(event: PermissionResolved | PermissionCancelled, ask: str, which: str) -> Line:
    """How an ask of the kind `ask` ended; `which` one, where that is not plain to see."""
    of = f" · {which}" if which else ""
    if isinstance(event, PermissionCancelled):
        return line(("⊘ ", QUIET), (_CANCELLED[event.cause], QUIET), (of, QUIET), hang=2)
    (icon, style), word = _RESOLVED[event.outcome]
    word = _OTHER_WORDS.get((ask, event.outcome), word)
    edited = ", as edited" if event.edited else ""
    why = "" if word == "Approved" else _why(event)  # how it goes on is told by the mode that follows
    return line((f"{icon} ", style), word, edited, why, (f"{of}{_who(event)}", QUIET), hang=2)


def _why(event: PermissionResolved) -> str:
    if event.rule and event.outcome == "allowed_always":
        return f": {one_line(event.rule)} ({event.scope or 'session'})"
    return f": {one_line(event.reason)}" if event.reason else ""


def _who(event: PermissionResolved) -> str:
    elsewhere = event.surface if event.surface not in (None, "terminal") else None
    who = f" · by {one_line(event.by)}" if event.by else ""
    where = f" ({one_line(elsewhere)})" if elsewhere else ""
    waited = f" · after {duration(event.waited_ms)}" if event.waited_ms >= 1000 else ""
    return f"{who}{where}{waited}"


def _rate_limit(event: RateLimit) -> Line:
    used = f" · {percent(event.utilization * 100)} used" if event.utilization is not None else ""
    until = f" · until {clock(event.resets_at * 1000)}" if event.resets_at else ""
    return line(("⧗ ", HOLD), one_line(event.rate_limit_message), (f"{used}{until}", QUIET), hang=2)


def retrying(event: Retrying) -> Line:
    """The line of an attempt that failed and will be made again."""
    status = f" (HTTP {event.error_status})" if event.error_status else ""
    again = f" · again in {duration(event.delay_ms)}, {event.attempt} of {event.max_retries}"
    return line(("↻ ", HOLD), f"Retrying: {one_line(event.error)}{status}", (again, QUIET), hang=2)


def _compaction(event: Compaction) -> Line:
    if event.phase == "failed":
        return line(("✗ ", BAD), "The conversation could not be compacted")
    tokens = [count(number) for number in (event.pre_tokens, event.post_tokens) if number is not None]
    return line(("✓ ", QUIET), "Conversation compacted", (f" · {' → '.join(tokens)} tokens" if tokens else "", QUIET))


def _task(event: TaskEnded) -> Line:
    good = event.outcome in (None, "completed")
    took = event.usage.duration_ms if event.usage else None
    figures = f" · {event.outcome or 'ended'}{f' · {duration(took)}' if took else ''}"
    return line(
        ("✓ " if good else "✗ ", QUIET if good else BAD),
        f"In the background: {one_line(event.title)}",
        (figures, QUIET),
    )


def _told(icon: str, style: Style, text: str, first_style: Style = PLAIN) -> Iterator[Line]:
    """A text of one or several lines behind a sign."""
    first, *rest = plain(text).strip().split("\n")[:STDERR_LINES]
    yield line((f"{icon} ", style), (first, first_style), hang=2)
    yield from (line(f"  {row}", hang=2) for row in rest)


def _error(event: Error) -> Iterator[Line]:
    yield from _told("✗", BAD, event.message, BAD)
    if event.hint:
        yield line(f"  {one_line(event.hint)}", hang=2)


def _ended(event: SessionEnded) -> Iterator[Line]:
    how = f"exit {event.exit_code}" if event.exit_code is not None else event.signal or "no code"
    yield line(("✗ ", BAD), (_ENDS[event.cause], BAD), (f" · {how}", QUIET))
    for row in plain(event.stderr_tail).rstrip().split("\n")[-STDERR_LINES:]:
        if row:
            yield line((f"  │ {row}", QUIET), hang=4)


def turn_line(event: Complete, context: ContextWindow | None) -> Line:
    """The last line of a turn: how it went, how long, what it cost, how full the context is."""
    icon, style, word = _OUTCOMES[event.outcome]
    figures = [
        word,
        duration(event.duration_ms) if event.duration_ms is not None else "",
        money(event.cost_usd) if event.cost_usd is not None else "",
        _tokens(event),
        f"{percent(context.context_efficiency)} of context"
        if context and context.context_efficiency is not None
        else "",
        f"{len(event.permission_denials)} denied" if event.permission_denials else "",
    ]
    return line((f"{icon} ", style), (" · ".join(filter(None, figures)), style if word else PLAIN), hang=2)


def _tokens(event: Complete) -> str:
    if event.input_tokens is None or event.output_tokens is None:
        return ""
    read = event.input_tokens + (event.cache_read_tokens or 0) + (event.cache_creation_tokens or 0)
    return f"{count(read)} in / {count(event.output_tokens)} out"
