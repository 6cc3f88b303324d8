"""What may run: each request of the CLI, from its arrival to its one answer.

A hook's call is judged by the policy and answered at once. An ask goes through the policy to a person. Requests run
beside each other, each in a task of its own where it takes time, so that the reader never waits for anybody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Literal, NamedTuple

from bascule.commands import ApprovePlan, Decision, Refused
from bascule.errors import BasculeError, OptionError
from bascule.events import AnyEvent, PermissionCancelled, PermissionRequest
from bascule.ids import GrantId, PendingId
from bascule.policy import verdict
from bascule.policy.grants import Grant
from bascule.policy.policies import Policy, needs_hook
from bascule.protocol.handshake import Hook
from bascule.recording import Judged
from bascule.session import skills
from bascule.session.asks import Asks
from bascule.session.emulated import Emulated
from bascule.session.facts import Ground
from bascule.session.granted import GrantsHeld
from bascule.session.hooks import (
    FAILED,
    KEEP_S,
    Keep,
    KeptGrants,
    OnAsk,
    UserHook,
    call_hook,
    call_server,
    denial,
    judged,
    keep,
    output,
)
from bascule.session.judging import Judge
from bascule.session.late_rules import LateRules
from bascule.session.line import Line
from bascule.session.mcp import Serve
from bascule.session.outline import NOT_WRITTEN, RULE, WRITE_IT, Choice, Outline
from bascule.session.past import Past
from bascule.session.rulebook import Rulebook
from bascule.session.standing import Standing
from bascule.session.verbs import Question
from bascule.wire.control import (
    Cancelled,
    CanUseTool,
    ControlRequest,
    Elicitation,
    ElicitationAnswer,
    HookCallback,
    McpMessage,
    UnknownRequest,
    UserDialog,
)
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import NEVER_CALLED, decode_hook_input
from bascule.wire.permissions import Allow, Deny, PermissionUpdate

POLICY_HOOK: Final = "bascule:policy"
SKILL_HOOK: Final = "bascule:skill"
OVER: Final = "what this was asked for is over, so nobody allowed it"
NOBODY: Final = "nobody is watching this run, so nobody can answer"


class Rulings(NamedTuple):
    """Who decides in a session, and how."""

    policy: Policy
    attended: bool
    """Somebody could answer an ask. False: whatever would ask is denied at once."""
    on_ask: OnAsk | None
    ask_timeout_s: float | None
    hooks: tuple[UserHook, ...]
    keep_grant: Keep | None
    """Keeps grants that outlive the session; None: there are none."""
    kept_grants: KeptGrants | None
    """Those that outlived the sessions before; None: there are none."""
    book: Rulebook
    """The rules that stand in files."""
    accept: Callable[[tuple[PermissionUpdate, ...]], None]
    """Has the next session take what the CLI writes into the workspace for a person; looks at files."""
    sdk_servers: Mapping[str, Serve]
    dialog_kinds: frozenset[str]
    """Dialogs that somebody knows how to answer."""


class Gate:
    """The asks and the hooks of one session."""

    def __init__(
        self, line: Line, rulings: Rulings, ground: Ground, tasks: asyncio.TaskGroup, emulated: Emulated
    ) -> None:
        self._line = line
        self._emulated = emulated
        self._rulings = rulings
        self._tasks = tasks
        self._running: dict[str, asyncio.Task[None]] = {}
        """What answers the CLI's requests, by their ids."""
        self._beside: set[asyncio.Task[None]] = set()
        self._hooks = {f"bascule:{number}": hook for number, hook in enumerate(rulings.hooks)}
        self._outline = Outline(rulings.policy.outline_chars)
        self.granted = GrantsHeld(line, self.run_beside)
        self._standing = Standing(rulings.policy, rulings.book, rulings.kept_grants, line.note)
        self._judge = Judge(
            line, ground, self._standing, self.granted, attended=rulings.attended, spawn=self.run_beside
        )
        self.late_rules = LateRules(line, self.run_beside, lambda: self.has_a_say)
        self.asks = Asks(
            line,
            governs=rulings.policy.governs,
            on_ask=rulings.on_ask,
            timeout_s=rulings.ask_timeout_s,
            keep=self._keep,
            grant=self._grant,
            outline=self._outline,
            accept=self._accept,
            vet=self._vet,
            stood=self._judge.folder_of,
        )

    def hooks(self) -> list[Hook]:
        """What is to be registered with the CLI: the policy's hooks for all that runs, then the user's own.

        Hooks are registered once for all, so the policy's are where a rule file may yet be given a deny rule; and where
        grants from before may answer an ask, since only a hook tells where the CLI stands.
        """
        policy = (
            Hook(event="PreToolUse", callback_id=POLICY_HOOK),
            Hook(event="PreSkillShellCommand", callback_id=SKILL_HOOK),
        )
        users = [
            Hook(
                event=hook.event,
                callback_id=callback_id,
                matcher=hook.matcher,
                timeout_s=hook.timeout_s,
                blocks=None if hook.on_failure is None else hook.blocks,
            )
            for callback_id, hook in self._hooks.items()
            if hook.event not in NEVER_CALLED
        ]
        wanted = self.has_a_say or self._rulings.book.paths or self._rulings.kept_grants is not None
        return [*policy, *users] if wanted else users

    @property
    def has_a_say(self) -> bool:
        """Whether a policy of ours, or a deny rule that stands now, decides over what runs."""
        return needs_hook(self._standing.policy())

    def goes_on(self, past: Past) -> None:
        """After another host, which registered the hooks: with what it was told and given.

        A callback id that meant another event then means nothing now. What is asked again waits only for the rest of
        its time.
        """
        registered = past.hello.hooks if past.hello is not None else {}
        self._hooks = {key: hook for key, hook in self._hooks.items() if registered.get(key) == hook.event}
        self._outline.goes_on(past.outline)
        self.remembers(past)
        self._judge.goes_on(past)

    def remembers(self, past: Past, *, began_in: str | None = None) -> None:
        """What was granted holds, and who settled which ask is known. ``began_in``: the mode of a new process, where
        what accepted edits in another mode ends; None: it is the same process."""
        self.asks.goes_on(past)
        self.granted.goes_on(past, began_in)

    def requested(self, request: ControlRequest) -> None:
        """The CLI asks."""
        request_id = request.request_id
        match request.request:
            case HookCallback(callback_id=callback_id) as call if callback_id == POLICY_HOOK:
                self._hook(request_id, call)
            case HookCallback(callback_id=callback_id) as call if callback_id == SKILL_HOOK:
                self._skill_hook(request_id, call)
            case HookCallback(callback_id=callback_id) as call if hook := self._hooks.get(callback_id):
                self._spawn(request_id, self._call_hook(request_id, hook, call), name=f"{hook.event} hook")
            case HookCallback():
                # Nobody here registered it, so it may be a gate; an error would leave that open.
                self._line.answer(request_id, denial("PreToolUse", FAILED))
            case McpMessage(server_name=name) as said if serve := self._rulings.sdk_servers.get(name):
                self._spawn(request_id, self._serve(request_id, serve, said), name=f"MCP server {name}")
            case CanUseTool() | Elicitation() | UserDialog() as question:
                self._ask(PendingId(request_id), question)
            case UnknownRequest(tag="hook_callback"):
                self._line.answer(request_id, denial("PreToolUse", FAILED))
            case _:
                self._line.fail(request_id, "bascule does not know this request")

    def happened(self, event: AnyEvent) -> None:
        """An event was published. What a plan's approval allowed holds while the CLI is in the mode that says so."""
        self._emulated.happened(event, self.run_beside)
        self.late_rules.happened(event)
        self._outline.happened(event)
        self._judge.happened(event)
        if isinstance(event, PermissionCancelled):
            self.run_beside(self._let_go(event.pending_id), name=f"end of the ask {event.pending_id}")
        self.granted.happened(event)

    def withdrawn(self, request_id: str) -> None:
        """The CLI needs no answer any more."""
        self.asks.withdraw(PendingId(request_id))
        if task := self._running.get(request_id):
            task.cancel()

    def ended(self) -> None:
        """The process is gone, and with it whoever would read an answer."""
        self.asks.lose()
        for task in (*self._running.values(), *self._beside):
            task.cancel()

    def run_beside(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """Run ``work`` while the process lives; nobody waits for it."""
        task = self._tasks.create_task(work, name=f"bascule {name}")
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    def _hook(self, request_id: str, call: HookCallback) -> None:
        told = decode_hook_input("PreToolUse", call.input)
        said = judged(lambda: self._judge.on_call(told, call.tool_use_id))
        is_left = isinstance(said, verdict.Pass)
        notes = self._judge.trusted(call.tool_use_id or "") if is_left else _note(said, call.tool_use_id, None)
        self._line.answer(request_id, output(said), *notes)

    def _skill_hook(self, request_id: str, call: HookCallback) -> None:
        told = decode_hook_input("PreSkillShellCommand", call.input)
        said = skills.settled(judged(lambda: self._judge.on_call(told, None)))
        refused = isinstance(said, verdict.Deny)
        answer = denial("PreSkillShellCommand", said.reason) if refused else HookOutput()
        self._line.answer(request_id, answer, *_note(said, call.tool_use_id, None))

    async def _call_hook(self, request_id: str, hook: UserHook, call: HookCallback) -> None:
        told = decode_hook_input(hook.event, call.input)
        self._line.answer(request_id, HookOutput() if self._emulated.knows(told) else await call_hook(hook, told))

    async def _serve(self, request_id: str, serve: Serve, said: McpMessage) -> None:
        self._line.answer(request_id, await call_server(serve, said))

    def _ask(self, pending_id: PendingId, question: Question) -> None:
        event = self._line.fold.open_asks.get(pending_id)
        said = judged(lambda: self._verdict_on(question))
        match said:
            case verdict.Ask() | verdict.Pass() if event is not None:
                self._put(event, question)
            case verdict.Ask() | verdict.Pass():
                # The fold saw no ask in it, so no surface would ever show it.
                self._line.answer(pending_id, _no(question, FAILED))
            case verdict.Deny(reason=reason):
                self._line.answer(pending_id, _no(question, reason), *_note(said, _call_id(question), pending_id))
            case verdict.Allow():
                self._line.answer(pending_id, _yes(question), *_note(said, _call_id(question), pending_id))

    def _put(self, event: PermissionRequest, question: Question) -> None:
        """Put an ask before a person, unless the person has seen to it before it came."""
        pending_id = event.pending_id
        if (choice := self._outline.take(event)) is not None:
            self._spawn(pending_id, self._carry_out(event, question, choice), name="plan chosen before")
        elif self._outline.is_missing(event, self._line.fold.outline, self._line.fold.outline_refusals):
            self._outline.came_early(pending_id)
            said = Judged(
                tool_call_id=event.tool_call_id,
                pending_id=pending_id,
                verdict="deny",
                rule=RULE,
                reason=NOT_WRITTEN,
                choosable=True,
            )
            self._line.answer(pending_id, Deny(message=WRITE_IT), said)
        else:
            self._emulated.asked(event, self.run_beside)
            self._spawn(pending_id, self.asks.wait(self.asks.open(event, question)), name=f"ask {event.tool_name}")

    async def _carry_out(self, event: PermissionRequest, question: Question, choice: Choice) -> None:
        """Answer with what was chosen before; where that cannot be, the ask waits as any other."""
        ask = self.asks.open(event, question)
        await self.asks.decide(event.pending_id, choice.decision, by=choice.by, surface=choice.surface)
        await self.asks.wait(ask)

    async def _let_go(self, pending_id: PendingId) -> None:
        """Deny an ask that ended with its turn or its call. The CLI may not have withdrawn it: then nothing there shall
        wait for an answer that nobody can give any more."""
        if (question := self.asks.drop(pending_id)) is not None:
            self._line.answer(pending_id, _no(question, OVER))

    def _verdict_on(self, question: Question) -> verdict.Verdict:
        match question:
            case CanUseTool():
                return self._judge.on_ask(question)
            case UserDialog(dialog_kind=kind) if kind not in self._rulings.dialog_kinds:
                return verdict.Deny(rule="unknown dialog", reason="nobody here knows how to answer this dialog")
            case Elicitation() | UserDialog() if self._rulings.attended:
                return verdict.Ask(reason="no rule can answer it")
            case Elicitation() | UserDialog():
                return verdict.Deny(rule="nobody is watching", reason=NOBODY)

    def _vet(self, question: CanUseTool, given: Mapping[str, Any]) -> Refused | None:
        """Judge a call that a person edited: what is denied, or bascule's own, is not reached by way of another."""
        match judged(lambda: self._judge.on_edited(question, given)):
            case verdict.Deny(rule=rule, reason=reason):
                return Refused(reason=f"as it was edited, {rule} denies it: {reason}")
        return None

    async def _keep(self, grant: Grant) -> None:
        """Have a grant kept that outlives the session. Raises ``OptionError`` where nobody keeps it for so long."""
        if grant.scope == "session":
            return
        if self._rulings.keep_grant is None:
            raise OptionError(f"nothing here outlives the session: choose the scope session, not {grant.scope}")
        await keep(self._rulings.keep_grant, grant)

    async def _accept(self, updates: tuple[PermissionUpdate, ...]) -> None:
        try:
            async with asyncio.timeout(KEEP_S):
                await asyncio.to_thread(self._rulings.accept, updates)
        except (BasculeError, OSError) as exc:
            # It holds in this session; the next one asks whether to take it.
            self._line.log.warning("what was allowed for good could not be accepted for the workspace: %s", exc)

    def _grant(self, grants: tuple[Grant, ...], decision: Decision, *, by: str | None, surface: str | None) -> None:
        """From now on calls are judged with what ``decision`` gave."""
        if isinstance(decision, ApprovePlan):
            self.granted.accept_edits(cause="plan", by=by, surface=surface)
        else:
            self.granted.give(grants, cause="always", by=by, surface=surface, until=grants[0].rule.until)

    async def give(self, grant: Grant, *, by: str | None = None, surface: str | None = None) -> GrantId:
        """Judge calls with ``grant`` from now on. Raises ``OptionError`` where nobody keeps it for so long."""
        await self._keep(grant)
        return self.granted.give((grant,), cause="grant", by=by, surface=surface, until=grant.rule.until)

    async def revoke(self, grant_id: GrantId, *, by: str | None = None) -> bool:
        """Take a grant of the session back, also from where it is kept for longer; False when there is none.

        Raises ``OptionError`` where it is kept on, and then it still holds.
        """
        for held in self.granted.held:
            if held.id == grant_id:
                for grant in held.grants:
                    await self._standing.revoke(grant)
        return await self.granted.revoke(grant_id, by=by)

    def _spawn(self, request_id: str, work: Coroutine[Any, Any, None], *, name: str) -> None:
        task = self._running[request_id] = self._tasks.create_task(work, name=f"bascule {name}")
        task.add_done_callback(lambda _: self._running.pop(request_id, None))


def _no(question: Question, reason: str) -> Deny | ElicitationAnswer | Cancelled:
    match question:
        case CanUseTool():
            return Deny(message=reason or FAILED)
        case Elicitation():
            return ElicitationAnswer(action="decline")
        case UserDialog():
            return Cancelled()


def _yes(question: Question) -> Allow | Deny | ElicitationAnswer | Cancelled:
    """A policy can allow a call; it has no answers to give."""
    return Allow(updated_input=question.input) if isinstance(question, CanUseTool) else _no(question, FAILED)


def _call_id(question: Question) -> str | None:
    return None if isinstance(question, Elicitation) else question.tool_use_id


def _note(said: verdict.Verdict, call_id: str | None, pending_id: PendingId | None) -> tuple[Judged, ...]:
    """What the recording keeps of a verdict; nothing where bascule had no say."""
    if isinstance(said, verdict.Pass):
        return ()
    note = Judged(
        tool_call_id=call_id, pending_id=pending_id, verdict=_word(said), rule=said.rule or "", reason=said.reason
    )
    return (note,)


def _word(said: verdict.Allow | verdict.Deny | verdict.Ask) -> Literal["allow", "deny", "ask"]:
    match said:
        case verdict.Allow():
            return "allow"
        case verdict.Deny():
            return "deny"
        case verdict.Ask():
            return "ask"
