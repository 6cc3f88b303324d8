"""The order in which a call is judged, and why the order is this one.

Where bascule governs: deny rules, since nothing may overrule them; plan mode, since a plan that is not approved allows
no writing; ask rules; then all that can allow, taken together (a person's grants, the user's rules, the safe list);
then a person. Where the CLI governs: deny rules, and the rest is the CLI's. What a deny rule may mean, though nobody
knows, asks with the ask rules, also where the CLI governs. The first stage that settles a call ends the chain; the
verdict carries the stages up to it as its trail.

Nobody watching changes the end alone: what would ask is denied, with a reason that lets the model go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from bascule.policy import matching, places
from bascule.policy.call import Call
from bascule.policy.defaults import BARRED
from bascule.policy.grants import Grant
from bascule.policy.matching import Cover
from bascule.policy.policies import Policy
from bascule.policy.rules import Action, Rule
from bascule.policy.verdict import Allow, Ask, Deny, Pass, Stage, Step, Verdict

NOBODY: Final = "nobody is watching"
USE_JUDGEMENT: Final = "Nobody is watching to answer: use your judgement and state your assumption."
PLAN_FIRST: Final = "Plan first: in plan mode nothing is written before the plan is approved."
_PLAN_MODE: Final = "plan"


class _Case(NamedTuple):
    """All that a stage may look at."""

    policy: Policy
    call: Call
    mode: str | None
    attended: bool
    grants: Sequence[Grant]
    now: int


_Stage: TypeAlias = tuple[Stage, Callable[[_Case], Verdict | str]]
"""Its name, and what it finds: a verdict, or in words why it settled nothing."""

_End: TypeAlias = tuple[Stage, Callable[[_Case], Verdict]]
"""The stage that settles whatever came so far."""


def judge(
    policy: Policy, call: Call, *, mode: str | None, attended: bool, grants: Sequence[Grant] = (), now: int
) -> Verdict:
    """What ``policy`` says about ``call`` when its PreToolUse hook asks.

    ``mode``: the hook input's permission mode, which is not always the policy's. ``attended``: somebody could answer.
    ``now``: UTC ms. Never raises; what is in doubt asks, or is denied where nobody is there to be asked.
    """
    case = _Case(policy, call, mode, attended, grants, now)
    return _walk(_GOVERNED, _PERSON, case) if policy.governs else _walk(_UNGOVERNED, _CLI, case)


def judge_ask(policy: Policy, call: Call, *, attended: bool, grants: Sequence[Grant] = (), now: int) -> Verdict:
    """What ``policy`` says about a ``can_use_tool`` request; ``Ask`` puts it before a person. Never raises.

    The CLI has reasons of its own to ask, so no rule answers in a person's place, only a grant that a person gave.
    """
    return _walk(_ASKED, _PERSON, _Case(policy, call, None, attended, grants, now))


def wants_it_asked(policy: Policy, call: Call, now: int) -> bool:
    """Whether a rule wants ``call`` asked, or one that denies may mean it: no grant stands above that."""
    return not isinstance(_ask_rules(_Case(policy, call, None, True, (), now)), str)


def _walk(stages: Sequence[_Stage], end: _End, case: _Case) -> Verdict:
    trail: list[Step] = []
    for name, stage in stages:
        found = stage(case)
        if not isinstance(found, str):
            return _with_trail(found, trail, name)
        trail.append(Step(stage=name, why=found))
    name, last = end
    return _with_trail(last(case), trail, name)


def _with_trail(verdict: Verdict, trail: Iterable[Step], name: Stage) -> Verdict:
    rule = None if isinstance(verdict, Pass) else verdict.rule
    step = Step(stage=name, decided=True, rule=rule, why=verdict.reason)
    return msgspec.structs.replace(verdict, trail=(*trail, step))


def _deny_rules(case: _Case) -> Verdict | str:
    rule = _touching("deny", case)
    if rule is None:
        return "no rule denies it"
    return Deny(rule=rule.named, reason=rule.reason or f"The rule {rule} denies it.")


def _ask_rules(case: _Case) -> Verdict | str:
    rule = _touching("ask", case) or next(_that_may_touch("ask", case), None)
    if rule is not None:
        return _person(case, rule=rule.named, reason=rule.reason or f"the rule {rule} wants it asked")
    return _perhaps_denied(case)


def _perhaps_denied(case: _Case) -> Verdict | str:
    """A person knows better than a table whether a program runs the words that it is given."""
    rule = next(_that_may_touch("deny", case), None)
    if rule is None:
        return "no rule wants it asked"
    return _person(case, rule=rule.named, reason=f"it may do, by way of another program, what the rule {rule} denies")


def _touching(action: Action, case: _Case) -> Rule | None:
    return next((rule for rule in _rules(action, case) if matching.touches(rule, case.call, case.now)), None)


def _that_may_touch(action: Action, case: _Case) -> Iterator[Rule]:
    return (rule for rule in _rules(action, case) if matching.may_touch(rule, case.call, case.now))


def _rules(action: Action, case: _Case) -> Iterator[Rule]:
    barred = BARRED if case.policy.governs else ()
    return (rule for rule in (*case.policy.rules, *barred) if rule.action == action)


def _plan_first(case: _Case) -> Verdict | str:
    if case.mode != _PLAN_MODE:
        return "the mode is not plan"
    written = case.call.written
    if not written:
        return "nothing that it writes is known"
    plans = case.call.plans
    if plans is None or not all(places.inside(path, plans) for path in written):
        return Deny(rule="plan first", reason=PLAN_FIRST)
    if case.call.runs:
        return "it writes a plan, and may do more"
    return Allow(rule="plan first", reason="the CLI's own plans folder")


def _allowing(case: _Case) -> Verdict | str:
    if case.call.asks_for != "tool":
        return f"a {case.call.asks_for} is for a person"
    return _covered(covers(case.policy, case.call, grants=case.grants, now=case.now))


def _granting(case: _Case) -> Verdict | str:
    if case.call.asks_for != "tool":
        return f"a {case.call.asks_for} is for a person"
    return _covered(matching.coverage(_granted(case.grants), case.call, case.now))


def covers(policy: Policy, call: Call, *, grants: Sequence[Grant] = (), now: int) -> tuple[Cover, ...]:
    """The parts of ``call``, each with the grant or rule that allows it, for showing what *always* would still miss."""
    rules = (rule for rule in policy.rules if rule.action == "allow")
    return matching.coverage([*_granted(grants), *rules, *policy.safe], call, now)


def _granted(grants: Sequence[Grant]) -> list[Rule]:
    return [grant.rule for grant in grants]


def _covered(found: Sequence[Cover]) -> Verdict | str:
    missed = [cover.text for cover in found if cover.rule is None]
    if missed:
        return f"no rule allows {missed[0]}"
    rules = list(dict.fromkeys(cover.rule for cover in found if cover.rule is not None))
    return Allow(
        rule="; ".join(rule.named for rule in rules),
        reason="; ".join(dict.fromkeys(rule.reason or f"the rule {rule} allows it" for rule in rules)),
    )


def _approving(case: _Case) -> Verdict | str:
    if not _approves(case):
        return f"{case.policy.name} approves nothing by itself"
    return Allow(rule=case.policy.name, reason="the policy approves plans unseen")


def _left_to_the_cli(case: _Case) -> Verdict:
    return Pass(reason=f"under {case.policy.name} the CLI decides")


def _approves(case: _Case) -> bool:
    return case.policy.approves_plans and case.call.asks_for == "plan"


def _last(case: _Case) -> Verdict:
    if _approves(case):
        return Ask(reason="the plan is approved when the CLI asks about it")
    return _person(case, rule=None, reason="no rule covers it")


def _person(case: _Case, *, rule: str | None, reason: str) -> Verdict:
    """The end of the chain, and what takes its place when nobody is there."""
    if case.attended:
        return Ask(reason=reason, rule=rule)
    why = USE_JUDGEMENT if case.call.asks_for == "question" else f"{NOBODY}: {reason}"
    return Deny(rule=rule or NOBODY, reason=why)


_GOVERNED: Final[Sequence[_Stage]] = (
    ("deny rules", _deny_rules),
    ("plan", _plan_first),
    ("ask rules", _ask_rules),
    ("grants and allow rules", _allowing),
)
_UNGOVERNED: Final[Sequence[_Stage]] = (("deny rules", _deny_rules), ("ask rules", _perhaps_denied))
_ASKED: Final[Sequence[_Stage]] = (
    ("deny rules", _deny_rules),
    ("grants and allow rules", _granting),
    ("policy", _approving),
)
_PERSON: Final[_End] = ("person", _last)
_CLI: Final[_End] = ("policy", _left_to_the_cli)
