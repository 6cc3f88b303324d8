"""Markdown is cut into finished blocks as it streams in, and laid out for a width."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.terminal.clean import cells
from bascule.terminal.lines import Span
from bascule.terminal.markdown import as_written, laid_out, split
from tests.terminal.examples import told


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("one", ""),
        ("one\n\n", ""),
        ("one\n\ntw", "one\n\n"),
        ("one\ntwo\n\nthree\n\nfour", "one\ntwo\n\nthree\n\n"),
        ("```\na\n\nb\n", ""),
        ("```\na\n\nb\n```\n\nc", "```\na\n\nb\n```\n\n"),
        ("~~~~\n~~~\n\nx\n", ""),
        ("- a\n\n- b\n\n  more", ""),
        ("1. a\n\n2. b\n\nend", "1. a\n\n2. b\n\n"),
        ("a\n\n    code", ""),
    ],
)
def test_a_block_is_finished_when_it_is_clear_that_nothing_follows(text: str, finished: str) -> None:
    assert split(text) == (finished, text.removeprefix(finished))


@given(st.text(st.sampled_from("a \n`~-1.#"), max_size=80))
def test_nothing_is_lost_and_what_is_finished_stays_finished(text: str) -> None:
    finished, rest = split(text)
    assert finished + rest == text
    assert split(f"{text}\n\nmore")[0].startswith(finished)


def test_text_as_it_was_written() -> None:
    assert told(as_written("\n# a\n\n- b\n")) == ["# a", "", "- b"]


def test_markdown_is_laid_out() -> None:
    lines = laid_out("# Head\n\nSome **bold** and `code`.\n\n- one\n\n```python\nx = 1\n```\n", 40)
    assert told(lines) == ["Head", "", "Some bold and code.", "", " • one", "", " x = 1"]
    assert Span("bold", "1") in lines[2].spans


def test_a_link_tells_its_address() -> None:
    assert told(laid_out("[here](http://x.y/z)", 60)) == ["here (http://x.y/z)"]


def test_amber_is_kept_for_what_waits_for_a_person() -> None:
    lines = laid_out('```python\nx = "text"\n```', 40)
    styles = {code for line in lines for span in line.spans for code in span.style.split(";")}
    assert not styles & {"33", "93"}
    assert len(styles) > 1


@pytest.mark.parametrize("text", ["", "  \n\n", "\n"])
def test_nothing_is_no_line(text: str) -> None:
    assert laid_out(text, 40) == ()


@given(st.text(st.sampled_from("ab日*_`#>|-\n 1."), max_size=120), st.integers(20, 60))
def test_no_line_is_wider_than_asked(text: str, width: int) -> None:
    assert all(cells(line.text) <= width for line in laid_out(text, width))


WITHOUT_RICH = """
import sys
sys.modules["rich"] = None
from bascule.terminal.lines import Prose
from bascule.terminal.paint import rows
print(*rows([Prose(text="# Head\\n\\nSome **bold** words that go on."), ], 24, "colour"), sep="\\n")
"""


def test_without_the_extra_the_text_stands_as_it_was_written() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_RICH], capture_output=True, text=True, timeout=15, check=True)
    assert done.stdout.splitlines() == ["# Head", "", "Some **bold** words that", "go on."]
