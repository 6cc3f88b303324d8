"""Rules and their short text form."""

import pytest

from bascule.errors import OptionError
from bascule.policy.rules import Rule, checked, parse


@pytest.mark.parametrize(
    ("text", "tool", "match"),
    [
        ("Read", "Read", None),
        (" Read ", "Read", None),
        ("Bash(git status *)", "Bash", "git status *"),
        ("Bash( git status )", "Bash", "git status"),
        ("Bash (ls)", "Bash", "ls"),
        ("Edit(src/**)", "Edit", "src/**"),
        ("WebFetch(domain:docs.python.org)", "WebFetch", "domain:docs.python.org"),
        ("mcp__git__*", "mcp__git__*", None),
        ("{Read,Glob}", "{Read,Glob}", None),
        ("Bash(echo (a))", "Bash", "echo (a)"),
        ("Bash(echo a\necho b)", "Bash", "echo a\necho b"),
        ("*", "*", None),
    ],
)
def test_a_text_says_a_rule(text: str, tool: str, match: str | None) -> None:
    rule = parse(text, "deny", source="here")
    assert rule == Rule(action="deny", tool=tool, match=match, source="here")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no rule"),
        ("Bash(ls", "is no rule"),
        ("Bash ls", "is no rule"),
        ("(ls)", "is no rule"),
        ("Bash(ls) Read", "is no rule"),
        ("Bash()", "write 'Bash' for every call"),
        ("Bash( )", "write 'Bash' for every call"),
        ("Ba;sh", "tool is 'Ba;sh'"),
        ("Read(" + "{a,b}" * 9 + ")", "more than 256"),
    ],
)
def test_a_text_that_says_no_rule_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint.replace("(", r"\(")):
        parse(text)


@pytest.mark.parametrize("text", ["Read", "Bash(git status *)", "mcp__git__*"])
def test_a_rule_is_written_as_it_is_read(text: str) -> None:
    assert str(parse(text)) == text


def test_a_fault_is_named_with_its_place() -> None:
    with pytest.raises(OptionError, match=r"^rules\.toml:3: "):
        checked(Rule(action="allow", tool="", source="rules.toml:3"))
    with pytest.raises(OptionError, match=r"^rules\.toml:3: "):
        checked(Rule(action="allow", tool="Read", unless=("{a,b}" * 9,), source="rules.toml:3"))
