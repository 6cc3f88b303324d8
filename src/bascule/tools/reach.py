"""Which files and addresses a command line reaches, as far as its words tell.

Too much rather than too little: every argument could be a file's name, whatever the program is. Paths are as written;
behind a ``cd`` they are told from both folders, for a ``cd`` can fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.tools.programs import program
from bascule.tools.shell import Line, SimpleCommand

Kind: TypeAlias = Literal["read", "write", "delete"]

_DELETES: Final = frozenset("rm rmdir shred srm trash unlink".split())
_WRITES: Final = frozenset("chgrp chmod chown mkdir mkfifo tee touch truncate".split())
_WRITES_LAST: Final = frozenset("cp install ln mv rsync scp uniq".split())
"""The last of their arguments is where they write to."""

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+")


class Place(NamedTuple):
    """A file or folder, and what becomes of it."""

    kind: Kind
    path: str


def places(line: Line) -> Iterator[Place]:
    """The files that ``line`` may touch, in the order of its text; doubles included."""
    folders = [""]
    for command in line.commands:
        for folder in folders:
            for kind, path in _of(command):
                yield Place(kind, beneath(folder, path))
        if program(command.words) == "cd":
            folders.append(beneath(folders[-1], command.words[-1] if len(command.words) > 1 else "~"))
    for redirection in line.redirections:
        if redirection.path is not None:
            for folder in folders:
                yield Place("write" if redirection.writes else "read", beneath(folder, redirection.path))


def urls(command: SimpleCommand) -> Iterator[str]:
    """The addresses among the words of ``command``, those within a word too."""
    for word in command.words[1:]:
        yield from _URL.findall(word)


def beneath(folder: str, path: str) -> str:
    """``path`` as it is called from where ``folder`` is relative to."""
    return path if not folder or path.startswith(("/", "~")) else f"{folder.rstrip('/')}/{path}"


def paths(word: str) -> list[str]:
    """What of an argument could name a file: the word, the value of an option, the path at the end of a short one."""
    if "://" in word:
        return []
    name, separator, value = word.partition("=")
    if not word.startswith("-"):
        return [word, value] if separator and value else [word]
    if separator:
        return [value] if value else []
    at = min((at for at in map(name.find, "/~") if at > 0), default=0)
    return [name[at:]] if at else []


def _of(command: SimpleCommand) -> Iterator[Place]:
    if "/" in "".join(command.words[:1]):
        yield Place("read", command.words[0])
    arguments = [path for word in command.words[1:] for path in paths(word) if path]
    last = len(arguments) - 1
    for at, path in enumerate(arguments):
        yield Place(_kind(command.words, is_last=at == last), path)


def _kind(words: Sequence[str], *, is_last: bool) -> Kind:
    name = program(words)
    if name in _DELETES:
        return "delete"
    if name in _WRITES or (name in _WRITES_LAST and (is_last or _has_target(words))):
        return "write"
    if name == "dd" or (name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words)):
        return "write"
    return "delete" if name == "mv" else "read"


def _has_target(words: Sequence[str]) -> bool:
    """Whether an option says where to, so that no argument is known to be only read."""
    return any(word.startswith(("-t", "--target")) for word in words[1:])
