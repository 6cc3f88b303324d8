"""stderr is cut into lines of bounded length, and its end is remembered."""

from hypothesis import given
from hypothesis import strategies as st

from bascule.transport.complaints import CUT, LINE_BYTES, TAIL_CHARACTERS, TAIL_LINES, Complaints


def test_lines_come_without_their_ends() -> None:
    complaints = Complaints()
    assert complaints.feed(b"one\ntwo\r\nth") == ["one", "two"]
    assert complaints.feed(b"ree\n\n") == ["three", ""]
    assert complaints.finish() == []


def test_the_last_line_needs_no_newline() -> None:
    complaints = Complaints()
    complaints.feed(b"half")
    assert complaints.finish() == ["half"]
    assert complaints.finish() == []


def test_bytes_that_are_no_utf8_survive() -> None:
    assert Complaints().feed(b"\xff\xfe\n") == ["\udcff\udcfe"]


def test_L7_an_endless_line_is_cut_and_the_next_is_whole() -> None:
    complaints = Complaints()
    for _ in range(100):
        assert complaints.feed(b"x" * 10_000) == []
    assert complaints.feed(b"\nnext\n") == ["x" * LINE_BYTES + CUT, "next"]


def test_the_tail_holds_the_last_lines_only() -> None:
    complaints = Complaints()
    complaints.feed(b"".join(b"line %d\n" % number for number in range(1000)))
    assert complaints.tail.splitlines() == [f"line {number}" for number in range(1000 - TAIL_LINES, 1000)]


def test_S5_the_tail_keeps_the_end_of_a_long_line() -> None:
    complaints = Complaints()
    complaints.feed(b"x" * 3 * TAIL_CHARACTERS + b"the reason\n")
    assert len(complaints.tail) == TAIL_CHARACTERS
    assert complaints.tail.endswith("the reason")


@given(st.lists(st.binary(max_size=20)))
def test_chunking_does_not_matter(chunks: list[bytes]) -> None:
    whole, pieces = Complaints(), Complaints()
    expected = whole.feed(b"".join(chunks)) + whole.finish()
    given_lines = [line for chunk in chunks for line in pieces.feed(chunk)] + pieces.finish()
    assert given_lines == expected
    assert pieces.tail == whole.tail
