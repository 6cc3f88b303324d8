"""Which entries of a file are the conversation: its main branch, in order, and what else was begun and left.

A file is a tree: a resume at an earlier message, or two processes on one conversation, leave branches. The main one is
what a resume goes on from. All rules here were measured on both tested versions (docs/how-to/sessions-on-disk.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

import msgspec

from bascule.history.nodes import Graph, Node

BRANCH_LIMIT: Final = 100


class Lost(NamedTuple):
    """A link that leads nowhere; the entry before it in the file was taken instead, as the CLI does."""

    node: Node
    why: Literal["unknown_parent", "parent_loop"]


class Main(NamedTuple):
    """The main branch."""

    nodes: tuple[Node, ...]
    """From the beginning; calls of one reply together, followed by their results."""
    lost: tuple[Lost, ...]


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """What was begun and is not a part of the conversation: a resume does not see it."""

    leaf: str
    """The uuid of its last entry: a resume at it goes on from there."""
    fork: str | None
    """The uuid of the entry that it left, on the main branch or on one before it in the list; null: it left none."""
    line: int
    """Where its first entry stands."""
    entries: int
    """Entries that are its own."""


def main_branch(graph: Graph, at: str | None = None) -> Main:
    """The conversation as a resume sees it, and before its compactions too; empty for a file that holds none.

    With ``at`` the one that ends there: a resume at that entry. A reply is then taken whole, with its results.
    """
    thread = _thread(graph)
    leaf = _leaf(thread, graph.leaf) if at is None else thread.get(at)
    if leaf is None:
        return Main((), ())
    lost: list[Lost] = []
    chain = _chain(thread, leaf, lost)
    return Main(tuple(_whole(thread, chain)), tuple(lost))


def other_branches(graph: Graph, main: Iterable[Node]) -> tuple[Branch, ...]:
    """The branches beside ``main`` on which somebody said something, the one that was written last first.

    No more than ``BRANCH_LIMIT``: a file with more is none that the CLI wrote.
    """
    thread = _thread(graph)
    taken = {node.uuid for node in main}
    parents = {node.parent for node in thread.values()}
    found: list[Branch] = []
    for leaf in reversed(list(thread.values())):
        if leaf.uuid in parents or leaf.uuid in taken or len(found) == BRANCH_LIMIT:
            continue
        own = _own(thread, leaf, taken)
        if any(node.role for node in own):
            whole = [node for node in _whole(thread, own[::-1]) if node.uuid not in taken]
            fork = own[-1].parent if own[-1].parent in taken else None
            line = min(node.span.number for node in whole)
            found.append(Branch(leaf=leaf.uuid, fork=fork, line=line, entries=len(whole)))
            taken.update(node.uuid for node in whole)
    return tuple(found)


def _own(thread: dict[str, Node], leaf: Node, taken: set[str]) -> list[Node]:
    """The entries of a branch that are not on the main one, the last one first."""
    own: dict[str, Node] = {}
    node: Node | None = leaf
    while node is not None and node.uuid not in taken and node.uuid not in own:
        own[node.uuid] = node
        node = thread.get(node.parent or "")
    return list(own.values())


def _thread(graph: Graph) -> dict[str, Node]:
    """The entries of the main thread; a subagent's file has no other than its own."""
    return {uuid: node for uuid, node in graph.nodes.items() if not node.sidechain} or graph.nodes


def _leaf(thread: dict[str, Node], named: str | None) -> Node | None:
    """The newest entry at or behind the one that the CLI named; where it named none, the newest of all."""
    newest_first = list(reversed(thread.values()))
    behind = {named: True, None: False}
    for node in newest_first if named in thread else ():
        if _is_behind(thread, node, behind):
            return node
    return newest_first[0] if newest_first else None


def _is_behind(thread: dict[str, Node], node: Node, behind: dict[str | None, bool]) -> bool:
    """Whether the walk up from ``node`` meets an entry that is known to be behind; each is walked over once."""
    walked: list[str] = []
    uuid: str | None = node.uuid
    while uuid not in behind:
        walked.append(uuid or "")
        behind[uuid] = False  # a loop ends here
        uuid = thread[uuid].parent if uuid is not None and uuid in thread else None
    behind.update(dict.fromkeys(walked, behind[uuid]))
    return behind[node.uuid]


def _chain(thread: dict[str, Node], leaf: Node, lost: list[Lost]) -> list[Node]:
    """From the beginning to ``leaf``."""
    before: dict[str | None, str] = dict(zip(list(thread)[1:], thread, strict=False))
    chain, seen = [leaf], {leaf.uuid}
    while (parent := _parent(thread, chain[-1], before, seen, lost)) is not None:
        chain.append(thread[parent])
        seen.add(parent)
    return chain[::-1]


def _parent(
    thread: dict[str, Node], node: Node, before: dict[str | None, str], seen: set[str], lost: list[Lost]
) -> str | None:
    if node.parent is None or (node.parent in thread and node.parent not in seen):
        return node.parent
    if node.boundary:  # A fork takes nothing along from before a compaction.
        return None
    lost.append(Lost(node, "parent_loop" if node.parent in thread else "unknown_parent"))
    found = before.get(node.uuid)
    while found in seen:
        found = before.get(found)
    return found


def _whole(thread: dict[str, Node], chain: list[Node]) -> Iterator[Node]:
    """The chain with what its links pass by: parallel calls and their results, and compactions (2.1.197)."""
    seen = {node.uuid for node in chain}
    passed: defaultdict[str, list[Node]] = defaultdict(list)
    _put_back_calls(thread, chain, seen, passed)
    _put_back_compactions(thread, chain, seen, passed)
    for node in chain:
        yield node
        yield from passed[node.uuid]


def _put_back_calls(
    thread: dict[str, Node], chain: list[Node], seen: set[str], passed: defaultdict[str, list[Node]]
) -> None:
    """Each result hangs on its own call, and the next reply on one of them: a walk up sees that one alone."""
    last = {node.message_id: node.uuid for node in chain if node.message_id}
    answered = set(_answered(chain))
    for node in thread.values():
        parent = thread.get(node.parent or "")
        reply = node.message_id if node.role == "assistant" or parent is None else parent.message_id
        answers = {(reply, call) for call in node.results}
        if node.uuid in seen or reply not in last:
            continue
        if node.role == "assistant" or not answers <= answered:
            passed[last[reply]].append(node)
            seen.add(node.uuid)
            answered |= answers


def _answered(chain: list[Node]) -> Iterator[tuple[str | None, str]]:
    """Reply and id of each call that has its result on the chain."""
    asked: dict[str, str | None] = {}
    for node in chain:
        asked.update(dict.fromkeys(node.calls, node.message_id))
        yield from ((asked.get(call), call) for call in node.results)


def _put_back_compactions(
    thread: dict[str, Node], chain: list[Node], seen: set[str], passed: defaultdict[str, list[Node]]
) -> None:
    """2.1.197 goes on from the message before a compaction, so that nothing leads back to it."""
    before = {node.uuid for node in chain[:-1]}
    for node in thread.values():
        boundary = thread.get(node.parent or "") if node.summary else node
        if node.uuid not in seen and boundary is not None and boundary.boundary and boundary.parent in before:
            passed[boundary.parent].append(node)
