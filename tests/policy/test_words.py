"""Patterns over the words of a command."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy import words


@pytest.mark.parametrize(
    ("pattern", "globs"),
    [
        ("git status", ("git", "status")),
        ("  git   status ", ("git", "status")),
        ("git status *", ("git", "status", "*")),
        ("git status*", ("git", "status*", "*")),
        ("npm run test:*", ("npm", "run", "test", "*")),
        ("rm build/*", ("rm", "build/*")),
        (r"echo \*", ("echo", r"\*")),
        ('echo "a b"', ("echo", "a b")),
        ("echo 'a *'", ("echo", r"a \*")),
        (r'echo "a\"b"', ("echo", 'a"b')),
        ("echo ''", ("echo", "")),
        ("it's", ("it's",)),
        ("", ("",)),
        (":*", (":*", "*")),
        ("*", ("*",)),
    ],
)
def test_a_pattern_is_taken_apart_as_a_command_is(pattern: str, globs: tuple[str, ...]) -> None:
    assert words.pattern_words(pattern) == globs


@pytest.mark.parametrize(
    ("pattern", "command", "covered"),
    [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("git status *", "git status", True),
        ("git status *", "git status -s src", True),
        ("git status *", "git statusfoo", False),
        ("git status*", "git status -s", True),
        ("git status*", "git stash", False),
        ("git diff *", "git -c core.pager=sh diff", False),
        ("git * main", "git push origin main", True),
        ("git * main", "git push origin dev", False),
        ("git diff", "GIT DIFF", False),
        ("rm build/*", "rm build/a", True),
        ("rm build/*", "rm build/a src", False),
        ("rm build/*", "rm build/../src", False),
        ("rm build/../*", "rm build/../src", True),
        ("ls *", "ls ..", True),
        ("git", "/tmp/git", False),
        ("*", "", False),
        ("*", "anything at all", True),
    ],
)
def test_covering_says_all_words_in_order(pattern: str, command: str, covered: bool) -> None:
    assert words.covers(pattern, command.split()) is covered


@pytest.mark.parametrize(("pattern", "gap"), [("ls *", True), ("ls*", True), ("ls '*'", False), ("rm a/*", False)])
def test_a_pattern_with_a_gap_is_told(pattern: str, gap: bool) -> None:
    assert words.has_gap(pattern) is gap


def test_a_blank_inside_a_word_makes_no_second_word() -> None:
    assert not words.covers("git status", ["git status"])
    assert not words.covers("git commit -m fix it", ["git", "commit", "-m", "fix it"])
    assert words.covers('git commit -m "fix it"', ["git", "commit", "-m", "fix it"])


@pytest.mark.parametrize(
    ("pattern", "command", "touched"),
    [
        ("rm *", "rm -rf x", True),
        ("rm", "rm -rf x", True),
        ("rm *", "/bin/rm x", True),
        ("rm *", "RM x", True),
        ("rm *", "rmdir x", False),
        ("rm *", "git rm x", False),
        ("git push", "git -C elsewhere push origin", True),
        ("git push --force", "git push origin main --force", True),
        ("git push --force", "git push origin main", False),
        ("git push --force*", "git push --force-with-lease", True),
    ],
)
def test_touching_lets_nothing_stand_between(pattern: str, command: str, touched: bool) -> None:
    assert words.touches(pattern, command.split()) is touched


@pytest.mark.parametrize(
    "text",
    [
        "git diff; rm -rf x",
        "git diff && rm x",
        "git diff|rm x",
        "echo $(rm x)",
        "echo `rm x`",
        "bash -c 'rm x'",
        "bash -c '/bin/rm x'",
        "r'm' x",
        'r""m x',
        r"r\m x",
        "r\\\nm x",
        "vim -c !rm",
        "rm${IFS}x",
        "X=rm; $X y",
        "{ rm x; }",
        "(rm x)",
        "if true; then rm x; fi",
        "cat <<E\nrm x\nE",
        "python -c \"import os; os.system('rm x')\"",
        "sudo rm x",
        "\nrm\nx",
    ],
)
def test_touching_a_text_finds_the_words_wherever_they_stand(text: str) -> None:
    assert words.touches_text("rm *", text)
    assert words.touches_text("rm", text)


@pytest.mark.parametrize(("line", "stands"), [("rm", True), ("a b /bin/RM x", True), ("a rmdir x", False), ("", False)])
def test_touching_within_finds_the_first_word_anywhere(line: str, stands: bool) -> None:
    assert words.touches_within("rm *", line.split()) is stands


def test_touching_within_keeps_the_order() -> None:
    assert words.touches_within("git push", "uv git -C x push".split())
    assert not words.touches_within("git push", "uv push git".split())


@pytest.mark.parametrize(
    ("word", "text"), [("a b", True), ("a=b", True), ("'a'", True), ("a-b/c.d", False), ("", False)]
)
def test_a_word_that_could_be_taken_apart_may_be_a_text(word: str, text: bool) -> None:
    assert words.may_be_text(word) is text


def test_touching_a_text_finds_words_and_not_letters() -> None:
    assert not words.touches_text("rm *", "confirm the terms")
    assert not words.touches_text("rm *", "")


def test_a_pattern_of_nothing_but_signs_touches_every_text() -> None:
    assert words.touches_text("$()", "ls")


@given(st.text(), st.text())
def test_nothing_raises(pattern: str, text: str) -> None:
    rough = text.split()
    assert words.covers(pattern, rough) in (True, False)
    assert words.touches(pattern, rough) in (True, False)
    assert words.touches_text(pattern, text) in (True, False)


@given(st.lists(st.text(min_size=1), min_size=1))
def test_what_is_covered_is_touched(command: list[str]) -> None:
    pattern = " ".join(word if word.isalnum() else "*" for word in command)
    assert not words.covers(pattern, command) or words.touches(pattern, command)
