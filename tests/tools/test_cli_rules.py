"""Rules of ours as the CLI means them."""

import pytest

from bascule.tools.cli_rules import cli_rule


@pytest.mark.parametrize(
    ("rule", "tool", "content"),
    [
        ("Bash(touch one)", "Bash", "touch one"),
        (" Bash( ls /tmp ) ", "Bash", " ls /tmp "),
        ("Bash(echo (a))", "Bash", "echo (a)"),
        ("WebFetch(domain:example.org)", "WebFetch", "domain:example.org"),
        ("Agent", "Agent", None),
        ("Agent(Explore)", "Agent", "Explore"),
        ("Write", "Write", None),
        ("mcp__git__*", "mcp__git__*", None),
        ("Read(/etc/hosts)", "Read", "//etc/hosts"),
        ("Read(//etc/**)", "Read", "//etc/**"),
        ("Read(~/notes)", "Read", "~/notes"),
        ("Grep(/srv/**)", "Read", "//srv/**"),
        ("Write(/srv/app/a.py)", "Edit", "//srv/app/a.py"),
        ("NotebookEdit(src/**)", "Edit", "src/**"),
        ("Edit()", "Edit", None),
    ],
)
def test_a_rule_is_said_in_the_clis_own_meaning(rule: str, tool: str, content: str | None) -> None:
    assert cli_rule(rule) == (tool, content)
