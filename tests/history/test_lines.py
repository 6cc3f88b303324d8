"""A file line by line, and what is saved of a damaged one."""

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.history.entries import LastPromptEntry, UserEntry
from bascule.history.lines import LINE_LIMIT, Line, Reading, lines, reading
from tests.history.shelf import jsonl, last_prompt, prompt

WHOLE = jsonl([prompt("u", None, "hi")])


def test_lines_are_numbered_and_placed_and_blank_ones_are_passed_over() -> None:
    found = list(lines(io.BytesIO(b"{}\n\n \r\n{1}\n{2}")))
    assert found == [Line(1, 0, b"{}\n"), Line(4, 7, b"{1}\n"), Line(5, 11, b"{2}")]


def test_reading_may_begin_anywhere() -> None:
    stream = io.BytesIO(b"one\ntwo\n")
    stream.seek(4)
    assert list(lines(stream)) == [Line(1, 4, b"two\n")]


def test_a_line_over_the_limit_is_not_held() -> None:
    text = b"x" * 50 + b"\n" + b"short\n" + b"y" * 11 + b"\n" + b"z" * 3_000_000
    found = list(lines(io.BytesIO(text), limit=10))
    assert [(line.number, line.offset, line.text) for line in found] == [
        (1, 0, b""),
        (2, 51, b"short\n"),
        (3, 57, b""),
        (4, 69, b""),
    ]
    assert reading(b"") == Reading(None, f"longer than {LINE_LIMIT >> 20} MiB")


@given(st.lists(st.binary(max_size=8)))
def test_the_places_of_lines_are_right(parts: list[bytes]) -> None:
    text = b"\n".join(parts)
    found = list(lines(io.BytesIO(text)))
    assert all(text[line.offset :].startswith(line.text) for line in found)
    assert all(a.offset + len(a.text) <= b.offset and a.number < b.number for a, b in pairwise(found))
    assert [line.text.strip() for line in found] == [part.strip() for part in text.split(b"\n") if part.strip()]


def test_a_whole_line_is_read_with_any_ending() -> None:
    for ending in (b"\n", b"\r\n", b""):
        read = reading(WHOLE.rstrip() + ending)
        assert isinstance(read.entry, UserEntry)
        assert (read.problem, read.start) == (None, 0)


def test_an_entry_behind_nul_bytes_is_saved() -> None:
    read = reading(b"\0" * 9 + WHOLE)
    assert isinstance(read.entry, UserEntry)
    assert (read.problem, read.start) == ("NUL bytes stand before the entry", 9)


@pytest.mark.parametrize("cut", [1, 20, 60, 120, len(WHOLE) - 3])
def test_an_entry_behind_a_half_line_is_saved(cut: int) -> None:
    read = reading(WHOLE[:cut] + WHOLE)
    assert isinstance(read.entry, UserEntry)
    assert (read.problem, read.start) == ("a half line stands before the entry", cut)


def test_what_is_about_the_conversation_is_saved_too() -> None:
    read = reading(WHOLE[:100] + jsonl([last_prompt("u")]))
    assert isinstance(read.entry, LastPromptEntry)


def test_a_block_at_the_end_of_a_half_line_is_no_entry() -> None:
    cut = b'{"parentUuid":null,"message":{"content":[{"type":"text","text":"x"}'
    read = reading(cut + b"\n")
    assert read.entry is None
    assert read.problem is not None


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"\0\0\0\0\n", "nothing but NUL bytes"),
        (b"[]\n", "no JSON object with a type"),
        (WHOLE[:50], "the last line is not finished"),
        (WHOLE[:50] + b"\n", "Unterminated string"),
    ],
)
def test_what_nothing_can_be_saved_of_is_told(line: bytes, problem: str) -> None:
    read = reading(line)
    assert read.entry is None
    assert (read.problem or "").startswith(problem)


def test_a_line_of_many_beginnings_costs_little() -> None:
    read = reading(b'{"type":' * 100_000 + b"\n")
    assert read.entry is None


@given(st.binary(), st.integers(0, len(WHOLE)), st.binary())
def test_reading_never_raises(before: bytes, cut: int, behind: bytes) -> None:
    for line in (before, before + WHOLE[:cut], WHOLE[:cut] + before + WHOLE[cut:], before + WHOLE + behind):
        read = reading(line)
        assert read.entry is not None or read.problem
