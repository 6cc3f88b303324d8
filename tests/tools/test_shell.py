"""Command lines read: what they run, and why a pattern may not vouch for a command."""

import subprocess
import sys
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.tools.shell import LINE_LIMIT, NOT_PARSED, OPERATOR_LIMIT, Redirection, parse

ALLOWABLE: Final = {
    "git status": [("git", "status")],
    "git diff; rm -rf x": [("git", "diff"), ("rm", "-rf", "x")],
    "a && b || c | d |& e\nf": [("a",), ("b",), ("c",), ("d",), ("e",), ("f",)],
    "ls # rm x": [("ls",)],
    "a && # why\nb": [("a",), ("b",)],
    "! ls": [("ls",)],
    "CI=1 npm test": [("npm", "test")],
    "git diff > ~/.bashrc": [("git", "diff")],
    "ls 2>&1 | wc >> out": [("ls",), ("wc",)],
    "> x rm y": [("rm", "y")],
    'echo a\\ b "c\\"d" \'e;f\'g': [("echo", "a b", 'c"d', "e;fg")],
    'echo "a\\\nb" c \\\n d': [("echo", "ab", "c", "d")],
    "écho 'ü 日本' \U0001f600": [("écho", "ü 日本", "\U0001f600")],
    "'git' \"diff\" di\\ff": [("git", "diff", "diff")],
    "cd src && ls": [("cd", "src"), ("ls",)],
    "echo \\*.py '*' \"?\" \\{a,b\\}": [("echo", "*.py", "*", "?", "{a,b}")],
    "find . -name x": [("find", ".", "-name", "x")],
    "python -m pytest -q": [("python", "-m", "pytest", "-q")],
    "bash -eu scripts/test.sh": [("bash", "-eu", "scripts/test.sh")],
    "sed -n '1,20p' f": [("sed", "-n", "1,20p", "f")],
    "make test": [("make", "test")],
    "printf '%s' x": [("printf", "%s", "x")],
    "ls ~ ~/x a~b": [("ls", "~", "~/x", "a~b")],
    "ls -2": [("ls", "-2")],
}
"""Lines that patterns may vouch for, with the words of their commands."""


@pytest.mark.parametrize("line", ALLOWABLE)
def test_plain_commands_have_the_words_their_programs_get(line: str) -> None:
    read = parse(line)
    assert read.parsed
    assert [command.words for command in read.commands] == ALLOWABLE[line]
    assert [command.doubts for command in read.commands] == [()] * len(read.commands)


DOUBTED: Final = {
    "git diff $(rm x)": "command substitution",
    "git diff `rm x`": "command substitution",
    'git diff "$(rm x)"': "command substitution",
    "diff <(ls) y": "process substitution",
    "tee >(rm x)": "process substitution",
    "ls $X": "variable",
    "ls ${X:-y}": "variable",
    "$X y": "variable",
    "echo $((1+1))": "arithmetic",
    "echo $'a\\x41'": "escaped string",
    "ls *.py": "wildcard",
    "ls src/[ab]": "wildcard",
    "ls {a,b}": "wildcard",
    "cat ~root/x": "wildcard",
    "dd of=~/x": "wildcard",
    "X=1 ls": "sets X",
    "PATH=/tmp ls": "sets PATH",
    "LD_PRELOAD=./x.so ls": "sets LD_PRELOAD",
    "X+=1 ls": "sets X",
    "X=1; ls": "sets X",
    "export PATH=/tmp; ls": "changes the shell",
    "unset PATH; ls": "changes the shell",
    "ls &": "background",
    "(ls)": "subshell",
    "{ ls; }": "compound statement",
    "if ls; then wc; fi": "if statement",
    "for x in 1 2; do ls; done": "for statement",
    "while ls; do wc; done": "while statement",
    "case x in x) ls;; esac": "case statement",
    "f() { ls; }": "function",
    "[ -f x ] && ls": "changes the shell",
    "[[ -f x ]] && ls": "changes the shell",
    "test -v 'a[$(rm x)]'": "changes the shell",
    "cat <<EOF\nx\nEOF": "here-document",
    "cat <<< x": "here-string",
    "ls > x y": "arguments after a redirection",
    "ls 3>&-": "arguments after a redirection",
    "cat < /dev/tcp/example.com/80": "network",
    "git -c core.pager='sh x' diff": "option -c",
    "git --exec-path=/tmp diff": "option --exec-path=/tmp",
    "git diff --outp=/tmp/x": "option --outp=/tmp/x",
    "git clone ext::sh": "option ext::",
    "git -C /tmp status": "option -C",
    "git --git-dir=/tmp diff": "option --git-dir=/tmp",
    "git bisect run rm": "runs its arguments",
    "git submodule foreach rm": "runs its arguments",
    "git config core.pager rm": "runs its arguments",
    "find . -delete": "option -delete",
    "find . -exec rm {} +": "option -exec",
    "sort -uo x y": "option -uo",
    "make CC=rm": "option CC=rm",
    "make --eval=x": "option --eval=x",
    "eval ls": "runs its arguments",
    "xargs rm": "runs its arguments",
    "sudo ls": "runs its arguments",
    "env X=1 ls": "runs its arguments",
    "/usr/bin/env ls": "runs its arguments",
    "command ls": "runs its arguments",
    "exec ls": "runs its arguments",
    "time ls": "runs its arguments",
    "nohup ls": "runs its arguments",
    "ssh host rm": "runs its arguments",
    "builtin ls": "changes the shell",
    "source x": "changes the shell",
    ". x": "changes the shell",
    "alias ls=rm": "changes the shell",
    "trap 'rm x' EXIT": "changes the shell",
    "printf -v PATH x": "changes the shell",
    "cd": "changes the folder in a way of its own",
    "cd -": "changes the folder in a way of its own",
    "cd a && cd b": "changes the folder twice",
    "cd a/..": "changes the folder in a way of its own",
    "ln -s a b; cat b/c": "makes a link and goes on",
    "ls; > x": "redirects by itself",
    "ls ^x": "wildcard",
    "vim x": "can run a shell",
    "sh -c 'rm x'": "takes a program as text",
    "bash -lc 'rm x'": "takes a program as text",
    "echo rm | bash": "takes a program as text",
    "bash --rcfile x y": "takes a program as text",
    "python -c x": "takes a program as text",
    "python3.11 -Bc x": "takes a program as text",
    "node": "takes a program as text",
    "node --eval x": "takes a program as text",
    "awk 1 x": "takes a program as text",
    "sed -i s/a/b/ x": "takes a program as text",
    "sed 1e x": "takes a program as text",
    "sed -n -e 1p -e 1e x": "takes a program as text",
    "sed": "takes a program as text",
    "python - x": "takes a program as text",
    "psql -c x": "takes a program as text",
    "=ls x": "wildcard",
    "noglob rm x": "runs its arguments",
    '"" x': "no program",
    "echo == x": "==",
}
"""Commands that no pattern may vouch for, and why."""


@pytest.mark.parametrize("line", DOUBTED)
def test_what_only_the_shell_or_the_program_knows_is_doubted(line: str) -> None:
    assert DOUBTED[line] in [doubt for command in parse(line).commands for doubt in command.doubts]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# nothing",
        "X=1",
        "ls 'abc",
        'ls "abc',
        "ls )",
        "ls &&",
        "git\u00a0diff",
        "git diff\r\nrm x",
        "git diff\0",
        "git diff \x1b[2K",
        "git \u202ediff",
        "ls \ud83d",
        "a\\\nb",
        "a\\ \\\nb",
        "ls\n\\\nrm x",
        "ls !\\\n#x",
        '"a"\\b',
        "!'a' b",
        "ls 0>x",
        "ls -2>&1x",
        "ls >& -x",
        "ls <> x",
        "ls \u3164",
        "ls >!/etc/x",
        "ls >&!x",
        "ls \\\t\n",
        "x" * (LINE_LIMIT + 1),
        "a|" * OPERATOR_LIMIT + "a|a",
    ],
)
def test_what_does_not_parse_or_hides_something_is_one_opaque_command(line: str) -> None:
    read = parse(line)
    assert not read.parsed
    (command,) = read.commands
    assert (command.text, command.words, command.doubts) == (line, (), (NOT_PARSED,))


def test_commands_inside_substitutions_are_commands_of_their_own() -> None:
    outer, inner = parse('git diff "$(rm x)"').commands
    assert outer.words == ("git", "diff", "$(rm x)")
    assert (inner.words, inner.text, inner.allowable) == (("rm", "x"), "rm x", True)
    assert not outer.allowable


def test_spans_count_characters_and_hold_quotes() -> None:
    line = "écho 'ü' \U0001f600 && ls"
    first, second = parse(line).commands
    assert [line[start:end] for start, end in first.spans] == ["écho", "'ü'", "\U0001f600"]
    assert line[second.start : second.end] == "ls"


def test_redirections_belong_to_their_command() -> None:
    first, second = parse("ls 2>&1 < in | wc >> 'my out'").commands
    assert [(one.operator, one.target, one.path, one.writes) for one in first.redirections] == [
        (">&", "1", None, True),
        ("<", "in", "in", False),
    ]
    assert second.text == "wc >> 'my out'"
    assert second.redirections == (Redirection(">>", "my out", 18, 29),)


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("ls > /dev/null", [None]),
        ("ls &> x", ["x"]),
        ("ls >& x", ["x"]),
        ("a | b > x", [None, "x"]),
        ("a && b > x", [None, "x"]),
        ("a > x | b", ["x", None]),
        ("! a > x", ["x"]),
        ("cat <<E > x\nq\nE", ["x"]),
    ],
)
def test_a_redirection_is_of_the_command_before_it(line: str, targets: list[str | None]) -> None:
    commands = parse(line).commands
    found = [one.path for command in commands for one in command.redirections or (Redirection("<", "/dev/null", 0, 0),)]
    assert found == targets


def test_what_a_group_is_redirected_to_is_known_to_the_line() -> None:
    read = parse("{ a; b; } > x")
    assert [one.path for one in read.redirections] == ["x"]
    assert all(not command.redirections for command in read.commands)


def test_a_line_of_nothing_but_a_redirection_is_opaque_and_still_writes() -> None:
    read = parse("> x")
    assert not read.parsed
    assert [one.path for one in read.redirections] == ["x"]


def test_arguments_behind_a_redirection_are_words() -> None:
    (command,) = parse("git diff > x --output=y").commands
    assert command.words == ("git", "diff", "--output=y")
    assert [command.text[start:end] for start, end in command.spans] == ["git", "diff", "--output=y"]


def test_assignments_are_told_by_name() -> None:
    (command,) = parse("CI=1 TZ='Europe/Berlin' date").commands
    assert command.assignments == ("CI", "TZ")
    assert command.allowable


def test_deep_nesting_is_no_recursion() -> None:
    assert not parse("echo " + "$(" * 300 + ")" * 300).commands[0].allowable


def test_without_the_extra_every_line_is_opaque() -> None:
    program = (
        "import sys; sys.modules['tree_sitter'] = None\n"
        "from bascule.tools.shell import AVAILABLE, parse\n"
        "print(AVAILABLE, parse('ls').parsed, parse('ls').commands[0].doubts)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False ('not parsed',)\n"


FRAGMENTS: Final = st.lists(
    st.sampled_from(
        [*"abz;|&<>()${}`'\"\\# \n\t*?~=![]é0", "&&", "||", "$(", "<<E", "\nE\n", "if ", "2>", "\ud800", "\0"]
    ),
    max_size=25,
).map("".join)


@given(FRAGMENTS | st.text(max_size=40))
def test_any_text_is_read_and_its_spans_fit(line: str) -> None:
    read = parse(line)
    assert read.commands
    for command in read.commands:
        assert line[command.start : command.end] == command.text
        assert len(command.words) == len(command.spans)
        assert all(command.start <= start <= end <= command.end for start, end in command.spans)
    assert read.parsed or not read.commands[0].allowable
