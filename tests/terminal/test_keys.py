"""Bytes become keys, however they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.terminal.keys import Decoder, Key


def keys(data: bytes) -> list[str]:
    decoder = Decoder()
    found = [*decoder.feed(data), *decoder.flush()]
    return [key.text or key.name for key in found]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"y", ["y"]),
        ("ä日".encode(), ["ä", "日"]),
        (b"\r", ["enter"]),
        (b"\n", ["newline"]),
        (b"\x1b\r", ["newline"]),
        (b"\x1b[13;2u", ["newline"]),
        (b"\x1b[27;2;13~", ["newline"]),
        (b"\x7f\x08", ["backspace", "backspace"]),
        (b"\t\x1b[Z", ["tab", "shift-tab"]),
        (b"\x01\x04\x17", ["ctrl-a", "ctrl-d", "ctrl-w"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOH\x1bOF", ["up", "home", "end"]),
        (b"\x1b[H\x1b[1~\x1b[F\x1b[4~\x1b[3~", ["home", "home", "end", "end", "delete"]),
        (b"\x1b[1;5C\x1b[1;3D\x1b[1;2A", ["ctrl-right", "alt-left", "shift-up"]),
        (b"\x1bb\x1bf\x1b\x7f", ["alt-b", "alt-f", "alt-backspace"]),
        (b"\x1b[I\x1b[O", ["focus", "blur"]),
        (b"\x1b[200~a\r\nb\rc\x1b[31m\x1b[201~", ["a\nb\nc\x1b[31m"]),
        (b"\x1b", ["escape"]),
        (b"\x1b\x1b", ["escape", "escape"]),
        (b"\x1b[", ["escape", "["]),
        (b"\x1b[99;99x\x1b[5nz", ["z"]),
        (b"\x1c\x1f", []),
        (b"\xff", ["\ufffd"]),
    ],
)
def test_what_a_terminal_sends_is_a_key(data: bytes, names: list[str]) -> None:
    assert keys(data) == names


def test_a_paste_that_is_not_over_is_not_taken_for_keys() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\x1b[200~y\r") == []
    assert not decoder.waits
    assert decoder.flush() == []
    assert decoder.feed(b"es\x1b[201~") == [Key("paste", "y\nes")]


def test_an_escape_waits_for_what_it_may_begin() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.waits
    assert decoder.feed(b"[A") == [Key("up")]
    assert not decoder.waits


PIECES = st.sampled_from(
    [b"a", "日".encode(), b"\r", b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1b[200~x\ny\x1b[201~", b"\x1bb"]
)


@given(st.lists(PIECES, max_size=12), st.lists(st.integers(1, 5), max_size=40))
def test_how_the_bytes_are_cut_does_not_matter(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    decoder = Decoder()
    found: list[Key] = []
    at = 0
    for size in [*cuts, len(data)]:
        found += decoder.feed(data[at : at + size])
        at += size
    assert found == Decoder().feed(data)
