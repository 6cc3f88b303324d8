"""Judges calls: by the rules of now, by what people granted, and by what the CLI told of a call before.

Pure but for the files that a path leads through (``facts.py``). Who is answered with a verdict, and how, is not decided
here (``gate.py``).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from bascule.events import AnyEvent, ToolUpdate
from bascule.policy import chain, matching, verdict
from bascule.policy.call import Call
from bascule.policy.grants import Grant, folder_of
from bascule.policy.matching import Cover
from bascule.policy.policies import Policy
from bascule.policy.rules import HERE, Rule
from bascule.recording import Judged
from bascule.session.facts import Ground
from bascule.session.granted import PLAN, GrantsHeld, Spawn
from bascule.session.line import Line
from bascule.session.past import Past
from bascule.session.standing import Standing
from bascule.session.verbs import Question
from bascule.wire.control import CanUseTool
from bascule.wire.hooks import HookInput, PreSkillShellCommand, PreToolUse
from bascule.wire.permissions import ACCEPT_EDITS

TRUSTED: Final = f"edits are accepted, so Claude Code runs this unasked in its mode {ACCEPT_EDITS}"


class Doubt(NamedTuple):
    """Why a call goes to a person: what our hook saw when it said *ask*."""

    cwd: str
    """Where the CLI stood; the ask itself does not tell."""
    grants: tuple[Grant, ...]
    """What was granted by then, and did not cover the call."""
    by_rule: bool
    """A rule wants it asked, which no grant stands above."""


NO_DOUBT: Final = Doubt(cwd="", grants=(), by_rule=False)


class Judge:
    """The calls of one session."""

    def __init__(
        self,
        line: Line,
        ground: Ground,
        standing: Standing,
        granted: GrantsHeld,
        *,
        attended: bool,
        spawn: Spawn,
    ) -> None:
        self._line = line
        self._ground = ground
        self._standing = standing
        self._granted = granted
        self._attended = attended
        self._spawn = spawn
        self._asked: dict[str, Doubt] = {}
        """Calls that our hook wants asked, until the CLI asks about them."""
        self._stood: dict[str, str] = {}
        """Where the CLI stood when it made a call that was asked about, for judging it anew once it is edited."""
        self._trusted: set[str] = set()
        """Calls that trust in edits covered, when our hook left them to the CLI."""
        self._unasked: dict[str, Rule] = {}
        """Commands that were left to the CLI and write, which it may ask about or not; and what they then ran under."""

    def goes_on(self, past: Past) -> None:
        """After another host: with the calls that its hook wanted asked."""
        for call_id, doubted in past.doubts.items():
            held = [grant for each in self._granted.held if each.id in doubted.grants for grant in each.grants]
            # What outlives sessions may have been granted by then: a person is asked once more, rather than not.
            self._asked[call_id] = Doubt(doubted.cwd, self._standing.grants(tuple(held)), doubted.by_rule)

    def on_call(self, told: HookInput) -> verdict.Verdict:
        """What is to become of the call that a hook is told of."""
        if not isinstance(told, PreToolUse | PreSkillShellCommand):
            return verdict.Deny(rule="unreadable", reason="bascule could not read what this call would do")
        call = self._ground.call(told.tool_name, told.tool_input, cwd=told.cwd)
        policy, grants, now = self._standing.policy(), self._grants(), _now_ms()
        said = chain.judge(
            policy,
            call,
            mode=self._mode(told),
            attended=self._attended,
            grants=grants,
            now=now,
        )
        if grants and isinstance(said, verdict.Allow):
            self._count(chain.covers(policy, call, grants=grants, now=now), grants)
        return said

    def doubts(self, call_id: str, cwd: str | None, said: verdict.Ask) -> None:
        """The hook was answered with *ask*, so the CLI will ask."""
        self._asked[call_id] = Doubt(cwd or "", self._grants(), said.rule is not None)

    def trusts(self, call_id: str, told: PreToolUse) -> Judged | None:
        """The note that trust in edits covers a call which is left to the CLI; None: it does not, or nobody knows yet.

        The CLI's mode for that lets commands pass as well. Which, it decides; so a command that writes is covered when
        it has run and nobody was asked (``happened``).
        """
        rules = self._granted.edits if told.permission_mode in (None, ACCEPT_EDITS) else ()
        if not rules or self._line.fold.mode != ACCEPT_EDITS:
            return None
        call = self._ground.call(told.tool_name, told.tool_input, cwd=told.cwd)
        covers = matching.coverage(rules, call, _now_ms())
        if all(cover.rule for cover in covers):
            self._trusted.add(call_id)
            return self._covered_by_trust(call_id, covers[0].rule or rules[0])
        if call.runs and call.written:
            self._unasked[call_id] = rules[0]
        return None

    def happened(self, event: AnyEvent) -> None:
        """An event was published: what is over needs no judging any more."""
        if not isinstance(event, ToolUpdate) or event.tool_status == "running":
            return
        call_id = event.tool_call_id
        unasked = self._unasked.pop(call_id, None)
        if unasked is not None and event.tool_status in ("complete", "error"):
            self._line.note(self._covered_by_trust(call_id, unasked))
        self._trusted.discard(call_id)
        self._asked.pop(call_id, None)
        self._stood.pop(call_id, None)

    def _covered_by_trust(self, call_id: str, rule: Rule) -> Judged:
        self._granted.covered((Cover(text="", rule=rule),))
        return Judged(tool_call_id=call_id, verdict="allow", rule=rule.named, reason=TRUSTED)

    def on_ask(self, question: CanUseTool) -> verdict.Verdict:
        """What is to become of the call that the CLI asks about."""
        call_id = question.tool_use_id or ""
        self._unasked.pop(call_id, None)
        doubt = self._asked.pop(call_id, NO_DOUBT)
        if doubt.cwd:
            self._stood[call_id] = doubt.cwd
        call = self._ground.call(question.tool_name, question.input, cwd=doubt.cwd or None)
        # A grant that did not cover the call for our hook, which knows more, does not cover it now.
        grants = [grant for grant in self._grants() if grant not in doubt.grants]
        policy, now = self._standing.policy(), _now_ms()
        if doubt.by_rule or _wants_it_asked(policy, call, now):
            policy, grants = replace(policy, approves_plans=False), []
        said = chain.judge_ask(policy, call, attended=self._attended, grants=grants, now=now)
        if isinstance(said, verdict.Allow) and call_id not in self._trusted:
            self._count(chain.covers(policy, call, grants=grants, now=now), grants)
        return said

    def on_edited(self, question: CanUseTool, given: Mapping[str, Any]) -> verdict.Verdict:
        """What would become of the call that a person made of the one that ``question`` asks about."""
        edited = self._ground.call(question.tool_name, given, cwd=self._stood.get(question.tool_use_id or ""))
        policy = self._standing.policy()
        if policy.governs and (touched := next(matching.ours(edited), None)):
            return verdict.Deny(rule="bascule", reason=f"{touched} is bascule's own")
        return chain.judge_ask(policy, edited, attended=True, now=_now_ms())

    def folder_of(self, question: Question) -> str:
        """The folder that a grant for what is asked about is held to."""
        if not isinstance(question, CanUseTool):
            return HERE
        stood = self._stood.get(question.tool_use_id or "")
        return folder_of(self._ground.call(question.tool_name, question.input, cwd=stood))

    def _mode(self, told: PreToolUse | PreSkillShellCommand) -> str | None:
        """The mode that the call is judged in. A subagent may have a mode of its own, which its hook tells and which
        does not lead out of the session's plan mode (2.1.197, ``permissionMode`` of an agent)."""
        return PLAN if self._line.fold.mode == PLAN else told.permission_mode

    def _count(self, covers: Sequence[Cover], grants: Sequence[Grant]) -> None:
        """A call runs since these rules allow it: the grants among them were used."""
        self._granted.covered(covers)
        if lasting := self._standing.lasting(covers, grants):
            self._spawn(self._standing.used(lasting), name="grants used")

    def _grants(self) -> tuple[Grant, ...]:
        """What a person allowed beyond one call, in this session or for longer."""
        return self._standing.grants(self._granted.grants)


def _wants_it_asked(policy: Policy, call: Call, now: int) -> bool:
    asking = (rule for rule in policy.rules if rule.action == "ask")
    return policy.governs and any(matching.touches(rule, call, now) for rule in asking)


def _now_ms() -> int:
    return int(time.time() * 1000)
