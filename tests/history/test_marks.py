"""Titles and tags, as the CLI writes them."""

import json
import threading
from pathlib import Path

import pytest

from bascule.errors import HistoryError, OptionError
from bascule.history.marks import TITLE_LIMIT, rename, tag
from bascule.history.stored import glance
from bascule.history.transcript import read
from tests.disk import full_disk
from tests.history.shelf import Shelf, jsonl, prompt, real, reply


def last_line(path: Path) -> str:
    return path.read_text().splitlines()[-1]


def test_a_rename_is_the_line_that_the_cli_writes(shelf: Shelf, version: str) -> None:
    (line,) = (line for line in real(version, "turns").read_text().splitlines() if '"custom-title"' in line)
    path = shelf.put(version, "turns")
    rename(path, "All of it")
    assert last_line(path) == line
    rename(str(path), " Something \n else ")
    session = glance(path)
    assert session is not None
    assert session.title == "Something else"


def test_a_tag_is_given_and_taken_away(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    tag(path, "blue")
    assert json.loads(last_line(path)) == {"type": "tag", "tag": "blue", "sessionId": path.stem}
    session = glance(path)
    assert session is not None
    assert session.tag == "blue"
    tag(path, None)
    session = glance(path)
    assert session is not None
    assert session.tag is None


def test_a_title_in_any_language_is_kept(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    rename(path, "Größe \U0001f600")
    session = glance(path)
    assert session is not None
    assert session.title == "Größe \U0001f600"


@pytest.mark.parametrize("text", ["", "  \n", "x" * (TITLE_LIMIT + 1)])
def test_what_is_no_title_is_refused_and_nothing_is_written(shelf: Shelf, text: str) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    before = path.read_bytes()
    with pytest.raises(OptionError, match="1 to 200 characters"):
        rename(path, text)
    with pytest.raises(OptionError):
        tag(path, text)
    assert path.read_bytes() == before


@pytest.mark.parametrize("half", [b"", b'{"type":"user","mess'])
def test_what_is_added_does_not_stick_to_a_half_line(shelf: Shelf, half: bytes) -> None:
    path = shelf.write(jsonl([prompt("a", None, "hi")]) + half)
    rename(path, "Mine")
    assert json.loads(last_line(path))["customTitle"] == "Mine"
    assert len(read(path).damage) == (1 if half else 0)


def test_an_empty_file_gets_no_blank_line(shelf: Shelf) -> None:
    path = shelf.write(b"")
    rename(path, "Mine")
    assert path.read_text().startswith('{"type":"custom-title"')


def test_who_writes_meanwhile_is_not_disturbed(shelf: Shelf) -> None:
    path = shelf.write(b"")

    def write() -> None:
        with path.open("ab", buffering=0) as file:
            for n in range(200):
                file.write(jsonl([reply(f"u{n}", None, "x" * 2_000)]))

    writer = threading.Thread(target=write)
    writer.start()
    for n in range(50):
        rename(path, f"Title {n}")
    writer.join()
    transcript = read(path)
    assert len(path.read_bytes().splitlines()) == 250
    assert transcript.damage == ()
    assert len(transcript.graph.nodes) == 200


def test_what_is_no_session_file_is_not_written_to(shelf: Shelf, tmp_path: Path) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    link = path.with_name(path.name.replace("0001", "0002"))
    link.symlink_to(path)
    other = tmp_path / "notes.jsonl"
    other.write_bytes(b"")
    before = path.read_bytes()
    for wrong in (link, other, tmp_path / path.name):
        with pytest.raises(HistoryError):
            rename(wrong, "Mine")
        with pytest.raises(HistoryError):
            tag(wrong, "blue")
    assert (path.read_bytes(), other.read_bytes()) == (before, b"")


def test_a_file_that_may_not_grow_says_so(shelf: Shelf) -> None:
    path = shelf.make(prompt("a", None, "hi"))
    size = path.stat().st_size
    with full_disk(size), pytest.raises(HistoryError, match="cannot be written"):
        rename(path, "Mine")
    assert path.stat().st_size == size
