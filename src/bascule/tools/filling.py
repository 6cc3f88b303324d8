"""Commands that write files which none of their words names: what an archive, a patch or a revision says.

Such a file may be anything: a hook, a setting, a start-up file. A table is never complete; what runs code (``make``,
``npm install``) writes whatever that code does, and is not told here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bascule.tools import escapes
from bascule.tools.programs import program

_ALWAYS: Final = frozenset(
    "aria2c bunzip cabextract cookiecutter copier degit gunzip patch rsync scp uncompress unar unlz unlzma unsquashfs"
    " unxz unzip unzstd wget".split()
)
"""Told without versions: ``bunzip2`` is ``bunzip``."""

_INTO_THE_LAST: Final = frozenset(("rsync", "scp"))
"""Their last argument is where they write to."""

_ONLY_TELLS: Final[Mapping[str, str]] = {"unzip": "-[lptvz]+", "patch": "--dry-run"}
"""First arguments with which they write nothing, where no other option takes that back."""

_TOLD_BY_OPTION: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(("ar", "jar"), re.compile("-?[a-zA-Z]*x[a-zA-Z]*|--ext.*")),
    **dict.fromkeys(("bsdtar", "gtar", "star", "tar"), re.compile("-?[a-zA-Z]*x.*|--(?:ext|ge).*")),
    **dict.fromkeys(("bsdcpio", "cpio"), re.compile("-[a-zA-Z]*[ip].*|--[ep].*")),
    **dict.fromkeys(("bzip", "gzip", "lz", "lzma", "xz", "zstd"), re.compile("-[a-z0-9]*d.*|--[du].*")),
    **dict.fromkeys(("dpkg", "dpkg-deb"), re.compile("-[a-zA-Z]*[xXR].*|--(?:ext|vext|raw-ext).*")),
    "pax": re.compile("-[a-zA-Z]*r.*"),
}
"""By which of their options others do, which may be cut short; the first argument needs no dash: ``tar xf``."""

_TOLD_BY_SUBCOMMAND: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(("7z", "7za", "7zr", "rar", "unrar"), re.compile("[ex]")),
    **dict.fromkeys(("docker", "kubectl", "nerdctl", "oc", "podman"), re.compile("cp")),
    **dict.fromkeys(("gh", "glab"), re.compile("checkout|clone|co|download")),
    "git": re.compile(
        "am|apply|bisect|checkout|cherry-pick|clean|clone|merge|pull|read-tree|rebase|restore|revert|sparse-checkout|stash"
        "|submodule|subtree|switch|worktree"
    ),
    "hg": re.compile(
        "backout|checkout|cl(?:one)?|co|fetch|graft|histedit|import|merge|patch|purge|pull|rebase|revert|shelve|strip"
        "|unshelve|up(?:date)?"
    ),
    "svn": re.compile("checkout|co|export|merge|patch|relocate|revert|sw(?:itch)?|up(?:date)?"),
}
"""By which of their first two plain words: ``git pull``, ``gh pr checkout``."""

_RESETS: Final = re.compile("--(?!mixed$|soft$|quiet$|no-).*")
"""Options with which ``git reset`` may reach the files; without one it changes what git keeps."""

_CHANGES_NO_FILE: Final = re.compile(
    r"(?:stash (?:clear|drop|list|show)|submodule (?:status|summary)|worktree list|bisect (?:log|view))(?: [^\n]*)?"
    r"|clean (?:-[dxXq]*n[dnxXq]*|--dry-run)(?: (?:-[dnxXq]+|[^ \n-][^ \n]*))*"
    r"|apply --(?:stat|check|numstat)(?: [^ \n-][^ \n]*)*"
    r"|(?:switch -c|checkout -b) [^ -][^ ]*"
)
"""What git does from its subcommand on without changing any: looks, forgets, or begins a branch where it is."""


def telling(words: Sequence[str]) -> Sequence[str]:
    """The words that say that a command writes files which it does not name, the program first; empty where none do."""
    name = program(words)
    if name in _ALWAYS:
        return () if _only_tells(name, words) else words[:1]
    if name in _TOLD_BY_OPTION:
        options = (word for at, word in enumerate(words) if at == 1 or word.startswith("-"))
        return _with_program(words, filter(_TOLD_BY_OPTION[name].fullmatch, options))
    if name == "git":
        return _of_git(words)
    return _with_program(words, _subcommands(name, words))


def _only_tells(name: str, words: Sequence[str]) -> bool:
    only = re.fullmatch(_ONLY_TELLS.get(name, "(?!)"), "".join(words[1:2]))
    return only is not None and not any(word.startswith("-") for word in words[2:])


def folders(words: Sequence[str]) -> Sequence[str]:
    """Below which folders such a command may write, as written; others that it may be told of are its words."""
    plain = escapes.plain(words)
    if program(words) not in _INTO_THE_LAST or not plain:
        return (".",)
    is_value = any(word.startswith("-") for word in words[-2:])
    return plain if is_value else plain[-1:]


def _subcommands(name: str, words: Sequence[str]) -> Iterator[str]:
    by = _TOLD_BY_SUBCOMMAND.get(name)
    said = (word for begun in escapes.said(words) for word in begun[:2])
    return filter(by.fullmatch, said) if by else iter(())


def _of_git(words: Sequence[str]) -> Sequence[str]:
    subcommand = "".join(escapes.plain(words)[:1])
    if subcommand == "reset":
        return (words[0], "reset") if any(map(_RESETS.fullmatch, words)) else ()
    if not _TOLD_BY_SUBCOMMAND["git"].fullmatch(subcommand):
        return ()
    changes = not _CHANGES_NO_FILE.fullmatch(" ".join(words[words.index(subcommand) :]))
    return (words[0], subcommand) if changes else ()


def _with_program(words: Sequence[str], telling: Iterator[str]) -> Sequence[str]:
    said = next(telling, None)
    return () if said is None else (words[0], said)
