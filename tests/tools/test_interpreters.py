"""Interpreters that run a file, and those that get a program as text."""

import pytest

from bascule.tools import interpreters


@pytest.mark.parametrize(
    "line",
    [
        "python x.py -c y",
        "python -Bu x.py",
        "python -m pytest -c x",
        "python --version",
        "node x.js -e y",
        "node --test a.js",
        "perl -w x.pl",
        "bash -eu x.sh",
        "lua x.lua",
    ],
)
def test_a_file_or_a_module_is_no_text(line: str) -> None:
    name, *_ = words = line.split()
    assert not interpreters.takes_a_program(name, words)


@pytest.mark.parametrize(
    "line",
    [
        "python",
        "python -",
        "python -c x",
        "python -Bc x",
        "python -m",
        "python -m timeit x",
        "python -W ignore",
        "python --version x",
        "python /dev/stdin",
        "python ../dev/fd/0",
        "node -p x",
        "node --test --import=x",
        "perl -we x",
        "bash -s",
        "bash +x y",
        "fish -eu x.sh",
        "tclsh --version",
    ],
)
def test_whatever_else_may_be_text(line: str) -> None:
    name, *_ = words = line.split()
    assert interpreters.takes_a_program(name, words)


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("python -m pip install x", ["pip", "install", "x"]),
        ("python -u -m pip", ["pip"]),
        ("python x.py -m pip", []),
        ("node -m pip", []),
    ],
)
def test_a_module_is_told_with_its_arguments(line: str, module: list[str]) -> None:
    name, *_ = words = line.split()
    assert list(interpreters.module(name, words)) == module
