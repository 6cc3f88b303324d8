"""The programs of `how-to/sessions-on-disk.md` that need no CLI, with files that a real one wrote."""

from pathlib import Path

import pytest

from bascule.history import check, sessions
from tests.docs.disk import PAGE
from tests.docs.pages import block
from tests.docs.running import Ran, run
from tests.history.shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "config")


def ran(shelf: Shelf, program: str, *words: str) -> Ran:
    """The program, told `words` on its command line."""
    shown = block(PAGE, program)
    given = shown._replace(text=f"import sys\nsys.argv[1:] = {list(words)!r}\n{shown.text}")
    done = run(given, shelf.config, {"CLAUDE_CONFIG_DIR": str(shelf.config)})
    assert (done.code, done.err) == (0, "")
    return done


def test_conversations_are_listed_searched_and_tagged(shelf: Shelf) -> None:
    one, other = shelf.put("2.1.332", "turns"), shelf.put("2.1.197", "cleared")
    program = block(PAGE, "shelf.py")
    assert program.text.count('"teapot"') == 1
    text = program.text.replace('"teapot"', '"One of two"')
    done = run(program._replace(text=text), shelf.config, {"CLAUDE_CONFIG_DIR": str(shelf.config)})
    assert done.out.splitlines() == [
        f"{other.stem} /home/ada/shop After",
        f"{one.stem} /home/ada/shop All of it",
        "reply: One of two.",
    ]
    assert {session.path: session.tag for session in sessions(shelf.config)} == {one: "teapots", other: None}


def test_a_conversation_is_told(shelf: Shelf) -> None:
    path = shelf.put("2.1.332", "turns")
    told = ran(shelf, "story.py").out.splitlines()
    assert told[:4] == ["> Hello", "Hello there.", "> Look twice", "I look."]
    assert "[cat nothing: error, ShellExec]" in told
    assert "! API Error: 400 scripted failure" in told
    assert told[-1] == "0 branches were left, 0 lines are damaged"
    assert ran(shelf, "story.py", path.stem).out.splitlines() == told


def test_a_conversation_is_mended(shelf: Shelf) -> None:
    path = shelf.put("2.1.197", "killed")
    first, last = ran(shelf, "mend.py", str(path)).out.splitlines()
    assert first.startswith("line ")
    assert "has no result" in first
    copy = path.with_name(f"{last.removeprefix('claude --resume ')}.jsonl")
    assert check(copy) == ()
    assert ran(shelf, "mend.py", str(copy)).out == "nothing is wrong\n"
