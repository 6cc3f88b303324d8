"""A file as a graph."""

import io

from bascule.history.entries import CustomTitleEntry, ModeEntry
from bascule.history.lines import lines
from bascule.history.nodes import DAMAGE_LIMIT, Graph, scan
from tests.history.shelf import (
    boundary,
    call,
    entry,
    jsonl,
    last_prompt,
    prompt,
    real,
    reply,
    result,
)


def graph_of(*entries: dict[str, object]) -> Graph:
    return scan(lines(io.BytesIO(jsonl(entries))))


def test_an_entry_is_linked_and_says_what_it_calls_and_answers() -> None:
    graph = graph_of(prompt("a", None, "hi"), call("b", "a", "t1", message_id="m"), result("c", "b", "t1", "t2"))
    a, b, c = graph.nodes.values()
    assert (a.parent, a.role, a.calls, a.results) == (None, "user", (), ())
    assert (b.parent, b.role, b.calls, b.message_id) == ("a", "assistant", ("t1",), "m")
    assert (c.parent, c.role, c.results) == ("b", "user", ("t1", "t2"))
    assert [node.span.number for node in (a, b, c)] == [1, 2, 3]
    assert graph.session_id == "s"


def test_an_entry_that_is_written_twice_counts_where_it_stands_last() -> None:
    graph = graph_of(prompt("a", None, "hi"), reply("b", "a", "x"), {**prompt("a", None, "hi"), "slug": "s"})
    assert list(graph.nodes) == ["b", "a"]
    assert graph.nodes["a"].span.number == 3


def test_a_compaction_follows_what_came_before_it() -> None:
    graph = graph_of(prompt("a", None, "hi"), boundary("b", "a"), prompt("c", "b", "sum", isCompactSummary=True))
    assert graph.nodes["b"].boundary
    assert graph.nodes["b"].parent == "a"
    assert graph.nodes["c"].summary


def test_what_the_cli_said_last_about_the_place_counts_until_a_compaction() -> None:
    graph = graph_of(prompt("a", None, "hi"), last_prompt("a"), last_prompt(None))
    assert graph.leaf == "a"
    assert graph_of(last_prompt("a"), boundary("b", "a")).leaf is None


def test_what_is_about_the_conversation_is_found_again() -> None:
    title = {"type": "custom-title", "customTitle": "x", "sessionId": "s", "uuid": "t"}
    text = jsonl([{"type": "mode", "mode": "normal"}, title, {"type": "content-replacement", "replacements": []}])
    graph = scan(lines(io.BytesIO(text + jsonl([{**title, "customTitle": "y"}]))))
    assert set(graph.about) == {ModeEntry, CustomTitleEntry}
    span = graph.about[CustomTitleEntry]
    assert b'"y"' in (text + jsonl([{**title, "customTitle": "y"}]))[span.offset :][: span.length]
    assert [span.number for span in graph.replacements] == [3]
    assert not graph.nodes


def test_an_unknown_entry_is_a_link_when_it_has_one() -> None:
    graph = graph_of(
        entry("a", None, "user", "hi"),
        {"type": "novelty", "uuid": "b", "parentUuid": "a"},
        {"type": "novelty", "uuid": "c"},
        {"type": "user", "parentUuid": "a"},
    )
    assert list(graph.nodes) == ["a", "b"]


def test_damage_is_told_by_line_and_saved_entries_are_kept() -> None:
    whole = jsonl([prompt("a", None, "hi")])
    text = b"nonsense\n" + whole[:40] + whole + b"\xff\xfe" * 300
    graph = scan(lines(io.BytesIO(text)))
    assert [(damage.number, damage.problem[:15]) for damage in graph.damage] == [
        (1, "Expecting value"),
        (2, "a half line sta"),
        (3, "the last line i"),
    ]
    assert graph.damage[0].text == "nonsense"
    assert len(graph.damage[2].text) == 200
    span = graph.nodes["a"].span
    assert text[span.offset :][: span.length] == whole
    assert graph.bytes == len(text)


def test_of_a_file_of_nonsense_not_each_line_is_told() -> None:
    assert len(scan(lines(io.BytesIO(b"x\n" * (DAMAGE_LIMIT + 5)))).damage) == DAMAGE_LIMIT


def test_every_entry_of_the_real_cli_is_found_at_its_place(version: str) -> None:
    path = real(version, "turns")
    with path.open("rb") as file:
        graph = scan(lines(file))
    text = path.read_bytes()
    assert len(graph.nodes) > 15
    for node in graph.nodes.values():
        assert f'"uuid":"{node.uuid}"'.encode() in text[node.span.offset :][: node.span.length]
