"""What is wrong with a session file, and a copy in which nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from bascule.history.branches import Lost
from bascule.history.copies import write_copy
from bascule.history.pairs import Kind, Problem, Step, paired
from bascule.history.stored import StoredSession
from bascule.history.transcript import Transcript, read
from bascule.recording import Damage


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """What ``repair`` gives."""

    copy: StoredSession | None
    """To be resumed in the original's place; null when nothing is wrong."""
    problems: tuple[Problem, ...]
    """In the order of the file's lines."""


def check(path: str | Path) -> tuple[Problem, ...]:
    """What is wrong with a session file, in the order of its lines. Raises ``HistoryError`` when there is none."""
    return _checked(read(path))[1]


def repair(path: str | Path) -> Repaired:
    """A copy of the conversation in which nothing is wrong, under a new id; the original is left as it is.

    The copy holds the main branch alone, each entry behind the one before. Entries are saved from lines that the CLI
    passes over; a call without a result gets one that says so; a result without a call is left out; of two calls with
    one id the second is renamed. What stood on a line that nothing can be saved of is lost. End the session first: what
    a process is about to write would look like damage. Raises ``HistoryError`` when there is nothing to repair.
    """
    transcript = read(path)
    steps, problems = _checked(transcript)
    copy = write_copy(transcript, steps, mark=" (repaired)") if problems else None
    return Repaired(copy=copy, problems=problems)


def _checked(transcript: Transcript) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    steps, unpaired = paired(transcript.nodes)
    problems = (*_damaged(transcript), *map(_unlinked, transcript.lost), *unpaired)
    return steps, tuple(sorted(problems, key=lambda problem: problem.line))


def _damaged(transcript: Transcript) -> Iterator[Problem]:
    graph = transcript.graph
    saved = {span.number for span in (*(node.span for node in graph.nodes.values()), *graph.about.values())}
    for damage in transcript.damage:
        kind: Kind = "damaged_line" if damage.number in saved else "unreadable_line"
        yield Problem(kind=kind, line=damage.number, text=_told(damage, kind))


def _told(damage: Damage, kind: Kind) -> str:
    what = "the CLI passes over the line" if kind == "damaged_line" else "nothing can be read on the line"
    return f"{what}: {damage.problem}"


def _unlinked(lost: Lost) -> Problem:
    what = "is not in the file" if lost.why == "unknown_parent" else "comes after it"
    text = f"the entry before {lost.node.uuid} {what}: the one before it in the file is taken"
    return Problem(kind=lost.why, line=lost.node.span.number, text=text)
