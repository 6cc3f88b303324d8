"""What the CLI writes is cut into lines as without a keeper, and its end has the same names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.keeper.child import CUT, LINE_BYTES, NAMED, TAIL_CHARACTERS, TAIL_LINES, Lines
from bascule.protocol.framing import Framing
from bascule.recording import signal_name
from bascule.transport import complaints
from bascule.transport.complaints import Complaints

CHUNKS = st.lists(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\xef\xbb\xbf", b"\xff", b"\xc2\x85"])).map(b"".join))


@given(CHUNKS)
def test_stdout_is_framed_as_everywhere(chunks: list[bytes]) -> None:
    lines, framing = Lines(), Framing()
    for chunk in chunks:
        assert lines.feed(chunk) == framing.feed(chunk)
    assert lines.finish() == framing.finish()


@given(st.lists(st.sampled_from([b"a\n", b"b" * 40_000, b"\n", b"\xff\n"])))
def test_a_line_of_stderr_is_bounded_as_everywhere(chunks: list[bytes]) -> None:
    lines, complaints = Lines(LINE_BYTES), Complaints()
    for chunk in chunks:
        assert lines.feed(chunk) == complaints.feed(chunk)
    assert lines.finish() == complaints.finish()


def test_the_bounds_are_those_of_a_process_without_a_keeper() -> None:
    ours = (CUT, LINE_BYTES, TAIL_CHARACTERS, TAIL_LINES)
    assert ours == (complaints.CUT, complaints.LINE_BYTES, complaints.TAIL_CHARACTERS, complaints.TAIL_LINES)


@pytest.mark.parametrize("number", range(1, 32))
def test_the_same_signals_have_names(number: int) -> None:
    assert (number in NAMED) == (signal_name(number) != f"SIG{number}")
