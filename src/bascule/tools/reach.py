"""Which files and addresses a command line reaches, as far as its words tell.

Too much rather than too little: every argument could be a file's name, whatever the program is. Paths are as written;
behind a ``cd`` they are told from both folders, for a ``cd`` can fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from bascule.tools import filling
from bascule.tools.programs import program
from bascule.tools.shell import Line, SimpleCommand

Kind: TypeAlias = Literal["read", "use", "write", "delete", "fill", "follow"]
"""``use``: given to a program that may do anything with it. ``fill``: a folder below which files are written that
nothing names. ``follow``: a folder whose own settings are followed.
"""

_DELETES: Final = frozenset(("git rm", *"rm rmdir shred srm trash unlink".split()))
_WRITES: Final = frozenset("chgrp chmod chown dd mkdir mkfifo tee touch truncate".split())
_WRITES_LAST: Final = frozenset("cp install ln mv rsync scp uniq xxd".split())
"""The last of their arguments is where they write to."""
_MOVES: Final = frozenset(("git mv", "mv"))

_READS_IN_GIT: Final = (
    "add blame branch cat-file commit describe diff fetch grep log ls-files ls-tree push remote rev-list rev-parse"
    " shortlog show status tag"
)
"""Subcommands that change git's own files only, in ways of its own."""

_READS: Final = frozenset(
    "ack ag base basename bat batcat cat cd cksum cmp column comm cut diff dirname du echo egrep expand fd fdfind fgrep"
    " file find fold grep head hexdump jq ls md5sum nl od paste printf pwd readlink realpath rev rg sha1sum sha256sum"
    " sha512sum sort stat strings tac tail tr tree wc whereis which zcat".split()
) | frozenset(f"git {subcommand}" for subcommand in _READS_IN_GIT.split())
"""They do nothing but read what they are given, as far as no doubt says otherwise."""

_FOLLOWS: Final = frozenset(("git", "hg"))
"""They run what the settings name that lie where they stand: a folder that is made to look like git's will do."""

_TAKES_ADDRESSES: Final = frozenset(
    "aria2c bun bunx cargo curl docker gh git glab go http https npm npx open pip pipx pnpm podman rclone rsync scp"
    " sftp ssh svn uv uvx wget xdg-open xh yarn".split()
)
"""Programs to which an address is none of a file. To others ``x://y`` is a file in the folder ``x:``."""

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+")
_ADDRESS: Final = re.compile(r"\b(?!file:)[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s,;]*", re.IGNORECASE)
_PARTED: Final = re.compile("[=,:;@<]")
"""Signs beside a file's name: ``if=x``, ``HEAD:x``, ``@x``, ``name=<x``, ``a:b``."""


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
            if program(command.words) in _FOLLOWS:
                yield Place("follow", folder or ".")
            if filling.telling(command.words):
                yield from (Place("fill", beneath(folder, into)) for into in filling.folders(command.words))
        if program(command.words) == "cd":
            folders.append(beneath(folders[-1], command.words[-1] if len(command.words) > 1 else "~"))
    for redirection in line.redirections:
        if redirection.path is not None:
            for folder in folders:
                yield Place("write" if redirection.writes else "read", beneath(folder, redirection.path))


def is_given_files(words: Sequence[str]) -> bool:
    """Whether a command is known to read, write or delete what it is given, and to run nothing of it."""
    name = _named(words)
    return name in _READS | _DELETES | _WRITES | _WRITES_LAST | _MOVES


def urls(command: SimpleCommand) -> Iterator[str]:
    """The addresses among the words of ``command``, those within a word too."""
    for word in command.words[1:]:
        yield from _URL.findall(word)


def beneath(folder: str, path: str) -> str:
    """``path`` as it is called from where ``folder`` is relative to."""
    return path if not folder or path.startswith(("/", "~")) else f"{folder.rstrip('/')}/{path}"


def paths(word: str) -> list[str]:
    """What of an argument could name a file: the word itself, its parts, the value of an option; addresses left out."""
    bare = _ADDRESS.sub("", word)
    if not bare.startswith("-"):
        return _with_parts(bare)
    if bare.startswith("--"):
        return _with_parts(bare.partition("=")[2])
    value = bare[2:]
    return [] if value.isalnum() else [*_with_parts(value), *_behind_letters(value.partition("=")[0])]


def _with_parts(text: str) -> list[str]:
    _, separator, value = text.partition("=")
    parts = _PARTED.split(value if separator else text)
    return list(dict.fromkeys(part for part in (text, *parts) if part))


def _behind_letters(value: str) -> Iterator[str]:
    """The path at the end of a cluster of short options: ``-xvf/tmp/a``."""
    at = min((at for at in map(value.find, "/~") if at >= 0), default=0)
    if at:
        yield value[at:]


def _of(command: SimpleCommand) -> Iterator[Place]:
    words = command.words
    if "/" in "".join(words[:1]):
        yield Place("read", words[0])
    takes_addresses = program(words) in _TAKES_ADDRESSES
    last = max((at for at, word in enumerate(words) if at and not word.startswith("-")), default=0)
    kinds = _kinds(words)
    for at, word in enumerate(words[1:], 1):
        kind = kinds.last if at == last else kinds.others
        for path in paths(word):
            yield Place(kind, path)
        if _ADDRESS.search(word) and (not takes_addresses or ".." in word.split("/")):
            yield Place(kind, word)


class _Kinds(NamedTuple):
    """What becomes of the last argument that is no option, and of the others."""

    last: Kind
    others: Kind


def _kinds(words: Sequence[str]) -> _Kinds:
    name = _named(words)
    if name in _DELETES:
        return _Kinds("delete", "delete")
    if name in _WRITES or (name in _WRITES_LAST and _has_target(words)) or _edits(name, words):
        return _Kinds("write", "write")
    if name in _MOVES:
        return _Kinds("write", "delete")
    others: Kind = "read" if name in _READS else "use"
    return _Kinds("write" if name in _WRITES_LAST else others, others)


def _named(words: Sequence[str]) -> str:
    """The program, of git's with the subcommand."""
    name = program(words)
    return " ".join((name, *_subcommand(words))) if name == "git" else name


def _edits(name: str, words: Sequence[str]) -> bool:
    return name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words)


def _subcommand(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if not word.startswith("-")][:1]


def _has_target(words: Sequence[str]) -> bool:
    """Whether an option says where to, so that no argument is known to be only read."""
    return any(word.startswith(("-t", "--t")) for word in words[1:])
