"""The open asks, as the lines tell them: what is open, and what each was answered with.

The answering itself, with its claims and races, is the session's. Here a recording is read: an ask opens with the CLI's
request, and is settled by the answer that went back in the one shape the CLI accepts, or by its withdrawal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from bascule.events import (
    AskOption,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    Suggestion,
)
from bascule.ids import PendingId
from bascule.payload import Generic, Payload, ShowPlan
from bascule.recording import Decided, Expired, Judged
from bascule.tools.bounds import bounded
from bascule.tools.describe import ask_kind, describe
from bascule.tools.facts import Facts, facts
from bascule.tools.risks import marks, parts
from bascule.tools.suggest import suggestions
from bascule.tools.titles import title
from bascule.wire.control import CanUseTool, Elicitation, MatchedRule, UserDialog
from bascule.wire.permissions import AddRules, Allow, Deny, PermissionUpdate, Rule, decision_of

Kind: TypeAlias = Literal["tool", "plan", "question", "elicitation", "dialog"]
Cause: TypeAlias = Literal["withdrawn", "expired", "lost", "interrupted"]
Outcome: TypeAlias = Literal["allowed", "allowed_always", "denied", "denied_stop", "answered"]

_OPTIONS: Final[dict[Kind, tuple[AskOption, ...]]] = {
    "tool": (
        AskOption("allow_once", "Allow once", "allow"),
        AskOption("allow_always", "Allow always …", "allow_always"),
        AskOption("deny", "Deny", "deny"),
        AskOption("deny_and_stop", "Deny and stop", "deny_and_stop"),
    ),
    "plan": (
        AskOption("approve_ask", "Approve, ask for each edit", "plan"),
        AskOption("approve_accept_edits", "Approve, accept edits", "plan"),
        AskOption("approve_auto", "Approve, auto mode", "plan"),
        AskOption("deny", "Deny with what to change", "deny"),
        AskOption("outline_plan", "Pause and outline", "plan"),
        AskOption("discuss_plan", "Discuss", "plan"),
        AskOption("deny_and_stop", "Deny and stop", "deny_and_stop"),
    ),
    "question": (
        AskOption("answers", "Answer", "answer"),
        AskOption("deny", "Skip", "deny"),
        AskOption("deny_and_stop", "Deny and stop", "deny_and_stop"),
    ),
    "elicitation": (AskOption("answers", "Answer", "answer"), AskOption("deny", "Decline", "deny")),
    "dialog": (AskOption("answers", "Answer", "answer"), AskOption("deny", "Dismiss", "deny")),
}


class Ask(NamedTuple):
    """One open ask."""

    request: PermissionRequest
    opened_at: float
    """Seconds since the recording began."""


def input_hash(value: Any) -> str:
    """A short hash of an input, whatever the order of its keys: 16 hex digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


class Asks:
    """The open asks by request id. Several are normal: parallel calls and subagents ask at once (09_parallel_asks)."""

    def __init__(self) -> None:
        self.open: dict[PendingId, Ask] = {}
        self._seen: set[PendingId] = set()

    def opened(
        self,
        request_id: str,
        request: CanUseTool | Elicitation | UserDialog,
        *,
        t: float,
        cwd: str | None,
        call: Payload | None,
        outline: str | None,
        expires_at: int | None,
    ) -> PermissionRequest | None:
        """The CLI asks; None if it repeats a request that was seen before (21_init_twice: pending lists).

        ``call``: what the call that is asked about was, when it was told. ``outline``: the plan as written out.
        """
        pending_id = PendingId(request_id)
        if pending_id in self._seen:
            return None
        self._seen.add(pending_id)
        event = _event(pending_id, request, cwd)
        event = replace(event, expires_at=expires_at, normalized=_with_plan(event.normalized, call, outline))
        self.open[pending_id] = Ask(event, t)
        return event

    def answered(
        self, request_id: str, answer: Any, *, t: float, note: Decided | Expired | Judged | None
    ) -> PermissionResolved | PermissionCancelled | None:
        """An answer went back; None when no such ask is open (07_shape_unknown_id: the CLI ignores it).

        ``answer`` is the JSON of a successful response, None for an error response. ``note`` is what stood before it.
        """
        ask = self.open.pop(PendingId(request_id), None)
        if ask is None:
            return None
        pending_id = ask.request.pending_id
        if isinstance(note, Expired):
            return PermissionCancelled(pending_id=pending_id, cause="expired")
        waited_ms = max(0, round((t - ask.opened_at) * 1000))
        said = _outcome(ask.request.ask, answer)
        match note:
            case Decided():
                return PermissionResolved(
                    pending_id=pending_id,
                    outcome=note.outcome,
                    by=note.by,
                    surface=note.surface,
                    reason=note.reason,
                    rule=note.rule,
                    scope=note.scope,
                    edited=note.edited,
                    waited_ms=waited_ms,
                )
            case Judged():
                return PermissionResolved(
                    pending_id=pending_id,
                    outcome=said,
                    by="policy",
                    reason=note.reason or None,
                    rule=note.rule,
                    waited_ms=waited_ms,
                    choosable=note.choosable,
                )
            case _:
                return PermissionResolved(
                    pending_id=pending_id,
                    outcome=said,
                    reason=_reason(answer),
                    edited=_edited(ask.request.input, answer) and said != "answered",
                    waited_ms=waited_ms,
                )

    def gone(self, request_id: str, cause: Cause) -> PermissionCancelled | None:
        """The CLI needs no answer any more."""
        ask = self.open.pop(PendingId(request_id), None)
        return PermissionCancelled(pending_id=ask.request.pending_id, cause=cause) if ask else None

    def gone_with_call(self, call_id: str) -> list[PermissionCancelled]:
        """The call ended, so nobody waits for an answer about it (09_eof_while_asking)."""
        return self._cancel((i for i, a in self.open.items() if a.request.tool_call_id == call_id), "withdrawn")

    def gone_with_turn(self, cause: Cause) -> list[PermissionCancelled]:
        """The turn ended: the main thread asks nothing any more; subagents still may."""
        return self._cancel((i for i, a in self.open.items() if a.request.agent_id is None), cause)

    def lost(self) -> list[PermissionCancelled]:
        """The process is gone, and its asks with it."""
        return self._cancel(iter(self.open), "lost")

    def _cancel(self, pending_ids: Iterable[PendingId], cause: Cause) -> list[PermissionCancelled]:
        cancelled = []
        for pending_id in list(pending_ids):
            del self.open[pending_id]
            cancelled.append(PermissionCancelled(pending_id=pending_id, cause=cause))
        return cancelled


def _with_plan(asked: Payload, call: Payload | None, outline: str | None) -> Payload:
    """Where the ask brings no plan (13_plan_rearm, 2.1.332): what the model wrote into its call, else in its reply."""
    if not isinstance(asked, ShowPlan) or asked.plan:
        return asked
    if isinstance(call, ShowPlan) and call.plan:
        return replace(asked, plan=call.plan, cuts=call.cuts)
    return bounded(replace(asked, plan=outline)) if outline else asked


def _event(pending_id: PendingId, request: CanUseTool | Elicitation | UserDialog, cwd: str | None) -> PermissionRequest:
    match request:
        case CanUseTool():
            return _of_tool(pending_id, request, cwd)
        case Elicitation():
            return _of_elicitation(pending_id, request)
        case _:
            return _of_dialog(pending_id, request)


def _of_tool(pending_id: PendingId, request: CanUseTool, cwd: str | None) -> PermissionRequest:
    kind = ask_kind(request.tool_name)
    known = facts(request.tool_name, request.input)
    return PermissionRequest(
        pending_id=pending_id,
        ask=kind,
        tool_call_id=request.tool_use_id,
        agent_id=request.agent_id,
        tool_name=request.tool_name,
        title=title(request.tool_name, request.input, cwd),
        normalized=describe(request.tool_name, request.input),
        input=request.input,
        input_hash=input_hash(request.input),
        marks=marks(known, cwd),
        parts=parts(known, cwd),
        says=request.description,
        reason=request.decision_reason or request.decision_reason_type,
        reason_type=request.decision_reason_type,
        matched_rule=_rule(request.matched_ask_rule),
        blocked_path=request.blocked_path,
        mcp_server=request.mcp_server.name if request.mcp_server else None,
        needs_person=kind != "tool" or bool(request.requires_user_interaction),
        default_no=bool(request.default_to_no),
        suggestions=_suggestions(request, known, cwd) if kind == "tool" else (),
        options=_OPTIONS[kind],
    )


def _rule(matched: MatchedRule | None) -> str | None:
    """``Tool(content)`` as the CLI writes it."""
    if matched is None or matched.tool_name is None:
        return None
    return str(Rule(tool_name=matched.tool_name, rule_content=matched.rule_content))


def _suggestions(request: CanUseTool, known: Facts, cwd: str | None) -> tuple[Suggestion, ...]:
    """Ours, the narrowest first, then the CLI's own to hand back: none after a hook's *ask* (06_bypass_ask)."""
    if request.suppress_always_allow_rule:
        return ()
    theirs = tuple(s for update in request.permission_suggestions if (s := _suggestion(update)) is not None)
    return (*suggestions(known, cwd), *theirs)


_SCOPES: Final[dict[str, Literal["session", "project", "user", "local"]]] = {
    "session": "session",
    "cliArg": "session",
    "projectSettings": "project",
    "userSettings": "user",
    "localSettings": "local",
}


def _suggestion(update: PermissionUpdate) -> Suggestion | None:
    """A rule of the CLI's as a suggestion; a change of mode or of directories is no rule, and is not offered as one."""
    if not isinstance(update, AddRules) or update.behavior != "allow":
        return None
    return Suggestion(
        rule=", ".join(str(rule) for rule in update.rules),
        scope=_SCOPES.get(update.destination or "", "session"),
        source="cli",
        update=_plain(update),
    )


def _of_elicitation(pending_id: PendingId, request: Elicitation) -> PermissionRequest:
    schema = _plain(request)
    return PermissionRequest(
        pending_id=pending_id,
        ask="elicitation",
        tool_name=request.mcp_server_name,
        title=request.title or f"{request.mcp_server_name} asks",
        normalized=Generic(name=request.mcp_server_name, input=schema),
        input=schema,
        input_hash=input_hash(schema),
        says=request.message,
        mcp_server=request.mcp_server_name,
        needs_person=True,
        options=_OPTIONS["elicitation"],
    )


def _of_dialog(pending_id: PendingId, request: UserDialog) -> PermissionRequest:
    return PermissionRequest(
        pending_id=pending_id,
        ask="dialog",
        tool_call_id=request.tool_use_id,
        tool_name=request.dialog_kind,
        title=request.dialog_kind.replace("_", " "),
        normalized=Generic(name=request.dialog_kind, input=request.payload),
        input=request.payload,
        input_hash=input_hash(request.payload),
        needs_person=True,
        options=_OPTIONS["dialog"],
    )


def _outcome(kind: Kind, answer: Any) -> Outcome:
    """What an answer without a note says. What the CLI cannot read fails the call: no allow."""
    if kind in ("elicitation", "dialog"):
        accepted = isinstance(answer, dict) and (
            answer.get("action") == "accept" or answer.get("behavior") == "completed"
        )
        return "answered" if accepted else "denied"
    match decision_of(answer):
        case Allow(updated_permissions=updates):
            if kind == "question":
                return "answered"
            return "allowed_always" if any(isinstance(u, AddRules) for u in updates) else "allowed"
        case Deny(interrupt=True):
            return "denied_stop"
        case _:
            return "denied"


def _reason(answer: Any) -> str | None:
    match decision_of(answer):
        case Deny(message=message):
            return message
        case _:
            return None


def _edited(asked: Any, answer: Any) -> bool:
    match decision_of(answer):
        case Allow(updated_input=given):
            return bool(given != asked)
        case _:
            return False


def _plain(value: Any) -> Any:
    """``value`` as JSON reads it back: lists, not tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))
