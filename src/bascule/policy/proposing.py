"""Rules that would have answered as people did, from what they allowed more than once.

The narrowest that does: the call to the letter where it came again, else what calls with different words have in
common. Nothing is proposed for a call that bears a risk mark, or of which not all is known, since a rule would take
away the look that it needs; nor a rule that would have allowed what somebody refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from bascule.policy import matching, places
from bascule.policy.call import Call
from bascule.policy.rules import Rule, parse
from bascule.tools.risks import marks
from bascule.tools.suggest import suggestions


class Answered(NamedTuple):
    """What a person said to a call."""

    call: Call
    allowed: bool
    session: str
    """In which session; a rule is worth more that many of them would have used."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, and what it would have spared."""

    rule: Rule
    asks: int
    """Asks that were answered with yes, and that it covers."""
    sessions: int


def propose(answered: Iterable[Answered], *, least: int) -> tuple[Proposal, ...]:
    """Rules each of which covers ``least`` asks or more that were allowed; the most useful first."""
    known = list(answered)
    allowed = [one for one in known if one.allowed and _is_plain(one.call)]
    refused = [one for one in known if not one.allowed]
    covered = {rule: _covered(rule, allowed) for rule in dict.fromkeys(_candidates(allowed, least))}
    chosen = {rule: asks for rule, asks in covered.items() if len(asks) >= least and not _covered(rule, refused)}
    useful = [
        Proposal(rule=rule, asks=len(asks), sessions=len({one.session for one in asks}))
        for rule, asks in chosen.items()
        if not any(_is_part(asks, others) for others in chosen.values())
    ]
    return tuple(sorted(useful, key=lambda proposal: -proposal.asks))


def _is_plain(call: Call) -> bool:
    """Nothing about it wants to be looked at each time."""
    return call.facts.allowable and not call.facts.fills and not marks(call.facts, call.ground.workspace)


def _candidates(allowed: Sequence[Answered], least: int) -> Iterator[Rule]:
    """Of each call its rule to the letter, and wider ones where calls that are not the same would need them."""
    for one in allowed:
        rules = _rules(one.call)
        yield from rules[:1]
        needed = (rule for rule in rules[1:] if len({_said(a.call) for a in _covered(rule, allowed)}) >= least)
        yield from islice(needed, 1)


def _rules(call: Call) -> list[Rule]:
    """What *always* would offer, without what is too wide for nobody having asked for it: a whole tool where less can
    be said, a whole server, the whole workspace."""
    told = [_in_workspace(parse(one.rule), call) for one in suggestions(call.facts)]
    says_more = call.runs or call.paths or call.facts.urls
    return [
        rule
        for rule in told
        if not (says_more if rule.match is None else rule.match == "./**") and "*" not in rule.tool
    ]


def _in_workspace(rule: Rule, call: Call) -> Rule:
    """The rule with its path as the workspace has it, so that it holds for whoever has it elsewhere."""
    match = rule.match
    if call.runs or match is None or not places.inside(match, call.ground.workspace):
        return rule
    return msgspec.structs.replace(rule, match=f"./{match.removeprefix(call.ground.workspace).lstrip('/')}")


def _said(call: Call) -> str:
    return call.facts.command or repr(call.facts.input)


def _covered(rule: Rule, answered: Sequence[Answered]) -> list[Answered]:
    return [one for one in answered if covers(rule, one.call)]


def covers(rule: Rule, call: Call) -> bool:
    """Whether ``rule`` allows the whole of ``call`` by itself, whatever its end."""
    lasting = msgspec.structs.replace(rule, until=None)
    return all(cover.rule is not None for cover in matching.coverage([lasting], call, 0))


def _is_part(asks: Sequence[Answered], others: Sequence[Answered]) -> bool:
    """Whether ``others`` are all of ``asks``, and more."""
    return len(others) > len(asks) and all(any(one is other for other in others) for one in asks)
