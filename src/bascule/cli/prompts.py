"""Where prompts come from: the command line, files, standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from bascule.errors import OptionError

STDIN: Final = "-"


def prompts_of(given: Sequence[str], files: Sequence[str], stdin: TextIO | None = None) -> tuple[str, ...]:
    """The prompts in order: those given, `-` for standard input, then the files.

    Without any, what is piped in is the prompt; a terminal has none, and its person is asked. Standard input is read
    for nothing else, so that a run in CI never waits for a pipe that nobody closes. Raises `OptionError` for a file
    that cannot be read and for a prompt that says nothing.
    """
    stdin = stdin or sys.stdin
    if not given and not files:
        return () if stdin.isatty() else (_said(_read(stdin), "standard input"),)
    texts = [_said(_read(stdin), "standard input") if text == STDIN else _said(text, "a prompt") for text in given]
    return (*texts, *(_said(_file(name), name) for name in files))


def _read(stdin: TextIO) -> str:
    try:
        return stdin.read()
    except UnicodeDecodeError as exc:
        raise OptionError(f"standard input is no text: {exc.reason} at byte {exc.start}") from exc


def _file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as exc:
        raise OptionError(f"the prompt file {name} cannot be read ({exc.strerror}): name another") from exc
    except UnicodeDecodeError as exc:
        raise OptionError(f"the prompt file {name} is no UTF-8 text: byte {exc.start}") from exc


def _said(text: str, where: str) -> str:
    if not text.strip():
        raise OptionError(f'{where} is empty: there is nothing to say. Try: bascule run "What is in this project?"')
    return text.strip("\n")
