"""Whether a rule holds for a call, in the two directions of doubt.

To allow, rules must *cover* the call: all of it is known, and each part of it is said by a rule. To deny or to ask, it
is enough that a rule *touches* it: some part could be what the rule means, and what is not known could be, too.

A command line has a part for each simple command in it, and several rules may cover it together; every other call is
one part. A line that holds a doubt is covered by nothing but a rule that says its text to the letter, and one that is
to run outside of the sandbox by nothing at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from bascule.policy import globs, places, words
from bascule.policy.call import Call
from bascule.policy.rules import HERE, Rule
from bascule.tools import filling, programs, startup
from bascule.tools.carried import carried
from bascule.tools.facts import SimpleCommand
from bascule.tools.names import EDIT, READ, aliases

_RENDERED_LIMIT: Final = 1_000_000
"""Characters of an input as JSON above which it is not looked through; a doubt like any other."""


class Cover(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a call, and the rule that covers it."""

    text: str
    """The simple command as written; of any other call the tool's name."""
    rule: Rule | None
    """Null: nothing covers it."""


def touches(rule: Rule, call: Call, now: int) -> bool:
    """Whether a rule that denies or asks is about this call; ``now`` is UTC ms."""
    if _concerns(rule, call, now):
        meant = rule.match is None or _touches_match(rule.match, call)
    else:
        meant = _holds(rule, now) and _touches_files(rule, call)
    return meant and _is_bound_to(rule, call)


def may_touch(rule: Rule, call: Call, now: int) -> bool:
    """Whether a rule that denies or asks could be about this call, though nobody knows: its words stand where another
    command may, in one that nobody knows to run anything; or its files may be among those that are written unnamed.
    """
    if rule.match is not None and _concerns(rule, call, now) and _is_bound_to(rule, call):
        return _may_run(rule.match, call) or _may_fill(rule, rule.match, call)
    return _holds(rule, now) and _may_fill(rule, rule.match or rule.where, call)


def _may_fill(rule: Rule, pattern: str | None, call: Call) -> bool:
    """Whether one of the files that ``rule`` means may be written without being named."""
    if pattern in (None, places.ANYWHERE, places.WORKSPACE) or _is_phrase(pattern) or not _is_about(rule, EDIT):
        return False
    return any(places.may_lie_below(pattern, folder, call.ground) for folder in call.facts.fills)


def _may_run(match: str, call: Call) -> bool:
    found = [each for command in call.facts.commands for each in carried(command.words) if each.how != "run"]
    return any(words.touches_within(match, each.spread) for each in found) or any(
        words.touches_text(match, word) for each in found for word in each.words if words.may_be_text(word)
    )


def _is_bound_to(rule: Rule, call: Call) -> bool:
    """Whether the call may happen where the rule denies or asks."""
    return (rule.where is None or _touches_place(rule.where, call)) and not _exempt(rule.unless, call)


def coverage(rules: Iterable[Rule], call: Call, now: int) -> tuple[Cover, ...]:
    """The parts of the call, at least one, each with the first of the allow ``rules`` that covers it."""
    about = [rule for rule in rules if _concerns(rule, call, now)]
    facts = call.facts
    if facts.command is None:
        return (Cover(text=facts.tool, rule=_first(call, (rule for rule in about if _covers_match(rule.match, call)))),)
    exact = _first(call, (rule for rule in about if _is_exact(rule, facts.command) and not facts.unsandboxed))
    if exact is not None or not facts.allowable:
        return (Cover(text=facts.command, rule=exact),)
    return tuple(Cover(text=one.text, rule=_first(call, _covering(about, one))) for one in facts.commands)


def _is_exact(rule: Rule, command: str) -> bool:
    """The rule says the line to the letter; ``ls *`` is a pattern, and not the command whose star the shell expands."""
    return rule.match is not None and rule.match == command.strip(" \t\n") and not words.has_gap(rule.match)


def _first(call: Call, meant: Iterator[Rule]) -> Rule | None:
    """The first of the rules that mean the call, or a part of it, whose place holds too."""
    return next((rule for rule in meant if _in_place(rule, call)), None)


def _covering(rules: Sequence[Rule], command: SimpleCommand) -> Iterator[Rule]:
    """A search through folders may show what a rule excepts."""
    prints = programs.prints_what_it_finds(command.words)
    said = (rule for rule in rules if rule.match is None or words.covers(rule.match, command.words))
    return (rule for rule in said if not (rule.unless and prints) and not unsaid(rule, command))


def unsaid(rule: Rule, command: SimpleCommand) -> Sequence[str]:
    """The words that an allow rule would have to say, and does not: by them the command writes files that it does not
    name, and whoever wrote ``git *`` may not have thought of it.
    """
    patterns = [pattern for pattern in _words_of(rule) if pattern.lstrip("-")[:1] not in ("", "*", "?", "[")]
    telling = filling.telling(command.words)
    return [word for word in telling if not any(globs.one(pattern, word) for pattern in patterns)]


def _words_of(rule: Rule) -> Sequence[str]:
    return () if rule.match is None else words.pattern_words(rule.match)


def _concerns(rule: Rule, call: Call, now: int) -> bool:
    """The rule still holds, and is about the tool by one of its names."""
    return _holds(rule, now) and any(_is_about(rule, name) for name in aliases(call.facts.tool))


def _holds(rule: Rule, now: int) -> bool:
    return rule.until is None or now < rule.until


def _is_about(rule: Rule, name: str) -> bool:
    return any(globs.one(pattern, name) for pattern in globs.alternatives(rule.tool))


def _in_place(rule: Rule, call: Call) -> bool:
    """Whether all that the call is known to touch lies where the rule allows."""
    stands = (call.cwd,) if call.runs else ()
    touched = (*call.paths, *stands)
    if rule.where not in (None, places.ANYWHERE) and not touched:
        return False
    bound = stands if rule.where is None and _says_its_place(rule, call) else touched
    where = rule.where or places.WORKSPACE
    return (
        (where == places.ANYWHERE or not call.facts.blind)
        and not (rule.unless and (_prints_unseen(call) or call.facts.fills))
        and stands_as_given(rule, call)
        and all(places.covers(where, path, call.ground) for path in bound)
        and all(places.covers(places.WORKSPACE, path, call.ground) for path in _redirected(call))
        and not any(places.touches(pattern, path, call.ground) for pattern in rule.unless for path in touched)
        and not any(ours(call))
        and not any(unnamed(rule, call))
        and not any(unfollowed(rule, call))
    )


def stands_as_given(rule: Rule, call: Call) -> bool:
    """Whether a command stands in the folder that the rule holds in. What runs no command stands in the workspace."""
    if rule.stands is None or not call.runs:
        return rule.stands in (None, HERE)
    folder = rule.stands if rule.stands.startswith("/") else f"{call.ground.workspace}/{rule.stands}"
    return call.cwd == (call.ground.workspace if rule.stands == HERE else folder)


def _prints_unseen(call: Call) -> bool:
    """Lines of files whose names nobody knows beforehand: what a rule excepts may be among them."""
    return call.facts.prints and call.facts.reads[0] not in call.files


def ours(call: Call) -> Iterator[str]:
    """The paths that no rule opens: bascule's own, and what holds bascule's own where it is changed, or handed to a
    program that may change it.

    What comes into the workspace itself comes under its own name, and whoever brings a ``.bascule`` would have to name
    it (``unnamed``); rsync lays the folder over all that is there.
    """
    for folder in call.protected:
        yield from (path for path in (*call.paths, *((call.cwd,) if call.runs else ())) if places.inside(path, folder))
        yield from (path for path in call.facts.deletes if places.inside(folder, path))
        yield from (
            path
            for path in (*call.facts.writes, *call.facts.handed, *call.facts.fills)
            if places.inside(folder, path) and not _comes_by_name(path, folder, call)
        )


def _comes_by_name(path: str, folder: str, call: Call) -> bool:
    workspace = call.ground.workspace
    return (
        path == workspace
        and places.inside(folder, f"{workspace}/.bascule")
        and not any(programs.program(command.words) == "rsync" for command in call.facts.commands)
    )


def unnamed(rule: Rule, call: Call) -> Iterator[str]:
    """The paths that an allow rule would have to name: what changes later runs or holds secrets, and is written, or
    handed to a program that may write it.
    """
    if _is_exact(rule, call.facts.command or ""):
        return
    said = [*_said(rule, call), *filter(None, [rule.where])]
    for path in filter(startup.may_be_guarded, (*call.written, *call.facts.handed)):
        for pattern in startup.PATTERNS:
            if places.touches(pattern, path, call.ground) and not any(
                places.touches(pattern, text, call.ground) for text in said
            ):
                yield path


def _said(rule: Rule, call: Call) -> Iterable[str]:
    return _words_of(rule) if call.runs else filter(None, [rule.match])


def unfollowed(rule: Rule, call: Call) -> Iterator[str]:
    """The folders whose settings would be followed, and that an allow rule would have to name: all but the workspace,
    for below it somebody may have put settings.
    """
    named = rule.where if rule.where != places.WORKSPACE else None
    for folder in call.facts.follows:
        if folder != call.ground.workspace and not (named and places.covers(named, folder, call.ground)):
            yield folder


def _says_its_place(rule: Rule, call: Call) -> bool:
    """Whoever made the rule saw the place in it: an absolute path, or a command without wildcards."""
    match = rule.match or ""
    if call.facts.command is None:
        return match.startswith(("/", "~/"))
    return _is_exact(rule, call.facts.command) or words.is_literal(match)


def _redirected(call: Call) -> tuple[str, ...]:
    """What must lie in the workspace whatever a rule says: all that a line with a redirection writes."""
    writes = any(one.writes and one.path for command in call.facts.commands for one in command.redirections)
    return call.facts.writes if writes else ()


def _covers_match(match: str | None, call: Call) -> bool:
    if match is None:
        return True
    facts = call.facts
    if call.paths:
        return all(places.covers(match, path, call.ground) for path in call.paths)
    if facts.urls:
        return all(places.covers_url(match, url, host) for url, host in zip(facts.urls, facts.hosts, strict=True))
    rendered = _rendered(call)
    return rendered is not None and globs.one(match, rendered)


def _touches_match(match: str, call: Call) -> bool:
    facts = call.facts
    urls = zip(facts.urls, facts.hosts, strict=True)
    return (
        (not _is_phrase(match) and any(places.touches(match, path, call.ground) for path in call.paths))
        or any(places.touches_url(match, url, host) for url, host in urls)
        or (_touches_command(match, call) if call.runs else _touches_input(match, call))
    )


def _touches_files(rule: Rule, call: Call) -> bool:
    """A rule on the reading or the editing of some files, and a command that may do so to one of them."""
    facts = call.facts
    if rule.match is None or not call.runs:
        return False
    paths = (
        *((*facts.reads, *facts.deletes) if _is_about(rule, READ) else ()),
        *(call.written if _is_about(rule, EDIT) else ()),
    )
    doubted = not facts.allowable and (_is_about(rule, READ) or _is_about(rule, EDIT))
    return any(places.touches(rule.match, path, call.ground) for path in paths) or (
        doubted and words.touches_text(rule.match, facts.command or "")
    )


def _is_phrase(match: str) -> bool:
    """``rm *`` means a command and no file, though the words ``rm x`` in quotes could name one."""
    return any(character.isspace() for character in match.strip())


def _touches_command(match: str, call: Call) -> bool:
    facts = call.facts
    if any(words.touches(match, command.words) or _touches_run(match, command) for command in facts.commands):
        return True
    return not facts.allowable and words.touches_text(match, facts.command or "")


def _touches_run(match: str, command: SimpleCommand) -> bool:
    """Whether the command is a runner's, and what it runs may be meant."""
    return any(
        words.touches(match, each.words) if each.how == "run" else words.touches_within(match, each.spread)
        for each in carried(command.words)
        if each.how != "perhaps"
    )


def _touches_input(match: str, call: Call) -> bool:
    """Only where neither a path nor an address tells what the call is about."""
    if call.paths or call.facts.urls:
        return False
    rendered = _rendered(call)
    return rendered is None or globs.one(f"*{match.casefold()}*", rendered.casefold())


def _rendered(call: Call) -> str | None:
    """The input as JSON, keys sorted; null for one that is none, or too long."""
    try:
        text = json.dumps(call.facts.input, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= _RENDERED_LIMIT else None


def _touches_place(where: str, call: Call) -> bool:
    touched = (*call.paths, *((call.cwd,) if call.runs else ()))
    return not touched or not call.facts.allowable or any(places.touches(where, path, call.ground) for path in touched)


def _exempt(unless: Sequence[str], call: Call) -> bool:
    """Whether all that the call touches is known, and excepted."""
    if not unless or not call.paths or not call.facts.allowable:
        return False
    return all(any(places.covers(pattern, path, call.ground) for pattern in unless) for path in call.paths)
