"""A session file as a graph: which entry follows which, what it calls, where its line lies. Not what it says.

What is held grows with the number of entries and not with their size: a file may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from bascule.history.entries import (
    AssistantEntry,
    AttachmentEntry,
    Entry,
    LastPromptEntry,
    ProgressEntry,
    ReplacementEntry,
    SystemEntry,
    UnknownEntry,
    UserEntry,
)
from bascule.history.lines import Line, Reading, reading
from bascule.recording import Damage
from bascule.wire.blocks import Block, ToolResult, ToolUse

DAMAGE_LIMIT: Final = 1_000
"""Lines of nonsense that are told one by one; a file with more is no session file."""

_SHOWN: Final = 200


class Span(msgspec.Struct, frozen=True, gc=False):
    """Where an entry lies in its file."""

    number: int
    """Its line, from 1."""
    offset: int
    """Bytes before it."""
    length: int
    """Bytes of the entry, with the newline."""


class Node(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An entry of the conversation, without what it says."""

    span: Span
    uuid: str
    parent: str | None = None
    """The entry before; of a compaction what came before it."""
    role: str = ""
    """``user``, ``assistant``; empty for what is neither."""
    sidechain: bool = False
    message_id: str | None = None
    """Of the assistant: blocks of one reply share it."""
    calls: tuple[str, ...] = ()
    """Ids of the tool calls that it makes."""
    results: tuple[str, ...] = ()
    """Ids of the tool calls that it answers."""
    boundary: bool = False
    """A compaction: the model knows of what came before by the summary alone, which follows."""
    summary: bool = False


class Graph(msgspec.Struct):
    """What a scan of a file gives."""

    nodes: dict[str, Node] = msgspec.field(default_factory=dict)
    """By uuid, in the order of the file; of an entry that stands there twice the later one."""
    damage: list[Damage] = msgspec.field(default_factory=list)
    """Lines that the CLI cannot read, the first ``DAMAGE_LIMIT`` of them."""
    leaf: str | None = None
    """The entry at which the CLI last said that the conversation stands."""
    about: dict[type[Entry], Span] = msgspec.field(default_factory=dict)
    """The last entry of each kind that is about the conversation."""
    replacements: list[Span] = msgspec.field(default_factory=list)
    session_id: str | None = None
    """As the first entry says."""
    bytes: int = 0
    """What was read; a process may have written more since."""


def scan(found: Iterable[Line]) -> Graph:
    """The graph of a file's lines. Never raises on what they say."""
    graph = Graph()
    for line in found:
        read = reading(line.text)
        if read.problem is not None and len(graph.damage) < DAMAGE_LIMIT:
            graph.damage.append(Damage(line.number, read.problem, _beginning(line.text)))
        if read.entry is not None:
            _add(graph, read.entry, _span(line, read))
        graph.bytes = line.offset + len(line.text)
    return graph


def _beginning(text: bytes) -> str:
    return text[:_SHOWN].decode("utf-8", "replace").rstrip("\r\n")


def _span(line: Line, read: Reading) -> Span:
    return Span(line.number, line.offset + read.start, len(line.text) - read.start)


def _add(graph: Graph, entry: Entry, span: Span) -> None:
    graph.session_id = graph.session_id or entry.session_id
    match entry:
        case UserEntry() | AssistantEntry() | SystemEntry() | AttachmentEntry() | ProgressEntry() if entry.uuid:
            _link(graph, node_of(entry, span))
        case UnknownEntry(uuid=str(), parent_uuid=str()):
            _link(graph, node_of(entry, span))
        case UnknownEntry():
            pass
        case LastPromptEntry():
            graph.leaf = entry.leaf_uuid or graph.leaf
        case ReplacementEntry():
            graph.replacements.append(span)
        case _:
            graph.about[type(entry)] = span


def _link(graph: Graph, node: Node) -> None:
    graph.nodes.pop(node.uuid, None)
    graph.nodes[node.uuid] = node
    if node.boundary:
        graph.leaf = None  # What stands before a compaction is no place to go on from.


def node_of(entry: Entry, span: Span) -> Node:
    """The node of an entry of the conversation."""
    parent = entry.parent_uuid or entry.logical_parent_uuid
    node = Node(span=span, uuid=entry.uuid or "", parent=parent, sidechain=entry.is_sidechain)
    match entry:
        case UserEntry(message=message, is_compact_summary=summary):
            results = tuple(block.tool_use_id for block in blocks(message.content) if isinstance(block, ToolResult))
            return replace(node, role="user", results=results, summary=summary)
        case AssistantEntry(message=message):
            calls = tuple(block.id for block in blocks(message.content) if isinstance(block, ToolUse))
            return replace(node, role="assistant", calls=calls, message_id=message.id)
        case SystemEntry(subtype="compact_boundary"):
            return replace(node, boundary=True)
    return node


def blocks(content: str | tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks of a message; none when it is a plain text."""
    return () if isinstance(content, str) else content
