"""Globs: what one item matches, what a row of them matches, and that no pattern takes for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy import globs


@pytest.mark.parametrize(
    ("pattern", "item", "covered"),
    [
        ("status", "status", True),
        ("status", "Status", False),
        ("stat*", "status", True),
        ("s?atus", "status", True),
        ("s?atus", "satus", False),
        ("[rs]tatus", "status", True),
        ("[!s]tatus", "status", False),
        ("*", "", True),
        (r"\*", "*", True),
        (r"\*", "x", False),
        (r"\[a]", "[a]", True),
        (r"\[a]", "a", False),
        (r"a\b", "ab", True),
        ("[", "[", True),
        ("*.py", "a\nb.py", True),
    ],
)
def test_one_pattern_covers_one_item(pattern: str, item: str, covered: bool) -> None:
    assert globs.one(pattern, item) is covered


@given(st.text())
def test_a_literal_covers_its_own_text(text: str) -> None:
    assert globs.one(globs.literal(text), text)


@given(st.text())
def test_a_literal_is_known_as_one(text: str) -> None:
    assert globs.is_literal(globs.literal(text))
    assert not globs.is_literal(globs.literal(text) + "*")


@given(st.text(), st.text())
def test_a_literal_covers_nothing_else(text: str, other: str) -> None:
    assert globs.one(globs.literal(text), other) is (text == other)


@pytest.mark.parametrize(
    ("patterns", "items", "covered"),
    [
        ([], [], True),
        ([], ["a"], False),
        (["a"], [], False),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a"], False),
        (["a", "**"], ["a"], True),
        (["a", "**"], ["a", "b", "c"], True),
        (["**", "c"], ["a", "b", "c"], True),
        (["**", "c"], ["c", "b"], False),
        (["a", "**", "b", "**", "c"], ["a", "b", "b", "x", "c"], True),
        (["**", "**"], [], True),
    ],
)
def test_a_gap_covers_any_number_of_items(patterns: list[str], items: list[str], covered: bool) -> None:
    assert globs.run(patterns, items, gap="**") is covered


def by_the_book(patterns: list[str], items: list[str]) -> bool:
    """What `run` is to give, in the plainest words and with no care for time."""
    if not patterns:
        return not items
    if patterns[0] == "**":
        return any(by_the_book(patterns[1:], items[skipped:]) for skipped in range(len(items) + 1))
    return bool(items) and globs.one(patterns[0], items[0]) and by_the_book(patterns[1:], items[1:])


@given(st.lists(st.sampled_from(["a", "b", "?", "**"]), max_size=6), st.lists(st.sampled_from("ab"), max_size=6))
def test_a_row_is_covered_by_the_book(patterns: list[str], items: list[str]) -> None:
    assert globs.run(patterns, items, gap="**") is by_the_book(patterns, items)


def test_many_stars_take_no_time() -> None:
    assert not globs.one("a*" * 50 + "b", "a" * 5_000)
    assert not globs.run(["**", "a"] * 40 + ["b"], ["a"] * 2_000, gap="**")


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("*.py", ("*.py",)),
        ("*.{ts,tsx}", ("*.ts", "*.tsx")),
        ("{a,b}{c,d}", ("ac", "ad", "bc", "bd")),
        ("{a,{b,c}}", ("a", "b", "a", "c")),
        ("a{b}c", ("a{b}c",)),
        (r"\{a,b}", (r"\{a,b}",)),
        ("{,x}y", ("y", "xy")),
    ],
)
def test_braces_stand_for_alternatives(pattern: str, meant: tuple[str, ...]) -> None:
    assert sorted(globs.alternatives(pattern)) == sorted(meant)


def test_braces_that_stand_for_too_many_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 256"):
        globs.alternatives("{a,b}" * 9)
