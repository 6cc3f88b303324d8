"""What a pattern may vouch for is what bash runs: the parser's words against those of the real shell."""

import random
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from bascule.tools.shell import Line, parse

BASH: Final = (shutil.which("bash") or "/nowhere/bash", "--norc", "--noprofile")

FRAGMENTS: Final = (
    *"zz zz zz a b 0 1 - f é ! = , : % @ + / ^ ~ ~/ ' ' \" \" \\ \\ # { } [ ] [[ ]] ( ) (( )) $( `".split(),
    *"; ;; & && | || |& > < >> <<< <<E 2>&1 &> >& >| <& <( 2> $ $X ${X} $' $\" * ? {a,b} == =~ CI=1".split(),
    *"if then fi do done case in esac time coproc function".split(),
    *(" ", " ", " ", " ", "\t", "\n", "\n", "\\\n", "\nE\n", "\r", "\x0b", "\xa0"),
)
"""Pieces of shell that parsers trip over."""

REPORT: Final = """
command_not_found_handle() { printf '%s\\0' "$@" >"$CALLS/$BASHPID"; return "$STATUS"; }
"""
"""With an empty PATH every program is one that bash does not find: it tells its words, and nothing runs."""


def tells_its_words() -> bool:
    """Whether bash is there and of a version (4) that lets a function stand in for what it does not find."""
    try:
        done = subprocess.run([*BASH, "-c", "echo ${BASH_VERSINFO[0]}"], capture_output=True, text=True, check=True)
    except OSError:
        return False
    return int(done.stdout) >= 4


needs_bash: Final = pytest.mark.skipif(not tells_its_words(), reason="no bash of version 4 or later")


def allowable(line: Line) -> bool:
    return line.parsed and all(command.allowable for command in line.commands)


def run_by_bash(line: str, status: int, folder: Path) -> set[tuple[str, ...]]:
    """The words of the programs that bash would start for ``line`` if each ended with ``status``."""
    calls, workspace = folder / "calls", folder / "workspace"
    calls.mkdir(parents=True)
    workspace.mkdir()
    environment = {"PATH": str(folder), "HOME": "/home/dev", "CALLS": str(calls), "STATUS": str(status)}
    environment["LC_ALL"] = "C.UTF-8"
    subprocess.run(
        [*BASH, "-c", REPORT + line],
        check=False,  # most of the lines end with an error, and what is of interest is what ran before
        cwd=workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
    )
    return {tuple(call.read_bytes().decode().split("\0")[:-1]) for call in calls.iterdir()}


def at_home(words: tuple[str, ...]) -> tuple[str, ...]:
    """``words`` with their tildes as bash reads them; the parser leaves that to whoever resolves paths."""
    return tuple(f"/home/dev{word[1:]}" if word == "~" or word.startswith("~/") else word for word in words)


@needs_bash
@pytest.mark.parametrize("seed", range(4))
def test_bash_runs_no_words_that_were_not_read(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    lines = ("zz " + "".join(chance.choices(FRAGMENTS, k=chance.randint(1, 12))) for _ in iter(int, 1))
    started = 0
    for number, line in zip(range(200), (line for line in lines if allowable(parse(line))), strict=False):
        read = {command.words for command in parse(line).commands}
        run = run_by_bash(line, number % 2, tmp_path / str(number))
        assert run <= read | set(map(at_home, read)), line
        started += len(run)
    assert started > 150


@needs_bash
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("zz \\\nb", {("zz", "b")}),
        ("z\\\nz", {("zz",)}),
        ('zz \'a\nb\' "c\\"d"', {("zz", "a\nb", 'c"d')}),
        ("zz a=~/b", {("zz", "a=/home/dev/b")}),
        ("zz !\\\n#b", {("zz", "!#b")}),
        ('zz "a"\\b', {("zz", "ab")}),
    ],
)
def test_the_shell_that_is_compared_with_tells_its_words(line: str, run: set[tuple[str, ...]], tmp_path: Path) -> None:
    assert run_by_bash(line, 0, tmp_path / "bash") == run
