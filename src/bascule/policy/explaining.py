"""Why a call is covered or not, part by part, for people who write rules.

Nothing is decided here: what holds is asked of ``matching``, and a rule that does not hold is asked again with one of
its conditions taken away, until it is known which one failed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from bascule.policy import globs, matching, places, words
from bascule.policy.call import Call
from bascule.policy.rules import Rule, parse
from bascule.tools.facts import Facts, SimpleCommand
from bascule.tools.suggest import suggestions

_ENDED: Final = 1_001
_ELSEWHERE: Final = 1_000
"""How near a rule is whose words fit; of any other, the words that it has in common with the command."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command of a line; any other call as a whole."""

    text: str
    rule: Rule | None = None
    """What covers it."""
    near: Rule | None = None
    """Where nothing does, the rule that comes nearest; null: none is about the tool."""
    why: str
    """Why it is covered, or why ``near`` does not cover it."""
    would: tuple[str, ...] = ()
    """Where nothing covers it, rules that would, the narrowest first; none where no rule can."""


class _Miss(NamedTuple):
    near: int
    why: str
    rule: Rule


def explain(rules: Sequence[Rule], call: Call, now: int) -> tuple[Part, ...]:
    """The parts of ``call``, at least one, with what the allow ``rules`` say about each; ``now`` is UTC ms."""
    covers = matching.coverage(rules, call, now)
    if call.facts.command is None or (len(covers) == 1 and covers[0].rule is not None):
        return tuple(_part(cover.text, cover.rule, call, call, rules, now) for cover in covers)
    found = [cover.rule for cover in covers] if call.facts.allowable else [None for _ in call.facts.commands]
    known = [rule for rule in rules if _is_about(rule, call, now)] or _imagined(call)
    ranked = sorted(known, key=lambda rule: rule not in found)
    return tuple(
        _part(command.text, rule, _alone(command, call), call, ranked, now)
        for command, rule in zip(call.facts.commands, found, strict=True)
    )


def _imagined(call: Call) -> list[Rule]:
    """A rule that nobody wrote, about the first of several commands, for showing that it would not cover the others."""
    first, *others = call.facts.commands
    return [parse(one.rule) for one in suggestions(_alone(first, call).facts)[-1:]] if others else []


def _alone(command: SimpleCommand, call: Call) -> Call:
    """The call as if it were this command only. What the line touches stays: a place is judged for all of it."""
    facts = msgspec.structs.replace(call.facts, command=command.text, commands=(command,))
    return msgspec.structs.replace(call, facts=facts)


def _part(text: str, rule: Rule | None, alone: Call, call: Call, rules: Sequence[Rule], now: int) -> Part:
    if rule is not None:
        return Part(text=text, rule=rule, why=rule.reason or f"the rule {rule} allows it")
    misses = [_miss(rule, alone, now) for rule in rules if _is_about(rule, alone, now)]
    nearest = max(misses, key=lambda miss: miss.near, default=None)
    return Part(
        text=text,
        near=None if nearest is None or not nearest.rule.source else nearest.rule,
        why=_why(call.facts, nearest),
        would=tuple(_would(alone if call.facts.allowable else call, now)),
    )


def _would(call: Call, now: int) -> Iterator[str]:
    for suggestion in suggestions(call.facts):
        if _covers(parse(suggestion.rule), call, now):
            yield suggestion.rule


def _why(facts: Facts, nearest: _Miss | None) -> str:
    doubts = [doubt for command in facts.commands for doubt in command.doubts]
    if facts.unsandboxed:
        return "it asks to run outside of the sandbox, which no rule allows"
    if doubts:
        return f"no pattern vouches for it ({', '.join(dict.fromkeys(doubts))}); only a rule with the whole line does"
    if nearest is None:
        return f"no rule is about {facts.tool}"
    if not nearest.rule.source and nearest.near == _ELSEWHERE:
        return f"no rule is about {facts.tool}"
    if not nearest.rule.source:
        return f"no rule is about {facts.tool}, and {nearest.rule} would not cover it: {nearest.why}"
    return nearest.why


def _is_about(rule: Rule, call: Call, now: int) -> bool:
    bare = Call(facts=Facts(tool=call.facts.tool), ground=call.ground, cwd=call.cwd)
    return _covers(msgspec.structs.replace(rule, match=None, where=places.ANYWHERE, unless=(), until=None), bare, now)


def _covers(rule: Rule, call: Call, now: int) -> bool:
    return all(cover.rule is not None for cover in matching.coverage([rule], call, now))


def _miss(rule: Rule, call: Call, now: int) -> _Miss:
    """Why ``rule``, which is about the tool, does not cover ``call``: its words, its end, or its place."""
    if (unlike := _unlike(rule, call)) is not None:
        return _Miss(*unlike, rule)
    if rule.until is not None and now >= rule.until:
        ended = dt.datetime.fromtimestamp(rule.until / 1000, dt.UTC)
        return _Miss(_ENDED, f"it ended on {ended:%Y-%m-%d %H:%M} UTC", rule)
    return _Miss(_ELSEWHERE, _elsewhere(rule, call), rule)


def _unlike(rule: Rule, call: Call) -> tuple[int, str] | None:
    """How many words fit, and which one does not; None where all do."""
    facts = call.facts
    if rule.match is None:
        return None
    if facts.command is not None:
        given = facts.commands[0].words
        return None if words.covers(rule.match, given) else _other_words(words.pattern_words(rule.match), given)
    if call.paths:
        missed = [path for path in call.paths if not places.covers(rule.match, path, call.ground)]
    elif facts.urls:
        both = zip(facts.urls, facts.hosts, strict=True)
        missed = [url for url, host in both if not places.covers_url(rule.match, url, host)]
    else:
        missed = ["the input as JSON"]
    return (0, f"its pattern does not fit {missed[0]}") if missed else None


def _other_words(wanted: Sequence[str], given: Sequence[str]) -> tuple[int, str]:
    if not given:
        return 0, "nothing is known of the command's words"
    for at, (want, word) in enumerate(zip(wanted, given, strict=False)):
        if want == words.GAP:
            return at, "what it wants behind its star is not there"
        if not globs.one(want, word):
            return at, f"it says `{want}` where the command says `{word}`"
    common = min(len(wanted), len(given))
    if len(wanted) > common:
        return common, f"it wants `{wanted[common]}` where the command ends"
    if len(given) > common:
        return common, f"it ends where the command goes on with `{given[common]}`"
    return common, "its star does not climb out of a folder with `..`"


def _elsewhere(rule: Rule, call: Call) -> str:
    return next(_obstacles(rule, call), "which files the call reaches is not known beforehand")


def _obstacles(rule: Rule, call: Call) -> Iterator[str]:
    """Which of the places that the call reaches are not the rule's, the gravest first."""
    touched = (*call.paths, *((call.cwd,) if call.runs else ()))
    where = rule.where or places.WORKSPACE
    outside = [path for path in touched if not places.covers(where, path, call.ground)]
    yield from (f"{path} is or holds what is bascule's own, which no rule opens" for path in matching.ours(call))
    if not matching.stands_as_given(rule, call):
        yield f"it was given in another folder, and the command stands in {call.cwd}"
    yield from (
        f"it does not say `{word}`, by which files are written that no word names"
        for command in call.facts.commands
        for word in matching.unsaid(rule, command)[-1:]
    )
    yield from (f"it holds in {'the ' * (where == places.WORKSPACE)}{where}, and the call reaches {p}" for p in outside)
    yield from (
        f"a redirection writes {path}, which is outside of the workspace"
        for path in call.written
        if _redirects(call.facts) and not places.covers(places.WORKSPACE, path, call.ground)
    )
    yield from (
        f"it does not hold for {pattern}, and which files the call writes is not known"
        for pattern in rule.unless[: len(call.facts.fills)]
    )
    yield from (
        f"it does not hold for {pattern}, and the call reaches {path}"
        for path in touched
        for pattern in rule.unless
        if places.touches(pattern, path, call.ground)
    )
    yield from (
        f"it does not name {path}, which changes what runs later or holds secrets"
        for path in matching.unnamed(rule, call)
    )
    yield from (
        f"its `where` does not name {folder}, whose own settings could name programs"
        for folder in matching.unfollowed(rule, call)
    )


def _redirects(facts: Facts) -> bool:
    return any(one.writes for command in facts.commands for one in command.redirections)
