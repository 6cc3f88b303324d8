"""Prompts from the command line, from files and from standard input; nothing is waited for that was not asked for."""

import io
import os
from pathlib import Path

import pytest

from bascule.cli.prompts import prompts_of
from bascule.errors import OptionError


class Unread(io.StringIO):
    """A standard input that nobody closes: to read it would hang."""

    def read(self, size: int | None = -1) -> str:
        raise AssertionError("standard input was read without being asked for")


def test_prompts_come_in_order_from_everywhere(tmp_path: Path) -> None:
    file = tmp_path / "prompt.md"
    file.write_text("\nfrom a file\n\n")
    assert prompts_of(["one", "-", "two"], [str(file)], io.StringIO("piped\n")) == (
        "one",
        "piped",
        "two",
        "from a file",
    )


def test_what_is_piped_in_is_the_prompt_when_none_was_given() -> None:
    assert prompts_of([], [], io.StringIO("piped")) == ("piped",)


def test_standard_input_is_left_alone_when_a_prompt_was_given() -> None:
    assert prompts_of(["one"], [], Unread()) == ("one",)


def test_a_terminal_has_no_prompt_yet() -> None:
    leader, follower = os.openpty()
    with os.fdopen(leader), os.fdopen(follower) as terminal:
        assert prompts_of([], [], terminal) == ()


@pytest.mark.parametrize(
    ("given", "stdin", "problem"),
    [
        ([" \n"], "", "a prompt is empty"),
        ([], "  ", "standard input is empty: there is nothing to say"),
        (["-"], "", "standard input is empty"),
    ],
)
def test_a_prompt_that_says_nothing_is_refused(given: list[str], stdin: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        prompts_of(given, [], io.StringIO(stdin))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"the prompt file .*/gone cannot be read \(No such file or directory\)"):
        prompts_of([], [str(tmp_path / "gone")], Unread())
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\x00")
    with pytest.raises(OptionError, match="is no UTF-8 text: byte 0"):
        prompts_of([], [str(binary)], Unread())


def test_standard_input_that_is_no_text_is_refused() -> None:
    with pytest.raises(OptionError, match="standard input is no text"):
        prompts_of([], [], io.TextIOWrapper(io.BytesIO(b"\xff"), encoding="utf-8"))
