"""Risk marks: what a person should see before saying yes, and where it stands in the command.

Marks inform and never allow; that a program is not in the tables means nothing. They also look into what no pattern can
vouch for: behind ``sudo`` and its like, into ``sh -c``, and, word by word, into a line that was not parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bascule.payload import TEXT_LIMIT, Mark, Part
from bascule.tools import dangers, reach, startup
from bascule.tools.bounds import clean
from bascule.tools.carried import carried
from bascule.tools.facts import Facts
from bascule.tools.interpreters import SHELLS
from bascule.tools.programs import RUNNERS, program
from bascule.tools.shell import SimpleCommand

RUNS_LATER: Final = "runs later"
"""Of a file by which something runs later; grave where it runs without anybody naming it."""

SCANNED: Final = 20_000
"""Characters of an opaque line that are looked through for marks."""

_INNER: Final = 20
"""Words among which the program is looked for that another one runs."""

_RUN_BY_OPTION: Final = frozenset("fd fdfind find kubectl ssh".split())
"""Others that run what stands among their words."""

_SECRET: Final = re.compile(
    r"(?:^|[/\\=@:])(?:\.env(?!\.(?:example|sample|template|dist)\b)(?:\.\w+)*"
    r"|\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.docker/config\.json|\.vault-token|\.credentials\.json|\.claude\.json"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|shadow|sudoers|credentials(?:\.\w+)?|secrets?(?:\.\w+)?"
    r"|[^/\\=@:]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx))(?:$|[/\\])",
    re.IGNORECASE,
)
"""Names under which keys and passwords are kept."""

_PRIVATE: Final = re.compile(
    r"localhost|.*\.(?:localhost|local|internal)|0(?:\.0){0,3}|127(?:\.\d+){1,3}|10(?:\.\d+){1,3}|192\.168\.\d+\.\d+"
    r"|169\.254\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|\d+|0x[0-9a-f]+|::1?|f[cd][0-9a-f]*:.*|fe80:.*|::ffff:.*"
)
"""Hosts of this machine or its network, also written as one number."""

_ROUGH: Final = re.compile(r"[^\s;&|(){}<>$`'\"\\]+|[\n;&|(){}`]")
"""Words of a line that nobody parsed, and what parts commands."""


def marks(facts: Facts, cwd: str | None) -> tuple[Mark, ...]:
    """The risks of a call, the places in its command with them; ``cwd`` is what *outside workspace* is outside of."""
    if facts.command is None:
        return _distinct([*_of_places(facts, cwd), *_of_changes(facts)])
    found = [Mark(mark="outside sandbox", grave=True)] if facts.unsandboxed else []
    found += [mark for command in facts.commands for mark in _of_command(command, cwd)]
    known = {mark.mark for mark in found}
    # What a whole group of commands is redirected to stands in none of them.
    found += [mark for path in facts.writes for mark in _of_path(path, cwd, None, None) if mark.mark not in known]
    found += _of_changes(facts)
    if any(map(_is_private, facts.hosts)):
        found.append(Mark(mark="network", grave=True))
    return _distinct(found)


def parts(facts: Facts, cwd: str | None) -> tuple[Part, ...]:
    """The simple commands of a command line, each with its own risks; none for a call that runs no command."""
    return tuple(
        Part(
            text=clean(command.text[:TEXT_LIMIT]),
            start=command.start,
            end=command.end,
            marks=_distinct(_of_command(command, cwd)),
        )
        for command in facts.commands
    )


def _distinct(marks: Iterator[Mark] | list[Mark]) -> tuple[Mark, ...]:
    return tuple(dict.fromkeys(marks))


def _of_places(facts: Facts, cwd: str | None) -> Iterator[Mark]:
    for host in facts.hosts:
        yield Mark(mark="network", grave=_is_private(host) or not host)
    for path in (*facts.reads, *facts.writes):
        yield from _of_path(path, cwd, None, None)


def _of_changes(facts: Facts) -> Iterator[Mark]:
    """What is written and runs later."""
    for path in facts.writes:
        if startup.runs_unnamed(path):
            yield Mark(mark=RUNS_LATER, grave=True)
        elif startup.is_built_with(path):
            yield Mark(mark=RUNS_LATER)


def _is_private(host: str) -> bool:
    return _PRIVATE.fullmatch(host) is not None


def _of_path(path: str, cwd: str | None, start: int | None, end: int | None) -> Iterator[Mark]:
    if _SECRET.search(path):
        yield Mark(mark="secrets path", grave=True, start=start, end=end)
    if _is_outside(path, cwd):
        yield Mark(mark="outside workspace", start=start, end=end)


def _is_outside(path: str, cwd: str | None) -> bool:
    """By the text alone: links are not followed, and a home is taken to be somewhere else."""
    if path.startswith("~"):
        return True
    if cwd is None or path.startswith(("/dev/null", "$")):
        return False
    whole = _straight(path if path.startswith("/") else f"{cwd}/{path}")
    root = _straight(cwd)
    return whole[: len(root)] != root


def _straight(path: str) -> list[str]:
    """The names on the way from the root, without ``.`` and ``..``."""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in {"", "."}:
            names.append(name)
    return names


class _Said(NamedTuple):
    """Words of a command and where they stand."""

    words: Sequence[str]
    spans: Sequence[tuple[int, int]]


def _of_command(command: SimpleCommand, cwd: str | None) -> Iterator[Mark]:
    if not command.words:
        yield Mark(mark="unparsed", start=command.start, end=command.end)
        for said in _rough(command.text[:SCANNED], command.start):
            yield from _of_words(said, cwd)
        return
    yield from _of_words(_Said(command.words, command.spans), cwd)
    for redirection in command.redirections:
        if redirection.path is not None:
            yield from _of_path(redirection.path, cwd, redirection.start, redirection.end)


def _of_words(said: _Said, cwd: str | None) -> Iterator[Mark]:
    name = program(said.words)
    yield from _of_program(said)
    for word, (word_start, word_end) in zip(said.words[1:], said.spans[1:], strict=True):
        if "://" in word:
            yield Mark(mark="network", start=word_start, end=word_end)
        for path in reach.paths(word):
            yield from _of_path(path, cwd, word_start, word_end)
    yield from _of_inner(said, name)


def _of_program(said: _Said) -> Iterator[Mark]:
    (start, end) = said.spans[0]
    for mark, grave in dangers.of(said.words):
        yield Mark(mark=mark, grave=grave, start=start, end=end)


def _of_inner(said: _Said, name: str) -> Iterator[Mark]:
    """What a program is given to run: as words, or as a text."""
    for at in _starts(said.words, name):
        yield from _of_program(_Said(said.words[at:], said.spans[at:]))
    if name in SHELLS or name in RUNNERS:
        for word, span in zip(said.words[1:], said.spans[1:], strict=True):
            for words, spans in _rough(word, 0) if " " in word else ():
                yield from _of_program(_Said(words, [span for _ in spans]))


def _starts(words: Sequence[str], name: str) -> Iterator[int]:
    """Where among ``words`` a program may stand that is run."""
    if name in RUNNERS or name in _RUN_BY_OPTION:
        yield from range(1, min(len(words), _INNER))
    for inner in carried(words):
        first = len(words) - len(inner.words)
        match inner.how:
            case "run":
                yield first
            case "run within":
                yield from range(first, min(len(words), first + _INNER))


def _rough(text: str, offset: int) -> Iterator[_Said]:
    """Commands of a text that was not parsed, as far as blanks and operators tell."""
    found = [(match[0], (offset + match.start(), offset + match.end())) for match in _ROUGH.finditer(text)]
    words: list[tuple[str, tuple[int, int]]] = []
    for word, span in [*found, ("\n", (0, 0))]:
        if word not in "\n;&|(){}`":
            words.append((word, span))
        elif words:
            yield _Said([word for word, _ in words], [span for _, span in words])
            words = []
