"""Interpreters: whether one runs the file that its words name, or a program that comes as text.

Fail closed: between an interpreter and its file only options that are known to be harmless may stand. Whatever else is
there may hold a program, load one, or leave none, and then it comes on standard input: ``python -W ignore``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Final

SHELLS: Final = frozenset(
    "ash bash csh dash elvish es fish ksh mksh nu osh powershell pwsh rc sh tcsh xonsh yash zsh".split()
)

_PYTHONS: Final = frozenset(("pypy", "python"))
_NODES: Final = frozenset(("node", "nodejs"))
_NOTHING: Final = "(?!)"

_FLAGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(SHELLS, _NOTHING),
    **dict.fromkeys("ash bash dash ksh mksh sh zsh".split(), "-[eux]+"),
    **dict.fromkeys(_PYTHONS, "-[BEIObdsquv]+|-W(?:default|error|ignore|once)|-X(?:dev|utf8)"),
    **dict.fromkeys(
        _NODES,
        "--(?:check|enable-source-maps|experimental-strip-types|experimental-vm-modules|no-warnings|trace-warnings)|-c",
    ),
    "perl": "-[cTtWw]+",
    "php": "-[lnq]+",
    "ruby": "-[cWw]+",
    **dict.fromkeys(
        "bb bpython clj clojure elixir erl escript ghci groovy guile iex ipython irb jruby julia lua luajit ocaml"
        " osascript ptpython racket raku rscript runghc runhaskell sbcl scala swift tclsh ts-node tsx wish".split(),
        _NOTHING,
    ),
}
"""Interpreters, and which of their options may stand before the file."""

NAMES: Final = frozenset(_FLAGS)

_VERSION: Final = frozenset(("--version", "--help"))
_KNOW_VERSION: Final = frozenset("bash fish julia node nodejs perl php pypy python ruby zsh".split())
"""Those that only tell something when asked for it; tclsh takes the word for an option of the program on its input."""

_RUNNING_MODULES: Final = frozenset("asyncio bdb code cprofile idlelib pdb profile runpy timeit trace".split())
"""Modules of Python that take a program as text, or run what they are given."""


_INPUT: Final = re.compile(r"(?:/[./]*|.*\.\./)(?:dev|proc)/.*", re.DOTALL)
"""Standard input by another name."""


def takes_a_program(name: str, words: Sequence[str]) -> bool:
    """Whether the interpreter ``name``, the first of ``words``, gets its program from anywhere but a file or module."""
    if name in _KNOW_VERSION and len(words) == 2 and words[1] in _VERSION:
        return False
    match _behind_flags(name, words):
        case ["-m", module, *_] if name in _PYTHONS:
            return module.lower() in _RUNNING_MODULES
        case ["--test", *tested] if name in _NODES:
            return any(word.startswith("-") for word in tested)
        case [file, *_]:
            return file.startswith(("-", "+")) or _INPUT.fullmatch(file) is not None
        case _:
            return True


def module(name: str, words: Sequence[str]) -> Sequence[str]:
    """The module that ``python -m`` runs, with its arguments; empty for anything else."""
    behind = _behind_flags(name, words) if name in _PYTHONS else []
    return behind[1:] if behind[:1] == ["-m"] else []


def _behind_flags(name: str, words: Sequence[str]) -> list[str]:
    return list(itertools.dropwhile(re.compile(_FLAGS[name]).fullmatch, words[1:]))
