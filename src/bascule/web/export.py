"""A session as a document: Markdown for people, JSON for programs. Pure; what looks like a secret is hidden on the way.

Markdown tells what was said, what ran and who decided; thinking and the course of things are in the JSON alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

import msgspec

from bascule.conversation import SessionFacts
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    MessageChunk,
    PermissionCancelled,
    PermissionResolved,
    PolicyDecided,
    PromptAccepted,
    ToolCall,
    ToolUpdate,
    to_json,
)
from bascule.payload import (
    AskUser,
    CodeSearch,
    Generic,
    HttpRequest,
    McpCall,
    ModifyFile,
    Payload,
    ReadFile,
    ShellExec,
    ShowPlan,
    SubagentTask,
)
from bascule.recording import Entry, redact

_FENCE: Final = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_OUTCOMES: Final = {
    "allowed": "allowed",
    "allowed_always": "allowed always",
    "denied": "denied",
    "denied_stop": "denied, and the turn stopped",
    "answered": "answered",
}


def hidden(text: str) -> str:
    """The text without what looks like a secret, see ``recording.redact``."""
    return redact(Entry(0.0, "out", text)).line


# JSON.


def json_head(facts: SessionFacts) -> str:
    """How the document begins; the events follow, with commas between them, then ``JSON_TAIL``."""
    return hidden(f'{{"session":{msgspec.json.encode(facts).decode()},"events":[\n')


JSON_TAIL: Final = "\n]}\n"


def json_event(event: AnyEvent) -> str:
    """One event."""
    return hidden(to_json(event).decode())


# Markdown.


def markdown_head(facts: SessionFacts) -> str:
    """What stands above the conversation."""
    rows = [
        ("workspace", facts.cwd),
        ("model", facts.model),
        ("policy", facts.policy),
        ("began", _time(facts.created_at)),
        ("cost", None if facts.cost_usd is None else f"${facts.cost_usd:.4f}"),
    ]
    table = "\n".join(f"- {name}: {_line(str(value))}" for name, value in rows if value is not None)
    return hidden(f"# {_line(facts.title) or facts.id}\n\n{table}\n")


def markdown_event(event: AnyEvent) -> str:
    """What is said of one event, with a blank line before it; empty for what is not told."""
    text = "\n\n".join(filter(None, _told(event)))
    return hidden(f"\n{text}\n") if text else ""


def _told(event: AnyEvent) -> Iterable[str]:
    match event:
        case PromptAccepted():
            return (
                f"## {_line(event.by or 'You')}",
                event.text,
                *(f"📎 {_line(one.name)}" for one in event.attachments),
            )
        case MessageChunk(partial=False, parent_tool_call_id=parent):
            return (event.text if parent is None else _quoted(event.text),)
        case ToolCall():
            return (f"### {_line(event.tool_title)}", *_called(event.normalized))
        case ToolUpdate() if event.tool_status != "running":
            return (*_returned(event.normalized), "" if event.tool_status == "complete" else f"*{event.tool_status}*")
        case PermissionResolved() | PermissionCancelled() | PolicyDecided():
            return (_decision(event),)
        case Complete():
            return (_end(event),)
        case Error(message=message, hint=hint):
            return (f"**Error:** {_line(message)}", _line(hint))
        case _:
            return ()


def _decision(event: PermissionResolved | PermissionCancelled | PolicyDecided) -> str:
    return f"> {_line('; '.join(filter(None, _decided(event))))}"


def _decided(event: PermissionResolved | PermissionCancelled | PolicyDecided) -> tuple[str, ...]:
    match event:
        case PermissionResolved(rule=rule, reason=reason, edited=edited):
            said = f"{_OUTCOMES[event.outcome]}{_who(event)}, after {event.waited_ms / 1000:.0f} s"
            return said, f"rule {rule}" if rule else "", reason or "", "edited" if edited else ""
        case PermissionCancelled(cause=cause):
            return (f"not answered: {cause}",)
        case PolicyDecided(verdict=verdict, rule=rule, reason=reason):
            return f"{verdict} by rule {rule}", reason


def _who(event: PermissionResolved) -> str:
    by = f" by {event.by}" if event.by else ""
    return by + (f" ({event.surface})" if event.surface else "")


def _end(event: Complete) -> str:
    cost = f"${event.cost_usd:.4f}" if event.cost_usd is not None else ""
    took = f"{event.duration_ms / 1000:.0f} s" if event.duration_ms is not None else ""
    return f"*{' · '.join(filter(None, (event.outcome, cost, took, _time(event.at))))}*\n\n---"


def _called(payload: Payload) -> Iterator[str]:
    """What was about to happen."""
    match payload:
        case ShellExec(command=command):
            yield _fenced(command, "sh")
        case ModifyFile(mutations=mutations):
            yield from (_fenced(each.diff or each.content or "", "diff" if each.diff else "") for each in mutations)
        case SubagentTask(prompt=prompt):
            yield _quoted(prompt)
        case ShowPlan(plan=plan):
            yield _quoted(plan)
        case AskUser(questions=questions):
            yield from (f"- {_line(each.question)}" for each in questions)
        case McpCall(input=given) | Generic(input=given) if given is not None:
            yield _fenced(msgspec.json.format(msgspec.json.encode(given)).decode(), "json")


def _returned(payload: Payload) -> Iterator[str]:
    """What came of it."""
    match payload:
        case ShellExec(output=output) if output is not None:
            yield from (_fenced(text, "") for text in (output.stdout, output.stderr) if text)
        case CodeSearch(output=output) if output is not None:
            yield _fenced("\n".join(output.matches or output.files), "")
        case HttpRequest(response=text) | McpCall(output=text) | Generic(output=text) if text:
            yield _fenced(text, "")
        case SubagentTask(output=report) if report is not None and report.text:
            yield _quoted(report.text)
        case AskUser(answers=answers) if answers:
            yield from (f"- {_line(question)}: {_line(said)}" for question, said in answers.items())
        case ReadFile(output=read) if read is not None and read.error:
            yield _fenced(read.error, "")
        case ModifyFile(error=error) if error:
            yield _fenced(error, "")


def _fenced(text: str, language: str) -> str:
    """A block that nothing inside can end."""
    fence = "`" * max([3, *(len(found) + 1 for found in _FENCE.findall(text))])
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{end}{fence}" if text else ""


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _line(text: str) -> str:
    """In one line, so that it stays what it is."""
    return " ".join(text.split())


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
