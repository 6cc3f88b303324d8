"""Calls and results in pairs, as the Messages API wants them: pure, over the order of entries.

The API refuses a conversation in which a call has no result in the message that follows, a result no call before it, or
an id stands for two calls, and refuses it again at each resume. Here such a conversation becomes one that is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from bascule.history.nodes import Node


class Kept(NamedTuple):
    """An entry that stays."""

    node: Node
    ids: tuple[str | None, ...] = ()
    """What its calls, or its results, are called from now on, in their order; None: this result goes."""


class Made(NamedTuple):
    """A result that nobody wrote, for the call ``id`` of ``node``."""

    node: Node
    id: str


Step: TypeAlias = Kept | Made


Kind: TypeAlias = Literal[
    "unreadable_line",
    "damaged_line",
    "unknown_parent",
    "parent_loop",
    "call_without_result",
    "call_id_twice",
    "result_without_call",
    "result_twice",
]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a session file, and what a repaired copy does about it."""

    kind: Kind
    """``damaged_line``: its entry was saved, ``unreadable_line``: nothing was; ``unknown_parent``, ``parent_loop``,
    ``call_without_result``, ``call_id_twice``, ``result_without_call``, ``result_twice``."""
    line: int
    text: str
    """In one sentence, for people."""


class _Call(NamedTuple):
    at: int
    reply: str
    place: int
    id: str


class _Result(NamedTuple):
    at: int
    place: int


class _Pairs(msgspec.Struct):
    """What belongs together; positions are places in the order of entries."""

    called: dict[tuple[int, int], str] = msgspec.field(default_factory=dict)
    """The id of each call, by its entry's position and its place in there."""
    answered: dict[tuple[int, int], str] = msgspec.field(default_factory=dict)
    """The id of each result that has a call."""
    reply_of: dict[int, str] = msgspec.field(default_factory=dict)
    """The reply that the results of an entry belong to."""
    open: dict[str, list[tuple[int, str]]] = msgspec.field(default_factory=lambda: defaultdict(list))
    """Of each reply the calls without result: position of the entry, id."""


def paired(nodes: tuple[Node, ...]) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """The entries in an order that the API takes, and what had to be done for it.

    A reply's blocks stand together, its results follow; the rest keeps its order.
    """
    pairs = _match(nodes)
    return tuple(_ordered(nodes, pairs)), tuple(sorted(_problems(nodes, pairs), key=lambda problem: problem.line))


def _reply(node: Node) -> str:
    return node.message_id or node.uuid


def _match(nodes: tuple[Node, ...]) -> _Pairs:
    pairs = _Pairs()
    calls, results = _found(nodes)
    names = set(calls)
    for id_, same in calls.items():
        for number, call in enumerate(same):
            name = id_ if number == 0 else _unused(id_, names)
            pairs.called[call.at, call.place] = name
            until = next((other.at for other in same[number:] if other.reply != call.reply), len(nodes))
            fitting = (result for result in results[id_] if call.at < result.at < until)
            taken = next((r for r in fitting if pairs.reply_of.setdefault(r.at, call.reply) == call.reply), None)
            if taken is None:
                pairs.open[call.reply].append((call.at, name))
            else:
                results[id_].remove(taken)
                pairs.answered[taken.at, taken.place] = name
    return pairs


def _unused(id_: str, names: set[str]) -> str:
    name = next(name for number in count(2) if (name := f"{id_}-{number}") not in names)
    names.add(name)
    return name


def _found(nodes: Iterable[Node]) -> tuple[dict[str, list[_Call]], dict[str, list[_Result]]]:
    calls: defaultdict[str, list[_Call]] = defaultdict(list)
    results: defaultdict[str, list[_Result]] = defaultdict(list)
    for at, node in enumerate(nodes):
        for index, id_ in enumerate(node.calls):
            calls[id_].append(_Call(at, _reply(node), index, id_))
        for index, id_ in enumerate(node.results):
            results[id_].append(_Result(at, index))
    return calls, results


def _ordered(nodes: tuple[Node, ...], pairs: _Pairs) -> Iterator[Step]:
    replies: defaultdict[str, list[int]] = defaultdict(list)
    answers: defaultdict[str, list[int]] = defaultdict(list)
    missing = dict(pairs.open)
    for at, node in enumerate(nodes):
        if node.role == "assistant":
            replies[_reply(node)].append(at)
        elif at in pairs.reply_of:
            answers[pairs.reply_of[at]].append(at)
    for at, node in enumerate(nodes):
        if node.role == "assistant":
            reply = _reply(node)
            yield from (_kept(nodes, pairs, each) for each in replies.pop(reply, ()))
            yield from (_kept(nodes, pairs, each) for each in answers.pop(reply, ()))
            yield from (Made(nodes[each], id_) for each, id_ in missing.pop(reply, ()))
        elif at not in pairs.reply_of:
            yield _kept(nodes, pairs, at)


def _kept(nodes: tuple[Node, ...], pairs: _Pairs, at: int) -> Kept:
    node = nodes[at]
    if node.calls:
        return Kept(node, tuple(pairs.called[at, index] for index in range(len(node.calls))))
    return Kept(node, tuple(pairs.answered.get((at, index)) for index in range(len(node.results))))


def _problems(nodes: tuple[Node, ...], pairs: _Pairs) -> Iterator[Problem]:
    known = {id_ for node in nodes for id_ in node.calls}
    for at, node in enumerate(nodes):
        for index, id_ in enumerate(node.calls):
            name = pairs.called[at, index]
            if name != id_:
                yield _problem("call_id_twice", node, f"the id {id_} stands for another call already: now {name}")
            if (at, name) in pairs.open.get(_reply(node), ()):
                yield _problem("call_without_result", node, f"the call {id_} has no result: one is added that says so")
        for index, id_ in enumerate(node.results):
            if (at, index) not in pairs.answered and id_ in known:
                yield _problem("result_twice", node, f"the call {id_} has a result already: this one is left out")
            elif (at, index) not in pairs.answered:
                yield _problem("result_without_call", node, f"no call {id_} comes before its result: it is left out")


def _problem(kind: Kind, node: Node, text: str) -> Problem:
    return Problem(kind=kind, line=node.span.number, text=text)
