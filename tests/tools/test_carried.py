"""Commands that stand among the words of others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.tools.carried import carried


def found(line: str) -> list[tuple[str, str]]:
    return [(each.how, " ".join(each.words)) for each in carried(line.split())]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("uv run rm x", [("run", "rm x")]),
        ("uv --quiet run rm x", [("run", "rm x")]),
        ("uv run --with y rm x", [("run within", "--with y rm x")]),
        ("uv run", [("perhaps", "")]),
        ("npx frob rm x", [("run", "frob rm x"), ("perhaps", "rm x")]),
        ("uv run npx frob x", [("run", "npx frob x"), ("run", "frob x"), ("perhaps", "x")]),
        ("docker exec web rm x", [("run", "rm x")]),
        ("docker exec -it web rm x", [("run within", "-it web rm x")]),
        ("docker exec web -x", [("run within", "web -x")]),
        ("docker --log-level debug run alpine ls", [("run", "ls")]),
        ("docker exec", [("perhaps", "")]),
        ("yarn eslint x", [("run", "eslint x")]),
        ("yarn run frob x", [("run", "frob x"), ("perhaps", "x")]),
        ("yarn add frob", []),
        ("yarn --cwd add frob", [("run within", "--cwd add frob")]),
        ("yarn", [("perhaps", "")]),
        ("bun x frob", [("run", "frob"), ("perhaps", "")]),
        ("frob rm x", [("perhaps", "rm x")]),
        ("python a.py rm", [("perhaps", "a.py rm")]),
        ("docker rm web", []),
        ("docker build rm", [("perhaps", "rm")]),
        ("docker volume rm data", [("perhaps", "data")]),
        ("npm run rm", [("perhaps", "rm")]),
        ("git commit -m rm", []),
        ("git frob rm", [("perhaps", "rm")]),
        ("ls rm", []),
        ("rm curl", []),
        ("pytest -k rm", []),
        ("make rm", []),
        ("", []),
    ],
)
def test_what_may_be_another_command_is_told(line: str, expected: list[tuple[str, str]]) -> None:
    assert found(line) == expected


def test_the_values_of_options_are_words_too() -> None:
    [perhaps] = carried(["frob", "--exec=rm", "x", "-y", "a=", "-xls", "-"])
    assert perhaps.spread == ("--exec=rm", "rm", "x", "-y", "a=", "-xls", "ls", "-")


words = st.lists(st.sampled_from("uv run npx docker exec yarn add -x --y=z rm git commit web frob".split()), max_size=8)


@given(words)
def test_what_is_told_are_always_last_words(given_words: list[str]) -> None:
    """Each time fewer of them, so that it ends."""
    told = [list(each.words) for each in carried(given_words)]
    assert all(given_words[len(given_words) - len(each) :] == each for each in told)
    assert sorted(map(len, told), reverse=True) == [*map(len, told)]
    assert all(len(each) < len(given_words) for each in told)
