"""Judges calls: by the rules of now, by what people granted, and by what the CLI told of a call before.

What may be is decided in ``policy/``; here it gets its facts (``facts.py``), and what came of it is counted and noted.
Who is answered with a verdict, and how, is not decided here (``gate.py``).
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

TRUST_OVER: Final = "the time is over for which edits were trusted"


class Seen(NamedTuple):
    """What our hook saw of a call, and said of it."""

    cwd: str = ""
    """Where the CLI stood; its ask does not tell."""
    grants: tuple[Grant, ...] = ()
    """What was granted by then and did not cover the call, where it was to be asked about."""
    by_rule: bool = False
    """A rule wants it asked, which no grant stands above."""
    trust: Rule | None = None
    """It was left to the CLI while edits are trusted: what that trust says."""
    counted: bool = False
    """The trust covers it. Else it is a command that writes, which the CLI lets pass or asks about."""


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
        self._seen: dict[str, Seen] = {}
        """By the ids of the calls, until they are over: the CLI may ask about one more than once."""

    def goes_on(self, past: Past) -> None:
        """After another host: with what its hook saw of the calls that are not over."""
        self._seen.update((call_id, Seen(cwd)) for call_id, cwd in past.stood.items())
        for call_id, doubted in past.doubts.items():
            held = [grant for each in self._granted.held if each.id in doubted.grants for grant in each.grants]
            # What outlives sessions may have been granted by then: a person is asked once more, rather than not.
            self._seen[call_id] = Seen(doubted.cwd, self._standing.grants(tuple(held)), doubted.by_rule)

    def on_call(self, told: HookInput, call_id: str | None) -> verdict.Verdict:
        """What is to become of the call that a hook is told of. It is remembered by ``call_id``; None: it is none."""
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
        if isinstance(told, PreToolUse) and call_id is not None:
            self._seen[call_id] = self._remembered(said, told, call, grants)
        return (
            self._overstayed() if isinstance(said, verdict.Pass) and self._granted.overstays and call.written else said
        )

    def _overstayed(self) -> verdict.Verdict:
        """The CLI would let it pass, since it is still in the mode for trusted edits, and nobody trusts them now."""
        if self._attended:
            return verdict.Ask(reason=TRUST_OVER)
        return verdict.Deny(rule="nobody is watching", reason=TRUST_OVER)

    def _remembered(self, said: verdict.Verdict, told: PreToolUse, call: Call, grants: tuple[Grant, ...]) -> Seen:
        seen = Seen(told.cwd or "")
        match said:
            case verdict.Ask(rule=rule):
                return seen._replace(grants=grants, by_rule=rule is not None)
            case verdict.Pass() if (
                told.permission_mode in (None, ACCEPT_EDITS) and self._line.fold.mode == ACCEPT_EDITS
            ):
                return self._trusting(seen, call)
        return seen

    def _trusting(self, seen: Seen, call: Call) -> Seen:
        """The CLI's mode for trusted edits lets some commands pass as well; which, it decides."""
        rules = self._granted.edits
        covers = matching.coverage(rules, call, _now_ms())
        if rules and all(cover.rule for cover in covers):
            return seen._replace(trust=covers[0].rule, counted=True)
        return seen._replace(trust=rules[0]) if rules and call.runs and call.written else seen

    def trusted(self, call_id: str) -> tuple[Judged, ...]:
        """The note that trust in edits covers a call which is left to the CLI; none where it does not.

        Of a command that writes nobody knows: it is covered when it has run and nobody was asked (``happened``).
        """
        seen = self._seen.get(call_id, Seen())
        return (self._covered_by_trust(call_id, seen.trust),) if seen.trust is not None and seen.counted else ()

    def happened(self, event: AnyEvent) -> None:
        """An event was published: what is over needs no judging any more."""
        if not isinstance(event, ToolUpdate) or event.tool_status == "running":
            return
        seen = self._seen.pop(event.tool_call_id, Seen())
        if seen.trust is not None and not seen.counted and event.tool_status in ("complete", "error"):
            self._line.note(self._covered_by_trust(event.tool_call_id, seen.trust))

    def _covered_by_trust(self, call_id: str, rule: Rule) -> Judged:
        self._granted.covered((Cover(text="", rule=rule),))
        return Judged(tool_call_id=call_id, verdict="allow", rule=rule.named, reason=TRUSTED)

    def on_ask(self, question: CanUseTool) -> verdict.Verdict:
        """What is to become of the call that the CLI asks about."""
        call_id = question.tool_use_id or ""
        seen = self._seen.get(call_id, Seen())
        if not seen.counted:
            self._seen[call_id] = seen._replace(trust=None)
        call = self._ground.call(question.tool_name, question.input, cwd=seen.cwd or None)
        policy, now = self._standing.policy(), _now_ms()
        grants = self._answering(question, seen)
        if seen.by_rule or chain.wants_it_asked(policy, call, now):
            policy, grants = replace(policy, approves_plans=False), ()
        said = chain.judge_ask(policy, call, attended=self._attended, grants=grants, now=now)
        if isinstance(said, verdict.Allow) and not seen.counted:
            self._count(chain.covers(policy, call, grants=grants, now=now), grants)
        return said

    def _answering(self, question: CanUseTool, seen: Seen) -> tuple[Grant, ...]:
        """The grants that may answer in a person's place. None where the CLI wants a person, or would take no *always*;
        and one that did not cover the call for our hook, which knows more, does not cover it now.
        """
        if question.requires_user_interaction or question.suppress_always_allow_rule or question.server_policy_ask_only:
            return ()
        return tuple(grant for grant in self._grants() if grant not in seen.grants)

    def on_edited(self, question: CanUseTool, given: Mapping[str, Any]) -> verdict.Verdict:
        """What would become of the call that a person made of the one that ``question`` asks about."""
        edited = self._ground.call(question.tool_name, given, cwd=self._cwd(question))
        policy = self._standing.policy()
        if policy.governs and (touched := next(matching.ours(edited), None)):
            return verdict.Deny(rule="bascule", reason=f"{touched} is bascule's own")
        return chain.judge_ask(policy, edited, attended=True, now=_now_ms())

    def folder_of(self, question: Question) -> str:
        """The folder that a grant for what is asked about is held to."""
        if not isinstance(question, CanUseTool):
            return HERE
        return folder_of(self._ground.call(question.tool_name, question.input, cwd=self._cwd(question)))

    def _cwd(self, question: CanUseTool) -> str | None:
        return self._seen.get(question.tool_use_id or "", Seen()).cwd or None

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


def _now_ms() -> int:
    return int(time.time() * 1000)
