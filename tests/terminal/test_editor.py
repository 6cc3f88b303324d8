"""A line being written: what each key does to it, and how it stands on the screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.terminal.clean import cells
from bascule.terminal.editor import Editor, laid_out
from bascule.terminal.keys import Key


def editor(marked: str) -> Editor:
    """`|` stands for the cursor."""
    return Editor(text=marked.replace("|", ""), cursor=marked.index("|"))


def marked(of: Editor) -> str:
    return f"{of.text[: of.cursor]}|{of.text[of.cursor :]}"


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("a|c", Key("char", "b"), "ab|c"),
        ("a|", Key("paste", "b\nc\x1b[2J"), "ab\nc|"),
        ("a|", Key("newline"), "a\n|"),
        ("ab|", Key("left"), "a|b"),
        ("|ab", Key("left"), "|ab"),
        ("|ab", Key("right"), "a|b"),
        ("ab|", Key("right"), "ab|"),
        ("ab|", Key("ctrl-b"), "a|b"),
        ("|ab", Key("ctrl-f"), "a|b"),
        ("one\ntw|o", Key("home"), "one\n|two"),
        ("one\nt|wo", Key("ctrl-e"), "one\ntwo|"),
        ("o|ne\ntwo", Key("end"), "one|\ntwo"),
        ("one two |", Key("alt-b"), "one |two "),
        ("one| two", Key("ctrl-right"), "one two|"),
        ("ab|c", Key("backspace"), "a|c"),
        ("|c", Key("backspace"), "|c"),
        ("a|bc", Key("delete"), "a|c"),
        ("abc|", Key("delete"), "abc|"),
        ("one two|", Key("ctrl-w"), "one |"),
        ("one two |x", Key("alt-backspace"), "one |x"),
        ("|one two", Key("alt-d"), "| two"),
        ("one\ntwo| x", Key("ctrl-u"), "one\n| x"),
        ("one| x\ntwo", Key("ctrl-k"), "one|\ntwo"),
        ("ab|", Key("ctrl-t"), "ba|"),
        ("a|b", Key("ctrl-t"), "ba|"),
        ("|ab", Key("ctrl-t"), "|ab"),
        ("one\ntw|o", Key("up"), "on|e\ntwo"),
        ("o\ntwo|", Key("up"), "o|\ntwo"),
        ("tw|o\no", Key("down"), "two\no|"),
        ("t|wo\nthree\nx", Key("down"), "two\nt|hree\nx"),
        ("a|", Key("escape"), "a|"),
    ],
)
def test_what_a_key_does(before: str, key: Key, after: str) -> None:
    assert marked(editor(before).press(key)) == after


def test_the_history_is_walked_and_the_draft_comes_back() -> None:
    at = Editor(text="dra", cursor=3, history=("first", "second"))
    seen = []
    for name in ("up", "up", "up", "down", "down", "down"):
        at = at.press(Key(name))
        seen.append(at.text)
    assert seen == ["second", "first", "first", "second", "dra", "dra"]


def test_what_is_recalled_can_be_changed() -> None:
    at = Editor(history=("first",)).press(Key("up")).press(Key("char", "!"))
    assert marked(at) == "first!|"
    assert at.press(Key("up")).text == "first"


KEYS = st.one_of(
    st.sampled_from(
        [Key(name) for name in ("left", "right", "up", "down", "home", "end", "backspace", "delete", "ctrl-w", "ctrl-k",
         "ctrl-u", "ctrl-t", "alt-b", "alt-f", "alt-d", "newline", "tab", "page-up")]
    ),
    st.text(max_size=3).map(lambda text: Key("paste", text)),
)  # fmt: skip


@given(st.lists(KEYS, max_size=40))
def test_the_cursor_stays_within_the_text(pressed: list[Key]) -> None:
    at = Editor(history=("one", "two\nlines"))
    for key in pressed:
        at = at.press(key)
        assert 0 <= at.cursor <= len(at.text)


@pytest.mark.parametrize(
    ("text", "width", "rows", "cursor"),
    [
        ("abc|", 5, ["abc"], (0, 3)),
        ("abcde|", 5, ["abcde", ""], (1, 0)),
        ("abcdefg|", 5, ["abcde", "fg"], (1, 2)),
        ("ab|cdefg", 5, ["abcde", "fg"], (0, 2)),
        ("a\n|b", 5, ["a", "b"], (1, 0)),
        ("a|\nb", 5, ["a", "b"], (0, 1)),
        ("日本|語", 5, ["日本", "語"], (1, 0)),
        ("|", 5, [""], (0, 0)),
    ],
)
def test_how_it_stands_on_the_screen(text: str, width: int, rows: list[str], cursor: tuple[int, int]) -> None:
    layout = laid_out(editor(text), width)
    assert (layout.rows, (layout.row, layout.column)) == (rows, cursor)


@given(st.text(st.sampled_from("ab日 \n"), max_size=40), st.integers(2, 20), st.data())
def test_no_row_is_too_wide_and_the_cursor_is_on_one(text: str, width: int, data: st.DataObject) -> None:
    cursor = data.draw(st.integers(0, len(text)))
    layout = laid_out(Editor(text=text, cursor=cursor), width)
    assert all(cells(row) <= width for row in layout.rows)
    assert layout.column < width
    before = "".join(layout.rows[: layout.row])
    assert text.replace("\n", "").startswith(before)
    assert "".join(layout.rows) == text.replace("\n", "")
