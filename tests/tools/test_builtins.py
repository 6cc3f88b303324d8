"""A builtin of bash that a pattern may allow leaves the shell as it was: what follows runs as it would alone."""

import string
import subprocess
from pathlib import Path
from typing import Final

import pytest

from bascule.tools.shell import parse
from tests.tools.test_agreement import BASH, needs_bash

STATE: Final = "declare -p; declare -f; shopt; set -o; alias; trap; umask; enable"
MOVES: Final = (
    "PIPESTATUS=",
    "_=",
    "BASH_LINENO=",
    "BASH_SUBSHELL=",
    "LINENO=",
    "RANDOM=",
    "SRANDOM=",
    "SECONDS=",
    "EPOCH",
)
"""Variables that change by themselves."""
PLACE: Final = ("PWD=", "OLDPWD=", "DIRSTACK=")
"""What `cd` is for."""


def bash(script: str, folder: Path) -> str:
    done = subprocess.run(
        [*BASH, "-c", script],
        check=True,
        cwd=folder,
        env={"PATH": "/nowhere", "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return done.stdout


def builtins(folder: Path) -> list[str]:
    """All but one that ends the shell, after which nothing runs, and one that must not be tried."""
    return [name for name in bash("compgen -b", folder).split() if name not in ("exit", "kill")]


def is_allowable(line: str) -> bool:
    return all(command.allowable for command in parse(line).commands)


def changed(line: str, folder: Path) -> set[str]:
    """The lines in which the state of bash after `line` differs from the one before."""
    before, after = bash(f"{STATE}; echo =; {line} >/dev/null 2>&1; {STATE}", folder).split("\n=\n")
    told = set(before.splitlines()) ^ set(after.splitlines())
    return {one for one in told if not any(name in one for name in (*MOVES, *PLACE))}


@needs_bash
def test_a_builtin_that_changes_the_shell_is_seen(tmp_path: Path) -> None:
    assert changed("printf -vPATH evil", tmp_path) == {'declare -x PATH="/nowhere"', 'declare -x PATH="evil"'}
    assert changed("alias ls=rm", tmp_path) == {"alias ls='rm'"}
    assert changed("echo PATH", tmp_path) == set()


@needs_bash
@pytest.mark.timeout(60)
def test_a_builtin_that_a_pattern_may_allow_changes_nothing(tmp_path: Path) -> None:
    forms = [f"-{letter}{after}" for letter in string.ascii_letters for after in ("PATH evil", " PATH evil")]
    lines = [f"{name} {form}" for name in builtins(tmp_path) for form in ("", "PATH", "PATH=evil", "PATH evil", *forms)]
    allowed = [line for line in lines if is_allowable(line)]
    assert {line.split()[0] for line in allowed} > {"cd", "echo", "printf", "pwd", "true", "type"}
    assert {line: change for line in allowed if (change := changed(line, tmp_path))} == {}
