"""Rules that are offered: the narrowest first, and none that says more than it shows."""

from typing import Any

import pytest

from bascule.events import Suggestion
from bascule.tools import facts, suggestions


def offered(name: str, tool_input: Any) -> list[str]:
    return [suggestion.rule for suggestion in suggestions(facts(name, tool_input))]


def bash(command: str) -> list[str]:
    return [rule.removeprefix("Bash(").removesuffix(")") for rule in offered("Bash", {"command": command})]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git status", ["git status", "git status *"]),
        (" ls -la ", ["ls -la", "ls *"]),
        ("npm run test -- --x", ["npm run test -- --x", "npm run test *"]),
        ("python -m pytest -q", ["python -m pytest -q", "python -m pytest *"]),
        ("git", ["git", "git *"]),
        ("git pull", ["git pull", "git pull *"]),
        ("tar xf a.tar", ["tar xf a.tar"]),
        ("tar cf a.tar b", ["tar cf a.tar b", "tar *"]),
        ("git commit -m 'a b'", ["git commit -m 'a b'", "git commit *"]),
        ("git -c a=b diff", ["git -c a=b diff"]),
        ("./run.sh x", ["./run.sh x", "./run.sh *"]),
    ],
)
def test_a_command_is_offered_to_the_letter_and_then_as_a_prefix(command: str, expected: list[str]) -> None:
    assert bash(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "sh x.sh",
        "bash -c ls",
        "python -c x",
        "python x.py",
        "curl -s localhost",
        "env ls",
        "sudo ls",
        "xargs ls",
        "npx x",
        "rm x",
        "git clean -n",
        "git push --force",
        "ls > x",
        "CI=1 npm test",
        "git status; ls",
        "git $(ls)",
        "echo 'a",
        "'my tool' x",
    ],
)
def test_no_prefix_is_offered_for_what_runs_destroys_or_is_in_doubt(command: str) -> None:
    assert bash(command) == [command]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("grep 'a*b' x", ["grep 'a*b' x", "grep *"]),
        ('grep "[x]" y', ["grep '[x]' y", "grep *"]),
        ("git log '*'", ["git log '*'", "git log *"]),
        ("grep '' '*'", ["grep '' '*'", "grep *"]),
        ('grep "it\'s*" x', ["grep *"]),
        ("rm *", []),
        ("ls *.py; ls", []),
        ("ls '*' > x", []),
        ("a\nb", []),
        ("", []),
        ("echo " + "x" * 300, ["echo *"]),
    ],
)
def test_what_could_read_as_a_pattern_is_quoted_or_not_offered(command: str, expected: list[str]) -> None:
    assert bash(command) == expected


@pytest.mark.parametrize(
    ("name", "tool_input", "expected"),
    [
        ("Edit", {"file_path": "/w/p/src/a.py"}, ["Edit(/w/p/src/a.py)", "Edit(/w/p/src/**)", "Edit"]),
        ("Read", {"file_path": "/w/a"}, ["Read(/w/a)", "Read"]),
        ("Glob", {"pattern": "*.py", "path": "/w/p"}, ["Glob(/w/p/**)", "Glob"]),
        ("Grep", {"pattern": "x"}, ["Grep"]),
        ("Edit", {"file_path": "src/a.py"}, ["Edit"]),
        ("Edit", {"file_path": "/w/p/[id].tsx"}, ["Edit"]),
        ("WebFetch", {"url": "https://example.com/x"}, ["WebFetch(domain:example.com)", "WebFetch"]),
        ("WebFetch", {"url": "https://a@b/"}, ["WebFetch"]),
        ("mcp__git__log", {}, ["mcp__git__log", "mcp__git__*"]),
        ("mcp____x", {}, ["mcp____x"]),
        ("Agent", {}, ["Agent"]),
        ("PowerShell", {"command": "dir"}, ["PowerShell(dir)"]),
        ("odd name", {}, []),
        ("Bash*", {}, []),
    ],
)
def test_files_hosts_and_servers_widen_step_by_step(name: str, tool_input: Any, expected: list[str]) -> None:
    assert offered(name, tool_input) == expected


def test_a_rule_is_of_the_session_unless_somebody_widens_it() -> None:
    assert suggestions(facts("Agent", {})) == (Suggestion(rule="Agent", scope="session", source="bascule"),)


@pytest.mark.parametrize(
    ("path", "whole"),
    [("/w/a.py", True), ("/etc/hosts", False), ("/w/.env", False), ("/w/.github/x", False), ("/w/Makefile", True)],
)
def test_a_tool_as_a_whole_is_offered_only_for_what_it_then_covers(path: str, whole: bool) -> None:
    known = facts("Write", {"file_path": path, "content": "x"})
    assert ("Write" in [suggestion.rule for suggestion in suggestions(known, "/w")]) is whole
