"""Calls and their results in the order that the Messages API takes."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bascule.history.nodes import Node, Span
from bascule.history.pairs import Kept, Made, Step, paired


def node(uuid: str, *, calls: str = "", results: str = "", reply: str | None = None, role: str = "") -> Node:
    """A node whose line is its uuid's last digits."""
    kind = role or ("assistant" if calls or reply else "user")
    line = int("".join(char for char in uuid if char.isdigit()) or 0)
    return Node(
        span=Span(line, 0, 0),
        uuid=uuid,
        role=kind,
        message_id=reply,
        calls=tuple(calls.split()),
        results=tuple(results.split()),
    )


def steps_of(*nodes: Node) -> list[Any]:
    return [
        step.node.uuid if isinstance(step, Kept) and not step.ids else (step.node.uuid, *ids(step))
        for step in paired(nodes)[0]
    ]


def ids(step: Step) -> tuple[str | None, ...]:
    return step.ids if isinstance(step, Kept) else ("made", step.id)


def kinds(*nodes: Node) -> list[tuple[str, int]]:
    return [(problem.kind, problem.line) for problem in paired(nodes)[1]]


def test_what_is_whole_stays_as_it_is() -> None:
    whole = (node("p1"), node("a2", calls="x"), node("r3", results="x"), node("a4", reply="m"))
    assert steps_of(*whole) == ["p1", ("a2", "x"), ("r3", "x"), "a4"]
    assert kinds(*whole) == []


def test_blocks_of_a_reply_stand_together_and_its_results_follow() -> None:
    mixed = (
        node("a1", calls="x", reply="m"),
        node("r2", results="x"),
        node("p3"),
        node("a4", calls="y", reply="m"),
        node("r5", results="y"),
    )
    assert steps_of(*mixed) == [("a1", "x"), ("a4", "y"), ("r2", "x"), ("r5", "y"), "p3"]
    assert kinds(*mixed) == []


def test_S36_a_call_without_result_gets_one_that_says_so() -> None:
    lost = (node("a1", calls="x", reply="m"), node("a2", calls="y", reply="m"), node("r3", results="y"), node("p4"))
    assert steps_of(*lost) == [("a1", "x"), ("a2", "y"), ("r3", "y"), ("a1", "made", "x"), "p4"]
    assert kinds(*lost) == [("call_without_result", 1)]


def test_F37_a_call_at_the_end_gets_one_too() -> None:
    lost = (node("p1"), node("a2", calls="x y"))
    assert steps_of(*lost) == ["p1", ("a2", "x", "y"), ("a2", "made", "x"), ("a2", "made", "y")]


def test_S36_an_id_that_stands_for_two_calls_stands_for_one() -> None:
    twice = (
        node("a1", calls="x"),
        node("r2", results="x"),
        node("a3", calls="x"),
        node("r4", results="x"),
    )
    assert steps_of(*twice) == [("a1", "x"), ("r2", "x"), ("a3", "x-2"), ("r4", "x-2")]
    assert kinds(*twice) == [("call_id_twice", 3)]


def test_the_first_of_two_calls_does_not_take_the_seconds_result() -> None:
    twice = (node("a1", calls="x"), node("p2"), node("a3", calls="x"), node("r4", results="x"))
    assert steps_of(*twice) == [("a1", "x"), ("a1", "made", "x"), "p2", ("a3", "x-2"), ("r4", "x-2")]
    assert kinds(*twice) == [("call_without_result", 1), ("call_id_twice", 3)]


def test_two_calls_of_one_reply_take_their_results_in_order() -> None:
    twice = (
        node("a1", calls="x", reply="m"),
        node("a2", calls="x", reply="m"),
        node("r3", results="x"),
        node("r4", results="x"),
    )
    assert steps_of(*twice) == [("a1", "x"), ("a2", "x-2"), ("r3", "x"), ("r4", "x-2")]


def test_a_new_id_is_one_that_nothing_else_has() -> None:
    twice = (node("a1", calls="x x-2"), node("r2", results="x x-2"), node("a3", calls="x"), node("r4", results="x"))
    assert steps_of(*twice)[2:] == [("a3", "x-3"), ("r4", "x-3")]


def test_a_result_without_a_call_goes() -> None:
    stray = (node("r1", results="x"), node("a2", calls="y"), node("r3", results="y z"), node("r4", results="y"))
    assert steps_of(*stray) == [("r1", None), ("a2", "y"), ("r3", "y", None), ("r4", None)]
    assert kinds(*stray) == [("result_without_call", 1), ("result_without_call", 3), ("result_twice", 4)]


def test_results_of_two_replies_in_one_entry_belong_to_the_first() -> None:
    mixed = (node("a1", calls="x"), node("a2", calls="y"), node("r3", results="x y"))
    assert steps_of(*mixed) == [("a1", "x"), ("r3", "x", None), ("a2", "y"), ("a2", "made", "y")]
    assert kinds(*mixed) == [("call_without_result", 2), ("result_twice", 3)]


some_ids = st.lists(st.sampled_from("xyz"), max_size=3).map(" ".join)
any_nodes = st.lists(
    st.tuples(some_ids, some_ids, st.none() | st.sampled_from("mn")).map(
        lambda made: (made[0], "", made[2]) if made[2] else ("", made[1], None)
    ),
    max_size=8,
).map(lambda rows: tuple(node(f"n{n}", calls=c, results=r, reply=m) for n, (c, r, m) in enumerate(rows)))


def sent(steps: Iterable[Step]) -> list[tuple[str, list[str]]]:
    """Calls and results as the API sees them: steps of one role are one message."""
    messages: list[tuple[str, list[str]]] = []
    for step in steps:
        role = "user" if isinstance(step, Made) or step.node.role == "user" else "assistant"
        said = [step.id] if isinstance(step, Made) else [id_ for id_ in step.ids if id_ is not None]
        reply = step.node.message_id if isinstance(step, Kept) else None
        key = f"{role} {reply or ''}"
        if messages and messages[-1][0] == key:
            messages[-1][1].extend(said)
        else:
            messages.append((key, said))
    return messages


@given(any_nodes)
def test_any_entries_become_what_the_api_takes(nodes: tuple[Node, ...]) -> None:
    steps, _ = paired(nodes)
    messages = sent(steps)
    calls = [id_ for key, said in messages if key.startswith("assistant") for id_ in said]
    assert len(calls) == len(set(calls))
    for (key, said), (next_key, answers) in pairwise([*messages, ("", [])]):
        if key.startswith("assistant"):
            assert sorted(said) == sorted(answers if next_key.startswith("user") else [])
    assert {step.node.uuid for step in steps if isinstance(step, Kept)} == {node.uuid for node in nodes}


@given(any_nodes)
def test_what_was_paired_has_no_problem(nodes: tuple[Node, ...]) -> None:
    steps, _ = paired(nodes)
    again = [
        node(f"k{n}", results=step.id)
        if isinstance(step, Made)
        else Node(
            span=step.node.span,
            uuid=f"k{n}",
            role=step.node.role,
            message_id=step.node.message_id,
            calls=tuple(filter(None, step.ids)) if step.node.calls else (),
            results=tuple(filter(None, step.ids)) if step.node.results else (),
        )
        for n, step in enumerate(steps)
    ]
    assert paired(tuple(again))[1] == ()
