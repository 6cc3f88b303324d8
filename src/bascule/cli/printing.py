"""What leaves on standard output and standard error, one way for people and one for programs."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any, Final, Protocol

import msgspec

from bascule.errors import BasculeError
from bascule.events import AnyEvent, to_json

TAIL_LINES: Final = 8
"""Last lines of what the CLI wrote to stderr that an error shows."""


class Printer(Protocol):
    """Shows events, and at the end how it went."""

    def show(self, event: AnyEvent) -> bool:
        """One event; False when nobody reads any more."""
        ...

    def end(self, code: int, **facts: Any) -> None:
        """The last word: the exit code, and what else is to be told."""
        ...


class JsonLines:
    """Events as `events.to_json` writes them, one a line; the last line is `{"type":"exit","code":…}`."""

    def show(self, event: AnyEvent) -> bool:
        """One line, flushed, so that a reader sees it when it happens."""
        return _written(to_json(event))

    def end(self, code: int, **facts: Any) -> None:
        """The last line."""
        _written(msgspec.json.encode({"type": "exit", "code": code, **facts}))


def _written(line: bytes) -> bool:
    try:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _forget_output()
        return False
    return True


class Conversation:
    """The conversation as lines for people, without anything that moves."""

    def __init__(self) -> None:
        from bascule.terminal.page import Page
        from bascule.terminal.screen import PlainScreen, ink_for

        self._page = Page()
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        self._screen = PlainScreen(sys.stdout, ink_for(sys.stdout, os.environ), width)

    def show(self, event: AnyEvent) -> bool:
        """The lines that tell it."""
        try:
            self._screen.say(self._page.feed(event))
        except BrokenPipeError:
            _forget_output()
            return False
        return True

    def end(self, code: int, **facts: Any) -> None:
        """Nothing: the turn's own line has told how it went."""


def report(error: BasculeError) -> None:
    """An error as a person reads it: one line that says what to do; what the CLI wrote to stderr below it."""
    from bascule.terminal.clean import plain

    first, *tail = plain(str(error)).rstrip().split("\n")
    say(f"{first}")
    for row in tail[-TAIL_LINES:]:
        print(f"  │ {row}", file=sys.stderr)


def say(text: str) -> None:
    """One line on standard error."""
    print(f"bascule: {text}", file=sys.stderr)


def _forget_output() -> None:
    """Standard output is gone: what Python still wants to flush at its end goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
