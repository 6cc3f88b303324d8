"""Sessions of one workspace and of all."""

import os
from pathlib import Path
from typing import Any

import pytest

from bascule.history.listing import find, page, sessions, stored, subagents
from tests.history.shelf import CWD, Shelf, jsonl, number, prompt


def ids(shelf: Shelf, **given: object) -> list[str]:
    return [str(session.id) for session in sessions(shelf.config, **given)]  # type: ignore[arg-type]


def test_what_was_written_last_comes_first(shelf: Shelf, version: str) -> None:
    paths = [shelf.put(version, name) for name in ("turns", "killed", "cleared")]
    assert ids(shelf) == [path.stem for path in reversed(paths)]
    assert ids(shelf, limit=2) == [paths[2].stem, paths[1].stem]
    assert ids(shelf, limit=0) == []


def test_a_folder_that_is_not_there_holds_none(shelf: Shelf) -> None:
    assert sessions(shelf.config) == []


def test_F42_subagents_are_listed_under_their_session_alone(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "compacted")
    assert ids(shelf) == [path.stem]
    (agent,) = subagents(path)
    assert (agent.type, agent.description) == ("general-purpose", "Look around")
    assert agent.tool_call_id is not None
    assert agent.path.name == f"agent-{agent.id}.jsonl"


def test_F42_subagents_of_older_versions_lie_beside(shelf: Shelf) -> None:
    path = shelf.write(jsonl([prompt("a", None, "hi")]))
    side = prompt("x", None, "sub", isSidechain=True, sessionId=path.stem)
    (path.parent / "agent-a1.jsonl").write_bytes(jsonl([side]))
    (path.parent / "agent-a2.jsonl").write_bytes(jsonl([{**side, "sessionId": "other"}]))
    (path.parent / "agent-a3.jsonl").write_bytes(b"nonsense\n")
    (path.parent / "agent-a4.jsonl").write_bytes(b"")
    (path.parent / "agent-a5.jsonl").symlink_to(path.parent / "agent-a1.jsonl")
    assert [(agent.id, agent.type) for agent in subagents(path)] == [("a1", None)]
    assert ids(shelf) == [path.stem]


def test_what_is_told_of_a_subagent_may_be_nonsense(shelf: Shelf) -> None:
    path = shelf.write(jsonl([prompt("a", None, "hi")]))
    folder = path.with_suffix("") / "subagents" / "workflow"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_bytes(b"")
    (folder / "agent-a1.meta.json").write_bytes(b"\xff")
    assert [agent.id for agent in subagents(path)] == ["a1"]


def test_only_those_of_a_workspace(shelf: Shelf, tmp_path: Path) -> None:
    here, other = os.path.realpath(tmp_path), f"{os.path.realpath(tmp_path)}/other"
    path = shelf.make(prompt("a", None, "hi", cwd=here), cwd=here)
    shelf.make(prompt("a", None, "hi", cwd=other), cwd=other)
    assert ids(shelf, cwd=here) == [path.stem]
    assert len(ids(shelf)) == 2


def test_a_workspace_is_the_one_that_a_link_leads_to(shelf: Shelf, tmp_path: Path) -> None:
    here = os.path.realpath(tmp_path)
    (tmp_path / "link").symlink_to(here)
    path = shelf.make(prompt("a", None, "hi", cwd=here), cwd=here)
    assert ids(shelf, cwd=f"{here}/link") == [path.stem]


def test_two_workspaces_of_one_folder_are_told_apart(shelf: Shelf) -> None:
    one = shelf.make(prompt("a", None, "hi", cwd="/a/b"), cwd="/a/b")
    two = shelf.make(prompt("a", None, "hi", cwd="/a-b"), cwd="/a-b")
    moved = shelf.make(prompt("a", None, "hi", cwd="/elsewhere"), cwd="/a/b")
    unsaid = shelf.write(b"nonsense\n", cwd="/a/b")
    assert one.parent == two.parent
    assert ids(shelf, cwd="/a/b") == [unsaid.stem, moved.stem, one.stem]
    assert ids(shelf, cwd="/a-b") == [unsaid.stem, moved.stem, two.stem]


def test_a_workspace_of_a_long_path(shelf: Shelf) -> None:
    long = "/" + "deep/" * 60
    folder = shelf.folder(long).rename(f"{shelf.folder(long)}-8oq05y")
    for n, cwd in enumerate((long.rstrip("/"), long + "other")):
        (folder / f"{number(n)}.jsonl").write_bytes(jsonl([prompt("a", None, "hi", cwd=cwd)]))
    assert ids(shelf, cwd=long) == [number(0)]


def test_S35_a_session_is_found_in_whichever_workspace_it_lives(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "turns")
    shelf.make(prompt("a", None, "hi", cwd="/elsewhere"), cwd="/elsewhere")
    found = find(path.stem, shelf.config)
    assert found is not None
    assert (found.path, found.cwd) == (path, CWD)
    assert find(path.stem.upper(), shelf.config) == found


def test_of_two_files_of_one_session_the_newer_is_found(shelf: Shelf) -> None:
    shelf.write(jsonl([prompt("a", None, "old")]), id_=number(7), cwd="/one")
    newer = shelf.write(jsonl([prompt("a", None, "new")]), id_=number(7), cwd="/two")
    found = find(number(7), shelf.config)
    assert found is not None
    assert found.path == newer


@pytest.mark.parametrize("id_", [number(404), "", "..", "../../etc/passwd", "↩️ " + number(1), number(1) + "/x"])
def test_what_is_no_id_of_a_session_is_nowhere(shelf: Shelf, id_: str) -> None:
    shelf.make(prompt("a", None, "hi"))
    assert find(id_, shelf.config) is None


def test_a_file_that_is_gone_when_it_is_looked_at_is_left_out(shelf: Shelf) -> None:
    assert stored(shelf.folder() / f"{number(404)}.jsonl", None) is None


def test_what_is_no_plain_file_is_left_out(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    os.mkfifo(path.parent / f"{number(99)}.jsonl")
    (path.parent / f"{number(98)}.jsonl").symlink_to(path)
    assert ids(shelf) == [path.stem]


def paged(shelf: Shelf, **given: Any) -> list[list[str]]:
    """The pages, one after the other."""
    found, after = [], None
    while True:
        one = page(shelf.config, after=after, **given)
        found.append([str(session.id) for session in one.sessions])
        if (after := one.after) is None:
            return found


def test_pages_give_each_session_once_the_newest_first(shelf: Shelf) -> None:
    assert paged(shelf) == [[]]
    paths = [shelf.make(prompt("a", None, "hi"), cwd=f"/w{n}") for n in range(5)]
    for path in paths[:2]:
        os.utime(path, (5, 5))
    ids = [number(n) for n in (5, 4, 3, 2, 1)]
    assert paged(shelf) == [ids]
    assert paged(shelf, limit=5) == [ids]
    assert paged(shelf, limit=2) == [ids[:2], ids[2:4], ids[4:]]


def test_of_a_session_in_two_workspaces_the_newer_file_counts(shelf: Shelf) -> None:
    shelf.write(jsonl([prompt("a", None, "old")]), id_=number(9), cwd="/w1")
    newer = shelf.write(jsonl([prompt("a", None, "new")]), id_=number(9), cwd="/w2")
    assert [session.path for session in page(shelf.config).sessions] == [newer]


def test_F42_pages_hold_no_sidechains(shelf: Shelf, version: str) -> None:
    path = shelf.put(version, "compacted")
    shelf.make(prompt("x", None, "sub", isSidechain=True))
    assert paged(shelf) == [[path.stem]]


def test_pages_are_searched_by_all_words(shelf: Shelf) -> None:
    shelf.make(prompt("a", None, "Mend the fence"))
    shelf.make(prompt("b", None, "Paint the Fence"), {"type": "custom-title", "customTitle": "GARDEN"})
    assert paged(shelf, words="fence") == [[number(2), number(1)]]
    assert paged(shelf, words="fence garden") == [[number(2)]]
    assert paged(shelf, words="shop MEND") == [[number(1)]]
    assert paged(shelf, words="fence house") == [[]]


def test_a_search_that_finds_nothing_ends_its_page_all_the_same(shelf: Shelf) -> None:
    for text in ("needle", "hay", "hay"):
        shelf.make(prompt("a", None, text))
    assert paged(shelf, words="needle", among=1) == [[], [], [number(1)]]
