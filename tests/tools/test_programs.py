"""What well-known programs do with their words."""

import pytest

from bascule.tools import interpreters, programs


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("git", "git"),
        ("/usr/bin/GIT", "git"),
        ("python3.11", "python"),
        ("sqlite3", "sqlite"),
        ("cmd.exe", "cmd"),
        ("7z", "7z"),
        ("", ""),
    ],
)
def test_a_program_goes_by_its_bare_name(word: str, name: str) -> None:
    assert programs.program([word]) == name
    assert programs.program([]) == ""


def test_no_table_holds_a_name_that_no_program_goes_by() -> None:
    """`m4` in a table would never be found, for the program is called `m`."""
    assert [name for name in programs.RUNNERS | interpreters.NAMES if programs.program([name]) != name] == []


@pytest.mark.parametrize(
    ("line", "doubts"),
    [
        ("uv run pytest -q", []),
        ("uv run pytest -p x", ["runs its arguments"]),
        ("uv run python -m pytest", []),
        ("uv run python -c x", ["runs its arguments"]),
        ("uv --quiet run sudo x", ["runs its arguments"]),
        ("uv pip list", []),
        ("uv " + "run " * 60, ["runs its arguments"]),
        ("npx eslint", []),
        ("npx git config x", ["runs its arguments"]),
        ("bundle exec rspec", []),
        ("python -m pip install -t x", ["option -t"]),
        ("python -m pytest", []),
        ("command -v x", []),
        ("command x", ["runs its arguments"]),
        ("%1", ["changes the shell"]),
    ],
)
def test_what_is_run_in_a_place_of_its_own_is_doubted_as_it_would_be_without(line: str, doubts: list[str]) -> None:
    assert list(programs.doubts(line.split())) == doubts


@pytest.mark.parametrize(
    ("line", "prints"),
    [
        ("grep x a", False),
        ("grep -r x", True),
        ("grep -rl x", False),
        ("grep -rel x", True),
        ("grep x -rl", True),
        ("grep -rl x --no-messages", True),
        ("egrep -rl x", True),
        ("rg x", True),
        ("rg -l x", False),
        ("rg --files", False),
        ("rg -rl x", True),
        ("diff -rq a b", False),
        ("diff -rl a b", True),
        ("ack -l x", True),
        ("git grep x", True),
        ("git diff", False),
        ("ls -r", False),
    ],
)
def test_a_search_that_shows_lines_is_known(line: str, prints: bool) -> None:
    assert programs.prints_what_it_finds(line.split()) is prints
