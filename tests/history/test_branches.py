"""Which branch is the conversation. Each rule was measured by a resume on both versions (docs/how-to)."""

import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bascule.history.branches import BRANCH_LIMIT, main_branch, other_branches
from bascule.history.lines import lines
from bascule.history.nodes import Graph, Node, Span, scan
from tests.history.shelf import boundary, call, jsonl, last_prompt, prompt, real, reply, result

TRUNK = (prompt("p1", None, "one"), reply("r1", "p1", "1"), prompt("p2", "r1", "two"), reply("r2", "p2", "2"))
TWIG = (prompt("q", "r1", "instead"), reply("s", "q", "other"))


def graph_of(*entries: dict[str, Any]) -> Graph:
    return scan(lines(io.BytesIO(jsonl(entries))))


def main_of(*entries: dict[str, Any], at: str | None = None) -> str:
    """The uuids of the main branch."""
    return " ".join(node.uuid for node in main_branch(graph_of(*entries), at).nodes)


def test_an_empty_file_has_no_branch() -> None:
    graph = Graph()
    assert main_branch(graph).nodes == ()
    assert other_branches(graph, ()) == ()


def test_without_a_word_of_the_cli_the_last_entry_of_the_file_counts() -> None:
    assert main_of(*TRUNK, *TWIG) == "p1 r1 q s"
    assert main_of(*TRUNK[:2], *TWIG, *TRUNK[2:]) == "p1 r1 p2 r2"


def test_the_branch_that_the_cli_named_counts_though_another_is_newer() -> None:
    assert main_of(*TRUNK, last_prompt("r2"), *TWIG) == "p1 r1 p2 r2"
    assert main_of(*TRUNK[:2], *TWIG, last_prompt("s"), *TRUNK[2:]) == "p1 r1 q s"


def test_what_came_after_the_named_entry_belongs_to_it() -> None:
    assert main_of(*TRUNK[:2], last_prompt("r1"), *TRUNK[2:]) == "p1 r1 p2 r2"
    assert main_of(*TRUNK, *TWIG, last_prompt("r1")) == "p1 r1 q s"


def test_a_named_entry_that_is_not_there_counts_for_nothing() -> None:
    assert main_of(*TRUNK, *TWIG, last_prompt("gone")) == "p1 r1 q s"


def test_a_branch_may_be_asked_for_by_any_of_its_entries() -> None:
    assert main_of(*TRUNK, *TWIG, at="p2") == "p1 r1 p2"
    assert main_of(*TRUNK, *TWIG, at="gone") == ""


def test_F42_a_subagents_entries_are_not_the_conversations() -> None:
    side = (prompt("x", None, "sub", isSidechain=True), reply("y", "x", "done", isSidechain=True))
    assert main_of(*TRUNK, *side) == "p1 r1 p2 r2"
    assert main_of(*side) == "x y"


FAN = (
    prompt("p", None, "look"),
    call("a", "p", "t1", message_id="m"),
    call("b", "a", "t2", message_id="m"),
    call("c", "b", "t3", message_id="m"),
    result("ra", "a", "t1"),
    result("rb", "b", "t2"),
    result("rc", "c", "t3"),
)


def test_results_of_parallel_calls_are_put_back_behind_their_reply() -> None:
    assert main_of(*FAN, reply("e", "rc", "done")) == "p a b c ra rb rc e"


def test_calls_behind_the_one_that_was_gone_on_from_are_put_back() -> None:
    assert main_of(*FAN, reply("e", "rb", "done")) == "p a b c ra rc rb e"


def test_a_result_that_is_told_on_the_chain_is_not_put_back_again() -> None:
    again = result("again", "a", "t1")
    entries = (*FAN[:2], FAN[4], again, reply("e", "ra", "done"))
    assert main_of(*entries) == "p a ra e"


def test_one_id_in_two_replies_leaves_each_its_result() -> None:
    later = (call("d", "rc", "t1", message_id="n"), result("rd", "d", "t1"), reply("e", "rd", "done"))
    assert main_of(*FAN, *later) == "p a b c ra rb rc d rd e"


def test_an_unknown_parent_is_the_entry_before() -> None:
    entries = (*TRUNK[:2], {**TRUNK[2], "parentUuid": "gone"}, TRUNK[3])
    main = main_branch(graph_of(*entries))
    assert [node.uuid for node in main.nodes] == ["p1", "r1", "p2", "r2"]
    assert [(lost.node.uuid, lost.why) for lost in main.lost] == [("p2", "unknown_parent")]


def test_an_entry_that_stands_behind_what_follows_it_goes_on_from_before_both() -> None:
    entries = (prompt("z", None, "zero"), reply("r", "n", "1"), prompt("n", "gone", "one"), last_prompt("r"))
    assert main_of(*entries) == "z n r"


def test_an_unknown_parent_of_the_first_entry_is_the_beginning() -> None:
    main = main_branch(graph_of({**TRUNK[0], "parentUuid": "gone"}, *TRUNK[1:]))
    assert len(main.nodes) == 4
    assert [lost.why for lost in main.lost] == ["unknown_parent"]


def test_a_loop_ends_where_it_began() -> None:
    main = main_branch(graph_of(*TRUNK[:2], {**TRUNK[2], "parentUuid": "r2"}, TRUNK[3]))
    assert [node.uuid for node in main.nodes] == ["p1", "r1", "p2", "r2"]
    assert [lost.why for lost in main.lost] == ["parent_loop"]


def test_a_loop_behind_the_named_entry_ends_too() -> None:
    entries = (*TRUNK, reply("x", "y", "x"), reply("y", "x", "y"), last_prompt("r1"))
    assert main_of(*entries) == "p1 r1 p2 r2"


def test_what_came_before_a_compaction_is_read_as_well() -> None:
    """As 2.1.332 links it."""
    summary = prompt("sum", "cut", "a summary", isCompactSummary=True)
    entries = (*TRUNK, last_prompt("r2"), boundary("cut", "r2"), summary, prompt("p3", "sum", "three"))
    assert main_of(*entries) == "p1 r1 p2 r2 cut sum p3"


def test_a_compaction_that_the_links_pass_by_is_put_back() -> None:
    """As 2.1.197 links it: what follows goes on from the message before."""
    summary = prompt("sum", "cut", "a summary", isCompactSummary=True)
    entries = (*TRUNK, boundary("cut", "r2"), summary, prompt("p3", "r2", "three"))
    assert main_of(*entries) == "p1 r1 p2 r2 cut sum p3"
    assert main_of(*entries, at="r2") == "p1 r1 p2 r2"


def test_a_compaction_whose_past_is_not_in_the_file_is_the_beginning() -> None:
    main = main_branch(graph_of(boundary("cut", "gone"), prompt("sum", "cut", "a summary", isCompactSummary=True)))
    assert [node.uuid for node in main.nodes] == ["cut", "sum"]
    assert main.lost == ()


def test_a_summary_of_nothing_is_left_where_it_is() -> None:
    stray = prompt("sum", "gone", "a summary", isCompactSummary=True)
    assert main_of(stray, *TRUNK) == "p1 r1 p2 r2"


def test_branches_that_were_left_are_told() -> None:
    graph = graph_of(*TRUNK, *TWIG, last_prompt("r2"))
    (branch,) = other_branches(graph, main_branch(graph).nodes)
    assert (branch.leaf, branch.fork, branch.line, branch.entries) == ("s", "r1", 5, 2)


def test_parallel_results_are_no_branch_of_their_own() -> None:
    graph = graph_of(*FAN, reply("e", "rc", "done"), prompt("z", "p", "instead"), last_prompt("z"))
    (branch,) = other_branches(graph, main_branch(graph).nodes)
    assert (branch.leaf, branch.fork, branch.entries) == ("e", "p", 7)


def test_a_branch_of_a_branch_names_it() -> None:
    twigs = (*TWIG, prompt("u", "q", "other still"))
    graph = graph_of(*TRUNK, *twigs, last_prompt("r2"))
    assert [(b.leaf, b.fork) for b in other_branches(graph, main_branch(graph).nodes)] == [("u", "r1"), ("s", "q")]


def test_a_conversation_that_began_by_itself_is_a_branch_too() -> None:
    graph = graph_of(prompt("x", None, "alone"), *TRUNK)
    assert [(b.leaf, b.fork) for b in other_branches(graph, main_branch(graph).nodes)] == [("x", None)]


def test_what_nobody_said_is_no_branch() -> None:
    note = {"type": "attachment", "attachment": {"type": "date"}, "uuid": "n", "parentUuid": "r1"}
    graph = graph_of(*TRUNK[:2], note, *TRUNK[2:])
    assert other_branches(graph, main_branch(graph).nodes) == ()


def test_of_a_file_of_beginnings_not_each_is_told() -> None:
    graph = graph_of(*(prompt(f"p{n}", None, "hi") for n in range(BRANCH_LIMIT + 9)))
    assert len(other_branches(graph, main_branch(graph).nodes)) == BRANCH_LIMIT


def test_the_real_clis_branches(version: str) -> None:
    with real(version, "branches").open("rb") as file:
        graph = scan(lines(file))
    main = main_branch(graph)
    (left,) = other_branches(graph, main.nodes)
    assert len([node for node in main.nodes if node.role]) == 4
    assert left.fork in {node.uuid for node in main.nodes}
    assert main.lost == ()


uuids = st.sampled_from("abcdefgh")
made_nodes = st.builds(
    Node,
    span=st.builds(Span, st.integers(1, 9), st.just(0), st.just(0)),
    uuid=uuids,
    parent=st.none() | uuids,
    role=st.sampled_from(["user", "assistant", ""]),
    sidechain=st.booleans(),
    message_id=st.none() | st.sampled_from("mn"),
    calls=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
    results=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
    boundary=st.booleans(),
    summary=st.booleans(),
)


@given(st.lists(made_nodes, max_size=8), st.none() | uuids, st.none() | uuids)
def test_any_links_give_each_entry_once(nodes: list[Node], leaf: str | None, at: str | None) -> None:
    graph = Graph(nodes={node.uuid: node for node in nodes}, leaf=leaf)
    main = main_branch(graph, at)
    found = [node.uuid for node in main.nodes]
    assert len(found) == len(set(found))
    assert bool(found) == bool(nodes) or at is not None
    left = other_branches(graph, main.nodes)
    assert sum(branch.entries for branch in left) + len(found) <= len(graph.nodes)
