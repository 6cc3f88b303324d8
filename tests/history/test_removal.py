"""Deleting a session, and when it is refused."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bascule.errors import HistoryError, SessionInUse
from bascule.history.listing import sessions
from bascule.history.removal import delete
from tests.history.shelf import Shelf, jsonl, prompt


def furnish(shelf: Shelf, path: Path) -> None:
    """What the CLI keeps of a session beside its file."""
    for folder in ("file-history", "session-env", "tasks"):
        kept = shelf.config / folder / path.stem
        kept.mkdir(parents=True)
        (kept / "1").write_text("kept")
    results = path.with_suffix("") / "tool-results"
    results.mkdir(parents=True)
    (results / "a.txt").write_text("long")


def left(shelf: Shelf) -> list[str]:
    return sorted(str(path.relative_to(shelf.config)) for path in shelf.config.rglob("*") if path.is_file())


def test_a_session_is_deleted_with_all_that_is_its_own(shelf: Shelf, version: str) -> None:
    other = shelf.put(version, "turns")
    path = shelf.put(version, "compacted")
    furnish(shelf, path)
    side = prompt("x", None, "sub", isSidechain=True, sessionId=path.stem)
    (path.parent / "agent-a1.jsonl").write_bytes(jsonl([side]))
    (path.parent / "agent-a2.jsonl").write_bytes(jsonl([{**side, "sessionId": other.stem}]))
    delete(str(path))
    assert left(shelf) == sorted(
        str(kept.relative_to(shelf.config)) for kept in (other, path.parent / "agent-a2.jsonl")
    )
    assert [session.path for session in sessions(shelf.config)] == [other]


def test_a_session_that_runs_is_not_deleted(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    (shelf.config / "sessions").mkdir()
    (shelf.config / "sessions" / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": path.stem}))
    with pytest.raises(SessionInUse, match="end it first") as refused:
        delete(path)
    assert refused.value.pid == os.getpid()
    assert path.exists()


def test_L57_a_session_that_somebody_owns_is_not_deleted(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))

    @contextmanager
    def taken(conversation: str) -> Iterator[None]:
        if conversation == path.stem:
            raise SessionInUse(f"{conversation} is open in another session", session=conversation)
        yield

    with pytest.raises(SessionInUse, match=path.stem):
        delete(path, own=taken)
    assert path.exists()


def test_a_session_is_owned_while_it_is_deleted(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    seen: list[tuple[str, bool]] = []

    @contextmanager
    def own(conversation: str) -> Iterator[None]:
        seen.append((conversation, path.exists()))
        yield
        seen.append((conversation, path.exists()))

    delete(path, own=own)
    assert seen == [(path.stem, True), (path.stem, False)]


def test_what_is_not_there_cannot_be_deleted(shelf: Shelf, tmp_path: Path) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    delete(path)
    other = tmp_path / "notes.jsonl"
    other.touch()
    for wrong in (path, other):
        with pytest.raises(HistoryError):
            delete(wrong)
    assert other.exists()


def test_a_link_is_neither_followed_nor_deleted(shelf: Shelf, tmp_path: Path) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    path.with_suffix("").symlink_to(kept)
    (shelf.config / "tasks").mkdir()
    (shelf.config / "tasks" / path.stem).symlink_to(kept)
    delete(path)
    assert (kept / "file").exists()
    link = shelf.folder() / path.name
    link.symlink_to(kept / "file")
    with pytest.raises(HistoryError):
        delete(link)
    assert (kept / "file").exists()


def test_what_cannot_be_deleted_is_said(foreign_shelf: Shelf) -> None:
    path = foreign_shelf.make(prompt("a", None, "hi"))
    foreign_shelf.close()
    with pytest.raises(HistoryError, match="cannot be deleted: Permission denied"):
        delete(path)
    assert path.exists()


def test_a_session_that_runs_is_not_deleted_by_its_bare_name(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    (shelf.config / "sessions").mkdir()
    (shelf.config / "sessions" / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": path.stem}))
    monkeypatch.chdir(path.parent)
    with pytest.raises(SessionInUse):
        delete(path.name)
    assert path.exists()


def test_a_copy_that_lies_elsewhere_takes_nothing_along(shelf: Shelf, tmp_path: Path) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    copy = tmp_path / "backup" / "x" / "y" / path.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(path.read_bytes())
    beside = tmp_path / "backup" / "tasks" / path.stem
    beside.mkdir(parents=True)
    delete(copy)
    assert (copy.exists(), beside.exists(), path.exists()) == (False, True, True)
