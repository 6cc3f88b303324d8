"""What sessions speak of."""

import pytest

from bascule.errors import OptionError
from bascule.history.search import Hit, search
from tests.history.shelf import CWD, Shelf, call, entry, jsonl, prompt, reply, result


def found(shelf: Shelf, text: str, **given: object) -> list[tuple[str, str]]:
    return [(hit.where, hit.excerpt) for hit in search(text, shelf.config, **given)]  # type: ignore[arg-type]


def test_each_place_is_searched(shelf: Shelf) -> None:
    shelf.make(
        prompt("p", None, "Where is the Teapot?"),
        call("a", "p", "teapot"),
        result("r", "a", "teapot"),
        reply("e", "r", "No teapot here."),
        {"type": "custom-title", "customTitle": "Teapots", "sessionId": "s"},
    )
    assert found(shelf, "TEAPOT") == [
        ("title", "Teapots"),
        ("prompt", "Where is the Teapot?"),
        ("call", "run teapot run teapot"),
        ("result", "ran teapot"),
        ("reply", "No teapot here."),
    ]
    assert found(shelf, "kettle") == []
    assert found(shelf, CWD) == []


def test_a_hit_can_be_gone_to(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "turns")
    (hit,) = search("One of two", shelf.config)
    assert isinstance(hit, Hit)
    assert (hit.session.path, hit.where) == (path, "reply")
    line = path.read_text().splitlines()[(hit.line or 0) - 1]
    assert f'"uuid":"{hit.uuid}"' in line
    assert hit.at is not None


def test_deep_in_a_calls_input(shelf: Shelf) -> None:
    given = {"edits": [{"old": "a needle here"}], "count": 3, "all": True}
    block = {"type": "tool_use", "id": "t", "name": "MultiEdit", "input": given}
    shelf.make(entry("a", None, "assistant", [block]))
    assert [where for where, _ in found(shelf, "needle")] == ["call"]


def test_what_is_no_ones_words_is_not_found(shelf: Shelf) -> None:
    thought = entry("t", None, "assistant", [{"type": "thinking", "thinking": "teapot"}])
    side = prompt("s", None, "teapot", isSidechain=True)
    shelf.make(
        prompt("p", None, "hi"),
        thought,
        side,
        prompt("m", None, "teapot", isMeta=True),
        {"type": "api-request-blob", "message": {"role": "user", "content": "teapot"}},
        {"type": "novelty", "text": "teapot"},
    )
    assert found(shelf, "teapot") == []


@pytest.mark.parametrize("text", ['say "hi"', "a\\b", "two\nlines", "Größe", "\U0001f600", "\x07"])
def test_what_json_writes_in_another_way_is_found(shelf: Shelf, text: str) -> None:
    shelf.make(prompt("p", None, f"please {text} now"))
    assert len(found(shelf, text)) == 1
    shelf.write(jsonl([prompt("p", None, text)]).decode().encode("utf-8"))
    assert len(found(shelf, text)) == 2


def test_an_excerpt_is_one_short_line(shelf: Shelf) -> None:
    shelf.make(prompt("p", None, "before " * 50 + "\n\tneedle\n" + "behind " * 50))
    ((_, excerpt),) = found(shelf, "needle")
    assert excerpt.startswith("…")
    assert excerpt.endswith("…")
    assert "before needle behind" in excerpt
    assert len(excerpt) < 200


def test_the_newest_come_first_and_there_are_bounds(shelf: Shelf) -> None:
    paths = [shelf.make(*(prompt(f"p{n}", None, "needle") for n in range(9))) for _ in range(4)]
    hits = search("needle", shelf.config, limit=7, per_session=3)
    assert [hit.session.path for hit in hits] == [paths[3]] * 3 + [paths[2]] * 3 + [paths[1]]
    assert len(search("needle", shelf.config, among=1)) == 5
    assert search("needle", shelf.config, limit=0) == []
    assert len(search("needle", shelf.config)) == 20


def test_one_workspace_may_be_searched(shelf: Shelf) -> None:
    shelf.make(prompt("p", None, "needle"))
    shelf.make(prompt("p", None, "needle", cwd="/other"), cwd="/other")
    assert len(search("needle", shelf.config, CWD)) == 1
    assert len(search("needle", shelf.config)) == 2


def test_damage_hides_nothing_else(shelf: Shelf) -> None:
    shelf.write(b'{"needle\n' + jsonl([prompt("p", None, "needle")]) + b"needle")
    assert found(shelf, "needle") == [("prompt", "needle")]


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_text_is_refused(shelf: Shelf, text: str) -> None:
    with pytest.raises(OptionError, match="empty"):
        search(text, shelf.config)
