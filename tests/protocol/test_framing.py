"""Lines come out the same however the bytes were cut."""

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bascule.protocol.framing import Framing

PIECES = st.sampled_from(
    [b"a", b"\n", b"\r", b"\r\n", b"\x00", b"\xff", "\x85\u2028é😀".encode(), b"\xef\xbb\xbf", b'{"x":1}']
)
STREAMS = st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(b"".join))


def lines_of(*chunks: bytes) -> list[str]:
    framing = Framing()
    return [line for chunk in chunks for line in framing.feed(chunk)] + framing.finish()


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[a:b] for a, b in pairwise(ends)]


@given(STREAMS, st.lists(st.integers(min_value=0), max_size=20))
def test_chunking_does_not_matter(stream: bytes, places: list[int]) -> None:
    assert lines_of(*cut(stream, places)) == lines_of(stream)


@given(STREAMS.map(lambda stream: stream.replace(b"\r", b"")))
def test_no_byte_is_lost(stream: bytes) -> None:
    back = "\n".join(lines_of(stream)).encode("utf-8", "surrogateescape")
    assert back + (b"\n" if stream.endswith(b"\n") else b"") == stream.removeprefix(b"\xef\xbb\xbf")


def test_unicode_line_ends_are_text() -> None:
    assert lines_of("a\x85b\u2028c\x0bd\x1ce\n".encode()) == ["a\x85b\u2028c\x0bd\x1ce"]


def test_nul_is_text() -> None:
    assert lines_of(b"a\x00b\n") == ["a\x00b"]


def test_crlf_is_stripped_when_it_is_cut_in_two() -> None:
    assert lines_of(b"a\r", b"\nb\r\n") == ["a", "b"]


def test_a_carriage_return_inside_a_line_stays() -> None:
    assert lines_of(b"a\rb\n") == ["a\rb"]


def test_a_byte_order_mark_is_dropped_only_where_the_stream_begins() -> None:
    assert lines_of(b"\xef", b"\xbb\xbf{}\n\xef\xbb\xbf{}\n") == ["{}", "\ufeff{}"]


def test_bytes_that_are_no_utf8_can_be_written_back() -> None:
    (line,) = lines_of(b"caf\xe9\n")
    assert line.encode("utf-8", "surrogateescape") == b"caf\xe9"


def test_a_character_cut_in_two_is_one_character() -> None:
    assert lines_of(b"\xf0\x9f", b"\x98\x80\n") == ["😀"]


def test_blank_lines_are_lines() -> None:
    assert lines_of(b"\n\na\n") == ["", "", "a"]


def test_the_last_line_without_a_newline_comes_at_the_end_once() -> None:
    framing = Framing()
    assert framing.feed(b"a\nb") == ["a"]
    assert framing.finish() == ["b"]
    assert framing.finish() == []


def test_a_huge_line_in_small_chunks_takes_linear_time() -> None:
    """200 MB in 64 KiB chunks; searching the whole buffer for each would read 300 GB."""
    framing, chunk = Framing(), b"x" * 65536
    began = time.process_time()
    for _ in range(3200):
        assert framing.feed(chunk) == []
    (line,) = framing.feed(b"\n")
    assert len(line) == 3200 * 65536
    assert time.process_time() - began < 5
