"""A session file that was read: the conversation in order, its other branches, and what is damaged.

Reading walks through the file once and keeps where each entry lies; what the entries say is read when it is asked for.
So a file may be larger than memory, and a process may go on writing: what it appends is seen by the next reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bascule.errors import HistoryError
from bascule.history.branches import Branch, Lost, main_branch, other_branches
from bascule.history.entries import Entry, UserEntry, decode
from bascule.history.items import AnyItem, items_of
from bascule.history.lines import lines
from bascule.history.nodes import Graph, Node, Span, blocks, scan
from bascule.history.places import opened
from bascule.recording import Damage
from bascule.wire.blocks import ToolResult
from bascule.wire.json_text import NotJson


class Numbered(NamedTuple):
    """An entry and where it stands."""

    line: int
    entry: Entry


class Transcript:
    """What ``read`` gives. The file is opened anew by each iteration, and closed by its end."""

    path: Path
    id: str | None
    """The conversation's id, as its entries say; null: they do not."""
    nodes: tuple[Node, ...]
    """The conversation in order, without what it says."""
    branches: tuple[Branch, ...]
    """What was begun and left."""
    damage: tuple[Damage, ...]
    """Lines that the CLI passes over; of some the entry could be saved."""
    lost: tuple[Lost, ...]
    """Links that lead nowhere."""
    bytes: int
    """What was read of the file; a process may have written more since."""
    graph: Graph
    """The whole file."""

    def __init__(self, path: Path, graph: Graph, at: str | None) -> None:
        main = main_branch(graph, at)
        self.path, self.id, self.graph, self.bytes = path, graph.session_id, graph, graph.bytes
        self.nodes, self.lost = main.nodes, main.lost
        self.branches = other_branches(graph, main.nodes)
        self.damage = tuple(graph.damage)

    def entries(self) -> Iterator[Numbered]:
        """The entries of the conversation. Raises ``HistoryError`` when the file was written anew meanwhile."""
        with opened(self.path) as file:
            for node in self.nodes:
                yield Numbered(node.span.number, self._entry(file, node))

    def items(self) -> Iterator[AnyItem]:
        """What was said and done, for a reader; a call comes with its result. Raises as ``entries`` does."""
        answers = {call: node for node in reversed(self.nodes) for call in node.results}
        with opened(self.path) as file:

            def result(call: str) -> tuple[UserEntry, ToolResult] | None:
                return self._result(file, call, answers.get(call))

            for node in self.nodes:
                yield from items_of(self._entry(file, node), result)

    def _result(self, file: BinaryIO, call: str, node: Node | None) -> tuple[UserEntry, ToolResult] | None:
        entry = None if node is None else self._entry(file, node)
        if not isinstance(entry, UserEntry):
            return None
        found = (block for block in blocks(entry.message.content) if isinstance(block, ToolResult))
        return entry, next(block for block in found if block.tool_use_id == call)

    def _entry(self, file: BinaryIO, node: Node) -> Entry:
        try:
            entry = decode(text_at(file, node.span))
        except NotJson:
            entry = Entry()
        if entry.uuid != node.uuid:
            raise changed(self.path)
        return entry


def changed(path: Path) -> HistoryError:
    """Nothing is where it was: the file was not only appended to."""
    return HistoryError(f"{path} was written anew while it was read: read it again", str(path))


def text_at(file: BinaryIO, span: Span) -> bytes:
    """The line of an entry, from where the entry begins."""
    file.seek(span.offset)
    return file.read(span.length)


def read(path: str | Path, at: str | None = None) -> Transcript:
    """The conversation in a session file, or in the file of a subagent.

    What is damaged is told and never raises. With ``at``, the uuid of an entry, it is the conversation that ends there,
    as a resume at that entry goes on from it; of another branch as well. Raises ``HistoryError`` when there is no such
    file or entry.
    """
    where = Path(path)
    with opened(where) as file:
        graph = scan(lines(file))
    transcript = Transcript(where, graph, at)
    if at is not None and not transcript.nodes:
        raise HistoryError(f"{where} has no entry {at}", str(where))
    return transcript
