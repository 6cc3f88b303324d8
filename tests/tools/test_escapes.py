"""Options and subcommands by which a program does more than its name says."""

import pytest

from bascule.tools import escapes


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("sort -o x", "-o"),
        ("sort -uo x", "-uo"),
        ("sort --output=x", "--output=x"),
        ("sort --out x", "--out"),
        ("sort --o=x", "--o=x"),
        ("sort -u --", None),
        ("sort x-o", None),
        ("find . -exec x", "-exec"),
        ("find . -empty", None),
        ("find -L .", "-L"),
        ("go test -count=1", None),
        ("go test -o=x", "-o=x"),
        ("tar cIf x", "-cIf"),
        ("tar xf x", None),
        ("tar --checkpoint=1", None),
        ("tar --checkpoint-action=x", "--checkpoint-action=x"),
        ("tar", None),
        ("make CC=x", "CC=x"),
        ("make -j4", None),
        ("pytest @x", "@x"),
        ("ls -o", None),
    ],
)
def test_an_option_is_found_however_it_is_written(line: str, option: str | None) -> None:
    name, *_ = words = line.split()
    assert escapes.option(name, words) == option


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("git", None),
        ("git status", None),
        ("git --no-pager status", None),
        ("git -c a=b status", "-c"),
        ("git --namespace x config", "--namespace"),
        ("git switch -c x", None),
        ("git clone -c x", "-c"),
        ("git grep -Ox", "-Ox"),
        ("git fetch ext::x", "ext::"),
        ("git remote add x fd::3", "fd::"),
        ("git fetch ssh://-oProxyCommand=x/y", "://-"),
        ("git diff --outp=x", "--outp=x"),
    ],
)
def test_options_of_git_count_before_and_behind_its_subcommand(line: str, option: str | None) -> None:
    assert escapes.option("git", line.split()) == option


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("git bisect run x", True),
        ("git --no-pager bisect run x", True),
        ("git bisect start run", False),
        ("git config --get x", False),
        ("git config x y", True),
        ("git config", True),
        ("git add config", False),
        ("ssh host", False),
        ("ssh host x", True),
        ("npm exec x", True),
        ("npm run exec", False),
        ("ls exec", False),
    ],
)
def test_a_subcommand_that_runs_something_stands_first(line: str, runs: bool) -> None:
    name, *_ = words = line.split()
    assert escapes.runs_by_subcommand(name, words) is runs
