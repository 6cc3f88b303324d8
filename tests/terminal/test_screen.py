"""What a person sees: what is said stays, what moves is drawn in place, and the terminal is left as it was."""

import io
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.terminal.editor import Editor
from bascule.terminal.foot import Foot
from bascule.terminal.lines import Line, Piece, Prose, Span, line
from bascule.terminal.screen import LiveScreen, PlainScreen, ink_for, is_live, notification
from tests.terminal.vt import Terminal

MARK = (Span("» "),)


def screen_on(terminal: Terminal) -> LiveScreen:
    return LiveScreen(terminal, "none", terminal.size)


def written(text: str, cursor: int | None = None) -> Foot:
    return Foot(label=MARK, editor=Editor(text=text, cursor=len(text) if cursor is None else cursor))


def test_what_is_said_stays_above_what_moves() -> None:
    terminal = Terminal()
    screen = screen_on(terminal)
    screen.face([line("one moves")], Foot())
    screen.say([line("said")])
    screen.face([line("two moves")], Foot())
    assert terminal.seen() == ["said", "two moves"]
    screen.say([line("said too")])
    screen.face([], Foot())
    assert terminal.seen() == ["said", "said too"]


def test_a_frame_is_one_write_and_none_when_nothing_changed() -> None:
    terminal = Terminal()
    screen = screen_on(terminal)
    screen.say([line("a")])
    screen.face([line("b")], written("c"))
    screen.face([line("b")], written("c"))
    assert terminal.frames == 1


def test_the_cursor_stands_where_the_next_character_goes() -> None:
    terminal = Terminal(columns=40)
    screen = screen_on(terminal)
    screen.face([line("moves")], written("hello\nworld", 8))
    assert terminal.seen() == ["moves", "» hello", "  world"]
    assert terminal.cursor() == ("  world", 4)
    assert "25" in terminal.modes
    screen.face([line("moves")], Foot())
    assert "25" not in terminal.modes


def test_lines_stand_above_the_line_being_written_with_a_ghost_in_it() -> None:
    terminal = Terminal(columns=30)
    screen_on(terminal).face(
        [], Foot(lines=(line("hint"),), label=MARK, editor=Editor(), ghost="What is in this project?")
    )
    assert terminal.seen() == ["hint", "» What is in this project?"]
    assert terminal.cursor() == ("» What is in this project?", 2)


def test_what_moves_is_cut_at_its_top_when_it_is_higher_than_the_screen() -> None:
    terminal = Terminal(lines=6)
    screen = screen_on(terminal)
    for count in (3, 40, 41):
        screen.face([line(str(number)) for number in range(count)], written("x"))
    assert terminal.seen() == ["37", "38", "39", "40", "» x"]


def test_a_text_higher_than_the_screen_is_shown_around_the_cursor() -> None:
    terminal = Terminal(lines=4)
    screen = screen_on(terminal)
    text = "\n".join(map(str, range(9)))
    screen.face([], written(text))
    assert (terminal.seen(), terminal.cursor()) == (["  6", "  7", "  8"], ("  8", 3))
    screen.face([], written(text, 0))
    assert (terminal.seen(), terminal.cursor()) == (["» 0", "  1", "  2"], ("» 0", 2))


def test_much_that_is_said_scrolls_and_loses_nothing() -> None:
    terminal = Terminal(lines=5)
    screen = screen_on(terminal)
    screen.face([line("moves"), line("too")], written("x"))
    screen.say([line(str(number)) for number in range(30)])
    screen.face([line("moves")], written("x"))
    assert terminal.seen() == [*map(str, range(30)), "moves", "» x"]


def test_a_narrower_window_leaves_nothing_behind() -> None:
    terminal = Terminal(columns=80)
    screen = screen_on(terminal)
    screen.say([line("said")])
    screen.face([line("w" * 70), line("v" * 70)], written("x" * 50))
    terminal.resize(30)
    screen.face([line("small")], written("y"))
    assert terminal.seen() == ["said", "small", "» y"]


def test_another_program_gets_a_clean_terminal() -> None:
    terminal = Terminal()
    screen = screen_on(terminal)
    screen.open()
    screen.face([line("moves")], written("x"))
    assert {"2004", "1004"} <= terminal.modes
    screen.say([line("said")])
    screen.close()
    assert terminal.seen() == ["said"]
    assert terminal.modes == {"25"}
    screen.open()
    screen.face([], written("x"))
    assert terminal.seen() == ["said", "» x"]


SAID = st.lists(st.text(st.sampled_from("ab 日"), max_size=50), max_size=4)


@given(st.lists(st.tuples(SAID, SAID, st.text(st.sampled_from("xy\n"), max_size=30)), max_size=8))
def test_whatever_happens_each_row_is_there_once(frames: list[tuple[list[str], list[str], str]]) -> None:
    terminal = Terminal(columns=24, lines=12)
    screen = screen_on(terminal)
    expected: list[Piece] = []
    for said, moving, text in frames:
        pieces: list[Piece] = [Line(spans=(Span(row),)) for row in said]
        expected += pieces
        screen.say(pieces)
        screen.face([Line(spans=(Span(row),)) for row in moving], written(text))
    screen.close()
    plain = Terminal(columns=24)
    whole = screen_on(plain)
    whole.say(expected)
    whole.close()
    assert terminal.seen() == plain.seen()


def test_plain_output_is_lines_and_nothing_else() -> None:
    out = io.StringIO()
    screen = PlainScreen(out)
    screen.say([line("x" * 200, ("bold", "1")), Prose(text="**b**")])
    screen.face([line("moves")], Foot())
    assert out.getvalue() == f"{'x' * 200}bold\n**b**\n"


def test_plain_output_to_a_terminal_has_its_width() -> None:
    out = io.StringIO()
    PlainScreen(out, "none", 30).say([line("some words that are too long for it"), Prose(text="**b**")])
    assert out.getvalue() == "some words that are too long\nfor it\nb\n"


def test_a_notice_rings() -> None:
    terminal = Terminal()
    screen_on(terminal).notify("Claude waits", {"TERM_PROGRAM": "WezTerm"})
    assert (terminal.rung, terminal.notices) == (1, ["9;Claude waits"])


@pytest.mark.parametrize(
    ("environ", "sequence"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, "\x1b]9;a; b\x1b\\\a"),
        ({"TERM_PROGRAM": "ghostty"}, "\x1b]9;a; b\x1b\\\a"),
        ({"TERM": "xterm-kitty"}, "\x1b]9;a; b\x1b\\\a"),
        ({"TERM": "foot"}, "\x1b]777;notify;bascule;a, b\x1b\\\a"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "\x1b]777;notify;bascule;a, b\x1b\\\a"),
        ({"TERM_PROGRAM": "vscode"}, "\x1b]777;notify;bascule;a, b\x1b\\\a"),
        ({"TERM": "screen-256color"}, "\a"),
        ({}, "\a"),
    ],
)
def test_the_desktop_is_told_where_the_terminal_can(environ: dict[str, str], sequence: str) -> None:
    assert notification("a; b", environ) == sequence


@pytest.mark.parametrize(
    ("out", "environ", "ink"),
    [
        (Terminal(), {"TERM": "xterm"}, "colour"),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, "mono"),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, "colour"),
        (Terminal(), {"TERM": "dumb"}, "none"),
        (io.StringIO(), {"TERM": "xterm"}, "none"),
    ],
)
def test_what_a_stream_can_show(out: Any, environ: dict[str, str], ink: str) -> None:
    assert ink_for(out, environ) == ink


@pytest.mark.parametrize("term", ["dumb", None])
def test_nobody_is_asked_where_nothing_can_be_drawn(term: str | None) -> None:
    leader, follower = os.openpty()
    with os.fdopen(leader), os.fdopen(follower) as terminal:
        environ = {} if term is None else {"TERM": term}
        assert not is_live(terminal, terminal, environ)
        assert is_live(terminal, terminal, {"TERM": "xterm"})
        assert not is_live(terminal, io.StringIO(), {"TERM": "xterm"})
