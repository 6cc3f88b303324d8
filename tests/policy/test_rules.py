"""Rules and their short text form."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("Bash(ls) in", "is no rule"),
        ("Read in web", "is no rule"),
        ("Bash()", "write 'Bash' for every call"),
        ("Bash( )", "write 'Bash' for every call"),
        ("Ba;sh", "tool is 'Ba;sh'"),
        ("Read(" + "{a,b}" * 9 + ")", "more than 256"),
    ],
)
def test_a_text_that_says_no_rule_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint.replace("(", r"\(")):
        parse(text)


@pytest.mark.parametrize(
    ("text", "match", "stands"),
    [
        ("Bash(make) in web", "make", "web"),
        ("Bash(make)  in  /srv/a b ", "make", "/srv/a b"),
        ("Bash(a) in b)", "a) in b", None),
        ("Bash(make) in w", "make", "w"),
        ("Bash(make) in ./web/", "make", "web"),
        ("Bash(make) in /srv/%29a%25", "make", "/srv/)a%"),
        ("Bash(echo (a)) in web", "echo (a)", "web"),
    ],
)
def test_a_text_says_the_folder_of_a_command(text: str, match: str, stands: str | None) -> None:
    assert parse(text) == Rule(action="allow", tool="Bash", match=match, stands=stands)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text == text.strip() != ""),
    st.text("abc %)(29\n/.", min_size=1).map(posixpath.normpath).filter(lambda text: text == text.strip() != "."),
)
def test_a_rule_with_its_folder_is_written_as_it_is_read(match: str, folder: str) -> None:
    rule = Rule(action="allow", tool="Bash", match=match, stands=folder)
    assert parse(str(rule)) == rule


@pytest.mark.parametrize("text", ["Read", "Bash(git status *)", "mcp__git__*", "Bash(make) in web"])
def test_a_rule_is_written_as_it_is_read(text: str) -> None:
    assert str(parse(text)) == text


def test_a_fault_is_named_with_its_place() -> None:
    with pytest.raises(OptionError, match=r"^rules\.toml:3: "):
        checked(Rule(action="allow", tool="", source="rules.toml:3"))
    with pytest.raises(OptionError, match=r"^rules\.toml:3: "):
        checked(Rule(action="allow", tool="Read", unless=("{a,b}" * 9,), source="rules.toml:3"))
