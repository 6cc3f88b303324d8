"""`bascule replay`: a recording as a conversation, or as events.

Any recording: ours, foreign ones, and one that is cut off, whose damage is told on standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from bascule import recording
from bascule.cli.exits import SUCCESS
from bascule.cli.printing import Conversation, JsonLines, Printer, say
from bascule.errors import RecordingError
from bascule.events import AnyEvent
from bascule.ids import SessionId
from bascule.transcript.fold import Fold

STDIN: Final = "-"


def run(args: argparse.Namespace) -> int:
    """Show `args.file`. Raises `RecordingError` when it cannot be read or holds no entry at all."""
    printer: Printer = JsonLines() if args.json else Conversation()
    with _opened(args.file) as file:
        _show(file, "standard input" if args.file == STDIN else args.file, printer)
    return SUCCESS


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == STDIN:
        yield sys.stdin.buffer
        return
    with ExitStack() as files:
        try:
            file = files.enter_context(Path(name).open("rb"))
        except OSError as exc:
            raise RecordingError(f"{name} cannot be read ({exc.strerror}): name a recording", name) from exc
        yield file


def _show(lines: Iterable[bytes], name: str, printer: Printer) -> None:
    """All events; after `bascule replay FILE | head` whoever reads has seen enough."""
    damage: list[recording.Damage] = []
    events = _events(lines, name, damage)
    if all(printer.show(event) for event in events):
        _tell(damage, name)


def _events(lines: Iterable[bytes], name: str, damage: list[recording.Damage]) -> Iterator[AnyEvent]:
    fold: Fold | None = None
    for item in recording.read(lines):
        if isinstance(item, recording.Damage):
            damage.append(item)
            continue
        fold = fold or _fold_for(item, name)
        yield from fold.feed(item)
    if fold is None:
        raise RecordingError(_no_recording(name, damage), name)
    yield from fold.end()


def _fold_for(first: recording.Entry, name: str) -> Fold:
    """A fold that names the session as our recordings do, or after the file."""
    began = recording.note_of(first.line) if first.dir == "note" else None
    if isinstance(began, recording.Began):
        return Fold(began.session, began_at=began.at)
    return Fold(SessionId(Path(name).stem))


def _no_recording(name: str, damage: list[recording.Damage]) -> str:
    if not damage:
        return f"{name} is empty, so it is no recording"
    first = damage[0]
    return f"{name} is no recording (line {first.number}: {first.problem}): make one with bascule run --record FILE"


def _tell(damage: list[recording.Damage], name: str) -> None:
    for item in damage[:10]:
        say(f"{name}, line {item.number} is damaged and left out ({item.problem})")
    if len(damage) > 10:
        say(f"{name}: {len(damage) - 10} more lines are damaged")
