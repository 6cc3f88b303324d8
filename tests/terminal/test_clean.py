"""Foreign text cannot steer the terminal, and nothing that is decided over hides a character."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.terminal.clean import cells, exact, one_line, plain


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;cm0gLXJm\x07", ""),
        ("\x1bPq#0\x1b\\image", "image"),
        ("a\x1b[2Jb\x1b[1;1Hc", "abc"),
        ("\x9b31mred", "red"),
        ("cut off \x1b[", "cut off "),
        ("bell\x07 back\x08 null\x00", "bell back null"),
        ("safe\u202egnp.exe", "safegnp.exe"),
        ("a\ud800b", "a\ufffdb"),
        ("a\tb", "a    b"),
        ("one\r\ntwo", "one\ntwo"),
        (" 10 %\r 50 %\r100 %", "100 %"),
        ("done\r", "done"),
    ],
)
def test_L118_what_would_steer_the_terminal_is_gone(text: str, harmless: str) -> None:
    assert plain(text) == harmless


@given(st.text(st.characters()))
def test_nothing_that_a_terminal_obeys_passes(text: str) -> None:
    left = plain(text)
    assert all(char == "\n" or unicodedata.category(char) not in ("Cc", "Cs") for char in left)
    assert not set(left) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"))))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_an_override_of_the_direction_is_a_chip_where_a_person_decides() -> None:
    assert exact("rm \u202egnp") == [("rm ", False), ("U+202E", True), ("gnp", False)]


@pytest.mark.parametrize(
    "hidden", ["\x1b", "\x00", "\r", "\u200b", "\ufeff", "\u00ad", "\U000e0041", "\u2028", "\udc80"]
)
def test_a_hidden_character_is_named(hidden: str) -> None:
    assert (f"U+{ord(hidden):04X}", True) in exact(f"a{hidden}b")


@given(st.text())
def test_nothing_is_left_out_of_what_is_decided_over(text: str) -> None:
    shown = exact(text)
    back = "".join(chr(int(part[2:], 16)) if chip else part for part, chip in shown)
    assert back == text.replace("\t", "    ")


def test_a_picture_keeps_what_joins_it() -> None:
    assert exact("✔\ufe0f 👩\u200d💻") == [("✔\ufe0f 👩\u200d💻", False)]


def test_what_joins_pictures_is_a_chip_elsewhere() -> None:
    assert exact("a\u200db\ufe0f") == [("a", False), ("U+200D", True), ("b", False), ("U+FE0F", True)]


@pytest.mark.parametrize(("text", "line"), [("", ""), ("\n\n  b \nc", "b"), ("\x1b[1m\n", "")])
def test_one_line_is_the_first_that_says_something(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("a\u200bb", 2), ("é", 1)])
def test_columns_of_text(text: str, columns: int) -> None:
    assert cells(text) == columns
